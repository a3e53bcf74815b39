//! Values are built with `new`, `with_…` and `Default`, and read with the methods of `Maybe`.

use codex_wire::app_server::{
    AskForApproval, ClientInfo, DynamicToolCallOutputContentItem, DynamicToolCallResponse,
    InitializeParams, SortDirection, Thread, ThreadListParams, ThreadStartParams, TurnStartParams,
    UserInput,
};
use codex_wire::core_protocol::{InputItem, Submission, UserInputOp};
use codex_wire::hooks::{PreToolUseCommandOutputWire, PreToolUseDecisionWire};
use codex_wire::json::{Extra, Raw};
use codex_wire::{Map, Maybe, NoParams, UnknownCall, UnknownExternal, Wire};

fn written<T: Wire + serde::Serialize>(value: &T) -> String {
    codex_wire::to_string(value)
}

#[test]
fn members_that_may_be_absent_are_set_one_after_the_other() {
    let params = ThreadStartParams::new()
        .with_model("gpt-5")
        .with_cwd(String::from("/work"))
        .with_approval_policy(AskForApproval::Never)
        .with_ephemeral(true)
        .with_runtime_workspace_roots(["/work", "/data"]);
    let text = r#"{"approvalPolicy":"never","cwd":"/work","ephemeral":true,"model":"gpt-5","runtimeWorkspaceRoots":["/work","/data"]}"#;
    assert_eq!(written(&params), text);
    assert_eq!(codex_wire::from_str::<ThreadStartParams>(text), Ok(params));
}

