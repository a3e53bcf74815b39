//! What the module and the page that runs it say to each other.
//!
//! The page calls [`run`], for one file after the other. Meanwhile it is asked for the name and the bytes of the file, and
//! handed what is written. Texts are UTF-8.

#![allow(
    unsafe_code,
    reason = "the page is called through functions of C, and reads and writes the memory of the module"
)]

use std::io::{self, BufReader, Read, Write};
use std::panic;
use std::sync::OnceLock;

use crate::{Outputs, Playground};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Puts the name of the file into that memory, as much as there is room; returns how many bytes.
    safe fn name(to: *mut u8, room: usize) -> usize;
    /// Puts the next bytes of the file into that memory, and returns how many: none at its end, more than there is room if
    /// the file cannot be read any more.
    safe fn read(to: *mut u8, room: usize) -> usize;
    /// Takes bytes of an output: 0 is the report as JSON, 1 the report, 2 the session.
    safe fn write(output: usize, from: *const u8, length: usize);
    /// Takes the message of a panic, which ends the module.
    safe fn panicked(from: *const u8, length: usize);
}

/// The longest name in bytes.
const NAME: usize = 4096;

/// How much of a file is asked for at once, and how much of an output is handed out at once.
const CHUNK: usize = 1 << 18;

/// Checks the file of the page. With `mask`, which is 0 or 1, texts are hidden.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn run(mask: u32) {
    // With its schemas, which are read when they are first needed.
    static PLAYGROUNDS: [OnceLock<Playground>; 2] = [OnceLock::new(), OnceLock::new()];
    panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        panicked(message.as_ptr(), message.len());
    }));
    let mut bytes = vec![0; NAME];
    let length = name(bytes.as_mut_ptr(), NAME).min(NAME);
    let name = String::from_utf8_lossy(&bytes[..length]).into_owned();
    let mask = mask != 0;
    let playground = PLAYGROUNDS[usize::from(mask)]
        .get_or_init(|| Playground::new(mask).expect("these options contradict nothing"));
    let [mut json, mut report, mut session] = [0, 1, 2].map(Output::new);
    let outputs = Outputs {
        json: &mut json,
        report: &mut report,
        session: &mut session,
    };
    let input = BufReader::with_capacity(CHUNK, File);
    // Outputs of the page take everything.
    let _ = playground.run(&name, input, outputs);
    for mut output in [json, report, session] {
        output.hand_out();
    }
}

/// The file of the page.
struct File;

impl Read for File {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match read(to.as_mut_ptr(), to.len()) {
            length if length <= to.len() => Ok(length),
            _ => Err(io::Error::other("the browser cannot read it any more")),
        }
    }
}

/// An output of the page, which gathers small writes.
struct Output {
    number: usize,
    bytes: Vec<u8>,
}

impl Output {
    fn new(number: usize) -> Self {
        Output {
            number,
            bytes: Vec::with_capacity(CHUNK),
        }
    }

    fn hand_out(&mut self) {
        write(self.number, self.bytes.as_ptr(), self.bytes.len());
        self.bytes.clear();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= CHUNK {
            self.hand_out();
        }
        Ok(bytes.len())
    }

    /// What is gathered is handed out at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes the keys of hash tables, which need not be secret: whoever chooses a file to be slow waits for it himself.
#[unsafe(no_mangle)]
extern "Rust" fn __getrandom_v03_custom(
    to: *mut u8,
    length: usize,
) -> Result<(), getrandom_03::Error> {
    // SAFETY: whoever calls hands out that much memory to be written.
    unsafe { std::ptr::write_bytes(to, 0x5b, length) };
    Ok(())
}
