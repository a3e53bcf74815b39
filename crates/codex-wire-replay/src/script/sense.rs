//! What the types of a script cannot say, whatever it is written in.

use super::kinds;
use super::model::{Action, Step};
use super::patch;
use crate::error::Error;

/// The model that a script names if it names none.
pub(crate) const MODEL: &str = "gpt-5";

/// The one of these keys, in their order, that says what a step does.
pub(super) fn the_action<'k>(keys: impl Iterator<Item = &'k str>) -> Result<&'k str, String> {
    let mut actions = keys.filter(|key| Action::NAMES.contains(key));
    match (actions.next(), actions.next()) {
        (Some(action), None) => Ok(action),
        (Some(first), Some(second)) => Err(format!(
            "a step does one thing: it has `{first}` and `{second}`"
        )),
        (None, _) => {
            let known = Action::NAMES.join("`, `");
            Err(format!("a step has one of `{known}`"))
        }
    }
}

/// Refuses what comes after the end of a turn.
pub(super) fn in_order(steps: &[Step]) -> Result<(), Error> {
    let last = steps.len().saturating_sub(1);
    for (index, step) in steps.iter().enumerate() {
        let ends = matches!(step.action, Action::Fail(_) | Action::Hang(_));
        if ends && index != last {
            let message = format!("nothing comes after `{}`", step.action.name());
            return Err(steps[index + 1].place.error(message));
        }
    }
    Ok(())
}

/// Refuses a step that makes no sense.
pub(super) fn sensible(step: &Step) -> Result<(), Error> {
    let message = match &step.action {
        Action::Hang(hang) if !hang.hang => "`hang` is always `true`".to_owned(),
        Action::Retry(retry) if retry.attempt == 0 || retry.attempt > retry.of => {
            format!("attempt {} of {}", retry.attempt, retry.of)
        }
        Action::Patch(patch) => match patch::changes(&patch.patch) {
            Ok(_) => return Ok(()),
            Err(message) => message,
        },
        Action::Call(call) if !call.arguments.is_object() => {
            "the arguments of a tool are a table".to_owned()
        }
        Action::Fail(fail) if !kinds::is_known(&fail.kind) => {
            format!("no release has the kind of failure `{}`", fail.kind)
        }
        Action::Usage(usage) => {
            let tokens = usage.usage;
            if tokens.cached > tokens.input {
                "`cached` is a part of `input`".to_owned()
            } else if tokens.reasoning > tokens.output {
                "`reasoning` is a part of `output`".to_owned()
            } else {
                return Ok(());
            }
        }
        _ => return Ok(()),
    };
    Err(step.place.error(message))
}
