//! Runs a client with a real Codex and with a stand-in, and compares what it shows.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use codex_wire_record::{Home, Model, binary};
use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client};
use crate::install;
use crate::scenario::Scenario;
use crate::shown::Shown;

/// The releases that are tried.
pub(crate) const RELEASES: [&str; 3] = ["0.98.0", "0.125.0", "0.169.0"];

/// The releases that a scenario is tried with.
pub(crate) fn tried(scenario: &Scenario) -> impl Iterator<Item = &'static str> {
    RELEASES
        .into_iter()
        .filter(|release| scenario.is_tried_with(release))
}

/// Longer than a run takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// The name of the file with what a client showed.
pub(crate) const SHOWN: &str = "shown.jsonl";

/// Two tests for each client, scenario and release: with a stand-in and with a real Codex.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for client in CLIENTS {
        let missing = install::check(*client).err();
        for scenario in client.scenarios {
            for release in tried(scenario) {
                let played = Run {
                    client: *client,
                    scenario,
                    release,
                };
                let name = format!("{}::{}", client.name, scenario.name);
                let reason = missing.clone().or_else(|| {
                    golden_files::is_update().then(|| "recordings are being made".to_owned())
                });
                trials.push(trial(
                    format!("{name} stand-in {release}"),
                    reason,
                    move || {
                        played.plays_what_was_recorded();
                    },
                ));
                let real = binary(&install::workspace(), release);
                let reason = missing
                    .clone()
                    .or_else(|| real.is_none().then(|| "there is no binary".to_owned()));
                trials.push(trial(
                    format!("{name} codex {release}"),
                    reason,
                    move || {
                        played.shows_the_same(&real.unwrap());
                    },
                ));
            }
        }
    }
    trials
}

/// A test, which is ignored for a reason if there is one.
pub(crate) fn trial(
    name: String,
    reason: Option<String>,
    test: impl FnOnce() + Send + 'static,
) -> Trial {
    let is_ignored = reason.is_some();
    let trial = Trial::test(name, || {
        test();
        Ok(())
    });
    trial
        .with_kind(reason.unwrap_or_default())
        .with_ignored_flag(is_ignored)
}

/// A client that does something with a release.
#[derive(Clone, Copy)]
struct Run {
    client: Client,
    scenario: &'static Scenario,
    release: &'static str,
}

impl Run {
    /// With a stand-in that plays the recordings of the repository, the client shows what it showed when
    /// they were made.
    fn plays_what_was_recorded(self) {
        let folder = self.client.recordings(self.scenario, self.release);
        let shown = self.with_stand_in("stand-in", &recordings_in(&folder));
        let golden = fs::read_to_string(folder.join(SHOWN)).unwrap();
        assert_same(&golden, &shown.text());
    }

    /// With a real Codex and with a stand-in that plays what it said, the client shows the same, and
    /// copes as well as the pages say.
    fn shows_the_same(self, real: &Path) {
        let folder = self.folder("codex");
        let real = self.with_codex(&folder, real);
        let recordings = recordings_in(&folder.join("recordings"));
        let played = self.with_stand_in("played", &recordings);
        let golden = self.client.recordings(self.scenario, self.release);
        if golden_files::is_update() {
            store(&golden, &recordings, &real);
        }
        assert_same(&real.text(), &played.text());
        let recorded = fs::read_to_string(golden.join(SHOWN)).unwrap();
        let recorded = (self.scenario.expected)(&Shown::read(&recorded, "/stage"));
        assert_eq!((self.scenario.expected)(&real), recorded);
    }

