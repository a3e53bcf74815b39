//! Whatever stands in a file, a session is read from it without a panic, and at a cost that grows
//! with the length of the file.

use std::time::Duration;

use codex_wire_session::{Continues, Part, Reader, Tokens, Turn, is_base, mark_copies};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::recordings::{runs, thread_of};

/// Lines that no release writes: counts at the end of their range, times that are none, ids that
/// look like others, an end without a beginning.
const ODD: &[&str] = &[
    r#"{"timestamp":"","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":18446744073709551615,"cached_input_tokens":18446744073709551615,"output_tokens":18446744073709551615,"reasoning_output_tokens":18446744073709551615,"total_tokens":18446744073709551615},"last_token_usage":{"input_tokens":1,"cached_input_tokens":1,"output_tokens":1,"reasoning_output_tokens":1,"total_tokens":1},"model_context_window":null}}}"#,
    r#"{"timestamp":"9999-99-99T99:99:99.999Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#,
    r#"{"timestamp":"😀😀😀😀😀😀","type":"session_meta","payload":{"id":"01a2ü3c7-4990-7a13-88a9-55acf0722d1","timestamp":"😀","cwd":"","originator":"","cli_version":"0.98.0","source":"exec"}}"#,
    r#"{"timestamp":"t","type":"session_meta","payload":{"id":"😀😀-😀-7😀😀😀😀😀","timestamp":"t","cwd":"","originator":"","cli_version":"0.169.0","source":"exec","history_mode":"paginated","history_base":{"thread_id":"a","end_ordinal_exclusive":18446744073709551615,"end_byte_offset":18446744073709551615}}}"#,
    r#"{"timestamp":"t","ordinal":18446744073709551615,"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":4294967295}}"#,
    r#"{"timestamp":"t","type":"event_msg","payload":{"type":"task_complete","turn_id":"nowhere","last_agent_message":null}}"#,
    r#"{"timestamp":"t","type":"compacted","payload":{"message":""}}"#,
    r#"{"id":"a","timestamp":"t","instructions":null}"#,
    r#"{"record_type":"state"}"#,
    "[[[[[[[[",
    "\u{feff}{}",
    "\r",
];

/// What is done to a line.
#[derive(Clone, Debug)]
enum Edit {
    Keep,
    Cut(Index),
    Change(Index, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        8 => Just(Edit::Keep),
        1 => any::<Index>().prop_map(Edit::Cut),
        1 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Change(at, byte)),
    ]
}

/// Some of the recorded lines, of all releases and kinds, and the odd ones.
fn pool() -> Vec<Vec<u8>> {
    let mut pool: Vec<Vec<u8>> = Vec::new();
    for run in ["rollout", "rollout-cross"].into_iter().flat_map(runs) {
        for (_, text) in &run.files {
            let lines = text.split(|byte| *byte == b'\n');
            let short = lines.filter(|line| line.len() < 4000).map(<[u8]>::to_vec);
            pool.extend(short);
        }
    }
    // The odd ones as often as all others together.
    let odd = ODD.iter().map(|line| line.as_bytes().to_vec());
    let count = pool.len();
    pool.extend(odd.cycle().take(count));
    pool
}

#[test]
fn any_lines_make_a_session() {
    let pool = pool();
    let lines = vec((any::<Index>(), edit()), 0..60);
    let mut config = ProptestConfig::with_source_file(file!());
    config.cases = 1500;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&(lines, any::<bool>()), |(lines, ends)| {
        let mut text = Vec::new();
        for (at, edit) in &lines {
            let mut line = at.get(&pool).clone();
            match edit {
                Edit::Cut(at) if !line.is_empty() => line.truncate(at.index(line.len())),
                Edit::Change(at, byte) if !line.is_empty() => *at.get_mut(&mut line) = *byte,
                _ => {}
            }
            text.extend(line);
            text.push(b'\n');
        }
        if !ends {
            text.pop();
        }
        // A base may be anything as well, itself for one.
        let reader = Reader::new();
        let alone = reader.read("text", &*text).ok();
        let Ok(session) = reader.read_on("text", &*text, |_| alone.clone()) else {
            return Ok(());
        };
        for thread in &session.threads {
            let own = thread.own_turns().map(Turn::tokens).sum::<Tokens>();
            prop_assert_eq!(own, thread.tokens);
            let mut again = thread.clone();
            mark_copies(&mut again, thread);
            prop_assert_eq!(again.history().count(), thread.history().count());
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The last of all ordinals has none behind it.
#[test]
fn no_base_ends_behind_the_last_ordinal() {
    let text = format!("{}\n", ODD[4]);
    let place = format!(
        r#"{{"thread":"a","end_ordinal":0,"end_byte":{}}}"#,
        text.len()
    );
    let place: Continues = serde_json::from_str(&place).expect("a place");
    assert!(!is_base(&place, text.as_bytes()));
    let text = text.replace("18446744073709551615", "00000000000000000000");
    assert!(!is_base(&place, text.as_bytes()), "no number");
}

#[test]
fn any_bytes_make_a_session() {
    proptest!(|(text in vec(any::<u8>(), 0..400))| {
        let session = Reader::new().read("bytes", &*text);
        prop_assert!(session.is_err());
    });
}

/// Blocks of lines that make a reader search what it has read, if it does: `#` stands for the number
/// of the block.
const BLOCKS: &[(&str, &[&str])] = &[
    (
        "items without events",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one #"}]}}"##,
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two #"}]}}"##,
        ],
    ),
    (
        "events without items",
        &[
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"two #"}}"##,
        ],
    ),
    (
        "items and events that differ",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two #"}]}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"three #"}}"##,
        ],
    ),
    (
        "prompts after calls",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one #"}]}}"##,
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c#"}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"one #"}}"##,
        ],
    ),
    (
        "turns that are taken back",
        &[
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"one #"}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"##,
        ],
    ),
    (
        "reviews that do not end",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one #"}]}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"entered_review_mode"}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"two #"}}"##,
        ],
    ),
    (
        "agents",
        &[
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"sub_agent_activity","event_id":"e","occurred_at_ms":1,"agent_thread_id":"a#","agent_path":"/root/a","kind":"started"}}"##,
        ],
    ),
    (
        "turns under the same settings",
        &[
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"task_started","turn_id":"u#","model_context_window":null,"collaboration_mode_kind":"default"}}"##,
            r##"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":#,"cached_input_tokens":0,"output_tokens":#,"reasoning_output_tokens":0,"total_tokens":#},"last_token_usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1,"reasoning_output_tokens":0,"total_tokens":2},"model_context_window":null}}}"##,
        ],
    ),
    (
        "compactions",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two #"}]}}"##,
            r##"{"timestamp":"t","type":"compacted","payload":{"message":"about two"}}"##,
        ],
    ),
    (
        "searches",
        &[
            r##"{"timestamp":"t","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q#"}}}"##,
        ],
    ),
];

