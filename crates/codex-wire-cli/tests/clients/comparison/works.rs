//! With which releases each program works: with a real Codex, and with a stand-in that plays a script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_base::Release;
use codex_wire_record::{Answer, Home, Model, binary};

use super::program::{Compared, Task};
use super::seen::{self, Seen};
use crate::install::workspace;
use crate::scenario;
use crate::stage::{RELEASES, empty_folder, furnish, place};

/// Longer than a run takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a client is asked to do, and what has to come of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) task: Task,
    says: scenario::Says,
    works: fn(&Ran) -> bool,
}

/// All of them.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "exec",
        task: Task::Exec,
        says: scenario::COMMAND,
        works: |ran| {
            let tokens = ran
                .lines()
                .next_back()
                .and_then(|line| line.strip_prefix("tokens "));
            let numbers = tokens.and_then(|tokens| tokens.split_once(' '));
            let is_some = |number: &str| number.parse().is_ok_and(|number: u64| number > 0);
            ran.succeeded
                && ran.lines().any(|line| line == scenario::SAYS)
                && ran.errors.lines().count() > 3
                && numbers.is_some_and(|(read, written)| is_some(read) && is_some(written))
        },
    },
    Case {
        name: "resume",
        task: Task::Resume,
        says: scenario::TWO_MESSAGES,
        works: |ran| ran.succeeded && ran.lines().eq(["First.", "Second."]),
    },
    Case {
        name: "app-server approved",
        task: Task::AppServer,
        says: scenario::UNSAFE_COMMAND,
        works: |ran| {
            let mut lines = ran.lines().chain(ran.errors.lines());
            let asked =
                lines.any(|line| line.starts_with('[') && line.contains("touch approved.txt"));
            ran.succeeded && asked && ran.out.contains(scenario::SAYS)
        },
    },
    Case {
        name: "app-server failed",
        task: Task::AppServer,
        says: scenario::REFUSED,
        works: |ran| !ran.succeeded && ran.errors.contains("No."),
    },
    Case {
        name: "interrupt",
        task: Task::Interrupt,
        says: (stalled_and_another, "stalled"),
        works: |ran| ran.succeeded && ran.lines().eq(["Second.", "interrupted"]),
    },
    Case {
        name: "schema",
        task: Task::Schema,
        says: scenario::STRUCTURED,
        works: |ran| ran.succeeded && ran.lines().eq(["42"]),
    },
];

fn stalled_and_another() -> Vec<Answer> {
    let mut answers = scenario::stalled();
    answers.push(Answer::message("Second."));
    answers
}

/// The file of what was seen of a client.
pub(crate) fn file(client: &Compared) -> PathBuf {
    client.folder().join("works.txt")
}

/// A stand-in that plays a script gives what the real Codex gave. In a wide run the real one is asked, too.
pub(crate) fn test(client: &'static Compared) {
    let is_wide = sampling::is_wide() || golden_files::is_update();
    let releases = if is_wide {
        &RELEASES[..]
    } else {
        &RELEASES[2..]
    };
    let mut seen = Seen::new();
    for case in CASES {
        if client.tasks().all(|task| task != case.task) {
            continue;
        }
        for release in releases {
            let run = Run {
                client,
                case,
                release,
            };
            let name = format!("{} {release}", case.name);
            let played = run.is_scripted().then(|| run.with_stand_in());
            let real = binary(&workspace(), release).filter(|_| is_wide);
            let real = real.map(|real| run.with_codex(&real));
            if let (Some(real), Some(played)) = (&real, &played) {
                assert_eq!(word(real), word(played), "{name}: {real}, and {played}");
            }
            let Some(what) = real.or(played) else {
                continue;
            };
            seen.insert(name, what);
        }
    }
    seen::compare(&file(client), &seen, word);
}

/// Whether it works. Why it does not is left to chance here and there.
pub(crate) fn word(what: &str) -> &str {
    what.split_once(": ").map_or(what, |(word, _)| word)
}

struct Run {
    client: &'static Compared,
    case: &'static Case,
    release: &'static str,
}

/// What a program did.
pub(crate) struct Ran {
    succeeded: bool,
    out: String,
    errors: String,
}

