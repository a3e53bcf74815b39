//! The examples of `codex-wire-client` that are clients: the same programs show the same with three real releases, and with stand-ins for them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_record::{Answer, Home, Model, binary};
use libtest_mimic::Trial;

use crate::install;
use crate::install::example;
use crate::scenario::{COMMAND, Says, UNSAFE_COMMAND};
use crate::stage::{RELEASES, empty_folder, place, printed_with, trial};

/// An example, and what it shows.
#[derive(Clone, Copy)]
struct Example {
    name: &'static str,
    says: Says,
    /// What the user types.
    input: &'static str,
    shows: &'static [&'static str],
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "exec",
        says: COMMAND,
        input: "",
        shows: &["It says: recorded."],
    },
    Example {
        name: "app_server",
        says: COMMAND,
        input: "",
        shows: &["It says: recorded."],
    },
    Example {
        name: "tokio",
        says: COMMAND,
        input: "",
        shows: &["It says: recorded."],
    },
    Example {
        name: "compared-app-server-tokio",
        says: UNSAFE_COMMAND,
        input: "",
        shows: &[
            "[",
            "touch approved.txt && echo recorded",
            "It says: recorded.",
        ],
    },
    Example {
        name: "approvals",
        says: UNSAFE_COMMAND,
        input: "y\n",
        shows: &[
            "May Codex run ",
            "touch approved.txt && echo recorded",
            "? Accept\n",
            "Completed\nIt says: recorded.\n",
        ],
    },
    Example {
        name: "approvals",
        says: UNSAFE_COMMAND,
        input: "n\n",
        shows: &["? Decline\n", "Declined\nIt says: recorded.\n"],
    },
];

/// Two clients of one Codex that listens. A stand-in plays its script to each from the beginning.
const SOCKET: Example = Example {
    name: "socket",
    says: (
        || vec![Answer::message("First."), Answer::message("First.")],
        "two-messages",
    ),
    input: "",
    shows: &[],
};

/// The releases that speak on a WebSocket, and those that do so on a unix socket: 0.125.0 makes one and closes each connection.
const LISTENING: &[(&str, Test)] = &[
    ("0.125.0", |run| run.listens("ws://127.0.0.1:0")),
    ("0.169.0", |run| run.listens("ws://127.0.0.1:0")),
    ("0.169.0", |run| run.listens_on_a_unix_socket()),
];

/// What the proxy says of a turn, among other things, in this order.
const PASSED: &[&str] = &[
    "client asks initialize",
    "codex answers initialize",
    "client says initialized",
    "client asks thread/start",
    "codex answers thread/start",
    "client asks turn/start",
    "codex answers turn/start",
    "codex says item/agentMessage/delta",
    "codex says turn/completed",
];

/// A test for each example and release, with a stand-in and with a real Codex.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for release in RELEASES {
        for example in EXAMPLES {
            let name = format!("examples::{} {}", example.name, example.input.trim());
            trials.extend(both(
                name.trim_end(),
                example.name,
                release,
                |run| {
                    run.shows();
                },
                *example,
            ));
        }
        trials.extend(both(
            "examples::proxy",
            "proxy",
            release,
            Run::is_passed_on,
            EXAMPLES[1],
        ));
    }
    for (number, (release, test)) in LISTENING.iter().enumerate() {
        let name = format!("examples::socket {number}");
        trials.extend(both(&name, "socket", release, *test, SOCKET));
    }
    trials
}

/// What is tried of a run.
type Test = fn(&Run);

/// A test with a stand-in, and one with a real Codex.
fn both(
    name: &str,
    program: &str,
    release: &'static str,
    test: Test,
    example: Example,
) -> [Trial; 2] {
    let unbuilt = (!install::example(program).is_file())
        .then(|| "it is not built: cargo build --workspace --examples".to_owned());
    let real = binary(&install::workspace(), release);
    let missing = unbuilt
        .clone()
        .or_else(|| real.is_none().then(|| "there is no binary".to_owned()));
    let folder = |with: &str| format!("{}-{release}-{with}", name.replace([':', ' '], "-"));
    let (played, codex) = (folder("stand-in"), folder("codex"));
    [
        trial(format!("{name} stand-in {release}"), unbuilt, move || {
            test(&Run::with_stand_in(&played, release, example));
        }),
        trial(format!("{name} codex {release}"), missing, move || {
            test(&Run::with_codex(&codex, release, example, real.unwrap()));
        }),
    ]
}

/// An example that is to be run.
struct Run {
    example: Example,
    folder: PathBuf,
    home: Home,
    codex: PathBuf,
    /// Listens until it is dropped.
    _model: Option<Model>,
}

