//! Makes all generated files with one command, in the order in which they depend on each other.
//!
//! The code that makes a file also compares it, in a test: with `UPDATE_EXPECT` it writes the file,
//! otherwise it fails if the file differs. So each step runs some tests with cargo. `--check` runs
//! them as the gate does and writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::fixtures::files;

/// One kind of generated files.
#[derive(Debug)]
pub struct Generator {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it makes.
    pub makes: &'static str,
    /// The runs of tests that make it.
    pub runs: &'static [Run],
    /// Where the files are; a folder may hold others too.
    pub paths: &'static [&'static str],
}

/// Runs of tests of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The package.
    pub package: &'static str,
    /// The name of their binary, which stands in `tests`; without one they are its unit tests.
    pub binary: Option<&'static str>,
    /// Tests with one of these in their name, each a run of its own; all tests if there are none.
    pub filters: &'static [&'static str],
}

/// Rows of generators: what it is called and what it makes, the runs of tests, and where the files are.
macro_rules! generators {
    ($($name:literal: $makes:literal [$($run:expr),*] [$($path:literal),*];)*) => {
        &[$(Generator { name: $name, makes: $makes, runs: &[$($run),*], paths: &[$($path),*] }),*]
    };
}

/// All of them. Each may read what those before it make.
pub const GENERATORS: &[Generator] = generators! {
    "model": "the text of the app-server's model, its types and its releases"
        [tests("app-server-codegen", &["drift::files"])]
        ["tools/app-server-codegen/model", "crates/codex-wire/src/app_server/types", "crates/codex-wire-base/src/release_list"];
    "types": "the lists of types and of places that tests of the types go by"
        [tests("codex-wire", &["the_list_is_complete", "places::"])]
        ["crates/codex-wire/tests/it"];
    "documents": "the annotated documents that the program embeds, from the types"
        [tests("xtask", &["documents::"])]
        ["crates/codex-wire-schema/src/documents"];
    // The types of scripts are the library's own: unit tests see them.
    "scripts": "the schemas of scripts and of the log of a client, and the keys of scripts on their page"
        [unit_tests("codex-wire-replay", &["the_published_schema"]), tests("codex-wire-replay", &["script::page"])]
        ["crates/codex-wire-schema/src/own/script.json", "crates/codex-wire-schema/src/own/client-log.json", "docs/scripts.md"];
    // So are those of sessions.
    "sessions": "the schemas of sessions, of comparisons and of usage, and the page of what a surface cannot know"
        [unit_tests("codex-wire-session", &["the_published_schema"]), tests("codex-wire-session", &["surfaces::the_page"])]
        ["crates/codex-wire-schema/src/own/session.json", "crates/codex-wire-schema/src/own/session-diff.json",
         "crates/codex-wire-schema/src/own/usage.json", "docs/session-surfaces.md"];
    "tables": "the columns of tables, on their page and for programs, and tables of recordings"
        [tests("codex-wire-table", &["described::", "golden::"])]
        ["docs/tables.md", "docs/tables.json", "crates/codex-wire-table/tests/it/golden"];
    "schemas": "the published schemas, their catalogue, and what open ones refuse of later releases"
        [tests("codex-wire-schema", &["drift", "changes_of_exec"]), tests("codex-wire-check", &["open::"])]
        ["schemas", "crates/codex-wire-schema/tests/it/golden", "crates/codex-wire-check/tests/it/golden"];
    "packages": "types in other languages: the newest release of each protocol; of Python all, and those of our own formats"
        [tests("type-codegen", &["golden::", "python::"])]
        ["packages/types", "go", "packages/python/src/codex_wire/types", "packages/python/src/codex_wire/session.py",
         "packages/python/src/codex_wire/usage.py", "packages/python/src/codex_wire/client_log.py",
         "packages/python/src/codex_wire/faults.py"];
    "corrections": "where releases differ from their official schemas"
        [tests("xtask", &["official::corrections"])]
        ["crates/codex-wire-diff/src/corrections.txt"];
    "rules": "the pages and examples of rules, what is expected of bad input, which mutants and values no rule denies, and how \
        narrow releases get"
        [tests("codex-wire-check", &["rules::", "invalid::", "are_denied", "hooks::order::is_denied", "identify::widths"])]
        ["docs/rules", "docs/identification.md", "fixtures/invalid", "crates/codex-wire-check/tests/it",
         "crates/codex-wire-cli/src/commands/explain"];
    "examples": "the recorded messages that the program prints, from the fixtures"
        [tests("codex-wire-check", &["examples::up_to_date"])]
        ["crates/codex-wire-schema/src"];
    "reports": "golden files of the reports"
        [tests("codex-wire-report", &[])]
        ["crates/codex-wire-report/tests/it/golden"];
    "disagreements": "where releases answered otherwise than our schemas say; what is new needs a reason by hand"
        [tests("probes", &["our_schemas_say"])]
        ["tools/probes/decided.txt"];
    "probed": "what shows breaking changes, for releases to be asked, and what they answered"
        [tests("codex-wire-diff", &["evidence::probed"])]
        ["crates/codex-wire-diff/tests/it/golden", "crates/codex-wire-diff/src/probed.txt"];
    "changes": "the pages of what each release changed"
        [tests("codex-wire-diff", &["pages", "pairs", "counts"])]
        ["docs/changes", "docs/comparing.md", "crates/codex-wire-diff/tests/it/golden"];
    "exports": "golden files of what sessions become in other formats"
        [tests("codex-wire-export", &["golden::", "live::spans"])]
        ["crates/codex-wire-export/tests/it/golden", "crates/codex-wire-export/tests/it/live-differences.txt"];
    "client": "golden files of what the client shows of recordings and scripts"
        [tests("codex-wire-client", &["recordings::", "scripts::"])]
        ["crates/codex-wire-client/tests/it/recordings.txt", "crates/codex-wire-client/tests/it/scripts.txt"];
    "faults": "the pages and lists of faults and scenarios, the recordings of scenarios, and what faults do to a run"
        [tests("codex-wire-replay", &["pages::", "faults::examples"]), tests("codex-wire-live", &["recordings::"]),
         tests("codex-wire-cli", &["faults_are_listed"])]
        ["docs/faults", "docs/scenarios", "crates/codex-wire-live/src/conformance/recordings.deflate",
         "crates/codex-wire-replay/tests/it/golden", "crates/codex-wire-cli/tests/it/golden/faults.txt",
         "crates/codex-wire-cli/tests/it/golden/faults-exec.txt"];
    "program": "golden files of the program, and the picture in the README"
        [tests("codex-wire-cli", &[])]
        ["crates/codex-wire-cli/tests/it/golden", "docs/img"];
    "layouts": "how ten pages of the site are laid out, where there is a browser"
        [Run { binary: Some("site"), ..tests("site", &["laid out"]) }]
        ["tools/site/tests/site/layout"];
    "coverage": "the pages of what the fixtures cover, and golden files of the chores"
        [tests("xtask", &["coverage::the_pages_are_up_to_date", "sync::"])]
        ["fixtures", "xtask/tests/it/golden"];
};

