//! Checks what a hook reads or prints, which is one document and need not be JSON Lines.

use std::io::{BufRead, Read as _};

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_check::{Checker, HookDocument, Outcome, Writer};
use codex_wire_inputs::read_whole;
use codex_wire_report::Kinds;

use super::args::CheckArgs;

/// A hook whose documents are checked.
#[derive(Debug)]
pub(super) struct Hook<'a> {
    event: &'a str,
    exit: i32,
    stderr: Option<String>,
    side: Option<Writer>,
    most: usize,
}

impl<'a> Hook<'a> {
    /// The hook that the command line describes, if it describes one.
    ///
    /// # Errors
    /// When the protocol is another one, or the file of standard error cannot be read.
    pub(super) fn of(args: &'a CheckArgs) -> anyhow::Result<Option<Self>> {
        let Some(event) = &args.hook.event else {
            return Ok(None);
        };
        if args.checker.protocol != Some(Protocol::Hooks) {
            anyhow::bail!("`--event` needs `--protocol hooks`");
        }
        if args.follow {
            anyhow::bail!("`--event` cannot be used with `--follow`");
        }
        let stderr = match &args.hook.stderr {
            Some(path) => {
                let bytes = read_whole(path)
                    .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            None => None,
        };
        Ok(Some(Hook {
            event,
            exit: args.hook.exit,
            stderr,
            side: args.checker.side,
            most: args.limits.max_line_bytes,
        }))
    }

    /// Checks a document, and counts it.
    pub(super) fn check(
        &self,
        checker: &Checker,
        name: &str,
        input: impl BufRead,
        kinds: &mut Kinds,
    ) -> Outcome {
        let mut bytes = Vec::new();
        let most = u64::try_from(self.most).unwrap_or(u64::MAX);
        if let Err(error) = input.take(most.saturating_add(1)).read_to_end(&mut bytes) {
            return Outcome::unreadable(name, error.to_string());
        }
        if bytes.len() > self.most {
            let limit = self.most;
            return Outcome::unreadable(name, format!("longer than the limit of {limit} bytes"));
        }
        let side = self.side.unwrap_or_else(|| side_of(&bytes));
        let document = match side {
            Writer::Codex => HookDocument::Input {
                event: Some(self.event),
            },
            Writer::Client => HookDocument::Output {
                event: self.event,
                exit: self.exit,
                stderr: self.stderr.as_deref(),
            },
        };
        let outcome = checker.check_hook(name, document, &bytes);
        if outcome.messages > 0 {
            let message_set = match side {
                Writer::Codex => MessageSet::HooksInput,
                Writer::Client => MessageSet::HooksOutput,
            };
            kinds.add(message_set, self.event);
        }
        outcome
    }
}

/// Whose document it is: inputs name their event.
fn side_of(bytes: &[u8]) -> Writer {
    let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    match value.is_some_and(|value| value.get("hook_event_name").is_some()) {
        true => Writer::Codex,
        false => Writer::Client,
    }
}
