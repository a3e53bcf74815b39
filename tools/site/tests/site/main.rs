//! The files of the site; what its search finds, compared with `codex_wire_schema::find`; and its pages in a browser:
//! searched, slid and looked at, from a folder and without a network.
//!
//! Chromium is that of the system: `apt-get install chromium`, or a path in `CODEX_WIRE_CHROMIUM`. It is driven by
//! playwright-core: `cargo test -p site --test site -- --install` installs it into `.cache/site`, with the versions
//! of the lock file here. `cargo xtask playground` compiles the module of the playground. A test that lacks something is
//! ignored, and says what. With `--pictures`, the pictures of the readme and the guides are taken.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;
mod pictures;
mod playground;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

use codex_wire_base::Protocol;
use codex_wire_diff::{Side, diff, message_sets};
use codex_wire_schema::Stability;
use codex_wire_schema::find::{Hit, families, find, index};
use libtest_mimic::{Arguments, Failed, Trial};
use sampling::{Extent, extent};
use serde_json::{Value, json};
use site::Files;
use site::Playground;
use site::folder::{Schemas, sources, write_files};
use tempfile::TempDir;

/// The files of the site.
static FILES: LazyLock<Files> = LazyLock::new(|| {
    let mut sources = sources(&root()).unwrap();
    sources.playground = tools::module().ok().map(|module| Playground {
        module: fs::read(module).unwrap(),
        style: ::playground::style_source(),
    });
    site::build(&sources).unwrap()
});

/// The site, in a folder.
static SITE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &FILES, Schemas::Few).unwrap();
    folder
});

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/site")
        .join(file)
}

#[allow(
    clippy::print_stderr,
    reason = "whoever asked for pictures is told why there are none"
)]
fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--install") {
        tools::install();
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|argument| argument == "--pictures") {
        return match browser()
            .map_err(Failed::from)
            .and_then(|()| pictures::take())
        {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}", error.message().unwrap_or("no pictures"));
                ExitCode::FAILURE
            }
        };
    }
    // What waits for a browser comes first.
    let mut trials = vec![
        trial("search finds what find finds", tools::node(), searched),
        trial(
            "two releases are compared as by diff",
            tools::node(),
            compared,
        ),
        trial("pages work in a browser", browser(), browsed),
        trial("pages are laid out as before", browser(), laid_out),
        trial(
            "the playground works in a browser",
            browser().and_then(|()| tools::module().map(drop)),
            playground::tried,
        ),
    ];
    trials.extend(files::trials());
    let mut arguments = Arguments::from_args();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads = arguments.test_threads.or(Some(2 * cores));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Whether pages can be opened.
fn browser() -> Result<(), String> {
    tools::node()?;
    tools::packages()?;
    tools::chromium().map(drop)
}

/// A test, or one that is ignored because something is missing.
fn trial(
    name: &str,
    needs: Result<(), String>,
    run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match needs {
        Ok(()) => Trial::test(name, run),
        Err(reason) => Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true),
    }
}