/// Those with these names, in their order; all if there are none.
///
/// # Errors
/// When there is none of that name.
pub fn selected(names: &[String]) -> Result<Vec<&'static Generator>> {
    let known = |name: &String| GENERATORS.iter().any(|generator| generator.name == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = GENERATORS.iter().map(|generator| generator.name).collect();
        bail!("nothing is called `{name}`; there are {}", all.join(", "));
    }
    let is_selected = |generator: &&Generator| {
        names.is_empty() || names.iter().any(|name| name == generator.name)
    };
    Ok(GENERATORS.iter().filter(is_selected).collect())
}

/// Makes files again, or with `check` only compares them. Reports to `progress` what is being done and which
/// files changed.
///
/// # Errors
/// With `check`, when files are not what they should be: all that are not are named. Otherwise when
/// something does not build, or a test fails that has nothing to write.
pub fn generate(
    root: &Path,
    generators: &[&Generator],
    check: bool,
    mut progress: impl FnMut(&str),
) -> Result<()> {
    let mut stale = Vec::new();
    let (verb, count) = (if check { "checking" } else { "making" }, generators.len());
    for (index, generator) in generators.iter().enumerate() {
        let Generator { name, makes, .. } = generator;
        progress(&format!("[{}/{count}] {verb} {name}: {makes}", index + 1));
        let before = contents(root, generator.paths)?;
        for command in generator
            .runs
            .iter()
            .flat_map(|run| run.commands(root, check))
        {
            if made(command, &mut progress)? {
                continue;
            }
            if !check {
                bail!("{name} is not made: see above");
            }
            stale.push(*name);
        }
        for path in changed(&before, &contents(root, generator.paths)?) {
            progress(&format!("  changed {}", path.display()));
        }
    }
    stale.dedup();
    if stale.is_empty() {
        return Ok(());
    }
    let only: String = stale.iter().map(|name| format!(" --only {name}")).collect();
    bail!(
        "not up to date: {}; `cargo xtask generate{only}` makes it again",
        stale.join(", ")
    );
}