/// A file that begins as those of a release do, and goes on with a block again and again. The model
/// has a long name, and what is said first is long.
fn file(release: &str, block: &[&str], count: usize) -> Vec<u8> {
    let long = "m".repeat(250 * count);
    let mut text = format!(
        r#"{{"timestamp":"t","type":"session_meta","payload":{{"id":"a","timestamp":"t","cwd":"/","originator":"o","cli_version":"{release}","source":"exec"}}}}
{{"timestamp":"t","type":"turn_context","payload":{{"cwd":"/","approval_policy":"never","sandbox_policy":{{"type":"read-only"}},"model":"{long}","summary":"auto"}}}}
{{"timestamp":"t","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{long}"}}]}}}}
{{"timestamp":"t","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{long}"}}]}}}}
"#
    );
    for number in 0..count {
        for line in block {
            text.push_str(&line.replace('#', &number.to_string()));
            text.push('\n');
        }
    }
    text.into_bytes()
}

fn cost(text: &[u8]) -> Duration {
    least(|| {
        let thread = thread_of(text);
        assert!(thread.id.is_some(), "a block is not right");
    })
}

fn least(mut work: impl FnMut()) -> Duration {
    let took = (0..3).map(|_| {
        let start = processor_time();
        work();
        processor_time() - start
    });
    took.min().expect("three times")
}

/// The processor time of this thread, which a busy machine hardly changes.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a time")
}

/// The time since the first call, where that cannot be asked.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Sixteen times as many lines cost sixteen times as much, and not the square of it: 256 times.
#[test]
fn the_cost_grows_with_the_length() {
    for release in ["0.63.0", "0.169.0"] {
        for (name, block) in BLOCKS {
            let few = cost(&file(release, block, 200));
            let many = cost(&file(release, block, 3200));
            let times = many.as_secs_f64() / few.as_secs_f64();
            assert!(times < 64.0, "{name}, {release}: {few:?}, then {many:?}");
        }
    }
}

/// Lines that each begin a thread, or a run of `codex exec`.
const THREADS: &[(&str, &str)] = &[
    (
        "threads of an app-server",
        r##"{"method":"thread/started","params":{"thread":{"id":"t#"}}}"##,
    ),
    (
        "runs of exec",
        r##"{"type":"thread.started","thread_id":"t#"}"##,
    ),
];

#[test]
fn the_cost_grows_with_the_threads() {
    for (name, line) in THREADS {
        let text = |count: usize| -> Vec<u8> {
            let lines = (0..count).map(|number| line.replace('#', &number.to_string()) + "\n");
            lines.collect::<String>().into_bytes()
        };
        for (way, read) in [("parts", parts as fn(&[u8])), ("watch", watch)] {
            let (few, many) = (text(500), text(8000));
            let (few, many) = (least(|| read(&few)), least(|| read(&many)));
            let times = many.as_secs_f64() / few.as_secs_f64();
            assert!(times < 64.0, "{name}, {way}: {few:?}, then {many:?}");
        }
    }
}

fn parts(text: &[u8]) {
    let mut threads = 0;
    let read = Reader::new().each("input", text, |part| {
        threads += usize::from(matches!(part, Part::Thread(_)));
    });
    read.expect("a session");
    assert!(threads > 1);
}

fn watch(text: &[u8]) {
    let (items, _) = crate::watch::watched("input", text);
    assert!(items.is_empty());
}

/// Warnings before there is a thread are kept, however many there are.
#[test]
fn no_warning_is_lost() {
    let line = r#"{"method":"configWarning","params":{"summary":"one"}}"#;
    for count in [1, 4096, 4097, 5000] {
        let text = format!("{line}\n").repeat(count);
        let session = Reader::new().read("c", text.as_bytes()).expect("a session");
        let items: usize = session
            .threads
            .iter()
            .map(|thread| thread.outside.len())
            .sum();
        assert_eq!(items, count);
    }
}