    /// Runs the client with a real Codex. What they say is recorded.
    fn with_codex(self, folder: &Path, real: &Path) -> Shown {
        let model = Model::new((self.scenario.answers)()).unwrap();
        let home = self.home(folder, model.port());
        let recordings = folder.join("recordings");
        fs::create_dir_all(&recordings).unwrap();
        // The shell stays: a client that kills it does not kill `tap` before all is recorded.
        let script = format!(
            "#!/bin/sh\n\
             case \" $* \" in\n\
             *\" exec \"*) protocol=exec ;;\n\
             *\" app-server \"*) protocol=app-server ;;\n\
             *) exec '{real}' \"$@\" ;;\n\
             esac\n\
             n=1\n\
             while ! mkdir '{to}/'$n 2>/dev/null; do n=$((n + 1)); done\n\
             '{tap}' tap --release {release} --protocol $protocol --log '{to}/'$n/log.txt \
             --record '{to}/'$n/run.jsonl -- '{real}' \"$@\"\n",
            real = real.display(),
            to = recordings.display(),
            tap = env!("CARGO_BIN_EXE_codex-wire"),
            release = self.release,
        );
        let codex = folder.join("bin/codex");
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::write(&codex, script).unwrap();
        fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).unwrap();
        let shown = self.shown(folder, &codex, &home);
        let root = home.project().parent().unwrap().display().to_string();
        for number in 1.. {
            let path = recordings.join(format!("{number}/run.jsonl"));
            if !path.exists() {
                break;
            }
            let text = complete(&path).replace(&root, "/stage");
            fs::write(recordings.join(format!("{number}.jsonl")), text).unwrap();
        }
        shown
    }

    /// Runs the client with a stand-in.
    fn with_stand_in(self, name: &str, recordings: &[PathBuf]) -> Shown {
        assert!(!recordings.is_empty(), "nothing was recorded");
        let folder = self.folder(name);
        let home = self.home(&folder, 9);
        let mut install = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
        install
            .args(["replay", "--install"])
            .arg(folder.join("bin"));
        let installed = install.args(recordings).output().unwrap();
        assert!(
            installed.status.success(),
            "{}",
            String::from_utf8_lossy(&installed.stderr)
        );
        self.shown(&folder, &folder.join("bin/codex"), &home)
    }

    /// Runs the client, and reads what it prints.
    fn shown(self, folder: &Path, codex: &Path, home: &Home) -> Shown {
        let project = home.project();
        let arguments = [Path::new(self.scenario.name), codex, &project];
        let mut command = self
            .client
            .command(&arguments, |command| furnish(command, home, folder));
        let errors = folder.join("stderr.txt");
        command.stderr(fs::File::create(&errors).unwrap());
        let printed = printed(&mut command).unwrap_or_else(|error| {
            let text = fs::read_to_string(&errors).unwrap_or_default();
            panic!("{error}\n{}", &text[text.len().saturating_sub(2000)..])
        });
        let root = project.parent().unwrap().display().to_string();
        let shown = Shown::read(&printed, &root);
        fs::write(folder.join(SHOWN), shown.text()).unwrap();
        shown
    }

    fn home(self, folder: &Path, port: u16) -> Home {
        let release: Release = self.release.parse().unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        // Not in the checkout: Codex names files by their place in it.
        let stage = std::env::temp_dir().join(format!("codex-wire-{}", std::process::id()));
        Home::new(&stage.join(self.client.name).join(name), release, port).unwrap()
    }

    /// An empty folder for one run.
    fn folder(self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("clients")
            .join(self.client.name)
            .join(format!("{}-{}-{name}", self.scenario.name, self.release));
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}

/// Gives a client the environment of a home, in which the `codex` of a folder is found.
pub(crate) fn furnish(command: &mut Command, home: &Home, folder: &Path) {
    home.furnish(command);
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        folder.join("bin").display()
    );
    command.env("PATH", path);
}

/// Removes what clients and Codex have written.
pub(crate) fn clear() {
    let stage = std::env::temp_dir().join(format!("codex-wire-{}", std::process::id()));
    // There is none if no test has run.
    let _ = fs::remove_dir_all(stage);
}

/// What a program prints until it ends.
pub(crate) fn printed(command: &mut Command) -> Result<String, String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut out = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let until = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err("the client does not end".to_owned());
        }
        thread::sleep(Duration::from_millis(5));
    }
    reader
        .join()
        .unwrap()
        .map_err(|error| format!("the client prints no text: {error}"))
}

/// A recording, once it is at its end: a client may end before its Codex does.
fn complete(path: &Path) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        let text = fs::read_to_string(path).unwrap();
        let last = text.lines().last().unwrap_or_default();
        if text.ends_with('\n') && last.starts_with("{\"kind\":\"exit\"") {
            return text;
        }
        assert!(Instant::now() < until, "{} has no end", path.display());
        thread::sleep(Duration::from_millis(5));
    }
}

/// The recordings of a folder, in order.
fn recordings_in(folder: &Path) -> Vec<PathBuf> {
    (1..)
        .map(|number| folder.join(format!("{number}.jsonl")))
        .take_while(|path| path.exists())
        .collect()
}

/// Puts recordings and what the client showed into the repository.
fn store(folder: &Path, recordings: &[PathBuf], shown: &Shown) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    fs::create_dir_all(folder).unwrap();
    for recording in recordings {
        let name = recording.file_name().unwrap();
        fs::copy(recording, folder.join(name)).unwrap();
    }
    fs::write(folder.join(SHOWN), shown.text()).unwrap();
}

/// Asserts that a client showed the same, and says where it began to differ.
#[track_caller]
fn assert_same(real: &str, played: &str) {
    let (mut real, mut played) = (real.lines(), played.lines());
    for number in 1.. {
        let pair = (real.next(), played.next());
        if pair == (None, None) {
            return;
        }
        assert!(
            pair.0 == pair.1,
            "line {number}: with Codex the client shows\n{}\nand with the stand-in\n{}",
            pair.0.unwrap_or("nothing"),
            pair.1.unwrap_or("nothing")
        );
    }
}