#[test]
fn numbers_are_given_as_they_are() {
    let params = ThreadListParams::new()
        .with_limit(20)
        .with_sort_direction("asc");
    assert_eq!(params.sort_direction, Maybe::Value(SortDirection::Asc));
    assert_eq!(written(&params), r#"{"limit":20,"sortDirection":"asc"}"#);
}

#[test]
fn null_and_options_are_given_through_the_member() {
    let mut params = ThreadStartParams::new();
    params.model = Some("gpt-5".to_owned()).into();
    params.cwd = None.into();
    params.base_instructions = Maybe::Null;
    let text = r#"{"baseInstructions":null,"model":"gpt-5"}"#;
    assert_eq!(written(&params), text);
}

#[test]
fn what_needs_nothing_has_a_default() {
    assert_eq!(ThreadStartParams::default(), ThreadStartParams::new());
    assert_eq!(written(&ThreadListParams::default()), "{}");
    assert_eq!(written(&NoParams::default()), "null");
}

#[test]
fn a_text_becomes_what_is_mostly_a_text() {
    let text = r#"{"threadId":"t","input":[{"text":"hello","type":"text"}]}"#;
    for input in [UserInput::text("hello"), "hello".into()] {
        let params = TurnStartParams::new("t", [input]);
        let read: TurnStartParams = codex_wire::from_str(text).expect("valid");
        assert_eq!(params, read);
    }
    let items = [DynamicToolCallOutputContentItem::text("4")];
    let answer = DynamicToolCallResponse::new(true).with_content_items(items);
    let text = r#"{"success":true,"contentItems":[{"type":"inputText","text":"4"}]}"#;
    assert_eq!(written(&answer), text);
    let op = UserInputOp::new([InputItem::from("hi")]);
    let text = r#"{"id":"1","op":{"type":"user_input","items":[{"type":"text","text":"hi"}]}}"#;
    assert_eq!(written(&Submission::new("1", op)), text);
}

#[test]
fn unions_of_a_text_and_others_take_a_text() {
    let params = ThreadStartParams::new().with_service_tier("fast");
    assert_eq!(written(&params), r#"{"serviceTier":"fast"}"#);
}

#[test]
fn outputs_of_hooks_are_built_the_same_way() {
    let output = PreToolUseCommandOutputWire::new()
        .with_decision(PreToolUseDecisionWire::Block)
        .with_reason("not here");
    let text = r#"{"decision":"block","reason":"not here"}"#;
    assert_eq!(written(&output), text);
    assert_eq!(codex_wire::from_str(text), Ok(output));
}

#[test]
fn what_holds_others_is_built_inside_out() {
    let params = InitializeParams::new(ClientInfo::new("mine", "1.0").with_title("Mine"));
    let text = r#"{"clientInfo":{"name":"mine","version":"1.0","title":"Mine"}}"#;
    assert_eq!(written(&params), text);
}

#[test]
fn maps_are_made_of_pairs() {
    let map: Map<String> = [("A", "1"), ("B", "2")].into();
    assert_eq!(written(&map), r#"{"A":"1","B":"2"}"#);
}

#[test]
fn a_member_is_read_as_an_option() {
    let line = r#"{"id":"t","createdAt":1,"modelProvider":"p","preview":"","cwd":"/home/someone","gitInfo":null,"turns":[]}"#;
    let mut thread: Thread = codex_wire::from_str(line).expect("valid");
    assert_eq!(thread.cwd.as_deref(), Maybe::Value("/home/someone"));
    assert_eq!(thread.cwd.as_deref().unwrap_or("?"), "/home/someone");
    assert!(thread.cwd.is_some_and(|cwd| cwd.starts_with('/')));
    assert_eq!(thread.name.as_deref().unwrap_or("unnamed"), "unnamed");
    assert!(!thread.git_info.is_some());
    assert_eq!(thread.turns.as_deref().unwrap_or_default().len(), 0);
    assert_eq!(thread.updated_at.unwrap_or_else(|| thread.created_at), 1);
    assert_eq!(Option::from(thread.cli_version.clone()), None::<String>);
    assert_eq!(thread.cwd.as_ref().cloned(), thread.cwd);
    if let Some(cwd) = thread.cwd.value_mut() {
        cwd.push_str("/here");
    }
    assert_eq!(
        thread.cwd.value().map(String::as_str),
        Some("/home/someone/here")
    );
}

#[derive(Clone, Debug, PartialEq, Eq, Wire)]
struct Poem {
    lines: u32,
    #[wire(optional, nullable)]
    title: Maybe<String>,
    #[wire(extra)]
    extra: Extra,
}

#[test]
fn an_unknown_kind_is_read_as_a_type_of_ones_own() {
    let text = r#"{"type":"poem","lines":14,"rhyme":"abab"}"#;
    let UserInput::Unknown(unknown) = codex_wire::from_str(text).expect("valid") else {
        panic!("no such kind is known");
    };
    let poem: Poem = unknown.parse().expect("a poem");
    assert_eq!((poem.lines, poem.title.is_absent()), (14, true));
    assert_eq!(
        poem.extra.parse_member("rhyme"),
        Ok(Some("abab".to_owned()))
    );
    assert_eq!(poem.extra.parse_member::<u32>("metre"), Ok(None));
    let members = serde_json::to_string(&unknown).expect("JSON");
    assert_eq!(members, r#"{"lines":14,"rhyme":"abab"}"#);
    let error = unknown
        .parse::<Map<String>>()
        .expect_err("14 is not a text");
    assert_eq!(error.pointer(), "/lines");
}

#[test]
fn unknown_methods_and_variants_are_read_as_a_type_of_ones_own() {
    let mut call = UnknownCall::bare("poem/read");
    assert_eq!(call.parse::<Poem>(), Ok(None));
    let content = Raw::new(r#"{"lines":14,"title":null}"#).expect("JSON");
    call.content = Some(content.clone());
    let poem = call.parse::<Poem>().expect("a poem").expect("a content");
    assert_eq!((poem.lines, poem.title), (14, Maybe::Null));
    assert_eq!(UnknownExternal::bare("poem").parse::<Poem>(), Ok(None));
    let external = UnknownExternal::with_value("poem", content);
    assert_eq!(
        external.parse::<Poem>().map(|poem| poem.map(|p| p.lines)),
        Ok(Some(14))
    );
}
