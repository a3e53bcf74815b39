//! Conversations as HTML: whatever a transcript holds, the page has the elements that it should have and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_check::{Checker, Options};
use codex_wire_report::Conversation;
use codex_wire_report::ConversationOptions;
use codex_wire_report::conversation::{Form, Topic, begin_html, end_html};
use codex_wire_report::is_terminal_control;
use proptest::prelude::*;
use serde_json::Value;

use crate::golden;
use crate::html_reader::{Page, elements, read};

/// Recordings of all surfaces, which have items of every kind that recordings have.
const RECORDINGS: [&str; 22] = [
    "app-server/0.111.0/14h_collab.jsonl",
    "app-server/0.169.0/03a_command_untrusted_accept.jsonl",
    "app-server/0.169.0/05d_background_left_running.jsonl",
    "app-server/0.169.0/07c_mcp_elicitation_accept.jsonl",
    "app-server/0.169.0/08c_interrupt_with_pending_approval.jsonl",
    "app-server/0.169.0/12b_http_500_exhausts.jsonl",
    "app-server/0.169.0/13_two_threads_interleaved.jsonl",
    "app-server/0.169.0/14o_hook_trusted.jsonl",
    "core/0.42.0/exec_escalated.jsonl",
    "core/0.42.0/patch_denied.jsonl",
    "core/0.42.0/review.jsonl",
    "core/0.42.0/view_image.jsonl",
    "core/0.42.0/web_search.jsonl",
    "exec/0.145.0/error_after_command.jsonl",
    "exec/0.145.0/file_changes.jsonl",
    "exec/0.145.0/todo_list.jsonl",
    "exec-legacy/0.42.0/reasoning.jsonl",
    "hooks/0.169.0",
    "rollout/0.169.0/auto_compact",
    "rollout/0.169.0/extended",
    "rollout/0.169.0/odd_items",
    "rollout/0.169.0/reasoning",
];

/// No recording reads a page of the web, or has an output that is cut.
const BY_HAND: &str = r#"{"type":"thread.started","thread_id":"01a1fbd9-2842-7e52-ab76-dad8001eac3f"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"web_search","id":"ws_1","query":"https://example.org/a?b=c&d=\"e","action":{"type":"other"}}}
{"type":"item.completed","item":{"id":"item_1","type":"web_search","id":"ws_2","query":"https://example.org/a?b=c&d=e","action":{"type":"other"}}}
{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"many","aggregated_output":"LINES","exit_code":0,"status":"completed"}}
{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
"#;

/// What a transcript may hold to do something to a page.
pub(crate) const HOSTILE: [&str; 20] = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "[a](javascript:alert(1)) <javascript:alert(1)>",
    "javascript:alert(1)",
    "https://example.org/\" onclick=\"alert(1)",
    "</style></title></textarea></pre></code><svg onload=alert(1)>",
    "<!-- --><![CDATA[ ]]>--><?php ?>",
    "&lt;b&gt; &#60;b&#62; &amp &",
    "\u{202e}\u{2066}\u{200f}bidi\u{2028}",
    "a\0b",
    "\u{fffd}\u{fffe}\u{10ffff}\u{feff}",
    "\u{1b}[31mred\u{1b}]8;;http://a\u{7}b\u{9b}2J",
    "```\n</pre>\n````\n<b>\n```",
    "`</code>` **</strong>** | <td> |\n|</pre>|",
    "# </p>\n- <li>\n> <blockquote>",
    "+<ins>\n-</del>\n@@ </b> @@\n \n+++ <x>\n--- <y>",
    "line\r\nline\rover\u{8}\u{c}\u{b}",
    "data:text/html,<script>alert(1)</script>",
    "{{7*7}} ${alert(1)} {%raw%} \\u003cscript\\u003e",
];

