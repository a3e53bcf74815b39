//! The odd corners of the core protocol, each kept exactly: forms that must not be taken for
//! each other, absent against `null`, and what is refused with which words.

use codex_wire::core_protocol::{
    Base64, Base64Error, Duration, Event, EventMsg, ExecOutputChunk, FileChange,
    McpToolCallOutcome, Op, OverrideTurnContextOp, ParsedCommand, ParsedCommandKind,
    ReasoningEffort, ReasoningItem, Submission, TokenUsage,
};
use codex_wire::error::ErrorKind;
use codex_wire::json::Kind;
use codex_wire::mcp::ContentBlock;
use codex_wire::{Maybe, Wire};

#[track_caller]
fn read<T: Wire>(text: &str) -> T {
    codex_wire::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn event(msg: &str) -> EventMsg {
    read::<Event>(&format!(r#"{{"id":"1","msg":{msg}}}"#)).msg
}

fn chunk(text: &str) -> ExecOutputChunk {
    let EventMsg::ExecCommandOutputDelta(delta) = event(&format!(
        r#"{{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":{text}}}"#
    )) else {
        panic!("an output delta");
    };
    delta.chunk
}

#[test]
fn the_two_forms_of_a_chunk_are_not_confused() {
    // The same four characters: bytes of base64 on one side, base64 of bytes on the other.
    let bytes = chunk("[97,71,107,61]");
    let base64 = chunk(r#""aGk=""#);
    assert_eq!(bytes, ExecOutputChunk::Bytes(b"aGk=".to_vec()));
    assert_eq!(base64, ExecOutputChunk::Base64(Base64::encode(b"hi")));
    assert_eq!(bytes.bytes().as_deref(), Ok(&b"aGk="[..]));
    assert_eq!(base64.bytes().as_deref(), Ok(&b"hi"[..]));
    for (form, text) in [(&bytes, "[97,71,107,61]"), (&base64, r#""aGk=""#)] {
        assert_eq!(codex_wire::to_string(form), text);
    }
    // Nothing written is a chunk in both forms.
    assert_eq!(chunk("[]").bytes().as_deref(), Ok(&[][..]));
    assert_eq!(chunk(r#""""#).bytes().as_deref(), Ok(&[][..]));
    assert_ne!(chunk("[]"), chunk(r#""""#));
}

#[test]
fn every_byte_survives_both_forms() {
    let all: Vec<u8> = (0..=255).collect();
    for bytes in [&all[..], &all[..255], &all[..254], b"\0", b"\xff\xfe"] {
        let early = ExecOutputChunk::from(bytes.to_vec());
        let late = ExecOutputChunk::from(Base64::encode(bytes));
        for written in [early, late] {
            let back = chunk(&codex_wire::to_string(&written));
            assert_eq!(back, written);
            assert_eq!(back.bytes().as_deref(), Ok(bytes));
        }
    }
}

#[test]
fn bad_base64_is_an_error_and_comes_back_all_the_same() {
    use Base64Error::{Length, NotBytes, Symbol};
    for (text, error) in [
        (r#""aGk""#, Length),             // padding left out
        (r#""aGk==""#, Symbol { at: 3 }), // too much padding
        (r#""a""#, Length),               // breaks off
        (r#""aG k""#, Symbol { at: 2 }),  // white space
        (r#""aG-_""#, Symbol { at: 2 }),  // the alphabet for URLs
        (r#""aGl=""#, Symbol { at: 2 }),  // bits left over
        (r#""é===""#, Symbol { at: 0 }),
        ("[256]", NotBytes),
        ("[-1]", NotBytes),
        ("[1.5]", NotBytes),
        (r#"["a"]"#, NotBytes),
        ("null", NotBytes),
        ("{}", NotBytes),
    ] {
        let chunk = chunk(text);
        assert_eq!(chunk.bytes(), Err(error), "{text}");
        assert_eq!(codex_wire::to_string(&chunk), text);
    }
    assert_eq!(Symbol { at: 2 }.to_string(), "invalid base64 at byte 2");
}

#[test]
fn deletions_bare_and_with_content() {
    let bare: FileChange = read(r#""delete""#);
    let full: FileChange = read(r#"{"delete":{"content":"x"}}"#);
    assert_eq!(bare, FileChange::BareDelete);
    assert!(matches!(&full, FileChange::Delete(change) if change.content == "x"));
    assert_eq!((bare.tag(), full.tag()), ("delete", "delete"));
    // A word that needs content, and an object of a kind that is bare, are neither.
    assert!(matches!(read(r#""add""#), FileChange::Unknown(_)));
    let error = codex_wire::from_str::<FileChange>(r#"{"delete":{}}"#).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Missing("content"));
    for (text, kind) in [
        ("{}", ErrorKind::NoKind),
        (r#"{"add":{"content":""},"x":1}"#, ErrorKind::TwoKinds),
    ] {
        assert_eq!(
            codex_wire::from_str::<FileChange>(text).unwrap_err().kind(),
            &kind,
            "{text}"
        );
    }
}

#[test]
fn parsed_commands_in_three_forms() {
    let forms = [
        r#"{"Read":{"cmd":["cat","a b"],"name":"a b"}}"#,
        r#"{"Read":{"cmd":"cat a b","name":"a b"}}"#,
        r#"{"type":"read","cmd":"cat a b","name":"a b"}"#,
    ];
    for text in forms {
        let command: ParsedCommand = read(text);
        assert_eq!(command.kind(), ParsedCommandKind::Read, "{text}");
        assert_eq!(command.command().as_deref(), Some("cat a b"), "{text}");
        assert_eq!(codex_wire::to_string(&command), text);
    }
    let (first, second, third): (ParsedCommand, ParsedCommand, ParsedCommand) =
        (read(forms[0]), read(forms[1]), read(forms[2]));
    assert!(first != second && second != third && first != third);
    // `unknown` is a kind of its own, and not the absence of one.
    for text in [
        r#"{"Unknown":{"cmd":"x"}}"#,
        r#"{"type":"unknown","cmd":"x"}"#,
    ] {
        assert_eq!(
            read::<ParsedCommand>(text).kind(),
            ParsedCommandKind::Other,
            "{text}"
        );
    }
    for text in [
        r#"{"read":{"cmd":"x","name":"n"}}"#,
        r#"{"type":"Read","cmd":"x","name":"n"}"#,
        "7",
    ] {
        let command: ParsedCommand = read(text);
        assert_eq!(command.kind(), ParsedCommandKind::Unknown, "{text}");
        assert_eq!(command.command(), None, "{text}");
    }
}

#[test]
fn an_effort_that_is_left_out_is_not_null() {
    let effort = |text: &str| {
        let Op::OverrideTurnContext(context) = read::<Submission>(text).op else {
            panic!("an override");
        };
        context.effort
    };
    let kept = r#"{"id":"1","op":{"type":"override_turn_context"}}"#;
    let cleared = r#"{"id":"1","op":{"type":"override_turn_context","effort":null}}"#;
    let set = r#"{"id":"1","op":{"type":"override_turn_context","effort":"low"}}"#;
    assert_eq!(effort(kept), Maybe::Absent);
    assert_eq!(effort(cleared), Maybe::Null);
    assert_eq!(effort(set), Maybe::Value(ReasoningEffort::Low));
    // And so they are written.
    let mut context = OverrideTurnContextOp::new();
    assert_eq!(
        codex_wire::to_string(&Submission::new("1", context.clone())),
        kept
    );
    context.effort = Maybe::Null;
    assert_eq!(
        codex_wire::to_string(&Submission::new("1", context.clone())),
        cleared
    );
    context.effort = ReasoningEffort::Low.into();
    assert_eq!(codex_wire::to_string(&Submission::new("1", context)), set);
}

#[test]
fn reasoning_without_content_and_with_null() {
    for (text, absent) in [
        (r#"{"summary":[],"encrypted_content":null}"#, true),
        (
            r#"{"summary":[],"content":null,"encrypted_content":null}"#,
            false,
        ),
    ] {
        let item: ReasoningItem = read(text);
        assert_eq!(
            (item.content.is_absent(), item.content.is_null()),
            (absent, !absent)
        );
        assert_eq!(codex_wire::to_string(&item), text);
    }
}

#[test]
fn token_counts_in_both_forms() {
    let counts = |msg: &str| match event(msg) {
        EventMsg::TokenCount(counts) => counts,
        other => panic!("{}", other.tag()),
    };
    let flat = counts(
        r#"{"type":"token_count","input_tokens":10,"cached_input_tokens":4,"output_tokens":2,"reasoning_output_tokens":1,"total_tokens":12}"#,
    );
    let usage = TokenUsage::new(10u64, 4u64, 2u64, 1u64, 12u64);
    assert_eq!((flat.last(), flat.total()), (Some(usage.clone()), None));
    let sparse = counts(
        r#"{"type":"token_count","input_tokens":10,"cached_input_tokens":null,"output_tokens":2,"reasoning_output_tokens":null,"total_tokens":12}"#,
    );
    assert_eq!(
        sparse.last(),
        Some(TokenUsage::new(10u64, 0u64, 2u64, 0u64, 12u64))
    );
    let nested = counts(
        r#"{"type":"token_count","info":{"total_token_usage":{"input_tokens":20,"cached_input_tokens":8,"output_tokens":4,"reasoning_output_tokens":2,"total_tokens":24},"last_token_usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2,"reasoning_output_tokens":1,"total_tokens":12},"model_context_window":null}}"#,
    );
    assert_eq!(nested.last(), Some(usage));
    assert_eq!(nested.total().map(|usage| usage.total_tokens), Some(24));
    let unknown = counts(r#"{"type":"token_count","info":null,"rate_limits":null}"#);
    assert_eq!((unknown.last(), unknown.total()), (None, None));
}

#[test]
fn rate_limits_in_both_forms() {
    let limits = |text: &str| match event(&format!(
        r#"{{"type":"token_count","info":null,"rate_limits":{text}}}"#
    )) {
        EventMsg::TokenCount(counts) => counts.rate_limits.into_value().expect("limits"),
        other => panic!("{}", other.tag()),
    };
    for (text, minutes, seconds) in [
        (
            r#"{"primary_used_percent":42.5,"secondary_used_percent":7.0,"primary_to_secondary_ratio_percent":30.0,"primary_window_minutes":300,"secondary_window_minutes":10080}"#,
            Maybe::Value(300),
            Maybe::Absent,
        ),
        (
            r#"{"primary":{"used_percent":42.5,"window_minutes":300,"resets_in_seconds":120},"secondary":{"used_percent":7.0,"window_minutes":null,"resets_in_seconds":null}}"#,
            Maybe::Value(300),
            Maybe::Value(120),
        ),
    ] {
        let limits = limits(text);
        let (first, second) = (limits.first().expect("one"), limits.second().expect("two"));
        assert_eq!(first.used_percent.get(), "42.5");
        assert_eq!(
            (first.window_minutes, first.resets_in_seconds),
            (minutes, seconds)
        );
        assert_eq!(second.used_percent.get(), "7.0");
    }
    let none = limits(r#"{"primary":null,"secondary":null}"#);
    assert_eq!((none.first(), none.second()), (None, None));
}

#[test]
fn what_came_of_a_tool_call() {
    let outcome: McpToolCallOutcome = read(r#"{"Err":"timed out"}"#);
    assert_eq!(outcome, McpToolCallOutcome::Failed("timed out".to_owned()));
    for text in [r#"{"ok":{"content":[]}}"#, r#"{"err":"x"}"#, r#""Ok""#] {
        assert!(
            matches!(read(text), McpToolCallOutcome::Unknown(_)),
            "{text}"
        );
    }
    let error =
        codex_wire::from_str::<McpToolCallOutcome>(r#"{"Err":{"message":"x"}}"#).unwrap_err();
    assert_eq!(error.pointer(), "/Err");
    assert!(matches!(
        error.kind(),
        ErrorKind::WrongType {
            found: Kind::Object,
            ..
        }
    ));
}

/// Codex writes the members of a block in the order of the alphabet, so the tag comes last and
/// sometimes in the middle; the block is kept as it came.
#[test]
fn blocks_keep_their_order() {
    let text = r#"{"Ok":{"content":[{"text":"t","type":"text"},{"name":"n","type":"resource_link","uri":"u"}]}}"#;
    let outcome: McpToolCallOutcome = read(text);
    assert_eq!(codex_wire::to_string(&outcome), text);
    let answer = outcome.answer().expect("an answer");
    let kinds: Vec<_> = answer
        .content
        .iter()
        .map(|block| block.block().map(|b| b.tag().to_owned()))
        .collect();
    assert_eq!(
        kinds,
        [Ok("text".to_owned()), Ok("resource_link".to_owned())]
    );
    assert!(
        matches!(answer.content[0].block(), Ok(ContentBlock::Text(block)) if block.text == "t")
    );
}

#[test]
fn durations() {
    for (text, expected) in [
        (
            r#"{"secs":1,"nanos":5}"#,
            Some(std::time::Duration::new(1, 5)),
        ),
        // More than a second of nanoseconds carries over, as it does upstream.
        (
            r#"{"secs":1,"nanos":4294967295}"#,
            Some(std::time::Duration::new(5, 294_967_295)),
        ),
        (
            r#"{"secs":18446744073709551615,"nanos":999999999}"#,
            Some(std::time::Duration::MAX),
        ),
        (r#"{"secs":18446744073709551615,"nanos":1000000000}"#, None),
    ] {
        let duration: Duration = read(text);
        assert_eq!(duration.to_std(), expected, "{text}");
        assert_eq!(codex_wire::to_string(&duration), text);
    }
    let written = Duration::from(std::time::Duration::from_millis(1500));
    assert_eq!(
        codex_wire::to_string(&written),
        r#"{"secs":1,"nanos":500000000}"#
    );
}

#[test]
fn names_with_dashes() {
    use codex_wire::core_protocol::{AskForApproval, SandboxPolicy};
    for name in ["untrusted", "on-failure", "on-request", "never"] {
        let policy = AskForApproval::from(name);
        assert!(!matches!(policy, AskForApproval::Unknown(_)), "{name}");
        assert_eq!(policy.to_string(), name);
    }
    for name in ["danger-full-access", "read-only", "workspace-write"] {
        let policy: SandboxPolicy = read(&format!(r#"{{"mode":"{name}"}}"#));
        assert!(!matches!(policy, SandboxPolicy::Unknown(_)), "{name}");
        assert_eq!(policy.to_string(), name);
    }
    // The later tag of the policy belongs to releases without these queues.
    let error = codex_wire::from_str::<SandboxPolicy>(r#"{"type":"read-only"}"#).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Missing("mode"));
}

/// Bad lines, what is said about them, and where: at what follows the sign `§`.
#[test]
fn what_is_refused() {
    type Refusal = fn(&str) -> Option<String>;
    let event: Refusal = |text| Some(codex_wire::from_str::<Event>(text).err()?.to_string());
    let submission: Refusal =
        |text| Some(codex_wire::from_str::<Submission>(text).err()?.to_string());
    for (refusal, marked, expected) in [
        (
            event,
            r#"§{"id":"1","op":{"type":"interrupt"}}"#,
            "missing member `msg`",
        ),
        (
            submission,
            r#"§{"id":"1","msg":{"type":"task_started"}}"#,
            "missing member `op`",
        ),
        (
            submission,
            r#"{"id":§1,"op":{"type":"interrupt"}}"#,
            "expected a string, found a number in /id",
        ),
        (
            submission,
            r#"{"id":"1","op":{"type":"get_history_entry_request","offset":§-1,"log_id":0}}"#,
            "expected a whole number from 0 to 18446744073709551615 in /op/offset",
        ),
        (
            submission,
            r#"{"id":"1","op":{"type":"get_history_entry_request","offset":0,"log_id":§18446744073709551616}}"#,
            "expected a whole number from 0 to 18446744073709551615 in /op/log_id",
        ),
        (
            event,
            r#"{"id":"1","msg":{"type":"exec_command_end","call_id":"c","stdout":"","stderr":"","exit_code":§2147483648,"duration":{"secs":0,"nanos":0}}}"#,
            "expected a whole number from -2147483648 to 2147483647 in /msg/exit_code",
        ),
        (
            event,
            r#"{"id":"1","msg":{"type":"exec_command_end","call_id":"c","stdout":"","stderr":"","exit_code":0,"duration":{"secs":0,"nanos":§4294967296}}}"#,
            "expected a whole number from 0 to 4294967295 in /msg/duration/nanos",
        ),
        (
            event,
            r#"{"id":"1","msg":{"type":"patch_apply_begin","call_id":"c","auto_approved":true,"changes":{"/a/b":{"add":§{}}}}}"#,
            "missing member `content` in /msg/changes/~1a~1b/add",
        ),
        (
            event,
            r#"{"id":"1","msg":§{}}"#,
            "missing member `type` in /msg",
        ),
        (
            event,
            r#"{"id":"1","msg":§"task_started"}"#,
            "expected an object, found a string in /msg",
        ),
        (
            event,
            r#"{"id":"1","msg":{"type":"error","message":§null}}"#,
            "expected a string, found null in /msg/message",
        ),
    ] {
        let column = marked.find('§').expect("a marked place") + 1;
        let text = marked.replace('§', "");
        let expected = format!("{expected} at line 1 column {column}");
        assert_eq!(refusal(&text), Some(expected), "{text}");
    }
}

/// Unknown kinds are values on both queues.
#[test]
fn unknown_kinds_are_values() {
    let submission: Submission = read(r#"{"id":"1","op":{"type":"rest","x":1}}"#);
    assert!(matches!(&submission.op, Op::Unknown(op) if op.tag == "rest"));
    let event: Event = read(r#"{"id":"1","msg":{"type":"rested","x":1}}"#);
    assert!(matches!(&event.msg, EventMsg::Unknown(msg) if msg.tag == "rested"));
    // One queue's kinds are unknown on the other.
    let event: Event = read(r#"{"id":"1","msg":{"type":"interrupt"}}"#);
    assert!(matches!(event.msg, EventMsg::Unknown(_)));
}
