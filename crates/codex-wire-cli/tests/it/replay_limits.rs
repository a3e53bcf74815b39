//! What playing costs, and what is left when it is stopped.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{command, folder, workspace};

const TURN: &str = "fixtures/app-server/0.169.0/03a_command_untrusted_accept.jsonl";

/// A source of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// An item of `codex exec` with a text of that length, as a line.
fn item(length: usize) -> String {
    let item = json!({"id": "item_0", "type": "agent_message", "text": "x".repeat(length)});
    format!("{}\n", json!({"type": "item.completed", "item": item}))
}

/// A stand-in that is killed at any moment leaves whole lines only: while it starts, while it writes to a
/// reader that is fast or slow, and after its end.
#[test]
fn a_kill_at_any_moment_leaves_whole_lines() {
    let folder = folder("replay-killed");
    let mut numbers = Numbers(17);
    let mut text = String::from("{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n");
    for _ in 0..3000 {
        // Most lines are short; some are longer than what a pipe takes at once.
        let longest = [200, 200, 5000, 100_000][numbers.below(4) as usize];
        text += &item(numbers.below(longest) as usize);
    }
    fs::write(folder.join("run.jsonl"), &text).unwrap();
    let mut cut = 0;
    for round in 0..sampling::few_or(12, 120) {
        let mut child = command(&folder, "replay run.jsonl").spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let pause = Duration::from_micros(numbers.below(3) * numbers.below(300));
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            let mut part = vec![0; 50_000];
            loop {
                match out.read(&mut part).unwrap() {
                    0 => return all,
                    read => all.extend_from_slice(&part[..read]),
                }
                counted.store(all.len(), Ordering::Relaxed);
                thread::sleep(pause);
            }
        });
        // Every third is killed while it starts, or at its end; the others when so much was read.
        let bytes = match round % 3 {
            0 => 0,
            _ => numbers.below(text.len() as u64) as usize,
        };
        while count.load(Ordering::Relaxed) < bytes && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(100));
        }
        thread::sleep(Duration::from_micros(match bytes {
            0 => numbers.below(100_000),
            _ => numbers.below(1000),
        }));
        child.kill().unwrap();
        child.wait().unwrap();
        let all = reader.join().unwrap();
        assert!(text.as_bytes().starts_with(&all), "round {round}");
        assert!(
            all.is_empty() || all.ends_with(b"\n"),
            "round {round}: {} bytes",
            all.len()
        );
        cut += usize::from(!all.is_empty() && all.len() < text.len());
    }
    // Some were killed in the middle.
    assert!(cut > sampling::few_or(1, 10), "{cut}");
}

/// Requests that match nothing are answered, and nothing is kept of them.
#[test]
fn requests_that_match_nothing_cost_no_memory() {
    let mut child = command(&workspace(), &format!("replay {TURN}"))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |id: usize, method: &str, params: &Value| {
        writeln!(
            to,
            "{}",
            json!({"id": id, "method": method, "params": params})
        )
        .unwrap();
        let mut line = String::new();
        loop {
            line.clear();
            assert!(from.read_line(&mut line).unwrap() > 0, "{method}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    let info = json!({"clientInfo": {"name": "mine", "version": "1"}});
    assert!(ask(0, "initialize", &info)["result"].is_object());
    let mut memory = Vec::new();
    for id in 1..=2000_usize {
        // Each names another thread and another path.
        let thread = format!("01a1f985-5a61-7cf1-a49c-{id:012x}");
        let text = json!([{"type": "text", "text": format!("{id} {}", "y".repeat(2000))}]);
        let (method, params) = match id % 4 {
            0 => ("turn/start", json!({"threadId": thread, "input": text})),
            1 => ("thread/archive", json!({"threadId": thread})),
            2 => ("thread/list", json!({"cwd": format!("/some/{id}")})),
            _ => ("no/such", json!({"text": text})),
        };
        assert!(ask(id, method, &params)["error"].is_object(), "{method}");
        if id % 1000 == 0 {
            memory.push(resident(&child));
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(memory[1] < memory[0] + 1024, "{memory:?} KiB");
}

/// How much memory a process has, in KiB.
fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}