/// Runs a script of this folder with Node, which prints what is wrong.
fn node(script: &str, arguments: &[&Path]) -> Result<(), Failed> {
    let mut command = Command::new("node");
    command.arg(own(script)).args(arguments);
    if let Ok(packages) = tools::packages() {
        command.env("CODEX_WIRE_SITE_PACKAGES", packages);
    }
    if let Ok(chromium) = tools::chromium() {
        command.env("CODEX_WIRE_CHROMIUM", chromium);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// A file with cases for a script.
fn cases(folder: &TempDir, cases: &Value) -> PathBuf {
    let path = folder.path().join("cases.json");
    fs::write(&path, cases.to_string()).unwrap();
    path
}

/// What is asked: the words of the guide, then names with what they stand in, each of them a step further.
fn questions() -> Vec<String> {
    let mut out: Vec<String> = [
        "turn/completed durationMs",
        "turn/completed startedAt",
        "durationMs",
        "reasoning_output_tokens",
        "turn completed duration_ms",
        "declined",
        "PreToolUse",
        "thread/start",
        "approval command",
        "tokens cached",
        "seconds since the epoch",
        "no such thing",
        "id",
    ]
    .map(str::to_owned)
    .to_vec();
    let step = match extent() {
        Extent::Sample => 211,
        Extent::Wide => 29,
        Extent::All => 1,
    };
    let mut number = 0;
    for family in families() {
        let index = index(family);
        for part in index.parts {
            number += 1;
            if number % step == 0 {
                out.push(part.name.to_owned());
                out.push(format!("{} {}", part.owner, part.name));
            }
        }
    }
    out
}

fn described(hit: &Hit) -> Value {
    let place = hit.places.first().map(|place| {
        json!([
            place.message_set.as_str(),
            place.kind,
            place.pointer,
            place.bounds.since.map(|release| release.to_string()),
            place.bounds.until.map(|release| release.to_string()),
        ])
    });
    json!([
        hit.part.kind.as_str(),
        hit.part.owner,
        hit.part.name,
        hit.places.len(),
        place
    ])
}

/// How many of what is found are compared.
const COMPARED: usize = 12;

fn searched() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let asked = questions().into_iter().map(|question| {
        let words: Vec<&str> = question.split_whitespace().collect();
        let hits = find(&words);
        let hits: Vec<Value> = hits.iter().take(COMPARED).map(described).collect();
        json!({"question": question, "hits": hits})
    });
    let cases = cases(&folder, &asked.collect());
    node("search.mjs", &[SITE.path(), &cases])
}

/// Pairs of releases that are compared: neighbours, far ones, and both ends. `codex exec` of 0.42.0 also spoke as before.
const PAIRS: [(Protocol, &str, &str); 8] = [
    (Protocol::AppServer, "0.141.0", "0.142.0"),
    (Protocol::AppServer, "0.142.0", "0.169.0"),
    (Protocol::AppServer, "0.110.0", "0.150.0"),
    (Protocol::Exec, "0.44.0", "0.169.0"),
    (Protocol::Exec, "0.43.0", "0.95.0"),
    (Protocol::Hooks, "0.114.0", "0.169.0"),
    (Protocol::Rollout, "0.125.0", "0.160.0"),
    (Protocol::Core, "0.20.0", "0.42.0"),
];

/// What breaks and has another name where neighbours are compared: the type was `PlainDynamicTool`, too, in between.
const NAMED_OTHERWISE: [&str; 1] = ["TaggedDynamicTool<function>.deferLoading"];

fn compared() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut asked = Vec::new();
    for (protocol, from, to) in PAIRS {
        let side = |release: &str| {
            let release = release.parse().unwrap();
            Side::release(
                message_sets(protocol, release),
                release,
                Stability::Experimental,
            )
        };
        let comparison = diff(&side(from), &side(to)).unwrap();
        let places = comparison.differences.iter();
        let places = places.map(|difference| {
            json!([
                difference.change.as_str(),
                difference.place,
                difference.verdict().as_str()
            ])
        });
        asked.push(json!({
            "protocol": protocol.as_str(),
            "from": from,
            "to": to,
            "named_otherwise": NAMED_OTHERWISE,
            "are_neighbours": (from, to) == ("0.141.0", "0.142.0"),
            "differences": places.collect::<Vec<_>>(),
        }));
    }
    let cases = cases(&folder, &Value::Array(asked));
    node("compare.mjs", &[SITE.path(), &cases])
}

fn browsed() -> Result<(), Failed> {
    node("pages.mjs", &[SITE.path()])
}

fn laid_out() -> Result<(), Failed> {
    let folder = own("layout");
    let update = Path::new("update");
    let arguments: &[&Path] = match golden_files::is_update() {
        true => &[SITE.path(), &folder, update],
        false => &[SITE.path(), &folder],
    };
    node("layout.mjs", arguments)
}
