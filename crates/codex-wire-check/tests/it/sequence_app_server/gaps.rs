//! Single changes of recorded connections that older rules let through, each with the rule that
//! says so.

use codex_wire::Release;
use codex_wire_testing::describe;
use serde_json::{Value, json};

use super::line::{Line, read};
use super::{checker, denied, recording};
use crate::support::fixtures;

/// A recording, what is done to it, and the rule that then is broken.
type Gap = (&'static str, fn(&mut Vec<Line>), &'static str);

const GAPS: [Gap; 7] = [
    (
        "0.169.0/03a_command_untrusted_accept",
        |lines| {
            let waits = place(lines, "thread/status/changed", |params| {
                params["status"]["activeFlags"][0] == "waitingOnApproval"
            });
            let later = lines[waits + 1..]
                .iter()
                .position(|line| line.text("/method") == Some("thread/status/changed"));
            lines.remove(waits + 1 + later.unwrap());
        },
        "sequence/app-server-waiting",
    ),
    (
        "0.116.0/03m_permissions",
        |lines| {
            let method = "item/commandExecution/requestApproval";
            change(lines, method, "itemId", "call_none");
            // A command with additional permissions may never be reported.
            let asked = place(lines, method, |_| true);
            lines[asked].value["params"]["additionalPermissions"] = Value::Null;
        },
        "sequence/app-server-approval-item",
    ),
    (
        "0.111.0/14e_dynamic_tools",
        |lines| change(lines, "item/tool/call", "callId", "call_none"),
        "sequence/app-server-approval-item",
    ),
    (
        "0.169.0/04a_patch_accept",
        |lines| {
            change(
                lines,
                "item/fileChange/requestApproval",
                "turnId",
                "no-turn",
            );
        },
        "sequence/app-server-outside-turn",
    ),
    (
        "0.98.0/14b_view_image",
        |lines| drop_first(lines, "turn/started"),
        "sequence/app-server-turn-never-started",
    ),
    (
        "0.98.0/14b_view_image",
        |lines| drop_first(lines, "turn/started"),
        "sequence/app-server-outside-turn",
    ),
    (
        "0.169.0/12b_http_500_exhausts",
        |lines| {
            let last = place(lines, "error", |params| params["willRetry"] == false);
            lines.insert(last, lines[last].clone());
        },
        "sequence/app-server-error-reported",
    ),
];

/// The first message of that method that Codex sends, and that is so.
pub(super) fn place(lines: &[Line], method: &str, is: fn(&Value) -> bool) -> usize {
    let found = lines.iter().position(|line| {
        !line.client && line.text("/method") == Some(method) && is(&line.value["params"])
    });
    found.unwrap_or_else(|| panic!("there is no {method}"))
}

pub(super) fn drop_first(lines: &mut Vec<Line>, method: &str) {
    lines.remove(place(lines, method, |_| true));
}

pub(super) fn change(lines: &mut [Line], method: &str, member: &str, value: &str) {
    let at = place(lines, method, |_| true);
    assert!(
        lines[at].value["params"][member].is_string(),
        "{method} has no {member}"
    );
    lines[at].value["params"][member] = json!(value);
}

pub(super) fn are_closed() {
    for (name, apply, rule) in GAPS {
        let release: Release = name.split('/').next().unwrap().parse().unwrap();
        let path = fixtures().join("app-server").join(format!("{name}.jsonl"));
        let run = read(name.to_owned(), release, &path).unwrap();
        let checker = checker(release);
        let whole = checker.check(name, recording(release, &run.lines).as_bytes());
        assert_eq!(denied(&whole).count(), 0, "{}", describe(&whole));
        let mut lines = run.lines.clone();
        apply(&mut lines);
        let outcome = checker.check(name, recording(release, &lines).as_bytes());
        let said = denied(&outcome).any(|finding| finding.rule.id == rule);
        assert!(said, "{name}: {rule}: {}", describe(&outcome));
    }
}
