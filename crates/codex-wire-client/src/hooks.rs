//! Hook programs, which fail closed.
//!
//! Codex runs a hook before a tool runs, among other events. If the hook exits with 1, panics, or prints something that
//! Codex does not take, the tool runs all the same: a guard that stumbles guards nothing. [`hook`] turns every such end
//! into exit status 2 with a reason, which blocks.
//!
//! ```no_run
//! use codex_wire::hooks::PreToolUseCommandInput;
//! use codex_wire_client::hooks::{allow, deny, hook};
//!
//! fn main() -> std::process::ExitCode {
//!     hook(|input: PreToolUseCommandInput| match input.tool_input.command() {
//!         Some(command) if command.contains("rm -rf") => Ok(deny("rm -rf is not allowed here")),
//!         _ => Ok(allow()),
//!     })
//! }
//! ```
//!
//! Which outputs Codex takes is in `docs/hooks.md`. What no program can help: a hook that takes longer than its
//! timeout, or is killed, blocks nothing.

use std::error::Error;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use codex_wire::hooks::{
    HookInput, PermissionRequestCommandInput, PermissionRequestCommandOutputWire,
    PostToolUseCommandInput, PostToolUseCommandOutputWire, PreToolUseCommandInput,
    PreToolUseCommandOutputWire, StopCommandInput, StopCommandOutputWire, SubagentStopCommandInput,
    SubagentStopCommandOutputWire, UserPromptSubmitCommandInput, UserPromptSubmitCommandOutputWire,
};
use codex_wire::{Wire, from_slice, to_string};

/// The exit status that blocks, with a reason on standard error. Any other but 0 is reported and blocks nothing.
const BLOCKS: u8 = 2;

/// What a reason is that is missing or blank: without one, nothing is blocked.
const NO_REASON: &str = "blocked by a hook";

/// An event in which a hook can block something: what it reads, and what it may print.
///
/// `PreToolUse` and `PermissionRequest` keep a tool from running, `UserPromptSubmit` a prompt from being sent, `Stop` and
/// `SubagentStop` a turn from ending. `PostToolUse` gives the reason to the model.
pub trait Blocking: Sized + sealed::Sealed {
    /// The name of the event.
    const EVENT: &'static str;

    /// What the hook may print.
    type Output: Wire + serde::Serialize;

    /// The input, if it is of this event.
    fn of(input: HookInput) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! events {
    ($($event:ident: $input:ident -> $output:ident;)*) => {$(
        impl sealed::Sealed for $input {}

        impl Blocking for $input {
            const EVENT: &'static str = stringify!($event);
            type Output = $output;

            fn of(input: HookInput) -> Option<Self> {
                match input {
                    HookInput::$event(input) => Some(input),
                    _ => None,
                }
            }
        }
    )*};
}

events! {
    PreToolUse: PreToolUseCommandInput -> PreToolUseCommandOutputWire;
    PermissionRequest: PermissionRequestCommandInput -> PermissionRequestCommandOutputWire;
    PostToolUse: PostToolUseCommandInput -> PostToolUseCommandOutputWire;
    UserPromptSubmit: UserPromptSubmitCommandInput -> UserPromptSubmitCommandOutputWire;
    Stop: StopCommandInput -> StopCommandOutputWire;
    SubagentStop: SubagentStopCommandInput -> SubagentStopCommandOutputWire;
}

/// What a hook decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision<O> {
    /// Nothing: Codex goes on.
    Allow,
    /// Codex does not go on. The model, or the user, is given the reason.
    Deny(String),
    /// This output. Codex refuses much that its type allows: `codex-wire check --protocol hooks` says what.
    Output(O),
}

/// Codex goes on.
pub fn allow<O>() -> Decision<O> {
    Decision::Allow
}

/// Codex does not go on, for this reason.
pub fn deny<O>(reason: impl Into<String>) -> Decision<O> {
    Decision::Deny(reason.into())
}

/// How a hook program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// The exit status: 0, or 2, which blocks.
    pub status: u8,
    /// What it prints.
    pub stdout: String,
    /// The reason, if it blocks.
    pub stderr: String,
}

/// How a hook ends that decides so about this input. An input that cannot be read, one of another event, and an error
/// block.
///
/// ```
/// use codex_wire::hooks::PreToolUseCommandInput;
/// use codex_wire_client::hooks::{allow, ending};
///
/// let ending = ending(b"{", |_: PreToolUseCommandInput| Ok(allow()));
/// assert_eq!(ending.status, 2);
/// assert!(ending.stderr.starts_with("cannot read the input of PreToolUse"), "{ending:?}");
/// ```
pub fn ending<I: Blocking>(
    input: &[u8],
    decide: impl FnOnce(I) -> Result<Decision<I::Output>, Box<dyn Error>>,
) -> Ending {
    let input = match from_slice::<HookInput>(input) {
        Ok(input) => input,
        Err(error) => return blocks(format!("cannot read the input of {}: {error}", I::EVENT)),
    };
    let event = input.event().to_owned();
    let Some(input) = I::of(input) else {
        return blocks(format!("this is a hook of {}, not of {event}", I::EVENT));
    };
    match decide(input) {
        Ok(Decision::Allow) => ends(String::new()),
        Ok(Decision::Deny(reason)) => blocks(reason),
        Ok(Decision::Output(output)) => ends(to_string(&output)),
        Err(error) => blocks(format!("the hook failed: {}", chain(&*error))),
    }
}

/// Reads the input of a hook from standard input and answers it: the whole of a `main`.
///
/// It blocks if the input cannot be read or is of another event, if `decide` returns an error, if it panics, and if its
/// output cannot be written.
pub fn hook<I: Blocking>(
    decide: impl FnOnce(I) -> Result<Decision<I::Output>, Box<dyn Error>>,
) -> ExitCode {
    block_on_panic();
    let mut input = Vec::new();
    let ending = match io::stdin().lock().read_to_end(&mut input) {
        Ok(_) => ending(&input, decide),
        Err(error) => blocks(format!("cannot read standard input: {error}")),
    };
    let ending = match print(&ending.stdout) {
        Ok(()) => ending,
        Err(error) => blocks(format!("cannot write standard output: {error}")),
    };
    // Codex may have closed what it does not read.
    let _ = io::stderr().write_all(ending.stderr.as_bytes());
    ExitCode::from(ending.status)
}

/// Prints all of it now: at the end of the program, a failure would not be noticed.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// A program that panics exits with 101, or by a signal, and Codex goes on: so it exits before that.
#[allow(clippy::exit)]
fn block_on_panic() {
    std::panic::set_hook(Box::new(|info| {
        let _ = write!(io::stderr(), "the hook failed: {info}");
        std::process::exit(i32::from(BLOCKS));
    }));
}

fn ends(stdout: String) -> Ending {
    Ending {
        status: 0,
        stdout,
        stderr: String::new(),
    }
}

fn blocks(reason: String) -> Ending {
    let is_blank = reason.trim().is_empty();
    Ending {
        status: BLOCKS,
        stdout: String::new(),
        stderr: if is_blank {
            NO_REASON.to_owned()
        } else {
            reason
        },
    }
}

/// An error and what it comes from.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}