/// Members that say what kind of thing stands there: with another value, it would be none.
const TAGS: [&str; 17] = [
    "type",
    "method",
    "event",
    "jsonrpc",
    "role",
    "status",
    "kind",
    "phase",
    "id",
    "call_id",
    "callId",
    "itemId",
    "item_id",
    "threadId",
    "thread_id",
    "turnId",
    "turn_id",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The files of a recording.
fn files(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut below: Vec<PathBuf> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        below.sort();
        for path in below {
            files(&path, into);
        }
    } else if path.extension().is_some_and(|ending| ending == "jsonl") {
        into.push(path.to_owned());
    }
}

/// The recordings, with their names.
pub(crate) fn recordings() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for name in RECORDINGS {
        let before = all.len();
        files(&fixtures().join(name), &mut all);
        assert!(all.len() > before, "{name}");
    }
    let named = |path: PathBuf| (path.display().to_string(), fs::read(&path).unwrap());
    let mut all: Vec<_> = all.into_iter().map(named).collect();
    let lines = "line\\n".repeat(300);
    all.push((
        "by hand".to_owned(),
        BY_HAND.replace("LINES", &lines).into(),
    ));
    all
}

/// A page of inputs.
fn page(inputs: &[(String, Vec<u8>)], change: impl Fn(&mut ConversationOptions)) -> String {
    let mut options = ConversationOptions::new();
    options.form = Form::Html;
    change(&mut options);
    let mut out = Vec::new();
    begin_html(&mut out, &inputs[0].0).unwrap();
    let checker = Checker::new(Options::new()).unwrap();
    for (at, (name, input)) in inputs.iter().enumerate() {
        options.input = at;
        let mut conversation = Conversation::new(name, &options, &mut out);
        let outcome = checker
            .observe(name, &input[..], |step| conversation.step(step))
            .unwrap();
        conversation.finish(&outcome).unwrap();
    }
    end_html(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Reads a page, and checks what holds for every page.
fn checked(html: &str) -> Page {
    let page = read(html);
    for link in &page.links {
        let to = &link["href"];
        match to.strip_prefix('#') {
            Some(id) => assert!(page.ids.contains(id), "leads nowhere: {to}"),
            None => {
                assert!(
                    to.starts_with("https://") || to.starts_with("http://"),
                    "{to}"
                );
                assert_eq!(link["rel"], "noopener noreferrer");
            }
        }
    }
    let steers = |c: char| c != '\n' && is_terminal_control(c);
    assert!(
        !page.text.contains(steers),
        "{:?}",
        page.text.matches(steers).next()
    );
    page
}

/// Puts texts in the place of all texts of a message but tags. Returns how many.
fn replace(value: &mut Value, text: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::String(old) => *old = text(old),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, text)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                if !(TAGS.contains(&&**name) && value.is_string()) {
                    replace(value, text);
                }
            }
        }
        _ => {}
    }
}

/// A transcript with other texts.
pub(crate) fn disturbed(input: &[u8], text: &mut dyn FnMut(&str) -> String) -> Vec<u8> {
    let mut out = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                replace(&mut value, text);
                out.extend(value.to_string().into_bytes());
                out.push(b'\n');
            }
            Err(_) => out.extend(line),
        }
    }
    out
}

#[test]
fn a_page_has_these_elements() {
    let html = page(&recordings(), |options| options.only = Topic::ALL.to_vec());
    golden::check("html-elements.txt", &elements(&checked(&html)));
}

#[test]
fn hostile_texts_change_no_element() {
    let recordings = recordings();
    let plain = checked(&page(&recordings, |options| {
        options.only = Topic::ALL.to_vec();
        options.findings = true;
    }));
    let mut shown = BTreeSet::new();
    let mut full = false;
    for hostile in HOSTILE {
        let inputs: Vec<(String, Vec<u8>)> = recordings
            .iter()
            .map(|(_, input)| {
                let text = &mut |old: &str| format!("{hostile}{}", old.get(..20).unwrap_or(old));
                (hostile.to_owned(), disturbed(input, text))
            })
            .collect();
        let page = checked(&page(&inputs, |options| {
            options.full = full;
            options.only = Topic::ALL.to_vec();
            options.findings = true;
        }));
        full = !full;
        assert_allowed(&page);
        assert_eq!(page.classes.difference(&plain.classes).next(), None);
        if page.text.contains(hostile) {
            shown.insert(hostile);
        }
    }
    // What has nothing to be taken out is shown as it is.
    assert!(shown.len() >= 8, "{shown:?}");
}