impl Run {
    fn with_stand_in(name: &str, release: &str, example: Example) -> Self {
        let (folder, home) = home(name, release, 9);
        let script = install::workspace()
            .join("crates/codex-wire-cli/tests/clients/scripts")
            .join(format!("{}.toml", example.says.1));
        let mut install = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
        install
            .args(["replay", "--install"])
            .arg(folder.join("bin"));
        install
            .arg("--script")
            .arg(script)
            .args(["--release", release]);
        let installed = install.output().unwrap();
        let errors = String::from_utf8_lossy(&installed.stderr);
        assert!(installed.status.success(), "{errors}");
        Run {
            example,
            codex: folder.join("bin/codex"),
            folder,
            home,
            _model: None,
        }
    }

    fn with_codex(name: &str, release: &str, example: Example, codex: PathBuf) -> Self {
        let model = Model::new((example.says.0)()).unwrap();
        let (folder, home) = home(name, release, model.port());
        Run {
            example,
            folder,
            home,
            codex,
            _model: Some(model),
        }
    }

    /// The example is a client of a Codex that listens on loopback.
    fn listens(&self, address: &str) {
        let mut codex = Listening::start(self, address);
        let stderr = BufReader::new(codex.0.stderr.take().unwrap());
        let mut lines = stderr.lines().map_while(Result::ok);
        let address = lines.by_ref().find_map(|line| {
            let (_, address) = line.split_once("listening on: ")?;
            Some(address.trim().to_owned())
        });
        // It may go on to write.
        thread::spawn(move || lines.for_each(drop));
        assert_eq!(self.printed(address.unwrap().as_ref()), "First.\nFirst.\n");
    }

    /// The example is a client of a Codex that listens on a socket, whose path has to be short.
    fn listens_on_a_unix_socket(&self) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codex.sock");
        let address = format!("unix://{}", path.display());
        let mut codex = Listening::start(self, &address);
        let stderr = BufReader::new(codex.0.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(drop));
        // It does not say when it listens.
        let until = Instant::now() + Duration::from_secs(60);
        while UnixStream::connect(&path).is_err() && Instant::now() < until {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(self.printed(address.as_ref()), "First.\nFirst.\n");
    }

    /// What the example prints, if it succeeds.
    fn printed(&self, codex: &Path) -> String {
        let mut command = Command::new(example(self.example.name));
        command.arg(codex).arg("Do it.");
        self.home.furnish(&mut command);
        let errors = self.folder.join("stderr.txt");
        command.stderr(fs::File::create(&errors).unwrap());
        let printed = printed_with(&mut command, self.example.input).unwrap();
        let errors = fs::read_to_string(errors).unwrap();
        assert_eq!(errors, "", "{printed}");
        printed
    }

    fn shows(&self) {
        let printed = self.printed(&self.codex);
        let mut rest = printed.as_str();
        for part in self.example.shows {
            let Some((_, after)) = rest.split_once(part) else {
                panic!("no {part:?} in {printed}");
            };
            rest = after;
        }
    }

    /// Through the proxy, the example shows the same, and the proxy says what went by.
    fn is_passed_on(&self) {
        let (proxy, log) = (self.folder.join("proxied"), self.folder.join("passed.txt"));
        let script = format!(
            "#!/bin/sh\nexec '{}' '{}' \"$@\" 2>'{}'\n",
            example("proxy").display(),
            self.codex.display(),
            log.display()
        );
        fs::write(&proxy, script).unwrap();
        fs::set_permissions(&proxy, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(self.printed(&proxy), "It says: recorded.\n");
        let passed = fs::read_to_string(log).unwrap();
        let mut lines = passed.lines();
        for line in PASSED {
            assert!(
                lines.any(|passed| passed == *line),
                "no {line:?} in {passed}"
            );
        }
        assert!(
            !passed.contains("cannot be read") && !passed.contains("nothing"),
            "{passed}"
        );
    }
}

/// A Codex that listens, until it is dropped.
struct Listening(Child);

impl Listening {
    fn start(run: &Run, address: &str) -> Self {
        let mut command = Command::new(&run.codex);
        command.args(["app-server", "--listen", address]);
        run.home.furnish(&mut command);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        Listening(command.spawn().unwrap())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An empty folder of a test, and where its Codex works.
pub(crate) fn home(name: &str, release: &str, port: u16) -> (PathBuf, Home) {
    let home = Home::new(&place("examples", name), release.parse().unwrap(), port);
    (empty_folder("examples", name), home.unwrap())
}
