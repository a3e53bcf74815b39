//! Asks the user before Codex runs anything: `cargo run --example approvals -- codex 'Make a file.'`
//!
//! Each question is answered with a line of standard input: `y`, `s` (yes, and do not ask again in this session), `n`, or `c` (no, and
//! stop). Any other line, and the end of the input, is a no.

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use codex_wire::app_server::{AskForApproval, SandboxMode, ThreadItemDetails, ThreadStartParams};
use codex_wire_client::{Approval, ApprovalKind, Client, Decision, Error, Options, TurnEvent};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "codex".to_owned());
    let prompt = arguments
        .next()
        .unwrap_or_else(|| "Make a file.".to_owned());
    match run(&program, &prompt) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str, prompt: &str) -> Result<(), Error> {
    let codex = Client::start(program, Options::new("example", "1.0"))?;
    let mut params = ThreadStartParams::new();
    params.approval_policy = AskForApproval::Untrusted.into();
    // What was allowed runs without a sandbox.
    params.sandbox = SandboxMode::DangerFullAccess.into();
    let thread = codex.start_thread(params)?;
    let mut stdout = io::stdout();
    for event in codex.start_turn(&thread.id, prompt)? {
        let _ = match event? {
            TurnEvent::Approval(approval) => {
                let decision = ask(&approval);
                approval.decide(decision)?;
                writeln!(stdout, "{decision:?}")
            }
            // Whatever else it asks is refused.
            TurnEvent::Question(question) => {
                writeln!(stdout, "refused: {}", question.request().params.tag())
            }
            TurnEvent::ItemCompleted(item) => match &item.details {
                ThreadItemDetails::CommandExecution(command) => {
                    writeln!(stdout, "{}: {:?}", command.command, command.status)
                }
                ThreadItemDetails::AgentMessage(message) => writeln!(stdout, "{}", message.text),
                _ => Ok(()),
            },
            _ => Ok(()),
        };
    }
    Ok(())
}

fn ask(approval: &Approval) -> Decision {
    let mut stdout = io::stdout();
    let what = match approval.kind() {
        ApprovalKind::Patch => format!("change {}", approval.files().join(", ")),
        _ => format!("run {}", approval.command().unwrap_or_default()),
    };
    let reason = approval.reason().map(|reason| format!(" ({reason})"));
    let _ = write!(stdout, "May Codex {what}?{} ", reason.unwrap_or_default());
    let _ = stdout.flush();
    let mut answer = String::new();
    // What cannot be read is a no.
    let _ = io::stdin().lock().read_line(&mut answer);
    match answer.trim() {
        "y" => Decision::Accept,
        "s" => Decision::AcceptForSession,
        "c" => Decision::Cancel,
        _ => Decision::Decline,
    }
}
