//! What is known of the protocols' history, as expectation. The facts are those of the upstream
//! releases and of recordings; the types were written from them too, but not these tests.

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_diff::{Change, Comparison, Difference, Direction, Side, Verdict, diff};
use codex_wire_schema::Stability;

use crate::support::{between, of_message_set};

/// The difference at a place, which must be the only one of its kind there.
#[track_caller]
fn at<'c>(
    found: &'c Comparison,
    change: Change,
    place: &str,
    what: Option<&str>,
) -> &'c Difference {
    let of = |difference: &&Difference| {
        let subject = [&difference.before, &difference.after];
        difference.change == change
            && difference.place == place
            && what.is_none_or(|what| subject.iter().any(|name| name.as_deref() == Some(what)))
    };
    let all: Vec<&Difference> = found.differences.iter().filter(of).collect();
    assert_eq!(all.len(), 1, "{change:?} {place} {what:?}: {all:#?}");
    all[0]
}

fn verdicts(difference: &Difference) -> Vec<(Direction, Verdict)> {
    let judgements = difference.judgements.iter();
    judgements
        .map(|judgement| (judgement.direction, judgement.verdict))
        .collect()
}

const CODEX: Direction = Direction::CodexWrites;
const CLIENT: Direction = Direction::ClientWrites;

#[test]
fn exec_renamed_its_tag_and_an_item_with_0_44() {
    let found = between(Protocol::Exec, "0.43.0", "0.44.0");
    assert_eq!(found.differences.len(), 2, "{:#?}", found.differences);
    let tag = at(&found, Change::TagRenamed, "ThreadItem", Some("item_type"));
    assert_eq!(tag.after.as_deref(), Some("type"));
    let item = at(
        &found,
        Change::VariantRenamed,
        "ThreadItem",
        Some("assistant_message"),
    );
    assert_eq!(item.after.as_deref(), Some("agent_message"));
    for difference in [tag, item] {
        assert_eq!(verdicts(difference), [(CODEX, Verdict::Breaking)]);
        let names: Vec<&str> = difference
            .messages
            .iter()
            .map(|m| m.name.as_str())
            .collect();
        assert_eq!(names, ["item.completed", "item.started", "item.updated"]);
    }
}

#[test]
fn exit_code_is_null_while_a_command_runs_from_0_51() {
    let found = between(Protocol::Exec, "0.50.0", "0.51.0");
    let null = at(
        &found,
        Change::NullAdded,
        "CommandExecutionItem.exit_code",
        None,
    );
    assert_eq!(verdicts(null), [(CODEX, Verdict::Breaking)]);
    let example = null.judgements[0].counterexample.as_ref().unwrap();
    assert!(example.value["item"]["exit_code"].is_null());
    assert!(example.value["item"].get("exit_code").is_some());
    at(
        &found,
        Change::BecameRequired,
        "CommandExecutionItem.exit_code",
        None,
    );
}

#[test]
fn policies_went_from_camel_to_kebab_case_between_0_63_and_0_80() {
    let found = between(Protocol::AppServer, "0.63.0", "0.80.0");
    for (place, old, new) in [
        ("AskForApproval", "onRequest", "on-request"),
        ("AskForApproval", "onFailure", "on-failure"),
        ("SandboxMode", "workspaceWrite", "workspace-write"),
        ("SandboxMode", "dangerFullAccess", "danger-full-access"),
        ("SandboxMode", "readOnly", "read-only"),
    ] {
        let renamed = at(&found, Change::ValueRenamed, place, Some(old));
        assert_eq!(renamed.after.as_deref(), Some(new));
        assert!(
            verdicts(renamed).contains(&(CLIENT, Verdict::Breaking)),
            "{renamed:#?}"
        );
    }
}

#[test]
fn the_old_conversation_api_went_between_0_98_and_0_110() {
    let releases = MessageSet::AppServerClientRequests.release_list();
    let release = |text| releases.resolve(text).unwrap();
    let found = of_message_set(
        MessageSet::AppServerClientRequests,
        release("0.98.0"),
        release("0.110.0"),
    );
    let gone: Vec<&str> = found
        .differences
        .iter()
        .filter(|difference| difference.change == Change::MessageRemoved)
        .map(|difference| {
            assert_eq!(
                verdicts(difference),
                [(CLIENT, Verdict::Breaking)],
                "{difference:?}"
            );
            difference.place.as_str()
        })
        .filter(|name| !name.contains('/'))
        .collect();
    // With `skills/remote/read` and `skills/remote/write` 21 requests went in these releases. Two more went from the
    // official schemas; programs go on reading `getConversationSummary` and `gitDiffToRemote`.
    assert_eq!(gone.len(), 19, "{gone:?}");
    for name in [
        "newConversation",
        "sendUserMessage",
        "sendUserTurn",
        "interruptConversation",
    ] {
        assert!(gone.contains(&name), "{name}");
    }
}

#[test]
fn members_that_became_a_duty() {
    let found = between(Protocol::AppServer, "0.125.0", "0.130.0");
    for place in [
        "ItemStartedNotification.startedAtMs",
        "ItemCompletedNotification.completedAtMs",
    ] {
        let added = at(&found, Change::RequiredMemberAdded, place, None);
        // A client that ignores what it does not know is not affected.
        assert_eq!(verdicts(added), [(CODEX, Verdict::Compatible)]);
    }
    let found = between(Protocol::AppServer, "0.144.6", "0.150.1");
    let project = at(
        &found,
        Change::RequiredMemberAdded,
        "Thread.projectId",
        None,
    );
    assert_eq!(verdicts(project), [(CODEX, Verdict::Compatible)]);
}

