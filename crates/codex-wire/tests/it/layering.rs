//! The crates' rules: who may know whom, and what every crate says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::support::files;

/// A crate by its name, with its folder and manifest.
fn crates() -> BTreeMap<String, (PathBuf, toml::Table)> {
    let root = files::root();
    let mut folders: Vec<PathBuf> = ["crates", "tools"]
        .into_iter()
        .flat_map(|name| std::fs::read_dir(root.join(name)).expect("a folder of crates"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.push(root.join("xtask"));
    folders
        .into_iter()
        .map(|folder| {
            let manifest: toml::Table = files::read(&folder.join("Cargo.toml"))
                .parse()
                .unwrap_or_else(|error| panic!("{}: {error}", files::short(&folder)));
            let name = manifest["package"]["name"]
                .as_str()
                .expect("a name")
                .to_owned();
            (name, (folder, manifest))
        })
        .collect()
}

/// What a crate depends on outside its tests, by package name, on any platform.
fn dependencies(manifest: &toml::Table) -> BTreeSet<String> {
    let mut tables = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(toml::Value::as_table));
    }
    let mut out = BTreeSet::new();
    for table in tables {
        for section in ["dependencies", "build-dependencies"] {
            let Some(section) = table.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            for (key, value) in section {
                let package = value.get("package").and_then(toml::Value::as_str);
                out.insert(package.unwrap_or(key).to_owned());
            }
        }
    }
    out
}

/// All crates of the workspace a crate reaches, itself included.
fn reached(name: &str, crates: &BTreeMap<String, (PathBuf, toml::Table)>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut left = vec![name.to_owned()];
    while let Some(next) = left.pop() {
        let Some((_, manifest)) = crates.get(&next) else {
            continue;
        };
        if out.insert(next) {
            left.extend(dependencies(manifest));
        }
    }
    out
}

