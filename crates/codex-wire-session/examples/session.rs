//! Prints the session of each file as JSON: `cargo run -p codex-wire-session --example session -- FILE…`.

use std::fs::File;
use std::io::BufReader;

use codex_wire_session::Reader;

#[expect(clippy::print_stdout, reason = "this is a program")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reader = Reader::new();
    for path in std::env::args().skip(1) {
        let session = reader.read(&path, BufReader::new(File::open(&path)?))?;
        println!("{}", serde_json::to_string(&session)?);
    }
    Ok(())
}