#[test]
fn a_masked_page_holds_no_text() {
    let mut inputs = recordings();
    let mut count = 0;
    for (_, input) in &mut inputs {
        *input = disturbed(input, &mut |old| match old.contains(' ') {
            true => {
                count += 1;
                "what is SECRET".to_owned()
            }
            false => old.to_owned(),
        });
    }
    assert!(count > 100);
    let shown = |mask| {
        page(&inputs, |options| {
            options.mask = mask;
            options.full = true;
            options.findings = true;
            options.only = Topic::ALL.to_vec();
        })
    };
    assert!(shown(false).contains("SECRET"));
    let masked = shown(true);
    let at = masked.find("SECRET");
    assert_eq!(at.map(|at| &masked[at.saturating_sub(200)..at]), None);
}

#[test]
fn findings_stand_where_they_occur() {
    let input = r#"{"type":
{"type":"thread.started","thread_id":"01a1fbd9-2842-7e52-ab76-dad8001eac3f"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"first"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"second"}}
"#;
    let inputs = [("run".to_owned(), input.as_bytes().to_vec())];
    let html = page(&inputs, |options| options.findings = true);
    checked(&html);
    let order = [
        "framing/malformed-json",
        ">first<",
        "schema/missing-member",
        ">second<",
    ];
    let mut at = 0;
    for text in order {
        let next = html[at..].find(text);
        at += next.unwrap_or_else(|| panic!("no {text} behind the others"));
    }
    // Otherwise they are counted, and nothing else.
    let html = page(&inputs, |_| {});
    assert!(!html.contains("class=\"item errors"), "{html}");
    // What is not a transcript has no findings in places.
    let other = [("page".to_owned(), b"<html>\n<body>\n".to_vec())];
    let html = page(&other, |options| options.findings = true);
    assert!(!html.contains("class=\"item errors"), "{html}");
}

/// The page has no element and no attribute but those of the list.
#[track_caller]
fn assert_allowed(page: &Page) {
    let list = include_str!("golden/html-elements.txt");
    for (element, attributes) in &page.elements {
        let line = list
            .lines()
            .find(|line| line.split(' ').next() == Some(element));
        let line = line.unwrap_or_else(|| panic!("no element of the list: {element}"));
        for attribute in attributes {
            let is_known = line.split(' ').skip(1).any(|known| known == attribute);
            assert!(is_known, "no attribute of {element}: {attribute}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Texts made of pieces of markup and of any characters, some of them in the place of each text.
    #[test]
    fn generated_texts_change_no_element(
        recording in 0..recordings().len(),
        texts in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                prop::collection::vec(
                    prop_oneof![
                        prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
                        prop::sample::select(vec![
                            "<", ">", "\"", "'", "&", "`", "``", "```", "**", "\n", "|", "# ", "+", "-", "@", " ",
                            "a", "https://", "\0", "\u{202e}", "\u{1b}[", "~~~", "&amp;", "<!--", "-->", "]]>",
                        ]).prop_map(str::to_owned),
                        any::<char>().prop_map(String::from),
                    ],
                    0..24,
                ).prop_map(|pieces| pieces.concat()),
            ],
            1..12,
        ),
        full: bool,
    ) {
        let (name, input) = recordings().swap_remove(recording);
        let mut at = 0;
        let input = disturbed(&input, &mut |old| {
            at += 1;
            match at % 3 {
                0 => old.to_owned(),
                _ => texts[at % texts.len()].clone(),
            }
        });
        let html = page(&[(name + &texts[0], input)], |options| {
            options.full = full;
            options.only = Topic::ALL.to_vec();
        });
        assert_allowed(&checked(&html));
    }
}