impl Ran {
    fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.out.lines()
    }
}

impl Run {
    /// Whether a script can say the same: it begins again in each app-server, and has one turn at a time.
    fn is_scripted(&self) -> bool {
        match self.case.task {
            Task::Resume => self.client.with_exec.contains(&Task::Resume),
            Task::Interrupt => false,
            Task::Exec | Task::AppServer | Task::Schema => true,
        }
    }

    fn with_codex(&self, real: &Path) -> String {
        let model = Model::new((self.case.says.0)()).unwrap();
        self.what("codex", model.port(), |_| real.to_owned())
    }

    fn with_stand_in(&self) -> String {
        self.what("stand-in", 9, |folder| {
            let script = format!("tests/clients/scripts/{}.toml", self.case.says.1);
            let mut install = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
            install
                .args(["replay", "--install"])
                .arg(folder.join("bin"));
            install.args(["--script", &script, "--release", self.release]);
            install.current_dir(env!("CARGO_MANIFEST_DIR"));
            let installed = install.output().unwrap();
            let errors = String::from_utf8_lossy(&installed.stderr);
            assert!(installed.status.success(), "{errors}");
            folder.join("bin/codex")
        })
    }

    /// What the program does with a Codex, in words.
    fn what(&self, with: &str, port: u16, codex: impl FnOnce(&Path) -> PathBuf) -> String {
        let name = format!(
            "{}-{}-{with}",
            self.case.name.replace(' ', "-"),
            self.release
        );
        let group = format!("compared/{}", self.client.name);
        let folder = empty_folder(&group, &name);
        let codex = codex(&folder);
        let release: Release = self.release.parse().unwrap();
        let stage = place(&group, &name);
        let home = Home::new(&stage, release, port).unwrap();
        // Where commands run is for the user to say, and not for the programs.
        let settings = home.codex_home().join("config.toml");
        let text = fs::read_to_string(&settings).unwrap();
        let own = "sandbox_mode = \"danger-full-access\"\n";
        fs::write(&settings, own.to_owned() + &text).unwrap();
        let mut command = self.client.command(self.case.task, &codex, |command| {
            furnish(command, &home, &folder);
        });
        command.current_dir(home.project());
        let what = match ran(&mut command, &folder) {
            None => "fails: it does not end".to_owned(),
            Some(ran) if (self.case.works)(&ran) => "works".to_owned(),
            Some(ran) => format!("fails: {}", reason(&ran)),
        };
        let what = what.replace(&stage.display().to_string(), "/stage");
        what.replace(&format!("{}/", workspace().display()), "")
    }
}

/// Runs a program to its end, if it has one.
fn ran(command: &mut Command, folder: &Path) -> Option<Ran> {
    let (out, errors) = (folder.join("stdout.txt"), folder.join("stderr.txt"));
    command.stdin(std::process::Stdio::null());
    command.stdout(fs::File::create(&out).unwrap());
    command.stderr(fs::File::create(&errors).unwrap());
    let mut child = command.spawn().unwrap();
    let until = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    Some(Ran {
        succeeded: status.success(),
        out: text(&out),
        errors: text(&errors),
    })
}

/// How much of an error is kept.
const EXCERPT: usize = 160;

/// What a program says of its failure, in a line.
fn reason(ran: &Ran) -> String {
    let is_error = |line: &&str| {
        let word = line.split([':', ' ']).next().unwrap_or_default();
        word.ends_with("Error")
    };
    let lines = || ran.errors.lines().filter(|line| !line.trim().is_empty());
    let line = match ran.succeeded {
        true => ran
            .lines()
            .next_back()
            .map(|line| format!("it prints {line}")),
        false => lines()
            .rfind(is_error)
            .or(lines().next_back())
            .map(str::to_owned),
    };
    let line = line.unwrap_or_else(|| "it says nothing".to_owned());
    // Behind the first, Codex lists all methods of the release; behind the others stands what it logs.
    let ends = [
        ", expected one of",
        ", stdout:",
        ", stderr:",
        " stderr_tail=",
    ];
    let end = ends.iter().filter_map(|end| line.find(end)).min();
    let line = &line[..end.unwrap_or(line.len())];
    line.chars().take(EXCERPT).collect()
}
