//! What the derive makes of attributes that the types of one protocol use and those of others do
//! not: several intervals, experimental parts, closed objects, content beside a tag.

use codex_wire::generate::{Generate, Recipe};
use codex_wire::json::{Extra, MemberOrder, Raw};
use codex_wire::private::SchemaGenerator;
use codex_wire::shape::{Form, Presence};
use codex_wire::{Described as _, ErrorKind, Map, Maybe, Release, Unknown, UnknownCall, Wire};
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;
use serde_json::{Value, json};

/// Comes and goes.
#[derive(Clone, Debug, PartialEq, Wire)]
struct Thread {
    /// Always there.
    id: String,
    /// Came, went and came back.
    #[wire(
        rename = "gitInfo",
        since = "0.60.0",
        gap(since = "0.70.0", until = "0.75.0")
    )]
    #[wire(gap(since = "0.80.0", until = "0.80.0"))]
    git_info: Maybe<String>,
    /// Twice optional, twice nullable.
    #[wire(
        optional(until = "0.60.0"),
        optional(since = "0.80.0", until = "0.89.0")
    )]
    #[wire(nullable(until = "0.59.0"), nullable(since = "0.90.0"))]
    name: Maybe<String>,
    /// For the daring, at first.
    #[wire(
        since = "0.70.0",
        experimental(until = "0.79.0"),
        experimental(since = "0.90.0")
    )]
    labels: Maybe<Map<Vec<Vec<u8>>>>,
    /// For the daring, always.
    #[wire(experimental)]
    goal: Maybe<Vec<Goal>>,
    #[wire(extra)]
    extra: Extra,
}

/// What is not ours to shape, in arrays.
#[derive(Clone, Debug, PartialEq, Wire)]
struct Foreign {
    /// Rows.
    rows: Vec<Vec<Raw>>,
    #[wire(extra)]
    extra: Extra,
}

/// No reader takes more.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(closed)]
struct Goal {
    /// The status.
    #[wire(optional)]
    status: Maybe<Status>,
    #[wire(extra)]
    extra: Extra,
}

/// What was left out until it was always written.
#[derive(Clone, Debug, PartialEq, Wire)]
struct Message {
    /// The phase.
    #[wire(optional, nullable, written(since = "0.80.0"))]
    phase: Maybe<String>,
    #[wire(extra)]
    extra: Extra,
}

/// A status.
#[derive(Clone, Debug, PartialEq, Wire)]
enum Status {
    /// On its way.
    #[wire(gap(since = "0.70.0", until = "0.75.0"))]
    Open,
    /// Over.
    #[wire(experimental(until = "0.80.0"))]
    Done,
    #[wire(unknown)]
    Unknown(String),
}

/// Parameters.
#[derive(Clone, Debug, PartialEq, Wire)]
struct StartParams {
    /// Where.
    cwd: String,
    #[wire(extra)]
    extra: Extra,
}

/// Parameters of which none is needed.
#[derive(Clone, Debug, PartialEq, Wire)]
struct ReadParams {
    /// How many.
    #[wire(optional, nullable)]
    limit: Maybe<u32>,
    #[wire(extra)]
    extra: Extra,
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "method", content = "params", variant_suffix = "Message")]
enum ClientCall {
    /// Starts a thread.
    #[wire(rename = "thread/start", since = "0.58.0")]
    ThreadStart(StartParams),
    /// Starts one beside another.
    #[wire(rename = "thread/fork", gap(since = "0.70.0", until = "0.75.0"))]
    ThreadFork(StartParams),
    /// Reads the usage.
    #[wire(rename = "account/usage/read", optional(since = "0.70.0"), nullable)]
    #[wire(experimental(until = "0.79.0"))]
    AccountUsageRead(Maybe<ReadParams>),
    /// Is ready.
    #[wire(rename = "initialized")]
    Initialized,
    #[wire(unknown)]
    Unknown(UnknownCall),
}

