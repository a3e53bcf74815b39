//! Secrets go, and everything else stays.

use std::time::{Duration, Instant};

use codex_wire_scrub::Secrets;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::findings::changed;
use crate::support::{FOLDERS, below};

/// Secrets with the rule that finds each. They are made here, so that nobody takes this file for a leak.
fn secrets() -> Vec<(&'static str, String)> {
    let mixed = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5tU8wX1zA4cD7fG0iL3o";
    vec![
        ("github-pat", format!("{}{}", "ghp_", &mixed[..36])),
        ("gitlab-pat", format!("{}{}", "glpat-", &mixed[..20])),
        (
            "aws-access-token",
            format!("{}{}", "AKIA", "Q3EGTHNR5XDMPL7Z"),
        ),
        (
            "openai-api-key",
            format!("sk-{}{}{}", &mixed[..20], "T3BlbkFJ", &mixed[20..40]),
        ),
        (
            "slack-bot-token",
            format!("{}-123456789012-123456789012-{}", "xoxb", &mixed[..24]),
        ),
        (
            "jwt",
            format!("eyJ{}.eyJ{}.{}", &mixed[..20], &mixed[20..44], &mixed[..40]),
        ),
        (
            "mail-address",
            "ada.lovelace@analytical-engine.io".to_owned(),
        ),
        (
            "url-credentials",
            "postgres://ada:correct-horse@db.internal/prod".to_owned(),
        ),
        (
            "authorization",
            format!("Authorization: Bearer {}", &mixed[..30]),
        ),
        ("home-folder", "/home/lovelace/engine/notes.md".to_owned()),
        ("home-folder", r"C:\Users\lovelace\engine".to_owned()),
    ]
}

/// What may not be there afterwards.
fn private(secret: &str) -> &str {
    match secret {
        _ if secret.contains("ada:correct-horse") => "correct-horse",
        _ if secret.contains("Bearer") => &secret["Authorization: Bearer ".len()..],
        _ if secret.contains("ovelace\\") || secret.contains("/home/") => "lovelace",
        secret => secret,
    }
}

fn taken(line: &[u8]) -> String {
    let taken = Secrets::new().take_out(line);
    String::from_utf8(taken.bytes).expect("UTF-8")
}

/// A value with its strings, however deep they stand.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            found.push(text.clone());
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                strings(&inner, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                strings(value, found);
            }
        }
        _ => {}
    }
}

#[test]
fn each_secret_is_found_and_the_prose_stays() {
    for (rule, secret) in secrets() {
        let prose = format!("Please look at {secret} and say why the tests fail.");
        let item = |text: &str| json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}});
        let arguments = json!({ "command": ["bash", "-lc", prose], "n": 1 }).to_string();
        let message = item(&prose).to_string();
        let lines = [
            message.clone(),
            item(&arguments).to_string(),
            json!({"kind": "line", "from": "codex", "line": message}).to_string(),
            json!({"type": "x", "map": { prose.clone(): { "deep": [secret] } }}).to_string(),
            prose.clone(),
        ];
        for line in lines {
            let found = Secrets::new().take_out(line.as_bytes());
            assert!(
                found.found.contains_key(rule),
                "{rule}: {:?} in {line}",
                found.found
            );
            let text = String::from_utf8(found.bytes).expect("UTF-8");
            assert_eq!(text.len(), line.len());
            assert!(!text.contains(private(&secret)), "{rule}: {text}");
            assert!(
                text.contains("Please look at ") && text.contains(" and say why the tests fail.")
            );
            let again = taken(text.as_bytes());
            assert_eq!(again, text, "{rule}");
            let Ok(value) = serde_json::from_str::<Value>(&text) else {
                assert!(line == prose, "{text}");
                continue;
            };
            let mut all = Vec::new();
            strings(&value, &mut all);
            assert!(
                all.iter().all(|text| !text.contains(private(&secret))),
                "{rule}: {text}"
            );
        }
    }
}

