//! `codex-wire rules` and `codex-wire explain`.

use serde_json::Value;

use crate::support::{golden, run, workspace};

#[test]
fn framing_rules() {
    golden("rules-framing.txt", &workspace(), "rules framing");
}

#[test]
fn an_advisory_rule_explained() {
    golden(
        "explain.txt",
        &workspace(),
        "explain sequence/exec-open-at-completion",
    );
}

#[test]
fn no_such_rule() {
    let root = workspace();
    golden(
        "explain-unknown.txt",
        &root,
        "explain sequence/exec-item-ids",
    );
    let finished = run(&root, "explain nothing-like-it");
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("codex-wire rules"),
        "{}",
        finished.stderr
    );
}

#[test]
fn every_listed_rule_is_explained() {
    let root = workspace();
    let finished = run(&root, "rules --format json");
    let listed: Value = serde_json::from_str(&finished.stdout).unwrap();
    let rules = listed["rules"].as_array().unwrap();
    assert!(rules.len() > 40);
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        for text in ["summary", "explanation", "evidence"] {
            assert!(rule[text].is_string(), "{id}: {text}");
        }
        let finished = run(&root, &format!("explain {id}"));
        assert_eq!(finished.code, 0, "{id}");
        assert!(finished.stdout.starts_with(id), "{}", finished.stdout);
        let page = root.join("docs/rules").join(format!("{id}.md"));
        assert!(page.is_file(), "{id} has no page");
    }
}

#[test]
fn rules_of_a_protocol() {
    let root = workspace();
    let all = run(&root, "rules sequence").stdout;
    let exec = run(&root, "rules sequence --protocol exec").stdout;
    assert!(exec.contains("sequence/exec-item-id"), "{exec}");
    assert!(all.contains(&*exec) || all.len() > exec.len());
    let core = run(&root, "rules --protocol core").stdout;
    assert!(core.contains("framing/bom") && !core.contains("sequence/exec-item-id"));
}

/// A fault has the name that `faults` lists, and a group is not a rule.
#[test]
fn faults_and_groups_are_told_from_rules() {
    let root = workspace();
    let long = run(&root, "explain fault/turn-fails");
    let short = run(&root, "explain turn-fails");
    assert_eq!((short.code, short.stdout), (0, long.stdout));
    let group = run(&root, "explain schema/*");
    assert_eq!(group.code, 2);
    assert!(
        group.stderr.contains("`codex-wire rules schema`"),
        "{group:?}"
    );
}
