//! The programs that `tap` stands before. Each is a few lines that do one thing.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use crate::support::{GOOD, Numbers};

/// The argument that makes this binary a helper program.
pub(crate) const FLAG: &str = "--child";

/// Plays the program the command line names, if it names one.
pub(crate) fn main() -> Option<ExitCode> {
    let mut args = std::env::args().skip(1);
    if args.next()? != FLAG {
        return None;
    }
    let name = args.next()?;
    let number = args.next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let code = match name.as_str() {
        "echo" => echo(number),
        "flood" => flood(number),
        "deaf" => deaf(number),
        "print" => print(GOOD.as_bytes(), number),
        #[cfg(unix)]
        "caught" => caught(),
        "wait" => wait(),
        "readme" => crate::readme::main(),
        other => panic!("no helper {other}"),
    };
    Some(ExitCode::from(code))
}

/// Writes what it reads, in pieces of other sizes.
fn echo(seed: usize) -> u8 {
    let mut numbers = Numbers(seed as u64);
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut buffer = vec![0; 100_000];
    loop {
        let most = 1 + numbers.below(buffer.len());
        let read = input.read(&mut buffer[..most]).unwrap();
        if read == 0 {
            return 0;
        }
        let mut bytes = &buffer[..read];
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(1 + numbers.below(bytes.len()));
            out.write_all(piece).unwrap();
            out.flush().unwrap();
            bytes = rest;
        }
    }
}

/// Writes as much as it can, so many MiB, in whole streams of lines.
fn flood(mebibytes: usize) -> u8 {
    let mut out = io::stdout().lock();
    let mut left = mebibytes << 20;
    let head = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n";
    out.write_all(head.as_bytes()).unwrap();
    let text = "x".repeat(2000);
    for id in 0.. {
        let line = format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{id}\",\
             \"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
        );
        out.write_all(line.as_bytes()).unwrap();
        left = left.saturating_sub(line.len());
        if left == 0 {
            break;
        }
    }
    let end = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\
               \"cached_input_tokens\":0,\"output_tokens\":2}}\n";
    out.write_all(end.as_bytes()).unwrap();
    0
}

/// Reads nothing for so many milliseconds, and exits.
fn deaf(milliseconds: usize) -> u8 {
    thread::sleep(Duration::from_millis(milliseconds as u64));
    0
}

/// Writes something and exits with a code at once.
fn print(bytes: &[u8], code: usize) -> u8 {
    io::stdout().write_all(bytes).unwrap();
    code as u8
}

/// Says which signals come, and exits with 42 after SIGTERM.
#[cfg(unix)]
fn caught() -> u8 {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM, SIGUSR1]).unwrap();
    println!("ready");
    for signal in signals.forever() {
        println!("{}", signal_hook::low_level::signal_name(signal).unwrap());
        if signal == SIGTERM {
            return 42;
        }
    }
    0
}

/// Says that it is there, and waits for what may come.
fn wait() -> u8 {
    println!("ready");
    thread::sleep(crate::support::PATIENCE);
    0
}