/// A colour of a terminal ends with a letter, and is not part of what follows.
#[test]
fn secrets_begin_behind_a_colour() {
    for (secret, private) in [
        ("Bearer aB3dE6gH9jK2mN5pQ8sT1vW4", "aB3dE6gH9"),
        ("postgres://ada:correct-horse@db/prod", "correct-horse"),
        (&format!("sk-{}{}", "T3BlbkFJ", "aB3dE6gH9"), "aB3dE6gH9"),
    ] {
        let line = json!({ "text": format!("\u{1b}[31m{secret}\u{1b}[0m") }).to_string();
        let text = taken(line.as_bytes());
        assert!(!text.contains(private), "{text}");
    }
}

/// The marks of Markdown, signs beyond ASCII and those between the parts of an address are not part of a key.
#[test]
fn secrets_end_at_marks() {
    let key = format!("{}{}", "npm_", "x9vHjHkm1x72EsSfUQUAkNX7LHQ7AtNJXr5q");
    let aws = format!("{}{}", "AKIA", "Q3EGTHNR5XDMPL7Z");
    let value = "Zq8vT2mXw5Rk9Lp3Hs7Yd1Nb";
    let base64 = format!("{value}/{value}+{value}");
    for (text, private) in [
        (format!("It is **{key}** now"), &*key),
        (format!("_{key}_."), &key),
        (format!("~~{key}~~"), &key),
        (format!("\u{201c}{key}\u{201d}"), &key),
        (format!("{key}\u{2026} and"), &key),
        (format!("\u{1b}[31m{key}\u{1b}[0m"), &key),
        (format!("https://x.io/?k={key}%20a"), &key),
        (format!("https://{key}@host/"), &key),
        (format!("{key}:x"), &key),
        (format!("{key}/x"), &key),
        (format!("{key}$"), &key),
        (format!("_{aws}_"), &aws),
        (format!("`api_key`: `{value}`"), value),
        (format!("**api_key**: {value}"), value),
        (format!("**api_key:** {value}"), value),
        (format!("| `api_key` | `{value}` |"), value),
        (format!("_authToken={value}*"), value),
        (format!("secret={base64}**"), &base64),
        (
            format!("secret={value}_{value}/ a"),
            &format!("{value}_{value}"),
        ),
    ] {
        let taken = taken(json!({ "text": text }).to_string().as_bytes());
        let stars = private.replace(|c: char| c.is_ascii_alphanumeric(), "*");
        let expected = json!({ "text": text.replace(private, &stars) });
        assert_eq!(taken, expected.to_string());
    }
    // Where a sign may be a part of a secret of any form, a part of it is not taken for the whole.
    for sign in ["@", ":", "/", "%", "~", "^"] {
        let line = json!({ "text": format!("secret={value}{sign}a_b") }).to_string();
        assert_eq!(taken(line.as_bytes()), line);
    }
}

/// Arguments that a tool calls `delta` are texts of their own, in each message.
#[test]
fn arguments_are_no_deltas() {
    let secret = "Bearer aB3dE6gH9jK2mN5pQ8sT1vW4";
    let call = |arguments: Value| {
        let item = json!({"id": "i", "type": "mcpToolCall", "arguments": arguments});
        json!({"method": "item/completed", "params": {"threadId": "t", "item": item}})
    };
    for wrap in [|it: Value| it, |it: Value| Value::from(it.to_string())] {
        for name in ["delta", "chunk"] {
            let line = |text: &str| call(wrap(json!({ name: text }))).to_string();
            let text = taken(format!("{}\n{}\n", line("word"), line(secret)).as_bytes());
            assert!(!text.contains(secret), "{text}");
        }
    }
}

/// A name says what a value is, in JSON and in JSON in a string.
#[test]
fn names_tell_what_values_are() {
    let value = "Zq8vT2mXw5Rk9Lp3Hs7Yd1Nb";
    let members = json!({ "client_secret": value, "n": 7 });
    for line in [
        json!({ "type": "x", "env": members }).to_string(),
        json!({ "type": "x", "arguments": members.to_string() }).to_string(),
    ] {
        let text = taken(line.as_bytes());
        assert!(!text.contains(value), "{text}");
        assert!(text.contains("client_secret") && text.contains('7'));
        serde_json::from_str::<Value>(&text).expect("JSON");
    }
    // What is found in one place goes in all.
    let both = format!(
        "{}\n{}\n",
        json!({ "type": "x", "env": members }),
        json!({ "type": "y", "text": format!("I used {value} there.") })
    );
    let text = taken(both.as_bytes());
    assert!(
        !text.contains(value) && text.contains("I used ") && text.contains(" there."),
        "{text}"
    );
}