/// For each crate, what it must not depend on, itself or through another crate of ours.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "codex-wire-base",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire",
            "codex-wire-schema",
            "codex-wire-diff",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "tokio",
            "anstream",
            "ignore",
            "codex-wire-schema",
            "codex-wire-diff",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-client",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire-schema",
            "codex-wire-check",
            "codex-wire-replay",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-derive",
        &[
            "serde",
            "serde_json",
            "schemars",
            "proptest",
            "codex-wire",
            "codex-wire-schema",
        ],
    ),
    (
        "codex-wire-schema",
        &[
            "codex-wire",
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire-diff",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-diff",
        &[
            "codex-wire",
            "clap",
            "anyhow",
            "anstream",
            "anstyle",
            "ignore",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-prefilter",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire",
            "codex-wire-schema",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-check",
        &[
            "codex-wire",
            "clap",
            "anyhow",
            "anstream",
            "anstyle",
            "codex-wire-report",
            "codex-wire-testing",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-testing",
        // The script and the log of a double are of `codex-wire-replay`, which reads the command line of `codex`.
        &["codex-wire", "anyhow", "anstream", "codex-wire-cli"],
    ),
    (
        "codex-wire-report",
        &["clap", "anyhow", "codex-wire", "codex-wire-cli"],
    ),
    (
        "codex-wire-replay",
        &[
            "codex-wire",
            "anyhow",
            "anstream",
            "anstyle",
            "codex-wire-report",
            "codex-wire-testing",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-session",
        &[
            "clap",
            "anyhow",
            "anstream",
            "anstyle",
            "codex-wire",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-export",
        &[
            "clap",
            "anyhow",
            "anstream",
            "anstyle",
            "tungstenite",
            "ureq",
            "codex-wire",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-scrub",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "anstream",
            "anstyle",
            "codex-wire",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-inputs",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "anstream",
            "signal-hook",
            "codex-wire",
            "codex-wire-base",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-state",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "anstream",
            "codex-wire",
            "codex-wire-base",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-table",
        &[
            "anstream",
            "codex-wire",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "codex-wire-live",
        &[
            "anyhow",
            "anstream",
            "anstyle",
            "codex-wire",
            "codex-wire-report",
            "codex-wire-testing",
            "codex-wire-cli",
        ],
    ),
    (
        "app-server-codegen",
        &[
            "jsonschema",
            "codex-wire-schema",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "test-support",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire-schema",
            "codex-wire-prefilter",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "type-codegen",
        &[
            "jsonschema",
            "clap",
            "anyhow",
            "codex-wire",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    (
        "probes",
        &[
            "clap",
            "anyhow",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
    ("site", &["clap", "anyhow", "codex-wire", "codex-wire-cli"]),
    (
        "playground",
        &[
            "clap",
            "anyhow",
            "codex-wire",
            "codex-wire-inputs",
            "codex-wire-cli",
        ],
    ),
    (
        "golden-files",
        &[
            "codex-wire-base",
            "codex-wire-derive",
            "codex-wire-prefilter",
            "codex-wire-record",
            "app-server-codegen",
            "test-support",
        ],
    ),
    (
        "sampling",
        &[
            "codex-wire-base",
            "codex-wire-derive",
            "codex-wire-prefilter",
            "codex-wire-record",
            "app-server-codegen",
            "test-support",
            "golden-files",
        ],
    ),
    (
        "codex-wire-record",
        &[
            "jsonschema",
            "codex-wire-schema",
            "codex-wire-check",
            "codex-wire-report",
            "codex-wire-cli",
        ],
    ),
];

/// The programs: only they read arguments and only they may use a catch-all error.
const PROGRAMS: &[&str] = &["codex-wire-cli", "xtask"];

/// Reads the arguments of `codex`, which reads them with clap too: its refusals have the same words.
const PLAYER: &str = "codex-wire-replay";

/// A library with a program beside it, in `src/bin`: that reads arguments.
const WITH_PROGRAM: &str = "codex-wire-table";

#[test]
fn no_crate_depends_on_what_it_must_not_know() {
    let crates = crates();
    for (name, forbidden) in FORBIDDEN {
        assert!(crates.contains_key(*name), "there is no crate {name}");
        for reached in reached(name, &crates) {
            let depends = dependencies(&crates[&reached].1);
            for wrong in *forbidden {
                assert!(
                    !depends.contains(*wrong),
                    "{name} reaches {wrong} through {reached}"
                );
            }
        }
    }
    for (name, (_, manifest)) in &crates {
        for tool in ["clap", "anyhow"] {
            assert!(
                PROGRAMS.contains(&name.as_str())
                    || (name == PLAYER && tool == "clap")
                    || name == WITH_PROGRAM
                    || !dependencies(manifest).contains(tool),
                "{name} depends on {tool}"
            );
        }
    }
}

/// Who checks does not compile the types.
#[test]
fn the_program_reaches_no_protocol_types() {
    let reached = reached("codex-wire-cli", &crates());
    assert!(reached.contains("codex-wire-base"), "{reached:?}");
    assert!(!reached.contains("codex-wire"), "{reached:?}");
}

#[test]
fn the_types_do_no_input_or_output() {
    let forbidden = [
        "std::fs",
        "std::process",
        "std::net",
        "std::env",
        "std::thread",
    ];
    for name in ["codex-wire-base", "codex-wire"] {
        nothing_uses(name, &forbidden);
    }
}

/// `codex-wire-testing` opens the files of other projects, and `codex-wire-inputs` those of users.
#[test]
fn libraries_open_no_files() {
    let forbidden = [
        "std::fs",
        "std::path",
        "std::process",
        "std::net",
        "std::env",
        "File::",
    ];
    for name in [
        "codex-wire-check",
        "codex-wire-diff",
        "codex-wire-export",
        "codex-wire-prefilter",
        "codex-wire-replay",
        "codex-wire-report",
        "codex-wire-schema",
        "codex-wire-scrub",
        "codex-wire-session",
        "codex-wire-table",
        "type-codegen",
    ] {
        nothing_uses(name, &forbidden);
    }
}

/// Who runs programs and listens to clients is handed what it reads and writes: it can be used within another
/// program.
#[test]
fn libraries_leave_the_streams_of_the_process_alone() {
    let forbidden = [
        "io::stdin",
        "io::stdout",
        "io::stderr",
        "env::args",
        "env::current_exe",
        "process::exit",
    ];
    nothing_uses("codex-wire-live", &forbidden);
    // Standard input is an input that a user can name.
    let forbidden = ["io::stdout", "io::stderr", "std::process", "std::net"];
    nothing_uses("codex-wire-inputs", &forbidden);
    nothing_uses("codex-wire-state", &forbidden);
}

/// Holds that no source of a crate contains any of these texts. Comments, tests and programs may.
fn nothing_uses(name: &str, forbidden: &[&str]) {
    let sources = files::below(&crates()[name].0.join("src"), "rs");
    assert!(!sources.is_empty(), "{name} has no sources");
    for path in sources {
        if path
            .iter()
            .any(|part| part == "tests" || part == "tests.rs" || part == "bin")
        {
            continue;
        }
        let text = files::read(&path);
        let (code, _) = text
            .split_once("#[cfg(test)]\nmod tests {")
            .unwrap_or((&text, ""));
        let code: Vec<_> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for wrong in forbidden {
            assert!(
                !code.iter().any(|line| line.contains(wrong)),
                "{} uses {wrong}",
                files::short(&path)
            );
        }
    }
}

#[test]
fn a_folder_has_the_name_of_its_crate() {
    for (name, (folder, _)) in crates() {
        assert_eq!(folder.file_name(), Some(name.as_ref()));
    }
}

#[test]
fn every_crate_says_what_it_must_not_know() {
    for (name, (folder, _)) in crates() {
        let roots: Vec<_> = ["src/lib.rs", "src/main.rs"]
            .iter()
            .map(|path| folder.join(path))
            .filter(|path| path.is_file())
            .collect();
        assert!(
            !roots.is_empty(),
            "{name} has neither src/lib.rs nor src/main.rs"
        );
        for path in roots {
            let docs: Vec<_> = files::read(&path)
                .lines()
                .map_while(|line| line.strip_prefix("//!").map(|rest| rest.trim().to_owned()))
                .collect();
            let docs = docs.join(" ");
            assert!(
                docs.contains("must not know"),
                "{} does not",
                files::short(&path)
            );
        }
    }
}

#[test]
fn the_map_has_every_crate_and_what_it_must_not_know() {
    let map = files::read(&files::root().join("ARCHITECTURE.md"));
    for name in crates().into_keys() {
        if PROGRAMS.contains(&name.as_str()) {
            continue;
        }
        assert!(
            FORBIDDEN.iter().any(|(known, _)| *known == name),
            "nothing is forbidden to {name}"
        );
        let section = map.split("\n### ").find(|section| {
            ["crates", "tools"]
                .iter()
                .any(|folder| section.starts_with(&format!("`{folder}/{name}`\n")))
        });
        assert!(
            section.is_some_and(|section| section.contains("\n*Must not know* ")),
            "ARCHITECTURE.md does not say what {name} must not know"
        );
    }
}

/// What the map links to, and what it names by a path from the root of the repository.
#[test]
fn the_paths_in_the_map_exist() {
    let map = files::read(&files::root().join("ARCHITECTURE.md"));
    let links = map.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        (!target.starts_with("http")).then_some(target)
    });
    let roots = [
        "crates/",
        "tools/",
        "xtask/",
        "docs/",
        "fixtures/",
        "benches/",
    ];
    let named = map.split('`').skip(1).step_by(2);
    let named = named.filter(|name| roots.iter().any(|root| name.starts_with(root)));
    let paths: BTreeSet<&str> = links.chain(named).collect();
    assert!(paths.len() > 40, "{} paths", paths.len());
    for path in paths {
        assert!(
            files::root().join(path).exists(),
            "ARCHITECTURE.md names {path}, which is not there"
        );
    }
}

#[test]
fn every_crate_takes_part() {
    let root: toml::Table = files::read(&files::root().join("Cargo.toml"))
        .parse()
        .expect("TOML");
    let members = root["workspace"]["members"]
        .as_array()
        .expect("a list of members");
    let members: BTreeSet<_> = members.iter().filter_map(toml::Value::as_str).collect();
    for (name, (folder, manifest)) in crates() {
        let path = files::short(&folder);
        assert!(
            members.contains(path.as_str()) || members.contains("crates/*") && path != "xtask",
            "{path} is not a member of the workspace"
        );
        let lints = manifest
            .get("lints")
            .and_then(|lints| lints.get("workspace"));
        assert_eq!(
            lints,
            Some(&toml::Value::Boolean(true)),
            "{name} sets lints of its own"
        );
    }
}

/// Where annotations may be spelled, and why.
const ANNOTATIONS: &[(&str, &str)] = &[
    (
        "crates/codex-wire-base/src/schema.rs",
        "makes the documents from types",
    ),
    (
        "crates/codex-wire/src/mcp.rs",
        "makes a part of a document by hand",
    ),
    (
        "crates/codex-wire-schema/src/ir/read.rs",
        "reads the documents",
    ),
    (
        "crates/codex-wire-schema/src/ir/write.rs",
        "writes documents and projections",
    ),
    (
        "crates/codex-wire-schema/src/codegen.rs",
        "writes schemas for code generators, which read an annotation in a form of their own",
    ),
    (
        "crates/codex-wire-prefilter/src/compile.rs",
        "compiles schemas of any origin, in which keywords that begin like this restrict nothing",
    ),
];

/// Everybody else asks the typed schema model.
#[test]
fn annotations_are_spelled_in_the_reader_and_the_writer_only() {
    let mut used = BTreeSet::new();
    for (_, (folder, _)) in crates() {
        for path in files::below(&folder.join("src"), "rs") {
            let name = files::short(&path);
            let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
            let text = files::read(&path);
            let code = text.split("#[cfg(test)]\nmod tests {").next();
            if is_test || !code.is_some_and(|code| code.contains("\"x-")) {
                continue;
            }
            let allowed = ANNOTATIONS
                .iter()
                .find(|(allowed, _)| name.starts_with(allowed));
            let Some((allowed, _)) = allowed else {
                panic!("{name} spells an annotation; ask codex_wire_schema::ir instead");
            };
            used.insert(*allowed);
        }
    }
    let idle = ANNOTATIONS.iter().find(|(name, _)| !used.contains(name));
    assert_eq!(idle, None, "spells no annotation and need not be allowed");
}
