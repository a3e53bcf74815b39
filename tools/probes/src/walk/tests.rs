//! A small model, and what is asked about it.

use app_server_codegen::text;

use super::*;

const MODEL: &str = "\
releases
  0.98.0 0.99.0

client request thread/old: OldParams @ 0.98.0..0.98.0
client request thread/start: StartParams @ 0.98.0..
client request thread/stop @ exp 0.99.0..

object OldParams @ 0.98.0..0.98.0
  id: string

object StartParams @ 0.98.0..
  byWhom?: Whom | null @ exp 0.99.0..
  count: uint32
  policy?: Policy
  reason?: string @ 0.98.0..0.98.0

external Policy @ 0.98.0..
  always
  never
  sometimes @ 0.98.0..0.98.0

tagged Whom by type @ 0.99.0..
  agent
    name: string
  user
";

fn asked(minor: u32, listed: &[&str]) -> Questions {
    let mut model = Model::default();
    text::parse(&mut model, "test", MODEL).unwrap();
    let listed: Vec<String> = listed.iter().map(|&method| method.to_owned()).collect();
    questions(&model, Release::new(0, minor, 0), &listed)
}

/// What is put where.
fn puts(questions: &[Question], about: &str) -> Vec<String> {
    let all = questions.iter().filter(|question| question.about == about);
    let line = |question: &Question| format!("{} <- {}", question.slot.text(), question.put);
    all.map(line).collect()
}

#[test]
fn a_member_is_left_out_and_given_one_value_of_each_kind() {
    let asked = asked(99, &[]).all;
    let expected = [
        r#"thread/start {"count":?} <- absent"#,
        r#"thread/start {"count":?} <- 0"#,
        r#"thread/start {"count":?} <- null"#,
        r#"thread/start {"count":?} <- 5"#,
        r#"thread/start {"count":?} <- "walrus""#,
        r#"thread/start {"count":?} <- {"walrus":null}"#,
        r#"thread/start {"count":?} <- -1"#,
        r#"thread/start {"count":?} <- 1.5"#,
        r#"thread/start {"count":?} <- 4294967296"#,
        r#"thread/start {"count":?} <- 9223372036854775808"#,
    ];
    assert_eq!(puts(&asked, "StartParams.count"), expected);
}

#[test]
fn values_and_members_of_other_releases_are_tried() {
    let asked = asked(99, &[]).all;
    let policy: Vec<String> = ["always", "never", "sometimes", STRANGER]
        .map(|value| format!(r#"thread/start {{"count":0,"policy":?}} <- "{value}""#))
        .to_vec();
    assert_eq!(puts(&asked, "Policy"), policy);
    assert_eq!(
        puts(&asked, "StartParams.reason"),
        [r#"thread/start {"count":0,"reason":?} <- {"walrus":null}"#]
    );
    assert_eq!(
        puts(&asked, "thread/old params"),
        ["thread/old ? <- absent"]
    );
}

#[test]
fn an_object_is_tried_with_all_members_and_with_strangers() {
    let expected = [
        r#"thread/start ? <- {"count":0}"#,
        r#"thread/start ? <- {"byWhom":{"type":"user"},"count":0,"policy":"always"}"#,
        r#"thread/start ? <- {"by_whom":{"walrus":null},"count":0,"walrus":{"walrus":null}}"#,
    ];
    assert_eq!(puts(&asked(99, &[]).all, "StartParams"), expected);
}

#[test]
fn each_variant_is_tried_and_one_that_is_none() {
    let asked = asked(99, &[]).all;
    let within = r#"thread/start {"byWhom":?,"count":0} <- "#;
    assert_eq!(
        puts(&asked, "Whom/agent"),
        [
            r#"{"name":"x","type":"agent"}"#,
            r#"{"name":"x","type":"agent","walrus":{"walrus":null}}"#
        ]
        .map(|value| format!("{within}{value}"))
    );
    assert_eq!(
        puts(&asked, "Whom"),
        [format!(r#"{within}{{"type":"walrus"}}"#)]
    );
}

#[test]
fn a_method_that_only_the_server_lists_is_asked_about_as_it_was() {
    let params = |asked: Questions| puts(&asked.all, "OldParams.id").len();
    assert_eq!(params(asked(99, &[])), 0);
    assert!(params(asked(99, &["thread/old"])) > 3);
    let unlisted = asked(99, &["thread/unlisted"]).all;
    assert!(!puts(&unlisted, "thread/unlisted params").is_empty());
}

#[test]
fn experimental_things_are_tried_by_themselves() {
    let asked = asked(99, &[]).experimental;
    let lines: Vec<String> = asked
        .iter()
        .map(|question| question.line(1).to_string())
        .collect();
    let expected = [
        r#"{"id":1,"method":"thread/stop","params":null}"#,
        r#"{"id":1,"method":"thread/start","params":{"byWhom":{"type":"user"},"count":0}}"#,
    ];
    assert_eq!(lines, expected);
}

#[test]
fn names_have_another_spelling() {
    assert_eq!(other_spelling("threadId").as_deref(), Some("thread_id"));
    assert_eq!(other_spelling("thread_id").as_deref(), Some("threadId"));
    assert_eq!(other_spelling("model"), None);
}