/// Escapes stay escapes, and hide nothing.
#[test]
fn escapes_hide_nothing() {
    let secret = &secrets()[0].1;
    let escaped: String = secret
        .bytes()
        .map(|byte| format!("\\u{byte:04x}"))
        .collect();
    let line = format!(r#"{{"type":"x","text":"a \"b\"\n{escaped} c","n":1}}"#);
    let text = taken(line.as_bytes());
    assert_eq!(text.len(), line.len());
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let stars = "*".repeat(secret.len() - 4);
    assert_eq!(value["text"], format!("a \"b\"\n***_{stars} c"));
}

/// Ids, times and numbers stay, whatever their members are called.
#[test]
fn what_the_protocol_counts_on_stays() {
    let line = json!({
        "access_token_id": "01a203c7-8645-7651-9110-141af80b28fc",
        "secret_at": "2026-11-22T15:02:17.428Z",
        "api_key": 12_345_678_901_234_567_u64,
        "token": true,
    });
    let line = line.to_string();
    assert_eq!(taken(line.as_bytes()), line);
}

/// However a text is cut into deltas, they join to the text without secrets.
#[test]
fn deltas_join_to_the_text() {
    for (rule, secret) in secrets() {
        let text = format!("Use {secret} for it.");
        for cut in 1..text.len() {
            let delta = |text: &str| json!({"method": "item/agentMessage/delta", "params": {"threadId": "t", "turnId": "u", "itemId": "i", "delta": text}});
            let done = json!({"method": "item/completed", "params": {"threadId": "t", "turnId": "u", "item": {"id": "i", "type": "agentMessage", "text": text}}});
            let (one, other) = text.split_at(cut);
            let lines = [delta(one), delta(other), done].map(|line| line.to_string());
            let lines = taken(lines.join("\n").as_bytes());
            let lines: Vec<Value> = lines
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            let part = |at: usize| lines[at]["params"]["delta"].as_str().expect("a delta");
            let joined = format!("{}{}", part(0), part(1));
            assert_eq!(
                lines[2]["params"]["item"]["text"], joined,
                "{rule}, cut at {cut}"
            );
            assert!(!joined.contains(private(&secret)), "{rule}: {joined}");
        }
    }
}

/// A delta that has the form of a release, an id or a time is a part of a text all the same.
#[test]
fn deltas_have_no_form() {
    let delta = |text: &str| {
        json!({"method": "item/agentMessage/delta", "params": {"itemId": "i", "delta": text}})
            .to_string()
    };
    let parts = ["ask ada@", "0.1.2", ".acme.org, or not"];
    let lines = taken(parts.map(delta).join("\n").as_bytes());
    let expected = ["ask ***@", "*.*.*", ".****.***, or not"];
    assert_eq!(lines, expected.map(delta).join("\n"));
}

#[test]
fn the_same_is_found_in_all_fixtures() {
    let secrets = Secrets::new();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for case in FOLDERS.into_iter().flat_map(below) {
        let taken = secrets.take_out(&case.bytes);
        assert_eq!(taken.bytes.len(), case.bytes.len());
        if taken.bytes != case.bytes {
            tried += 1;
            wrong.extend(changed(&case, &case.bytes, &taken.bytes));
        }
    }
    assert!(tried > 20, "{tried} fixtures changed");
    assert!(
        wrong.is_empty(),
        "{} of {tried} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A secret in any string of a recorded line: the line breaks the same rules as before.
#[test]
fn a_transcript_with_secrets_conforms_as_before() {
    let made = secrets();
    let finder = Secrets::new();
    let cases: Vec<_> = [
        "exec/0.169.0",
        "app-server/0.169.0",
        "rollout/0.169.0",
        "core/0.42.0",
    ]
    .into_iter()
    .flat_map(below)
    .collect();
    let mut config = ProptestConfig::with_source_file(file!());
    config.cases = 150;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let strategy = (any::<Index>(), any::<Index>(), select(made));
    let result = runner.run(&(strategy), |(case, at, (rule, secret))| {
        let case = case.get(&cases);
        // After a space within a text: those are not words of the protocol.
        let places: Vec<usize> = spaces(&case.bytes);
        if places.is_empty() {
            return Ok(());
        }
        let at = *at.get(&places);
        let mut planted = case.bytes[..at].to_vec();
        let escaped = serde_json::to_string(&format!(" {secret} ")).expect("JSON");
        planted.extend_from_slice(escaped.trim_matches('"').as_bytes());
        planted.extend_from_slice(&case.bytes[at..]);
        let taken = finder.take_out(&planted);
        prop_assert_eq!(changed(case, &planted, &taken.bytes), None);
        let text = String::from_utf8_lossy(&taken.bytes);
        prop_assert!(!text.contains(private(&secret)), "{}: {}", rule, case.name);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Where a letter follows a space and a letter: in prose.
fn spaces(bytes: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(3).enumerate();
    windows
        .filter(|(_, window)| {
            window[0].is_ascii_lowercase() && window[1] == b' ' && window[2].is_ascii_lowercase()
        })
        .map(|(at, _)| at + 1)
        .collect()
}

#[test]
fn any_bytes_are_taken() {
    let finder = Secrets::new();
    let piece = select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\\u00",
        "41",
        ":",
        ",",
        "\n",
        "delta",
        "\"delta\":",
        "token",
        "=",
        "/home/",
        "@",
        "a.io",
        "sk-",
        "ghp_",
        "é",
        "\u{1f600}",
    ]);
    proptest!(|(pieces in proptest::collection::vec(piece, 0..60))| {
        let text = pieces.concat();
        let taken = finder.take_out(text.as_bytes());
        prop_assert_eq!(taken.bytes.len(), text.len());
        for (before, after) in text.lines().zip(String::from_utf8_lossy(&taken.bytes).lines()) {
            let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
            prop_assert!(!is_json(before) || is_json(after), "{} then {}", before, after);
        }
    });
}

/// Eight times as much takes eight times as long, and not the square of it.
#[test]
fn the_cost_grows_with_the_length() {
    let finder = Secrets::new();
    let secrets = secrets();
    let nested = |text: &str| {
        json!({"type": "x", "arguments": json!({ "a": text }).to_string()}).to_string()
    };
    let cost = |count: usize| -> Duration {
        let all: Vec<String> = secrets
            .iter()
            .map(|(_, secret)| format!("token = {secret} "))
            .collect();
        let long = all.concat().repeat(count);
        let deltas: Vec<String> = (0..count)
            .map(|_| json!({"method": "item/agentMessage/delta", "params": {"itemId": "i", "delta": "api key /home/"}}).to_string())
            .collect();
        let text = format!(
            "{}\n{}\n{}\n{}\n{}\n",
            nested(&long),
            deltas.join("\n"),
            "-----BEGIN PRIVATE KEY----- ".repeat(count),
            "-----BEGIN PRIVATE KEY-----\n".repeat(count),
            "a@b.co.1.x://y:/z/home/a b c \u{f6}".repeat(count)
        );
        let took = (0..3).map(|_| {
            let start = Instant::now();
            finder.take_out(text.as_bytes());
            start.elapsed()
        });
        took.min().expect("three times")
    };
    cost(10);
    let (few, many) = (cost(100), cost(800));
    let times = many.as_secs_f64() / few.as_secs_f64();
    assert!(times < 24.0, "{few:?}, then {many:?}");
}

/// Output of commands comes in base64, in early releases as numbers, and cut anywhere.
#[test]
fn output_is_read_as_what_it_is() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let secret = &secrets()[0].1;
    let text = format!("the key is {secret}, or so\n");
    let event = |chunk: Value| json!({"id": "1", "msg": {"type": "exec_command_output_delta", "call_id": "c", "stream": "stdout", "chunk": chunk}});
    for cut in 1..text.len() {
        let (one, other) = text.as_bytes().split_at(cut);
        let base64 = |bytes: &[u8]| event(STANDARD.encode(bytes).into()).to_string();
        let numbers = |bytes: &[u8]| event(bytes.to_vec().into()).to_string();
        for lines in [[base64(one), base64(other)], [numbers(one), numbers(other)]] {
            let before = lines.join("\n");
            let after = taken(before.as_bytes());
            assert_eq!(after.len(), before.len());
            let mut joined = Vec::new();
            for line in after.lines() {
                let line: Value = serde_json::from_str(line).expect("JSON");
                match &line["msg"]["chunk"] {
                    Value::String(text) => joined.extend(STANDARD.decode(text).expect("base64")),
                    numbers => {
                        let bytes: Vec<u8> =
                            serde_json::from_value(numbers.clone()).expect("bytes");
                        joined.extend(bytes);
                    }
                }
            }
            let stars = "*".repeat(secret.len() - 4);
            let expected = format!("the key is ***_{stars}, or so\n");
            assert_eq!(String::from_utf8_lossy(&joined), expected, "cut at {cut}");
        }
    }
}

/// What looks like a secret from one string into another is none: names and numbers between them stay.
#[test]
fn nothing_between_strings_is_overwritten() {
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let body = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5tU8wX1zA4cD7fG0iL3o";
    let line = format!(r#"{{"a":"{begin}","count":1234567,"b":"{body}","c":"{end}"}}"#);
    assert_eq!(taken(line.as_bytes()), line);
    let whole = format!(r#"{{"a":"{begin}\n{body}\n{end}","count":1234567}}"#);
    let text = taken(whole.as_bytes());
    assert!(
        !text.contains(body) && text.ends_with(r#","count":1234567}"#),
        "{text}"
    );
}

/// A line with a message of the agent.
fn message(text: &str) -> String {
    json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}})
        .to_string()
}

/// What is found in JSON as it is written may begin or end beside an escape, or have some in it.
#[test]
fn escapes_stay_whole() {
    let mixed = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5tU8wX1zA4cD7fG0iL3o";
    let key = format!(
        "{0} PRIVATE KEY-----\n{mixed}\n{mixed}\n{1} PRIVATE KEY-----",
        "-----BEGIN", "-----END"
    );
    let address = "Open http://localhost:3000\nadmin@corp.com is the owner";
    for text in [address, &key, "https://bob:p\u{e4}ss@host/x"] {
        let plain = message(text);
        let nested = message(&json!({ "a": [text] }).to_string());
        for line in [
            plain.replace('\u{e4}', "\\u00e4"),
            nested.replace('\u{e4}', "\\\\u00e4"),
            plain,
            nested,
        ] {
            let after = taken(line.as_bytes());
            assert_eq!(after.len(), line.len());
            let value: Value = serde_json::from_str(&after).expect(&after);
            let mut all = Vec::new();
            strings(&value, &mut all);
            let all = all.concat();
            assert!(all.contains('*'), "{after}");
            for part in ["admin", "corp", mixed, "bob", "p\u{e4}", "ss@"] {
                assert!(!all.contains(part), "{after}");
            }
        }
    }
}

/// Only a data URL as a whole is passed over.
#[test]
fn text_behind_a_data_url_is_read() {
    let secret = &secrets()[0].1;
    let line = message(&format!(
        "data:text/plain;base64,QUJDRA==\nOPENAI: {secret}"
    ));
    assert!(!taken(line.as_bytes()).contains(secret));
    let image = message("data:image/png;base64,QUJDRA==");
    assert_eq!(taken(image.as_bytes()), image);
}

/// A long secret that is found from each byte on in a longer text is overwritten once.
#[test]
fn finds_that_overlap_cost_no_more() {
    let finder = Secrets::new();
    let cost = |length: usize| -> Duration {
        let secret = format!("{} {}", "Authorization: Bearer", "a".repeat(length));
        let lines = [message(&secret), message(&"a".repeat(6 * length))];
        let start = Instant::now();
        let new = finder.take_out(lines.join("\n").as_bytes());
        assert!(!String::from_utf8_lossy(&new.bytes).contains("aaaaaaaa"));
        start.elapsed()
    };
    cost(8000);
    let (few, many) = (cost(8000), cost(64_000));
    let times = many.as_secs_f64() / few.as_secs_f64();
    assert!(times < 24.0, "{few:?}, then {many:?}");
}

/// A mark of byte order hides nothing, and neither does white space before JSON in a string.
#[test]
fn what_stands_before_json_hides_nothing() {
    let secret = &secrets()[0].1;
    let escaped = format!("\\u{:04x}{}", secret.as_bytes()[0], &secret[1..]);
    let line = format!(r#"{{"type":"x","text":"{escaped}"}}"#);
    for line in [format!("\u{feff}{line}"), message(&format!("\n{line}"))] {
        let new = taken(line.as_bytes());
        assert_eq!(new.len(), line.len());
        assert!(!new.contains(&secret[1..]), "{new}");
    }
}

/// A word after `basic` in prose is not a key, and a line keeps its kind.
#[test]
fn words_behind_basic_stay() {
    let text = "Handle the basic aggregated_output and basic item.completed events, and basic requirements.";
    let line = message(text);
    assert_eq!(taken(line.as_bytes()), line);
    let key = ["dXNlcjpwYXNz", "d29yZA=="].concat();
    assert!(!taken(message(&format!("Authorization: Basic {key}")).as_bytes()).contains(&key));
}

/// A password may have any signs, and one behind a space looks like no word.
#[test]
fn passwords_go_with_their_signs() {
    for (text, password) in [
        (r#"password = "kX9#vLm2$pQz7Rt""#, "kX9#vLm2$pQz7Rt"),
        (r#"password: "s3cr3tP@ssw0rd99", and"#, "s3cr3tP@ssw0rd99"),
        ("DB_PASSWORD=Tr0ub4dor&3xyz!Q\nUSER=ada", "Tr0ub4dor&3xyz!Q"),
        ("MYSQL_PWD='a\"b1cdefg' mysql", "a\"b1cdefg"),
        ("(passwd: S\u{fc}mmer2024)", "S\u{fc}mmer2024"),
        ("**password**: `pass@word1`", "pass@word1"),
        ("mysql --password RFsTHsDDDXh5Jmtf db", "RFsTHsDDDXh5Jmtf"),
        (
            "machine h login ada password correct4horse",
            "correct4horse",
        ),
        (
            "Authorization: token 0123456789abcdef0123456789abcdef01234567",
            "0123456789abcdef0123456789abcdef01234567",
        ),
    ] {
        let stars: String = password
            .chars()
            .flat_map(
                |letter| match letter.is_ascii() && !letter.is_ascii_alphanumeric() {
                    true => vec![letter],
                    false => vec!['*'; letter.len_utf8()],
                },
            )
            .collect();
        let expected = text.replace(password, &stars);
        assert_eq!(taken(message(text).as_bytes()), message(&expected));
        let nested = |text: &str| message(&json!({ "a": [text] }).to_string());
        assert_eq!(taken(nested(text).as_bytes()), nested(&expected));
    }
    for (members, expected) in [
        (
            json!({"password": "kX9#vLm2$pQz7Rt"}),
            json!({"password": "***#****$******"}),
        ),
        (
            json!(["mysql", "--password", "RFsTHsDDDXh5Jmtf", "db1"]),
            json!(["mysql", "--password", "****************", "db1"]),
        ),
    ] {
        let line = |members: &Value| json!({"type": "x", "a": members}).to_string();
        assert_eq!(taken(line(&members).as_bytes()), line(&expected));
        let nested = |members: &Value| message(&members.to_string());
        assert_eq!(taken(nested(&members).as_bytes()), nested(&expected));
    }
    for text in [
        "PWD=/workspace/project1/src and OLDPWD=~/a1/b",
        "let password = hashlib.sha256(salt + b'1')",
        "password: Option<String>, or password = config[\"db1\"].password",
        "password=$DB_PASSWORD1 and --password $PASS1WORD --password \"$(cat f1)\"",
        "password: https://host/reset?code=1 and password: 1234567890!",
        "The password: at least 8 characters, with a digit (0-9).",
        "on the login page password fields2 are 12345678 hidden",
        "authorization: token based authentication",
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(text));
    }
}

/// Which addresses of mail are nobody's is a matter of the whole name and of the whole domain.
#[test]
fn addresses_of_mail_go() {
    for (text, expected) in [
        ("ask margit@corp.com.", "ask ******@****.***."),
        ("ask margit@corp.com.au!", "ask ******@****.***.**!"),
        ("ask ann@example.com.au!", "ask ***@*******.***.**!"),
        (
            "ask ann@example.com-corp.de!",
            "ask ***@*******.***-****.**!",
        ),
        ("<j\u{f6}rg@m\u{fc}ller.de>", "<*****@*******.**>"),
        ("\u{201c}ada@corp.io\u{201d}", "\u{201c}***@****.**\u{201d}"),
        (
            "\u{8bf7}\u{95ee}ada@corp.io\u{597d}",
            "\u{8bf7}\u{95ee}***@****.**\u{597d}",
        ),
        (
            "\u{7528}\u{6237}@\u{4f8b}\u{5b50}.\u{4e2d}\u{56fd}",
            "******@******.******",
        ),
        (
            "\u{438}\u{432}\u{430}\u{43d}@\u{43f}\u{43e}\u{447}\u{442}\u{430}.\u{440}\u{444}",
            "********@**********.****",
        ),
        ("ann@post.xn--p1ai", "***@****.**--****"),
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(expected));
        assert_eq!(taken(text.as_bytes()), expected);
    }
    for text in [
        "clone git@github.com:a/b, or\ngit@gitlab.com:a/b",
        "git@example.org and ann@example.com, Ann@Example.NET.",
        "lodash@4.17.21 and A@np.ones_like(b)",
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(text));
        assert_eq!(taken(text.as_bytes()), text);
    }
}

/// A name with spaces ends at the sign that it follows.
#[test]
fn names_of_home_folders_go() {
    for (text, expected) in [
        ("see /Users/Jane Doe/x.", "see /Users/**** ***/x."),
        (
            "cd /Users/Jane\\ van\\ Doe/x",
            "cd /Users/****\\ ***\\ ***/x",
        ),
        (r"in C:\Users\Jane Doe\x", r"in C:\Users\**** ***\x"),
        (
            r#"{"cwd":"C:\\Users\\Jane Doe\\x""#,
            r#"{"cwd":"C:\\Users\\**** ***\\x""#,
        ),
        ("in C:\\Users/john", "in C:\\Users/****"),
        ("in C:/Users\\john/x", "in C:/Users\\****/x"),
        ("in C:\\Users/Jane Doe/x", "in C:\\Users/**** ***/x"),
        ("/home/ann is not in src\\x", "/home/*** is not in src\\x"),
        (r"C:\Users\ann is not in a/b", r"C:\Users\*** is not in a/b"),
        (
            r#"{"a":"C:\\Users\\ann is\nhere""#,
            r#"{"a":"C:\\Users\\*** is\nhere""#,
        ),
        ("cp /home/ann x/home/bob", "cp /home/*** */home/***"),
        ("ls /home/ann -l a/b", "ls /home/*** -l a/b"),
        ("/Users/Shared Files/x", "/Users/Shared Files/x"),
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(expected));
        assert_eq!(taken(text.as_bytes()), expected);
    }
}

/// A password may have a slash; a port has only digits before one.
#[test]
fn passwords_in_addresses_go() {
    for (text, expected) in [
        ("redis://:pass@host:1/0", "redis://:****@host:1/0"),
        ("redis://:p/a/ss@host/0", "redis://:*/*/**@host/0"),
        ("redis://:123/ss@host/0", "redis://:***/**@host/0"),
        ("https://ann:p@ss@host/x@y", "https://***:*@**@host/x@y"),
        ("https://ann:p@host?a=b@c", "https://***:*@host?a=b@c"),
        (
            "postgres://ann:1p/ss@db.internal/x",
            "postgres://***:**/**@**.********/x",
        ),
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(expected));
    }
    for text in [
        "http://localhost:3000/accounts/@me",
        "http://[::1]:3000/accounts/@me",
        "redis://:6379/0",
        "file://C:/a/@b/c",
        "https://host/a:b/@c",
    ] {
        assert_eq!(taken(message(text).as_bytes()), message(text));
    }
}

/// A key ends before whatever is not part of it, and may stand in quotes that are quoted.
#[test]
fn keys_end_where_others_begin() {
    let generic = "aB3dE6gH9jK2mN5pQ8sT1vW4";
    let google = concat!("AIza", "SyD-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0e");
    let openai = ["sk-proj-", generic, "T3BlbkFJ", generic].concat();
    let keyed = format!("api_key={generic}");
    for (key, secret) in [(&*keyed, generic), (google, google), (&*openai, &*openai)] {
        for (before, after) in [
            ("https://h/?", "&x=1"),
            ("<", ">"),
            ("the key ", ", and"),
            ("(", ")"),
            ("it is ", "."),
            ("<key>", "</key>"),
            ("\u{1b}[1m", "\u{1b}[0m"),
            ("{", "}"),
            ("", ""),
        ] {
            let after = taken(message(&format!("{before}{key}{after}")).as_bytes());
            assert!(!after.contains(secret), "{after}");
        }
    }
    let quoted = format!(r#"curl -d "{{\"api_key\":\"{generic}\"}}""#);
    assert!(!taken(message(&quoted).as_bytes()).contains(generic));
}

/// Lines that are not JSON are read together where a private key begins.
#[test]
fn a_private_key_over_several_lines_goes() {
    let (begin, end) = (
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
    );
    let body = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kM9nP2rS5tU8wX1zA4cD7fG0iL3o";
    let key = [begin, body, "", body, end].join("\n");
    let text = format!(
        "{}\nfirst\n{key}\r\nlast\n{}\n",
        message("a"),
        message(&key)
    );
    let after = taken(text.as_bytes());
    assert_eq!(after.len(), text.len());
    assert!(!after.contains(&body[..4]), "{after}");
    let plain = format!("{}\nfirst\n", message("a"));
    assert!(
        after.starts_with(&plain) && after.contains("\r\nlast\n"),
        "{after}"
    );
    // Between two messages each is a text of its own.
    let lines = [begin, &message(body), end].join("\n");
    assert_eq!(taken(lines.as_bytes()), lines);
}

/// Output may be written with escapes, and a text may be base64 by chance.
#[test]
fn base64_is_read_however_it_is_written() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let secret = &secrets()[0].1;
    let stars = "*".repeat(secret.len() - 4);
    let line = |chunk: &str| {
        format!(
            r#"{{"id":"1","msg":{{"type":"exec_command_output_delta","call_id":"c","chunk":"{chunk}"}}}}"#
        )
    };
    let chunk_of = |after: &str| {
        let line: Value = serde_json::from_str(after).expect("JSON");
        line["msg"]["chunk"].as_str().expect("a chunk").to_owned()
    };
    let digits = STANDARD.encode(format!("oh? {secret} oh? >>>"));
    assert!(digits.contains('/') && digits.contains('+'), "{digits}");
    let all: String = digits
        .bytes()
        .map(|digit| format!("\\u{digit:04X}"))
        .collect();
    for chunk in [
        digits.replace('/', "\\/"),
        digits.replace('+', "\\u002B"),
        all,
    ] {
        let line = line(&chunk);
        for line in [line.clone(), message(&line)] {
            let mut after = taken(line.as_bytes());
            assert_eq!(after.len(), line.len());
            if after.contains("agent_message") {
                let outer: Value = serde_json::from_str(&after).expect("JSON");
                after = outer["item"]["text"].as_str().expect("a text").to_owned();
            }
            let output = STANDARD.decode(chunk_of(&after)).expect("base64");
            let expected = format!("oh? ***_{stars} oh? >>>");
            assert_eq!(String::from_utf8_lossy(&output), expected);
        }
    }
    let secret = &secrets()[2].1;
    for text in [secret.clone(), format!("abcde+{secret}+z")] {
        let after = chunk_of(&taken(line(&text).as_bytes()));
        assert_eq!(after.len(), text.len());
        STANDARD.decode(&after).expect("base64");
        assert!(
            !after.contains(&secret[..4]) && !after.contains(&secret[17..]),
            "{after}"
        );
    }
}
