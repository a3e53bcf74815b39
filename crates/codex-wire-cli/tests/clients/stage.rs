//! Runs a client with a real Codex, and with stand-ins, and compares what it sends and shows.

use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use codex_wire_record::{Home, Model, binary};
use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client};
use crate::differences;
use crate::exchange::{self, Codex, Exchange};
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

/// How often a client that writes too late is run before something else must be wrong.
const LOST_RACES: usize = 20;

/// The name of the file with what a client showed.
pub(crate) const SHOWN: &str = "shown.jsonl";

/// The name of the file with what a client sent.
const SENT: &str = "sent.jsonl";

/// Three tests for each client, scenario and release: with a stand-in that plays a recording, with one that
/// plays a script, and with a real Codex. Each night with each release, otherwise with the newest and, by
/// the recording alone, with the oldest; and with a real Codex one scenario of each client: neither of them changes.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for client in CLIENTS {
        let missing = install::check(*client).err();
        for (number, scenario) in client.scenarios.iter().enumerate() {
            for release in tried(scenario) {
                let played = Run {
                    client: *client,
                    scenario,
                    release,
                };
                let is_newest = release == RELEASES[2];
                let is_whole = sampling::is_wide() || golden_files::is_update();
                if !is_whole && release == RELEASES[1] {
                    continue;
                }
                let name = format!("{}::{}", client.name, scenario.name);
                let reason = missing.clone().or_else(|| {
                    golden_files::is_update().then(|| "recordings are being made".to_owned())
                });
                trials.push(trial(
                    format!("{name} stand-in {release}"),
                    reason.clone(),
                    move || {
                        played.plays_what_was_recorded();
                    },
                ));
                // A script is played as each release by other tests, too.
                if is_newest || sampling::is_wide() {
                    trials.push(trial(
                        format!("{name} script {release}"),
                        reason,
                        move || {
                            played.plays_a_script();
                        },
                    ));
                }
                if !is_whole && (number > 0 || !is_newest) {
                    continue;
                }
                let real = binary(&install::workspace(), release);
                let reason = missing
                    .clone()
                    .or_else(|| real.is_none().then(|| "there is no binary".to_owned()));
                trials.push(trial(
                    format!("{name} codex {release}"),
                    reason,
                    move || {
                        played.does_the_same(&real.unwrap());
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
    /// With a stand-in that plays the recordings of the repository, the client sends and shows what it did
    /// when they were made.
    fn plays_what_was_recorded(self) {
        let folder = self.client.recordings(self.scenario, self.release);
        let recordings = recordings_in(&self.client.played(self.scenario, self.release));
        let played = self.with_stand_in("stand-in", &recordings);
        golden(&folder).assert_same(&played, "the stand-in");
    }

    /// With a stand-in that plays a script, the client sends and shows the same, except for what is listed.
    fn plays_a_script(self) {
        let script = install::workspace()
            .join("crates/codex-wire-cli/tests/clients/scripts")
            .join(format!("{}.toml", self.scenario.script));
        let flags = [
            "--script".into(),
            script,
            "--release".into(),
            self.release.into(),
        ];
        let played = self.with_stand_in("script", &flags);
        let known = |seen: Seen| differences::leave_out(self.client.name, self.scenario.name, seen);
        let folder = self.client.recordings(self.scenario, self.release);
        known(golden(&folder)).assert_same(&known(played), "the script");
    }

    /// With a real Codex and with a stand-in that plays what it said, the client sends and shows the same, and
    /// copes as well as the pages say.
    fn does_the_same(self, real: &Path) {
        let folder = self.folder("codex");
        let (real, recordings) = self.with_codex(&folder, real);
        let recordings = match self.client.reads_text {
            Some(_) => recordings_in(&self.client.played(self.scenario, self.release)),
            None => recordings,
        };
        let played = self.with_stand_in("played", &recordings);
        let golden = self.client.recordings(self.scenario, self.release);
        if golden_files::is_update() {
            let own = match self.client.reads_text {
                Some(_) => &[],
                None => &recordings[..],
            };
            store(&golden, own, &real);
        }
        real.assert_same(&played, "the stand-in");
        let recorded = fs::read_to_string(golden.join(SHOWN)).unwrap();
        let recorded = (self.scenario.expected)(&Shown::read(&recorded, "/stage"));
        assert_eq!((self.scenario.expected)(&real.shown), recorded);
    }

    /// Runs the client with a real Codex. Returns what they say as well.
    fn with_codex(self, folder: &Path, real: &Path) -> (Seen, Vec<PathBuf>) {
        let model = Model::new((self.scenario.answers)()).unwrap();
        let home = self.home(folder, model.port());
        let codex = folder.join("bin/codex");
        let real = Codex::Real(real, self.release);
        let exchange = Exchange::with(real, &codex, folder.join("recordings"));
        let shown = self.shown(folder, &codex, &home);
        let root = root(&home);
        let recordings = exchange.recordings(&root);
        let sent = self.sent(&exchange, &root);
        let is_whole = true;
        (
            Seen {
                shown,
                sent,
                is_whole,
            },
            recordings,
        )
    }

    /// Runs the client with a stand-in, for which `codex-wire replay` gets these arguments.
    fn with_stand_in(self, name: &str, arguments: &[PathBuf]) -> Seen {
        assert!(!arguments.is_empty(), "nothing was recorded");
        // A program that refuses its arguments ends at once, and may be gone before the client has written. Which of two
        // errors the client shows then is decided by no program. Codex starts later, so its recording has the other one.
        let mut runs = (0..LOST_RACES).map(|_| self.once_with_stand_in(name, arguments));
        let seen = runs.find(|seen| !seen.shown.is_broken_pipe());
        seen.expect("the stand-in is always gone before the client writes")
    }

    fn once_with_stand_in(self, name: &str, arguments: &[PathBuf]) -> Seen {
        let folder = self.folder(name);
        let home = self.home(&folder, 9);
        let mut install = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
        install
            .args(["replay", "--install"])
            .arg(folder.join("stand-in"));
        let installed = install.args(arguments).output().unwrap();
        assert!(
            installed.status.success(),
            "{}",
            String::from_utf8_lossy(&installed.stderr)
        );
        let codex = folder.join("bin/codex");
        let program = folder.join("stand-in/codex");
        let exchange = Exchange::with(Codex::StandIn(&program), &codex, folder.join("recordings"));
        let shown = self.shown(&folder, &codex, &home);
        let sent = self.sent(&exchange, &root(&home));
        let is_whole = exchange.is_whole();
        Seen {
            shown,
            sent,
            is_whole,
        }
    }

    /// What the client sent.
    fn sent(self, exchange: &Exchange, root: &str) -> Shown {
        let sent = exchange.sent(root);
        match self.client.asks_at_once {
            true => sent.changed(exchange::disorder),
            false => sent,
        }
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
        let shown = Shown::read(&printed, &root(home));
        fs::write(folder.join(SHOWN), shown.text()).unwrap();
        shown
    }

    fn home(self, folder: &Path, port: u16) -> Home {
        let release: Release = self.release.parse().unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        Home::new(&place(self.client.name, name), release, port).unwrap()
    }

    /// An empty folder for one run.
    fn folder(self, name: &str) -> PathBuf {
        let name = format!("{}-{}-{name}", self.scenario.name, self.release);
        empty_folder(self.client.name, &name)
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

/// An empty folder, of those of a client or of a group of tests. It stays, for whoever looks into a failure.
#[track_caller]
pub(crate) fn empty_folder(group: &str, name: &str) -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    golden_files::folders::empty(&base.join(group), name)
}

/// An empty folder where Codex and a client can work. It is not in the checkout: Codex names files by their place
/// in it.
#[track_caller]
pub(crate) fn place(group: &str, name: &str) -> PathBuf {
    golden_files::folders::empty(&places().join(group), name)
}

/// Removes what clients and Codex have written.
pub(crate) fn clear() {
    // There is none if no test has run.
    let _ = fs::remove_dir_all(places());
}

/// What lies in it is of this run.
fn places() -> PathBuf {
    std::env::temp_dir().join(format!("codex-wire-{}", std::process::id()))
}

/// What a program prints until it ends.
pub(crate) fn printed(command: &mut Command) -> Result<String, String> {
    printed_with(command, "")
}

/// What a program prints until it ends, with this short input.
pub(crate) fn printed_with(command: &mut Command, input: &str) -> Result<String, String> {
    let stdin = match input {
        "" => Stdio::null(),
        _ => Stdio::piped(),
    };
    let command = command.stdin(stdin).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that reads nothing may have ended.
        let _ = stdin.write_all(input.as_bytes());
    }
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

/// The recordings of a folder, in order.
fn recordings_in(folder: &Path) -> Vec<PathBuf> {
    (1..)
        .map(|number| folder.join(format!("{number}.jsonl")))
        .take_while(|path| path.exists())
        .collect()
}

/// Puts recordings and what the client did into the repository.
fn store(folder: &Path, recordings: &[PathBuf], seen: &Seen) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    fs::create_dir_all(folder).unwrap();
    for recording in recordings {
        let name = recording.file_name().unwrap();
        fs::copy(recording, folder.join(name)).unwrap();
    }
    fs::write(folder.join(SHOWN), seen.shown.text()).unwrap();
    fs::write(folder.join(SENT), seen.sent.text()).unwrap();
}

/// What the client did when the recordings of a folder were made.
fn golden(folder: &Path) -> Seen {
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        Shown::read(&text, "/stage")
    };
    Seen {
        shown: read(SHOWN),
        sent: read(SENT),
        is_whole: true,
    }
}

/// The folder of a home.
fn root(home: &Home) -> String {
    let project = home.project();
    project.parent().unwrap().display().to_string()
}

/// What a client does: what its user sees, and what Codex gets.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) shown: Shown,
    pub(crate) sent: Shown,
    /// Whether Codex came to its end. If the client killed it, it may not have read what was sent last.
    pub(crate) is_whole: bool,
}

impl Seen {
    #[track_caller]
    fn assert_same(&self, played: &Seen, with: &str) {
        assert_same("shows", &self.shown.text(), &played.shown.text(), with);
        let (real, read) = (self.sent.text(), played.sent.text());
        if played.is_whole || !real.starts_with(&read) {
            assert_same("sends", &real, &read, with);
        }
    }
}

/// Asserts that a client did the same, and says where it began to differ.
#[track_caller]
fn assert_same(does: &str, real: &str, played: &str, with: &str) {
    let (mut real, mut played) = (real.lines(), played.lines());
    for number in 1.. {
        let pair = (real.next(), played.next());
        if pair == (None, None) {
            return;
        }
        assert!(
            pair.0 == pair.1,
            "line {number}: with Codex the client {does}\n{}\nand with {with}\n{}",
            pair.0.unwrap_or("nothing"),
            pair.1.unwrap_or("nothing")
        );
    }
}
