//! Runs the program. The tests with clients of others have this module, too.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything takes on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so that only a look can show.
#[track_caller]
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end, "{what}: it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The output of the program and its exit code.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// The folder of the workspace, so that fixtures have relative paths.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program with arguments separated by spaces, to be run in `folder`.
pub(crate) fn command(folder: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
    command
        .args(args.split(' ').filter(|arg| !arg.is_empty()))
        .current_dir(folder);
    for variable in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "CODEX_SQLITE_HOME",
    ] {
        command.env_remove(variable);
    }
    // Times are written on the clock of this machine.
    command.env("TZ", "UTC");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it.
pub(crate) fn run(folder: &Path, args: &str) -> Finished {
    let output = command(folder, args).output().unwrap();
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// An empty folder of that name for the inputs of one test.
#[track_caller]
pub(crate) fn folder(name: &str) -> PathBuf {
    // Several programs of tests have this module.
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    golden_files::folders::empty(&base, name)
}
