//! Inputs that are made to hurt: memory is a small multiple of the input and a fixed part, and time is
//! linear. Counted are bytes that are allocated, which a busy machine does not change.

use allocation_counter::{AllocationInfo, measure};
use codex_wire_scrub::{Key, Secrets, scrub};

const MIB: u64 = 1 << 20;

/// What is kept whatever the input is: runs of values and of placeholders, and schemas.
const FIXED: u64 = 96 * MIB;

/// How many bytes are allocated at a time at most, for each byte of the input.
const PEAK: u64 = 8;

/// How many bytes are allocated over the whole time at most, for each byte of the input.
const WORK: u64 = 100;

/// Something of which `n` follow each other.
struct Hostile {
    name: &'static str,
    make: fn(usize) -> Vec<u8>,
    /// How many there are.
    size: usize,
}

fn message(text: &str) -> Vec<u8> {
    format!(r#"{{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":{text}}}}}"#)
        .into_bytes()
}

/// Words that do not repeat.
fn prose(n: usize) -> String {
    let mut seed = 1u64;
    let mut out = String::with_capacity(7 * n);
    for _ in 0..n {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        for at in 0..6 {
            out.push(char::from(b'a' + ((seed >> (20 + 5 * at)) % 26) as u8));
        }
        out.push(' ');
    }
    out
}

const ALL: [Hostile; 14] = [
    Hostile {
        name: "nothing",
        make: |n| vec![0; n],
        size: 4 << 20,
    },
    Hostile {
        name: "prose",
        make: |n| message(&format!("\"{}\"", prose(n))),
        size: 1 << 20,
    },
    Hostile {
        name: "lines_of_prose",
        make: |n| {
            let text = prose(n);
            let lines = text.as_bytes().chunks(70);
            lines
                .flat_map(|text| {
                    let mut line = message(&format!("\"{}\"", String::from_utf8_lossy(text)));
                    line.push(b'\n');
                    line
                })
                .collect()
        },
        size: 1 << 19,
    },
    Hostile {
        name: "a_long_name",
        make: |n| format!("{{\"{}\":1}}", "n".repeat(n)).into_bytes(),
        size: 4 << 20,
    },
    Hostile {
        name: "escapes",
        make: |n| message(&format!("\"{}\"", "\\u00e9\\n\\ud83e\\udd80".repeat(n))),
        size: 1 << 18,
    },
    Hostile {
        name: "numbers",
        make: |n| message(&format!("[{}1]", "1,".repeat(n))),
        size: 1 << 20,
    },
    Hostile {
        name: "members",
        make: |n| {
            let members: String = (0..n).map(|at| format!("\"k{at}\":\"v{at}\",")).collect();
            format!("{{{members}\"type\":\"turn.started\"}}").into_bytes()
        },
        size: 1 << 16,
    },
    Hostile {
        name: "arrays_in_arrays",
        make: |n| "[".repeat(n).into_bytes(),
        size: 1 << 21,
    },
    Hostile {
        name: "objects_in_objects",
        make: |n| "{\"a\":".repeat(n).into_bytes(),
        size: 1 << 19,
    },
    // Each delta belongs to what stands beside it.
    Hostile {
        name: "deltas_in_deltas",
        make: |n| {
            "{\"delta\":\"x\",\"itemId\":\"i\",\"a\":"
                .repeat(n)
                .into_bytes()
        },
        size: 1 << 15,
    },
    Hostile {
        name: "deltas_in_turn",
        make: |n| {
            let both = "\"delta\":\"x\",\"a\":{\"delta\":\"y\"},".repeat(n);
            format!("{{\"method\":\"m\",\"params\":{{{both}\"itemId\":\"i\"}}}}").into_bytes()
        },
        size: 1 << 14,
    },
    Hostile {
        name: "bytes_as_numbers",
        make: |n| {
            let bytes = "104,".repeat(n);
            format!("{{\"msg\":{{\"type\":\"exec_command_output_delta\",\"chunk\":[{bytes}1]}}}}")
                .into_bytes()
        },
        size: 1 << 18,
    },
    Hostile {
        name: "strings_in_strings",
        make: |n| {
            let mut text = "x".repeat(n);
            for _ in 0..12 {
                text = format!("[{}]", serde_json::to_string(&text).expect("a string"));
            }
            message(&serde_json::to_string(&text).expect("a string"))
        },
        size: 1 << 20,
    },
    Hostile {
        name: "deltas_that_never_come_whole",
        make: |n| b"{\"msg\":{\"type\":\"agent_message_delta\",\"delta\":\"x\"}}\n".repeat(n),
        size: 1 << 15,
    },
];

fn counted(input: &[u8]) -> AllocationInfo {
    measure(|| {
        // Whether something is found by chance does not matter here.
        let _ = scrub(input, Key::new([3; 16]), &[]);
    })
}

#[test]
fn memory_and_work_are_bounded() {
    // What is made once is made here.
    counted(b"{}");
    let mut wrong = Vec::new();
    for input in &ALL {
        let mut work = Vec::new();
        for times in [1, 2] {
            let made = (input.make)(times * input.size);
            let length = made.len() as u64;
            let info = counted(&made);
            if info.bytes_max > FIXED + PEAK * length {
                wrong.push(format!(
                    "{}: {} MiB at a time for {} MiB",
                    input.name,
                    info.bytes_max / MIB,
                    length / MIB
                ));
            }
            if info.bytes_total > 2 * FIXED + WORK * length {
                wrong.push(format!(
                    "{}: {} MiB in all for {} MiB",
                    input.name,
                    info.bytes_total / MIB,
                    length / MIB
                ));
            }
            work.push(info.bytes_total);
        }
        if work[1] > 3 * work[0] + FIXED {
            wrong.push(format!(
                "{}: {} MiB in all, of twice as much {} MiB",
                input.name,
                work[0] / MIB,
                work[1] / MIB
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Taking out secrets keeps no table of the input either.
#[test]
fn memory_for_secrets_is_bounded() {
    let finder = Secrets::new();
    let count = |input: &[u8]| measure(|| drop(finder.take_out(input)));
    // Expressions are compiled when they are first needed.
    for input in &ALL {
        count(&(input.make)(input.size / 8));
    }
    let mut wrong = Vec::new();
    for input in &ALL {
        for times in [1, 2] {
            let made = (input.make)(times * input.size / 8);
            let length = made.len() as u64;
            let info = count(&made);
            if info.bytes_max > FIXED + 16 * length {
                wrong.push(format!(
                    "{}: {} MiB at a time for {} KiB",
                    input.name,
                    info.bytes_max / MIB,
                    length / 1024
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