/// A request.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "method", content = "params")]
struct ClientRequest {
    /// Names it.
    id: u64,
    /// Where it comes from.
    #[wire(optional)]
    trace: Maybe<String>,
    #[wire(variant)]
    call: ClientCall,
    #[wire(extra)]
    extra: Extra,
}

/// A kind without members beside the tag.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(closed)]
struct Nothing {
    #[wire(extra)]
    extra: Extra,
}

/// Two kinds of one shape.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(tag = "type")]
enum Step {
    /// Waits.
    Wait(Nothing),
    /// Reads.
    #[wire(gap(since = "0.70.0", until = "0.75.0"))]
    Read(ReadParams),
    #[wire(unknown)]
    Unknown(Unknown),
}

/// One of several, some of them for a while.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(untagged)]
enum Either {
    /// As a text.
    #[wire(gap(since = "0.70.0", until = "0.75.0"))]
    Text(String),
    /// As a number.
    #[wire(experimental)]
    Number(u32),
    #[wire(unknown)]
    Other(Raw),
}

/// Written around the value.
#[derive(Clone, Debug, PartialEq, Wire)]
#[wire(externally_tagged)]
enum Around {
    /// Bare.
    #[wire(gap(since = "0.70.0", until = "0.75.0"))]
    Bare,
    /// Two of one shape.
    #[wire(experimental)]
    One(ReadParams),
    /// The other.
    Two(ReadParams),
    #[wire(unknown)]
    Unknown(codex_wire::UnknownExternal),
}

const RELEASES: [u32; 9] = [50, 58, 60, 70, 75, 76, 80, 85, 90];

fn release(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

fn member(name: &str) -> &'static codex_wire::shape::Member {
    let Form::Object(members) = &Thread::SHAPE.form else {
        panic!("not an object");
    };
    members
        .iter()
        .find(|member| member.name == name)
        .expect("a member of this name")
}

#[test]
fn gaps_are_no_part_of_an_availability() {
    let available = |minor| member("gitInfo").is_available(release(minor));
    let found: Vec<u32> = RELEASES
        .into_iter()
        .filter(|minor| available(*minor))
        .collect();
    assert_eq!(found, [60, 76, 85, 90]);
    assert_eq!(member("gitInfo").presence(release(72)), None);
    assert_eq!(
        member("gitInfo").presence(release(76)),
        Some(Presence::Required)
    );
}

#[test]
fn freedoms_hold_at_several_times() {
    let presence = |minor| member("name").presence(release(minor)).unwrap();
    assert_eq!(presence(50), Presence::OptionalNullable);
    assert_eq!(presence(60), Presence::Optional);
    assert_eq!(presence(70), Presence::Required);
    assert_eq!(presence(85), Presence::Optional);
    assert_eq!(presence(90), Presence::Nullable);
}

#[test]
fn what_is_always_written_may_still_be_read_without() {
    let Form::Object([phase]) = &Message::SHAPE.form else {
        panic!("an object with one member");
    };
    assert_eq!(
        phase.presence(release(90)),
        Some(Presence::OptionalNullable)
    );
    assert_eq!(
        phase.presence_written(release(76)),
        Some(Presence::OptionalNullable)
    );
    assert_eq!(
        phase.presence_written(release(90)),
        Some(Presence::Nullable)
    );
    let property = &schema::<Message>()["properties"]["phase"];
    assert_eq!(property["x-written"], json!({"since": "0.80.0"}));
    for (minor, may_lack) in [(76, true), (90, false)] {
        let mut lacked = false;
        values::<Message>(minor, |message| lacked |= message.get("phase").is_none());
        assert_eq!(lacked, may_lack, "0.{minor}.0");
    }
}

#[test]
fn parts_are_experimental_while_they_are_there() {
    let experimental = |minor| member("labels").is_experimental(release(minor));
    let found: Vec<u32> = RELEASES.into_iter().filter(|m| experimental(*m)).collect();
    assert_eq!(found, [70, 75, 76, 90]);
    assert!(member("goal").is_experimental(release(50)));
    assert!(!member("id").is_experimental(release(50)));
}

