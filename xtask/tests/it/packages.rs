//! Packages are ready to publish: their manifests say what a registry shows, they hold what a user
//! needs and no tests, and the example of each README is one that is compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;
use xtask::repository;

/// The members of the workspace.
static MEMBERS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let arguments = "metadata --no-deps --offline --format-version 1";
    let text = cargo(&arguments.split(' ').collect::<Vec<_>>());
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
});

/// Those that may be published.
static PUBLISHED: LazyLock<Vec<&Value>> = LazyLock::new(|| {
    let may_be = |package: &&Value| package["publish"].is_null();
    MEMBERS.iter().filter(may_be).collect()
});

pub(crate) fn manifests_say_what_a_registry_shows() {
    assert!(PUBLISHED.len() >= 8, "{} packages", PUBLISHED.len());
    for package in PUBLISHED.iter().copied() {
        let name = name(package);
        for key in [
            "description",
            "license",
            "repository",
            "homepage",
            "readme",
            "rust_version",
        ] {
            assert!(package[key].is_string(), "{name}: no {key}");
        }
        // A registry takes five keywords of at most twenty characters.
        let keywords = package["keywords"].as_array().unwrap();
        assert!((1..=5).contains(&keywords.len()), "{name}: keywords");
        for keyword in keywords {
            assert!(keyword.as_str().unwrap().len() <= 20, "{name}: {keyword}");
        }
        assert_ne!(package["categories"], Value::Array(vec![]), "{name}");
        if root_file(package).is_some() {
            assert!(package["documentation"].is_string(), "{name}");
            let features = &package["metadata"]["docs"]["rs"]["all-features"];
            assert_eq!(*features, true, "{name}: docs.rs");
        }
    }
}

pub(crate) fn packages_hold_a_readme_and_licences_and_no_tests() {
    for package in PUBLISHED.iter().copied() {
        let name = name(package);
        let listed = cargo(&[
            "package",
            "--offline",
            "--allow-dirty",
            "--list",
            "--package",
            name,
        ]);
        let listed: Vec<&str> = listed.lines().collect();
        assert!(listed.contains(&"README.md"), "{name}: {listed:?}");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(listed.contains(&licence), "{name}: {listed:?}");
            let text = |folder: &Path| fs::read_to_string(folder.join(licence)).unwrap();
            assert_eq!(text(&folder(package)), text(&repository()), "{name}");
        }
        let tests = listed.iter().find(|path| path.starts_with("tests/"));
        assert_eq!(tests, None, "{name}");
    }
}

/// An example of a README is one of the crate's own documentation, where it is compiled and run.
pub(crate) fn examples_of_readmes_are_compiled() {
    let mut count = 0;
    for package in PUBLISHED.iter().copied() {
        let readme = fs::read_to_string(folder(package).join("README.md")).unwrap();
        let compiled = root_file(package).map(examples).unwrap_or_default();
        for example in rust_blocks(&readme) {
            count += 1;
            assert!(
                compiled.contains(&example),
                "{}: this example is not in the documentation of the crate:\n{example}",
                name(package)
            );
        }
    }
    assert!(count >= 5, "{count} examples");
}

/// Cargo builds a library or a program a second time for its own tests, and rustdoc reads a library for examples: where
/// there are none, the manifest says so. Where it says so, there are none.
pub(crate) fn nothing_is_built_for_tests_that_are_not_there() {
    for package in &*MEMBERS {
        let tests = |text: &String| text.lines().any(|line| line.trim() == "#[test]");
        for program in targets(package, &["bin"]) {
            let root = PathBuf::from(program["src_path"].as_str().unwrap());
            // Modules beside a library are the library's.
            let is_alone = root.ends_with("main.rs") && !root.with_file_name("lib.rs").exists();
            let sources = match is_alone {
                true => sources(root),
                false => vec![fs::read_to_string(root).unwrap()],
            };
            let expected = sources.iter().any(tests);
            assert_eq!(program["test"], expected, "{}: test", program["name"]);
        }
        let Some(target) = library(package) else {
            continue;
        };
        let sources = sources(root_file(package).unwrap());
        let expected = sources.iter().any(tests);
        assert_eq!(target["test"], expected, "{}: test", name(package));
        let examples = |text: &String| {
            let included = text.contains("doc = include_str!");
            included || !rust_blocks(&comments(text, &["//!", "///"])).is_empty()
        };
        let expected = sources.iter().any(examples);
        assert_eq!(target["doctest"], expected, "{}: doctest", name(package));
    }
}

/// The examples in what a crate's modules say of themselves, without the lines rustdoc hides.
fn examples(library: PathBuf) -> Vec<String> {
    let shown = |text: String| {
        let text = comments(&text, &["//!"]);
        let lines = text.lines().filter(|line| !line.starts_with("# "));
        rust_blocks(&lines.flat_map(|line| [line, "\n"]).collect::<String>())
    };
    sources(library).into_iter().flat_map(shown).collect()
}

/// The sources of a crate with this root file.
fn sources(library: PathBuf) -> Vec<String> {
    let mut folders = vec![library.parent().unwrap().to_path_buf()];
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                out.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    out
}

/// What a source says in comments of these kinds.
fn comments(source: &str, kinds: &[&str]) -> String {
    let comment = |line: &'_ str| {
        let line = line.trim_start();
        let text = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
        Some(format!("{}\n", text.strip_prefix(' ').unwrap_or(text)))
    };
    source.lines().filter_map(comment).collect()
}

/// The blocks of Rust in Markdown.
fn rust_blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: String = lines
            .by_ref()
            .take_while(|line| *line != "```")
            .flat_map(|line| [line, "\n"])
            .collect();
        if matches!(language, "" | "rust" | "no_run" | "rust,no_run") {
            blocks.push(block);
        }
    }
    blocks
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap()
}

fn folder(package: &Value) -> PathBuf {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_path_buf()
}

/// The library of a package, if it has one.
fn library(package: &Value) -> Option<&Value> {
    targets(package, &["lib", "proc-macro"]).next()
}

/// The targets of a package that are of one of these kinds.
fn targets<'a>(package: &'a Value, kinds: &[&str]) -> impl Iterator<Item = &'a Value> {
    let targets = package["targets"].as_array().unwrap().iter();
    targets.filter(|target| kinds.contains(&target["kind"][0].as_str().unwrap()))
}

/// Its root file.
fn root_file(package: &Value) -> Option<PathBuf> {
    let path = library(package)?["src_path"].as_str()?;
    Some(PathBuf::from(path))
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(repository())
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}
