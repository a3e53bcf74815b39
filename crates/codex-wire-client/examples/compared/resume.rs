//! Program 2 of the comparison in `docs/clients/comparison.md`: a thread, and another turn of it by its id.

#![allow(clippy::print_stdout, reason = "it is what the program does")]

use codex_wire_client::exec::Exec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codex = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "codex".to_owned());
    let exec = || Exec::new(&codex).option("--skip-git-repo-check");
    let first = exec().run("Do it.")?.finish()?;
    println!("{}", first.message.unwrap_or_default());
    let thread = first.thread_id.unwrap_or_default();
    let second = exec().resume(thread).run("Go on.")?.finish()?;
    println!("{}", second.message.unwrap_or_default());
    Ok(())
}
