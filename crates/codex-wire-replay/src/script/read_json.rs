//! Reads a script that is JSON: the same members as in TOML, as programs write them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::model::{Action, Place, Script, Step, Turn};
use super::sense::{MODEL, in_order, sensible, the_action};
use crate::error::Error;

impl Script {
    /// Reads a script that is JSON.
    ///
    /// # Errors
    /// [`Error::Script`] if it is not JSON, or has something that a script cannot have.
    pub fn parse_json(text: &str) -> Result<Self, Error> {
        let text = text.trim_start_matches('\u{feff}');
        let reader = Reader { text };
        let written: Written<'_> =
            serde_json::from_str(text).map_err(|error| reader.json(&error, text))?;
        let turns = match (written.step, written.turn) {
            (Some(steps), None) => vec![reader.turn(&steps)?],
            (None, Some(turns)) if !turns.is_empty() => {
                let turns = turns.iter().map(|turn| reader.turn(&turn.step));
                turns.collect::<Result<_, _>>()?
            }
            (Some(_), Some(_)) => {
                let message = "a script has `step` or `turn`, not both";
                return Err(reader.place(text).error(message));
            }
            (None, _) => {
                let message = "a script has at least one `step`";
                return Err(reader.place(text).error(message));
            }
        };
        Ok(Script {
            model: written.model.unwrap_or_else(|| MODEL.to_owned()),
            turns,
        })
    }
}

/// A script as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'t> {
    model: Option<String>,
    #[serde(borrow)]
    step: Option<Vec<&'t RawValue>>,
    #[serde(borrow)]
    turn: Option<Vec<WrittenTurn<'t>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTurn<'t> {
    #[serde(borrow)]
    step: Vec<&'t RawValue>,
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn turn(&self, steps: &[&'t RawValue]) -> Result<Turn, Error> {
        let steps = steps.iter().map(|step| self.step(step.get()));
        let steps = steps.collect::<Result<Vec<Step>, _>>()?;
        in_order(&steps)?;
        Ok(Turn { steps })
    }

    fn step(&self, text: &'t str) -> Result<Step, Error> {
        let place = self.place(text);
        let wrong = |error: serde_json::Error| self.json(&error, text);
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(wrong)?;
        let name = the_action(members.keys().map(String::as_str));
        let name = name.map_err(|message| place.error(message))?;
        let mut step = serde_json::Deserializer::from_str(text);
        let action = Action::read(name, &mut step).map_err(wrong)?;
        let Some(action) = action else {
            unreachable!("the action is one of the list")
        };
        let step = Step { action, place };
        sensible(&step)?;
        Ok(step)
    }

    /// An error in a part of the text.
    fn json(&self, error: &serde_json::Error, part: &str) -> Error {
        let start = self.place(part);
        // Errors count columns in bytes, and some have no place.
        let (line, column) = match error.line() {
            0 => (start.line, start.column),
            1 => (start.line, start.column + error.column().saturating_sub(1)),
            line => (start.line + line - 1, error.column()),
        };
        let message = error.to_string();
        // The place that the words end with is that in the part.
        let words = message.rsplit_once(" at line ").map(|(words, _)| words);
        Place { line, column }.error(words.unwrap_or(&message))
    }

    /// Where a part of the text begins.
    fn place(&self, part: &str) -> Place {
        let offset = part
            .as_ptr()
            .addr()
            .saturating_sub(self.text.as_ptr().addr());
        Place::at(self.text, offset)
    }
}