fn values<T: Generate + Serialize + Wire + PartialEq>(minor: u32, mut look: impl FnMut(Value)) {
    for unknown in [false, true] {
        let recipe = Recipe {
            release: release(minor),
            unknown,
        };
        let mut config = Config::with_source_file(file!());
        // Enough for each kind of value to come up in any run.
        config.cases = 256;
        let look = std::cell::RefCell::new(&mut look);
        let ran = TestRunner::new(config).run(&T::generate(recipe), |value| {
            let text = codex_wire::to_string(&value);
            let back = codex_wire::from_str::<T>(&text).map_err(|e| e.to_string());
            assert_eq!(back.as_ref(), Ok(&value), "{text}");
            if !unknown {
                let tree = serde_json::from_str(&text).map_err(|e| e.to_string());
                look.borrow_mut()(tree.expect("what was written is JSON"));
            }
            Ok(())
        });
        assert!(ran.is_ok(), "{ran:?}");
    }
}

#[test]
fn generated_values_keep_to_their_release() {
    for minor in RELEASES {
        let (mut absent, mut null) = (false, false);
        values::<Thread>(minor, |thread| {
            let has = |name: &str| thread.get(name).is_some();
            assert_eq!(
                has("gitInfo"),
                member("gitInfo").is_available(release(minor))
            );
            assert_eq!(has("labels"), minor >= 70);
            absent |= !has("name");
            null |= thread.get("name").is_some_and(Value::is_null);
        });
        assert_eq!(absent, [50, 58, 60, 80, 85].contains(&minor), "{minor}");
        assert_eq!(null, [50, 58, 90].contains(&minor), "{minor}");
        let gap = (70..=75).contains(&minor);
        let seen = |expected: &str, values: &[Value]| {
            values
                .iter()
                .any(|value| value.to_string().contains(expected))
        };
        let mut found = Vec::new();
        values::<Status>(minor, |value| found.push(value));
        values::<Step>(minor, |value| found.push(value));
        values::<Either>(minor, |value| found.push(json!({"either": value})));
        values::<Around>(minor, |value| found.push(value));
        values::<ClientRequest>(minor, |value| found.push(value));
        for in_gap in [
            "\"open\"",
            "\"read\"",
            "\"either\":\"",
            "\"bare\"",
            "thread/fork",
        ] {
            assert_eq!(seen(in_gap, &found), !gap, "{in_gap} in 0.{minor}.0");
        }
        assert_eq!(seen("thread/start", &found), minor >= 58);
        let usage = "{\"id\":0,\"method\":\"account/usage/read\"}";
        let absent = found
            .iter()
            .any(|value| value["method"] == "account/usage/read" && value.get("params").is_none());
        assert_eq!(absent, minor >= 70, "{usage} in 0.{minor}.0");
    }
}

#[test]
fn content_stands_beside_the_tag() {
    let line =
        r#"{"id":1,"trace":"t","method":"thread/start","params":{"cwd":"/w","x":null},"y":2}"#;
    let request: ClientRequest = codex_wire::from_str(line).unwrap();
    let ClientCall::ThreadStart(params) = &request.call else {
        panic!("{request:?}");
    };
    assert_eq!(params.cwd, "/w");
    assert_eq!(request.call.tag(), "thread/start");
    assert_eq!(codex_wire::to_string(&request), line);
    let mixed =
        r#"{"y":2,"params":{"x":null,"cwd":"/w"},"trace":"t","method":"thread/start","id":1}"#;
    assert_eq!(
        codex_wire::from_str::<ClientRequest>(mixed).unwrap(),
        request
    );
}

