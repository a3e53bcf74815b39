//! Runs the client against an installed stand-in, and keeps what it shows.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_inputs::Stop;
use codex_wire_replay::faults::Injection;
use tempfile::TempDir;

use crate::conformance::processes;
use crate::conformance::scenarios::Scenario;
use crate::conformance::shown::Shown;
use crate::error::Error;
use crate::stand_in::{Installed, Settings, install};

/// The variables in which clients look for the program.
const VARIABLES: &[&str] = &[
    "CODEX_PATH",
    "CODEX_BIN",
    "CODEX_CLI_PATH",
    "CODEX_EXECUTABLE",
];

/// The variable by which processes of a run are known, whatever group or session they are in. It names the folder of
/// the stage.
const MARK: &str = "CODEX_WIRE_CONFORMANCE";

/// How often the client is looked after.
const PERIOD: Duration = Duration::from_millis(4);

/// How long the stand-in may take to end after the client. One that is gone is not waited for.
const GRACE: Duration = Duration::from_secs(5);

/// The files of a run: what no recording answers, and which faults were injected.
const MISSES: &str = "misses.txt";
const FAULTS: &str = "faults.txt";

/// How much of the client's standard output is compared.
const LONGEST: u64 = 64 << 20;

/// A folder with a stand-in that plays one scenario.
pub(crate) struct Stage {
    folder: TempDir,
    installed: Installed,
}

impl Stage {
    /// Installs a stand-in for a scenario. `program` is one that plays under the name of Codex.
    pub(crate) fn new(scenario: &Scenario, program: &Path) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("codex-wire-").tempdir();
        let folder = folder.map_err(Error::system("make a folder"))?;
        let bin = folder.path().join("bin");
        let installed = install(&bin, program, &Settings::new(), &scenario.repertoire()?)?;
        Ok(Stage { folder, installed })
    }

    /// Runs the client, with a fault or without, until the time is over or a stop is requested.
    pub(crate) fn run(
        &self,
        client: &[String],
        faults: &[Injection],
        seed: u64,
        (timeout, stop): (Duration, &Stop),
    ) -> Result<Shown, Error> {
        let run = self.folder.path().join("run");
        let home = self.folder.path().join("home");
        for folder in [&run, &home] {
            if folder.exists() {
                fs::remove_dir_all(folder).map_err(Error::write(folder))?;
            }
            fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        self.set(&run, faults, seed)?;
        let mut shown = Shown::default();
        let (out, err) = (run.join("stdout"), run.join("stderr"));
        let mut child = self.command(client, &home, &out, &err)?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child
                .try_wait()
                .map_err(Error::system("wait for the client"))?
            {
                break Some(status);
            }
            if stop.is_requested() {
                break None;
            }
            if begun.elapsed() >= timeout {
                shown.timed_out = true;
                break None;
            }
            thread::sleep(PERIOD);
        };
        shown.status = status.and_then(|status| status.code());
        let stays = faults.iter().any(|injection| injection.fault.trial.stays);
        if !shown.timed_out && !stays {
            self.await_end(&run, stop);
        }
        self.end(&mut child);
        if stop.is_requested() {
            return Err(Error::Interrupted);
        }
        shown.stdout = read(&out)?;
        shown.stderr = read(&err)?;
        self.collect(&run, &mut shown)?;
        Ok(shown)
    }

    fn set(&self, run: &Path, faults: &[Injection], seed: u64) -> Result<(), Error> {
        let mut settings = Settings::new();
        settings.record = Some(run.join("exchange-{pid}.jsonl"));
        settings.miss_log = Some(run.join(MISSES));
        settings.fault_log = Some(run.join(FAULTS));
        settings.seed = seed;
        settings.injections = faults.to_vec();
        self.installed.configure(&settings)
    }

    fn command(
        &self,
        client: &[String],
        home: &Path,
        out: &Path,
        err: &Path,
    ) -> Result<Child, Error> {
        let program = self.installed.program();
        let shown = program.display().to_string();
        let mut words = client.iter().map(|word| word.replace("{codex}", &shown));
        let name = words
            .next()
            .ok_or(Error::Invalid("the command of the client is empty"))?;
        let mut paths = vec![self.folder.path().join("bin")];
        paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path = env::join_paths(paths).map_err(io::Error::other);
        let path: OsString = path.map_err(Error::system("set PATH"))?;
        let mut command = Command::new(&name);
        command
            .args(words)
            .env("PATH", path)
            .env(MARK, self.folder.path())
            .env("CODEX_HOME", home)
            .envs(VARIABLES.iter().map(|variable| (variable, &program)))
            .stdin(Stdio::null())
            .stdout(File::create(out).map_err(Error::write(out))?)
            .stderr(File::create(err).map_err(Error::write(err))?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .spawn()
            .map_err(|source| Error::Run { name, source })
    }

    /// Waits until the stand-in has written all it has to say, or is gone.
    fn await_end(&self, run: &Path, stop: &Stop) {
        let begun = Instant::now();
        let is_over = || {
            let ended = |path: &PathBuf| {
                // Whoever is gone writes no more, so that is asked first.
                let is_gone = processes::is_gone(path);
                is_gone || has_exit(path).unwrap_or(false)
            };
            exchanges(run).iter().all(ended)
        };
        while !stop.is_requested() && !is_over() && begun.elapsed() < GRACE {
            thread::sleep(PERIOD);
        }
    }

    /// Ends the client and everything that it started.
    fn end(&self, child: &mut Child) {
        processes::end_group(child);
        let _ = child.kill();
        let _ = child.wait();
        processes::end_marked(MARK, self.folder.path());
    }

    fn collect(&self, run: &Path, shown: &mut Shown) -> Result<(), Error> {
        for path in exchanges(run) {
            let bytes = fs::read(&path).map_err(Error::read(&path))?;
            shown.add_exchange(&bytes);
        }
        let lines = |name: &str| {
            let text = fs::read_to_string(run.join(name)).unwrap_or_default();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        shown.misses = lines(MISSES);
        shown.injected = lines(FAULTS).into_iter().collect();
        Ok(())
    }
}

/// The exchanges of a run, oldest first.
fn exchanges(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("exchange-"));
    let mut files: Vec<_> = own
        .map(|entry| {
            let created = entry.metadata().and_then(|about| about.created());
            (created.ok(), entry.path())
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// Whether the last record of an exchange is the exit. The rest can be long, and this is asked again and again.
fn has_exit(path: &Path) -> io::Result<bool> {
    const LAST: u64 = 1024;
    let mut file = File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(LAST)))?;
    let mut bytes = Vec::new();
    file.take(LAST).read_to_end(&mut bytes)?;
    Ok(memchr::memmem::find(&bytes, b"{\"kind\":\"exit\"").is_some())
}

fn read(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Error::read(path))?;
    let read = file.take(LONGEST).read_to_end(&mut bytes);
    read.map_err(Error::read(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_end_of_an_exchange_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exchange-1.jsonl");
        let mut file = File::create(&path).unwrap();
        writeln!(file, r#"{{"kind":"start"}}"#).unwrap();
        assert!(!has_exit(&path).unwrap());
        writeln!(file, r#"{{"kind":"exit","status":0,"ms":7}}"#).unwrap();
        assert!(has_exit(&path).unwrap());
        // More than can be read, where a file may have holes.
        if cfg!(unix) {
            file.seek(SeekFrom::Start(1 << 42)).unwrap();
            writeln!(file, r#"{{"kind":"exit","status":0,"ms":7}}"#).unwrap();
            assert!(has_exit(&path).unwrap());
        }
    }
}
