//! Help texts, schemas and the timeline.

use std::collections::BTreeSet;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::{Draft, Profile, Stability, all_releases, project};
use serde_json::Value;

use crate::support::{golden, run, workspace};

#[test]
fn help_teaches() {
    let folder = workspace();
    golden("help.txt", &folder, "--help");
    golden("help-check.txt", &folder, "check --help");
    golden("help-check-short.txt", &folder, "check -h");
    golden("help-schema.txt", &folder, "schema --help");
    golden("help-releases.txt", &folder, "releases --help");
    golden("version.txt", &folder, "--version");
    golden("no-command.txt", &folder, "");
}

#[test]
fn the_timeline_can_be_read() {
    golden("releases.txt", &workspace(), "releases exec");
    golden(
        "releases.json.txt",
        &workspace(),
        "releases exec --format json",
    );
}

/// As JSON, too, nothing is listed that is out of the range.
#[test]
fn what_is_out_of_the_range_is_not_in_the_json() {
    let latest = MessageSet::Exec.release_list().latest().to_string();
    for (range, ends, points) in [
        ("0.125.0", [Value::Null, Value::Null], 0),
        ("0.126..", [Value::Null, latest.into()], 0),
        ("..0.44.0", ["0.42.0".into(), Value::Null], 1),
    ] {
        let args = format!("releases exec --format json --release {range}");
        let document: Value = serde_json::from_str(&run(&workspace(), &args).stdout).unwrap();
        let found = [document["first"].clone(), document["latest"].clone()];
        assert_eq!(found, ends, "{range}");
        assert_eq!(
            document["points"].as_array().unwrap().len(),
            points,
            "{range}"
        );
    }
}

/// A protocol with several message sets is listed as a whole: each change of each set, once.
#[test]
fn the_timeline_of_the_app_server_is_whole() {
    let listed = |name: &str| -> BTreeSet<String> {
        let finished = run(&workspace(), &format!("releases {name} --format json"));
        assert_eq!((finished.stderr.as_str(), finished.code), ("", 0), "{name}");
        let document: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(document["protocol"], name);
        let mut out = BTreeSet::new();
        for release in document["releases"].as_array().unwrap() {
            for change in release["changes"].as_array().unwrap() {
                let text = format!("{} {change}", release["release"]);
                assert!(out.insert(text), "{name}: {change} is reported twice");
            }
        }
        out
    };
    let whole = listed("app-server");
    let parts = Protocol::AppServer.message_sets().iter();
    let parts: BTreeSet<String> = parts
        .flat_map(|message_set| listed(message_set.as_str()))
        .collect();
    assert!(parts.len() > 1000, "{}", parts.len());
    assert_eq!(whole, parts);
    let finished = run(&workspace(), "releases app-server");
    assert!(
        finished.stdout.starts_with("0.58.0  the protocol begins\n"),
        "{finished:?}"
    );
    assert!(finished.stdout.contains("  + ClientRequest review/start: "));
}

#[test]
fn schemas_are_those_of_the_library() {
    let printed = |args: &str| -> Value {
        let finished = run(&workspace(), &format!("schema exec {args}"));
        assert_eq!((finished.stderr.as_str(), finished.code), ("", 0), "{args}");
        assert!(finished.stdout.ends_with("}\n"));
        serde_json::from_str(&finished.stdout).unwrap()
    };
    let exec = Protocol::Exec;
    let latest = exec.release_list().latest();
    let open = project(
        exec,
        latest,
        Profile::Open,
        Draft::Draft202012,
        Stability::Experimental,
    );
    assert_eq!(printed(""), open);
    let old = Release::new(0, 44, 0);
    let exact = project(
        exec,
        old,
        Profile::Exact,
        Draft::Draft07,
        Stability::Experimental,
    );
    assert_eq!(
        printed("--release 0.44.0 --profile exact --draft draft-07"),
        exact
    );
    assert_ne!(exact, open);
    assert_eq!(printed("--all-releases"), all_releases(exec));
}