const fn tests(package: &'static str, filters: &'static [&'static str]) -> Run {
    Run {
        package,
        binary: Some("it"),
        filters,
    }
}

const fn unit_tests(package: &'static str, filters: &'static [&'static str]) -> Run {
    Run {
        binary: None,
        ..tests(package, filters)
    }
}

impl Run {
    fn commands(&self, root: &Path, check: bool) -> Vec<Command> {
        let command = |filter: Option<&str>| {
            let mut command = Command::new(env!("CARGO"));
            command.args(["test", "--quiet", "--package", self.package]);
            match self.binary {
                Some(name) => command.args(["--test", name]),
                None => command.arg("--lib"),
            };
            command.arg("--").args(filter).current_dir(root);
            match check {
                true => command.env_remove("UPDATE_EXPECT"),
                false => command.env("UPDATE_EXPECT", "1"),
            };
            command
        };
        match self.filters {
            [] => vec![command(None)],
            filters => filters.iter().map(|filter| command(Some(filter))).collect(),
        }
    }
}

/// Runs tests, and says whether they pass. What cargo builds is seen as it goes; what tests say matters
/// only when they fail.
fn made(mut command: Command, progress: &mut impl FnMut(&str)) -> Result<bool> {
    let child = command.stdout(Stdio::piped()).spawn().context("cargo")?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        progress(&said);
    } else if said.contains("test result: ok. 0 passed") {
        // A test that has another name now.
        bail!("no test runs: {command:?}");
    }
    Ok(output.status.success())
}

/// What the files at some paths hold.
fn contents(root: &Path, paths: &[&str]) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut out = BTreeMap::new();
    for path in paths.iter().map(Path::new) {
        let full = root.join(path);
        if full.is_dir() {
            for file in files(&full)? {
                out.insert(path.join(&file), fs::read(full.join(&file))?);
            }
        } else if full.is_file() {
            out.insert(path.to_owned(), fs::read(full)?);
        }
    }
    Ok(out)
}

