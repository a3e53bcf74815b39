//! SARIF, checked against the official schema of SARIF 2.1.0.
//!
//! `schemas/sarif-2.1.0.json` is the schema of the OASIS standard, as the crate serde-sarif
//! 0.8.0 ships it.

use std::collections::BTreeSet;

use codex_wire_check::{Outcome, rules};
use codex_wire_report::{Format, Styles};
use serde_json::{Value, json};

use crate::golden;
use crate::samples::{
    everything, hostile, render, render_all, stated, unknown_value, with_findings,
};
use crate::valid::assert_valid;

const SCHEMA: &str = include_str!("schemas/sarif-2.1.0.json");

fn schema() -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    // The published schema has a bracket too many here. We write no `language`.
    for holder in ["run", "toolComponent"] {
        let pointer = format!("/definitions/{holder}/properties/language/pattern");
        *schema.pointer_mut(&pointer).unwrap() = json!("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    }
    jsonschema::draft7::meta::validate(&schema).unwrap();
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

fn report(outcomes: &[Outcome]) -> Value {
    serde_json::from_str(&render(Format::Sarif, Styles::plain(), outcomes).0).unwrap()
}

#[test]
fn everything_as_sarif() {
    let (text, _) = render_all(Format::Sarif, true);
    let mut report: Value = serde_json::from_str(&text).unwrap();
    // The rules have tests of their own, and change with the registry.
    let rules = report["runs"][0]["tool"]["driver"]["rules"].take();
    assert_eq!(rules.as_array().unwrap().len(), rules::RULES.len());
    for result in report["runs"][0]["results"].as_array_mut().unwrap() {
        let index = result["ruleIndex"].take().as_u64().unwrap();
        assert_eq!(rules[index as usize]["id"], result["ruleId"]);
    }
    golden::check("everything.sarif", &format!("{report:#}\n"));
}

#[test]
fn reports_follow_the_official_schema() {
    let schema = schema();
    let (all, _) = render_all(Format::Sarif, true);
    let all = serde_json::from_str(&all).unwrap();
    let few = report(&[stated("a.jsonl", 1)]);
    for report in [
        all,
        few,
        report(&[]),
        report(&everything()),
        report(&hostile()),
    ] {
        assert_valid(&schema, &report);
    }
}

/// The schema is able to say no.
#[test]
fn wrong_reports_break_the_official_schema() {
    let schema = schema();
    let good = report(&everything());
    for (pointer, wrong) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/tool/driver/name", json!(null)),
        ("/runs/0/results/0/level", json!("deny")),
        ("/runs/0/results/0/message/text", json!(1)),
        ("/runs/0/results/0/invented", json!(1)),
        ("/runs/0/columnKind", json!("bytes")),
        (
            "/runs/0/results/0/locations/0/physicalLocation/region/startLine",
            json!(0),
        ),
        (
            "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
            json!("a b"),
        ),
    ] {
        let mut bad = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = wrong;
        assert!(!schema.is_valid(&bad), "accepted: {pointer}");
    }
}

#[test]
fn rules_have_help_and_levels() {
    let report = report(&[]);
    let rules = report["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    for rule in rules {
        ids.insert(rule["id"].as_str().unwrap());
        names.insert(rule["name"].as_str().unwrap());
        for text in [
            "/shortDescription/text",
            "/fullDescription/text",
            "/help/text",
        ] {
            let text = rule.pointer(text).unwrap().as_str().unwrap();
            assert!(text.ends_with('.') && !text.ends_with(".."), "{text}");
        }
        let page = format!("/docs/rules/{}.md", rule["id"].as_str().unwrap());
        assert!(rule["helpUri"].as_str().unwrap().ends_with(&page));
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level));
    }
    assert_eq!((ids.len(), names.len()), (rules::RULES.len(), ids.len()));
}

#[test]
fn fingerprints_outlive_moved_lines_and_differ() {
    let fingerprints = |shift: u64| -> Vec<String> {
        let mut other = unknown_value();
        other.place.pointer = "/other".into();
        let mut findings = vec![unknown_value(), unknown_value(), other];
        for finding in &mut findings {
            finding.place.line += shift;
            finding.place.offset += 100 * shift;
        }
        let report = report(&[with_findings(stated("a", 1), findings, 0)]);
        let results = report["runs"][0]["results"].as_array().unwrap().iter();
        results
            .map(|r| {
                r["partialFingerprints"]["rulePlaceMessage/v1"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    let here = fingerprints(0);
    assert_eq!(here, fingerprints(7));
    assert_eq!(here.iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn paths_become_uris() {
    for (path, location) in [
        (
            "a/b.jsonl",
            json!({"uri": "a/b.jsonl", "uriBaseId": "%SRCROOT%"}),
        ),
        (
            "./a b%.jsonl",
            json!({"uri": "a%20b%25.jsonl", "uriBaseId": "%SRCROOT%"}),
        ),
        (
            "/var/é#?.jsonl",
            json!({"uri": "file:///var/%C3%A9%23%3F.jsonl"}),
        ),
        ("../x:y.jsonl", json!({"uri": "../x%3Ay.jsonl"})),
        ("-", json!({"description": {"text": "standard input"}})),
    ] {
        let report = report(&[stated(path, 1)]);
        assert_eq!(report["runs"][0]["artifacts"][0]["location"], location);
    }
}