#[test]
fn on_failure_left_the_policies() {
    let found = between(Protocol::AppServer, "0.136.0", "0.144.6");
    let gone = at(
        &found,
        Change::ValueRemoved,
        "AskForApproval",
        Some("on-failure"),
    );
    assert!(
        verdicts(gone).contains(&(CLIENT, Verdict::Breaking)),
        "{gone:#?}"
    );
    assert!(
        verdicts(gone).contains(&(CODEX, Verdict::Compatible)),
        "{gone:#?}"
    );
}

#[test]
fn a_type_of_both_sides_has_both_verdicts() {
    let found = between(Protocol::AppServer, "0.136.0", "0.142.0");
    let effort = at(&found, Change::EnumOpened, "ReasoningEffort", None);
    assert_eq!(
        verdicts(effort),
        [(CODEX, Verdict::Maybe), (CLIENT, Verdict::Compatible)]
    );
    assert_eq!(effort.verdict(), Verdict::Maybe);
}

#[test]
fn methods_move_between_the_halves() {
    let method = "thread/turns/list";
    let there = between(Protocol::AppServer, "0.125.0", "0.130.0");
    let moved = at(&there, Change::BecameExperimental, method, None);
    assert_eq!(verdicts(moved), [(CLIENT, Verdict::Maybe)]);
    let back = between(Protocol::AppServer, "0.150.1", "0.154.0");
    let moved = at(&back, Change::BecameStable, method, None);
    assert_eq!(verdicts(moved), [(CLIENT, Verdict::Compatible)]);
    // To those who did not opt in it was gone.
    let stable = |release| crate::support::side(Protocol::AppServer, release, Stability::Stable);
    let found = diff(&stable("0.125.0"), &stable("0.130.0")).unwrap();
    let gone = at(&found, Change::MessageRemoved, method, None);
    assert_eq!(verdicts(gone), [(CLIENT, Verdict::Breaking)]);
}

#[test]
fn forks_are_points_on_the_timeline() {
    let found = between(Protocol::Core, "agcodex-0.1.0", "0.34.0");
    let chunk = at(
        &found,
        Change::TypeChanged,
        "ExecOutputChunk",
        Some("string"),
    );
    assert_eq!(chunk.before.as_deref(), Some("array"));
    assert_eq!(verdicts(chunk), [(CODEX, Verdict::Breaking)]);
    let asked = at(&found, Change::MessageAdded, "list_custom_prompts", None);
    assert_eq!(verdicts(asked), [(CLIENT, Verdict::Compatible)]);
}

/// `codex exec --json` wrote core events up to 0.42.0; what reads them reads nothing after.
#[test]
fn a_dialect_that_ends_is_a_break() {
    for (before, began) in [("0.34.0", true), ("0.42.0", false)] {
        let found = between(Protocol::Exec, before, "0.43.0");
        let gone = at(&found, Change::DialectEnded, "exec-legacy", None);
        assert_eq!(verdicts(gone), [(CODEX, Verdict::Breaking)]);
        let names: Vec<&str> = gone.messages.iter().map(|m| m.name.as_str()).collect();
        assert!(names.contains(&"task_started"), "{names:?}");
        let example = gone.judgements[0].counterexample.as_ref().unwrap();
        assert_eq!(example.accepted_by, codex_wire_diff::Which::Before);
        let new = found
            .differences
            .iter()
            .filter(|difference| difference.change == Change::DialectBegan);
        let new: Vec<_> = new.map(|new| (new.place.as_str(), verdicts(new))).collect();
        // 0.42.0 has both: `--json` and `--experimental-json`.
        let expected = began.then(|| ("exec", vec![(CODEX, Verdict::Compatible)]));
        assert_eq!(new, expected.into_iter().collect::<Vec<_>>());
    }
    // With nothing in its place both directions end.
    let nothing = Side::release(
        &[],
        codex_wire_base::Release::new(0, 44, 0),
        Stability::Experimental,
    );
    let old = crate::support::side(Protocol::Core, "0.42.0", Stability::Experimental);
    let found = diff(&old, &nothing).unwrap();
    let ended: Vec<_> = found
        .differences
        .iter()
        .map(|difference| {
            (
                difference.change,
                difference.place.as_str(),
                difference.verdict(),
            )
        })
        .collect();
    assert_eq!(
        ended,
        [
            (Change::DialectEnded, "core-events", Verdict::Breaking),
            (Change::DialectEnded, "core-submissions", Verdict::Breaking),
        ]
    );
    // The way back is the same, turned round.
    let back = diff(&nothing, &old).unwrap();
    assert_eq!(
        crate::symmetry::turned(&found),
        crate::symmetry::facts(&back)
    );
}

/// Every verdict of every step of every protocol can be shown or says that it cannot.
#[test]
fn breaking_is_never_said_without_a_message() {
    let mut shown = 0;
    for protocol in Protocol::ALL {
        let releases = protocol.release_list().releases();
        for pair in [
            [releases[0], releases[releases.len() - 1]],
            [releases[releases.len() / 2], releases[releases.len() - 1]],
        ] {
            let side = |at| {
                Side::release(
                    codex_wire_diff::message_sets(*protocol, at),
                    at,
                    Stability::Experimental,
                )
            };
            let found = diff(&side(pair[0]), &side(pair[1])).unwrap();
            for judgement in found.differences.iter().flat_map(|d| &d.judgements) {
                let breaking = judgement.verdict == Verdict::Breaking;
                // A program that was asked reads the message all the same.
                let read = !breaking && judgement.evidence.is_some();
                assert_eq!(breaking || read, judgement.counterexample.is_some());
                let undecided = judgement.verdict == Verdict::Unknown;
                assert!(!undecided || judgement.remark.is_some());
                shown += usize::from(breaking);
            }
        }
    }
    assert!(shown > 50, "{shown}");
}