/// The files that are new, gone or not what they were.
fn changed<'a>(
    before: &'a BTreeMap<PathBuf, Vec<u8>>,
    after: &'a BTreeMap<PathBuf, Vec<u8>>,
) -> Vec<&'a PathBuf> {
    let mut out: Vec<&PathBuf> = before
        .iter()
        .filter(|(path, bytes)| after.get(*path) != Some(*bytes))
        .chain(after.iter().filter(|(path, _)| !before.contains_key(*path)))
        .map(|(path, _)| path)
        .collect();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    fn names(generators: &[&Generator]) -> Vec<&'static str> {
        generators.iter().map(|generator| generator.name).collect()
    }

    #[test]
    fn what_is_selected_keeps_its_order() {
        let all = names(&selected(&[]).unwrap());
        assert_eq!(all.len(), GENERATORS.len());
        let only = ["program", "model"].map(str::to_owned);
        assert_eq!(names(&selected(&only).unwrap()), ["model", "program"]);
        let error = selected(&["walrus".to_owned()]).unwrap_err().to_string();
        assert!(
            error.contains("`walrus`; there are model, types"),
            "{error}"
        );
    }

    /// What a generator reads is made before it.
    #[test]
    fn the_order_is_that_of_dependence() {
        let all = names(&selected(&[]).unwrap());
        let place = |name| all.iter().position(|other| *other == name).unwrap();
        for (first, then) in [
            ("model", "types"),
            ("types", "documents"),
            ("documents", "schemas"),
            ("corrections", "changes"),
            ("probed", "changes"),
            ("schemas", "disagreements"),
            ("rules", "program"),
            ("schemas", "coverage"),
        ] {
            assert!(place(first) < place(then), "{first} before {then}");
        }
    }

    #[test]
    fn to_check_sets_no_update_and_to_write_sets_it() {
        let run = tests("walrus", &["tusks", "whiskers"]);
        let update = |check| {
            let command = run.commands(Path::new("."), check).remove(0);
            let value = command
                .get_envs()
                .find(|(name, _)| *name == "UPDATE_EXPECT");
            value.and_then(|(_, value)| Some(value?.to_owned()))
        };
        assert_eq!(update(true), None);
        assert_eq!(update(false), Some("1".into()));
        let commands = run.commands(Path::new("."), true);
        let arguments = commands.iter().map(|command| {
            let arguments = command
                .get_args()
                .map(|argument| argument.to_str().unwrap());
            arguments.collect::<Vec<_>>().join(" ")
        });
        let expected = ["tusks", "whiskers"]
            .map(|filter| format!("test --quiet --package walrus --test it -- {filter}"));
        assert_eq!(arguments.collect::<Vec<_>>(), expected);
    }

    /// `.gitattributes` marks what is generated for viewers, below the command that makes it.
    #[test]
    fn what_viewers_fold_names_its_generator() {
        let root = repository();
        let text = fs::read_to_string(root.join(".gitattributes")).unwrap();
        let mut paths: &[&str] = &[];
        let mut marked = Vec::new();
        for line in text.lines() {
            if let Some((_, name)) = line.split_once("generate --only ") {
                let name = name.trim_end_matches('`').to_owned();
                paths = selected(&[name]).unwrap()[0].paths;
            } else if line.contains("cargo xtask instructions") {
                paths = &["benches"];
            } else if line.contains("cargo xtask probe") {
                paths = &["probes"];
            } else if let Some(pattern) = line.strip_suffix(" linguist-generated") {
                let is_made = paths.iter().any(|path| pattern.starts_with(path));
                assert!(is_made, "{pattern} is not made by the command above it");
                let start = pattern.split('*').next().unwrap_or_default();
                let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
                assert!(root.join(folder).is_dir(), "{pattern}");
                marked.push(start);
            }
        }
        // Other folders, and pages, have parts that are written by hand.
        let all = GENERATORS.iter().flat_map(|generator| generator.paths);
        let whole = all.filter(|path| {
            path.ends_with("golden") || root.join(path).is_file() && !path.ends_with(".md")
        });
        for path in whole {
            let is_marked = marked
                .iter()
                .any(|start| format!("{path}/").starts_with(start));
            assert!(is_marked, "{path} is not marked");
        }
    }

    /// A package with a test that writes files has a generator, and what generators name is there.
    #[test]
    fn nothing_that_is_written_by_tests_is_left_out() {
        let root = repository();
        let runs = || GENERATORS.iter().flat_map(|generator| generator.runs);
        let mut packages = vec![root.join("xtask")];
        for folder in ["crates", "tools"] {
            for entry in fs::read_dir(root.join(folder)).unwrap() {
                packages.push(entry.unwrap().path());
            }
        }
        let mut writing = 0;
        for package in packages {
            let name = package.file_name().unwrap().to_str().unwrap().to_owned();
            let sources = contents(&package, &["tests"]).unwrap();
            let writes = sources
                .values()
                .any(|bytes| String::from_utf8_lossy(bytes).contains("golden_files::"));
            if writes {
                writing += 1;
                assert!(
                    runs().any(|run| run.package == name),
                    "{name} has no generator"
                );
            }
        }
        assert!(writing > 5, "only {writing} packages have tests that write");
        for path in GENERATORS.iter().flat_map(|generator| generator.paths) {
            assert!(root.join(path).exists(), "{path} is not there");
        }
    }

    #[test]
    fn files_that_changed_are_named() {
        let files = |list: &[(&str, &str)]| {
            let file =
                |(path, text): &(&str, &str)| (PathBuf::from(path), text.as_bytes().to_vec());
            list.iter().map(file).collect::<BTreeMap<_, _>>()
        };
        let before = files(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let after = files(&[("b", "2"), ("c", "1"), ("d", "1")]);
        let changed: Vec<_> = changed(&before, &after).into_iter().collect();
        assert_eq!(changed, ["a", "b", "d"].map(Path::new));
    }
}