#[test]
fn content_may_be_missing_or_null() {
    for (line, content) in [
        (r#"{"id":1,"method":"account/usage/read"}"#, Maybe::Absent),
        (
            r#"{"id":1,"method":"account/usage/read","params":null}"#,
            Maybe::Null,
        ),
    ] {
        let request: ClientRequest = codex_wire::from_str(line).unwrap();
        assert_eq!(request.call, ClientCall::AccountUsageRead(content));
        assert_eq!(codex_wire::to_string(&request), line);
    }
}

#[test]
fn nothing_beside_a_tag_is_lost() {
    for line in [
        r#"{"id":1,"method":"initialized"}"#,
        r#"{"id":1,"method":"initialized","params":{"a":1}}"#,
        r#"{"id":1,"method":"initialized","params":null,"params":2}"#,
        r#"{"id":1,"method":"thread/start","params":{"cwd":"/w"},"params":3,"method":"x"}"#,
        r#"{"id":1,"method":"thread/later","params":[1, 2]}"#,
        r#"{"id":1,"method":"thread/later","params":null}"#,
        r#"{"id":1,"method":"thread/later"}"#,
        r#"{"id":1,"method":"thread/later","params":1,"params":2,"id":3}"#,
    ] {
        let request: ClientRequest = codex_wire::from_str(line).unwrap();
        assert_eq!(codex_wire::to_string(&request), line);
    }
    let later: ClientRequest =
        codex_wire::from_str(r#"{"id":1,"method":"thread/later","params":null}"#).unwrap();
    let ClientCall::Unknown(call) = later.call else {
        panic!("known");
    };
    assert_eq!(call.tag, "thread/later");
    assert_eq!(call.content.as_ref().map(Raw::get), Some("null"));
}

#[test]
fn faults_beside_a_tag_have_their_place() {
    let fault = |line: &str| codex_wire::from_str::<ClientRequest>(line).unwrap_err();
    let inside = fault(r#"{"params":{"cwd":1},"method":"thread/start","id":1}"#);
    assert_eq!(
        (inside.pointer().as_str(), inside.offset()),
        ("/params/cwd", 17)
    );
    for (line, missing) in [
        (r#"{"id":1,"method":"thread/start"}"#, "params"),
        (r#"{"method":"thread/start"}"#, "id"),
        (r#"{"method":"initialized"}"#, "id"),
        (r#"{"id":1,"params":{}}"#, "method"),
    ] {
        assert_eq!(fault(line).kind(), &ErrorKind::Missing(missing), "{line}");
    }
}

#[test]
fn a_call_is_read_from_its_parts() {
    let raw = |text: &str| Raw::new(text).unwrap();
    let read = |tag: &str, content: Option<&Raw>| ClientCall::from_parts(tag, content);
    let params = raw(r#"{"cwd":"/w"}"#);
    let start = read("thread/start", Some(&params)).unwrap();
    assert_eq!(start, ClientCall::ThreadStart(StartParams::new("/w")));
    assert_eq!(read("initialized", None).unwrap(), ClientCall::Initialized);
    // The caller keeps what it does not ask for.
    assert_eq!(
        read("initialized", Some(&params)).unwrap(),
        ClientCall::Initialized
    );
    assert_eq!(
        read("account/usage/read", None).unwrap(),
        ClientCall::AccountUsageRead(Maybe::Absent)
    );
    assert_eq!(
        read("later", Some(&params)).unwrap(),
        ClientCall::Unknown(UnknownCall {
            tag: "later".to_owned(),
            content: Some(params),
        })
    );
    let missing = read("thread/start", None).unwrap_err();
    assert_eq!(missing.kind(), &ErrorKind::Missing("params"));
    let wrong = read("thread/start", Some(&raw(r#"{"cwd":true}"#))).unwrap_err();
    assert_eq!(
        (wrong.pointer().as_str(), wrong.column()),
        ("/params/cwd", 8)
    );
}

#[test]
fn a_request_is_made_of_what_it_needs() {
    let request = ClientRequest::new(7u64, ClientCall::Initialized);
    assert_eq!(
        codex_wire::to_string(&request),
        r#"{"id":7,"method":"initialized"}"#
    );
    let usage = ClientCall::AccountUsageRead(Maybe::Value(ReadParams::new()));
    let request = ClientRequest::new(7u64, usage);
    assert_eq!(
        codex_wire::to_string(&request),
        r#"{"id":7,"method":"account/usage/read","params":{}}"#
    );
}

#[test]
fn kinds_need_no_members() {
    for line in [
        r#"{"type":"wait"}"#,
        r#"{"type":"wait","for":[1]}"#,
        r#"{"type":"read"}"#,
    ] {
        let step: Step = codex_wire::from_str(line).unwrap();
        assert!(!matches!(step, Step::Unknown(_)), "{line}");
        assert_eq!(codex_wire::to_string(&step), line);
    }
    assert_eq!(Step::from(Nothing::new()).tag(), "wait");
    let nested = r#"{"id":"a","labels":{"b":[[1],[],[2]]}}"#;
    let thread: Thread = codex_wire::from_str(nested).unwrap();
    assert_eq!(codex_wire::to_string(&thread), nested);
    let nested = r#"{"rows":[[1,null],[],[{"c":2}]]}"#;
    let foreign: Foreign = codex_wire::from_str(nested).unwrap();
    assert_eq!(codex_wire::to_string(&foreign), nested);
    let wrong = codex_wire::from_str::<Thread>(r#"{"id":"a","labels":{"b":[[1],[2,"x"]]}}"#);
    assert_eq!(wrong.unwrap_err().pointer(), "/labels/b/1/1");
}

fn schema<T: codex_wire::private::JsonSchema>() -> Value {
    SchemaGenerator::default()
        .into_root_schema_for::<T>()
        .to_value()
}

#[test]
fn intervals_are_annotated() {
    let thread = schema::<Thread>();
    let properties = &thread["properties"];
    assert_eq!(thread["required"], json!(["id"]));
    assert_eq!(properties["gitInfo"]["x-since"], "0.60.0");
    assert_eq!(
        properties["gitInfo"]["x-gaps"],
        json!([{"since": "0.70.0", "until": "0.75.0"}, {"since": "0.80.0", "until": "0.80.0"}])
    );
    assert_eq!(
        properties["name"]["x-optional"],
        json!([{"until": "0.60.0"}, {"since": "0.80.0", "until": "0.89.0"}])
    );
    assert_eq!(
        properties["name"]["x-nullable"],
        json!([{"until": "0.59.0"}, {"since": "0.90.0"}])
    );
    assert_eq!(
        properties["labels"]["x-experimental"],
        json!([{"until": "0.79.0"}, {"since": "0.90.0"}])
    );
    assert_eq!(properties["goal"]["x-experimental"], json!([{}]));
    assert_eq!(properties["id"].get("x-gaps"), None);
    let status = &thread["$defs"]["Status"]["x-values"];
    assert_eq!(
        status["open"]["gaps"],
        json!([{"since": "0.70.0", "until": "0.75.0"}])
    );
    assert_eq!(status["done"]["experimental"], json!([{"until": "0.80.0"}]));
    // One interval stands alone.
    assert_eq!(
        schema::<ReadParams>()["properties"]["limit"]["x-optional"],
        json!({})
    );
}

#[test]
fn closed_objects_say_so() {
    let thread = schema::<Thread>();
    assert_eq!(thread["$defs"]["Goal"]["additionalProperties"], false);
    assert_eq!(thread.get("additionalProperties"), None);
    let step = schema::<Step>();
    assert_eq!(step["$defs"]["Nothing"]["additionalProperties"], false);
    assert_eq!(
        step["$defs"]["ReadParams"].get("additionalProperties"),
        None
    );
    assert_eq!(
        step["oneOf"][1]["x-gaps"],
        json!([{"since": "0.70.0", "until": "0.75.0"}])
    );
}

#[test]
fn branches_are_annotated() {
    let either = schema::<Either>();
    assert_eq!(
        either["anyOf"][0]["x-gaps"],
        json!([{"since": "0.70.0", "until": "0.75.0"}])
    );
    assert_eq!(either["anyOf"][1]["x-experimental"], json!([{}]));
    let around = schema::<Around>();
    assert_eq!(
        around["anyOf"][0]["x-gaps"],
        json!([{"since": "0.70.0", "until": "0.75.0"}])
    );
    assert_eq!(around["anyOf"][1]["x-experimental"], json!([{}]));
}

#[test]
fn calls_are_a_tagged_union() {
    let request = schema::<ClientRequest>();
    assert_eq!(request["discriminator"], json!({"propertyName": "method"}));
    assert_eq!(request["x-tags"], json!({"method": {}}));
    assert_eq!(
        request["x-mapping"]["account/usage/read"],
        "#/$defs/AccountUsageReadMessage"
    );
    assert_eq!(
        request["oneOf"],
        json!([
            {"$ref": "#/$defs/ThreadStartMessage", "x-tag": "thread/start", "x-since": "0.58.0"},
            {
                "$ref": "#/$defs/ThreadForkMessage",
                "x-tag": "thread/fork",
                "x-gaps": [{"since": "0.70.0", "until": "0.75.0"}],
            },
            {
                "$ref": "#/$defs/AccountUsageReadMessage",
                "x-tag": "account/usage/read",
                "x-experimental": [{"until": "0.79.0"}],
            },
            {"$ref": "#/$defs/InitializedMessage", "x-tag": "initialized"},
        ])
    );
    let usage = &request["$defs"]["AccountUsageReadMessage"];
    assert_eq!(usage["title"], "AccountUsageReadMessage");
    assert_eq!(usage["description"], "Reads the usage.");
    assert_eq!(usage["required"], json!(["method", "id"]));
    assert_eq!(
        usage["properties"]["method"],
        json!({"type": "string", "const": "account/usage/read"})
    );
    assert_eq!(
        usage["properties"]["params"],
        json!({"$ref": "#/$defs/ReadParams", "x-optional": {"since": "0.70.0"}, "x-nullable": {}})
    );
    let start = &request["$defs"]["ThreadStartMessage"];
    assert_eq!(start["required"], json!(["method", "id", "params"]));
    let initialized = &request["$defs"]["InitializedMessage"]["properties"];
    assert_eq!(initialized.get("params"), None);
    assert!(initialized["trace"].is_object());
    assert_eq!(
        ClientRequest::SHAPE
            .availability("thread/start")
            .map(|availability| availability.range.since),
        Some(Some(release(58)))
    );
}

/// An object whose members changed places.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
struct Moved {
    /// First.
    first: u8,
    /// Second, where it is there.
    #[wire(optional)]
    second: Maybe<u8>,
    /// Third.
    third: u8,
    /// The order of these.
    #[wire(order)]
    order: MemberOrder,
    /// The rest.
    #[wire(extra)]
    extra: Extra,
}

#[test]
fn the_order_of_members_is_kept_where_it_is_asked_for() {
    for text in [
        r#"{"first":1,"second":2,"third":3}"#,
        r#"{"first":1,"third":3}"#,
        r#"{"third":3,"first":1}"#,
        r#"{"second":2,"third":3,"first":1,"fourth":4}"#,
    ] {
        let read: Moved = codex_wire::from_str(text).unwrap();
        assert_eq!(codex_wire::to_string(&read), text);
        assert_eq!(read.order.is_declared(), text.starts_with(r#"{"first""#));
    }
    // A second value of a key is not a member, and has no place.
    let duplicate: Moved = codex_wire::from_str(r#"{"third":3,"first":1,"third":4}"#).unwrap();
    assert_eq!(
        codex_wire::to_string(&duplicate),
        r#"{"third":3,"first":1,"third":4}"#
    );
}

#[test]
fn the_order_of_members_is_no_part_of_the_value() {
    let text = r#"{"third":3,"first":1}"#;
    let mut read: Moved = codex_wire::from_str(text).unwrap();
    assert_eq!(read, Moved::new(1u8, 3u8));
    read.second = Maybe::Value(2);
    assert_eq!(
        codex_wire::to_string(&read),
        r#"{"third":3,"first":1,"second":2}"#
    );
    read.order = MemberOrder::new();
    assert_eq!(
        codex_wire::to_string(&read),
        r#"{"first":1,"second":2,"third":3}"#
    );
}
