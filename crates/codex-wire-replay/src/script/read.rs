//! Reads a script, and says where it is wrong.

use std::ops::Range;

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::Error;

use super::model::{Action, Place, Script, Step, Turn};
use super::sense::{MODEL, in_order, sensible, the_action};

/// A table with the spans of its parts.
type Table<'a> = Spanned<DeTable<'a>>;

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`Error::Script`] if it is not TOML, or has something that a script cannot have.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let reader = Reader { text };
        let table = DeTable::parse(text).map_err(|error| reader.toml(&error))?;
        reader.script(table)
    }
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn script(&self, table: Table) -> Result<Script, Error> {
        let (mut model, mut turns) = (MODEL.to_owned(), Vec::new());
        let whole = table.span();
        for (key, value) in table.into_inner() {
            match &**key.get_ref() {
                "model" => {
                    model = String::deserialize(value.into_deserializer())
                        .map_err(|error| self.toml(&error))?;
                }
                // A script of one turn need not say that it is one.
                "step" if turns.is_empty() => turns.push(Turn {
                    steps: self.steps(value)?,
                }),
                "turn" if turns.is_empty() => {
                    for table in self.tables(value, "turn")? {
                        turns.push(self.turn(table)?);
                    }
                }
                "step" | "turn" => {
                    let message = "a script has `[[step]]` or `[[turn]]`, not both";
                    return Err(self.error(key.span(), message));
                }
                other => {
                    let known = "expected `model`, `step` or `turn`";
                    let message = format!("unknown key `{other}`, {known}");
                    return Err(self.error(key.span(), message));
                }
            }
        }
        if turns.is_empty() {
            let start = whole.start..whole.start;
            return Err(self.error(start, "a script has at least one `[[step]]`"));
        }
        Ok(Script { model, turns })
    }

    fn turn(&self, table: Table) -> Result<Turn, Error> {
        let mut steps = None;
        let whole = table.span();
        for (key, value) in table.into_inner() {
            match &**key.get_ref() {
                "step" => steps = Some(self.steps(value)?),
                other => {
                    let message = format!("unknown key `{other}`, expected `step`");
                    return Err(self.error(key.span(), message));
                }
            }
        }
        let message = "a turn has at least one `[[turn.step]]`";
        let steps = steps.ok_or_else(|| self.error(whole, message))?;
        Ok(Turn { steps })
    }

    fn steps(&self, value: Spanned<DeValue>) -> Result<Vec<Step>, Error> {
        let tables = self.tables(value, "step")?;
        let steps = tables.into_iter().map(|table| self.step(table));
        let steps: Vec<Step> = steps.collect::<Result<_, _>>()?;
        in_order(&steps)?;
        Ok(steps)
    }

    fn step(&self, table: Table) -> Result<Step, Error> {
        let span = table.span();
        let keys = table.get_ref().keys();
        let actions = keys.filter(|key| Action::NAMES.contains(&&**key.get_ref()));
        let mut actions: Vec<_> = actions.collect();
        actions.sort_by_key(|key| key.span().start);
        let name = the_action(actions.iter().map(|key| &**key.get_ref()));
        let name = name.map_err(|message| {
            let span = actions.get(1).map_or(span, |second| second.span());
            self.error(span, message)
        })?;
        let place = self.place(actions[0].span());
        let name = name.to_owned();
        let action = Action::read(&name, table.into_deserializer());
        let action = action.map_err(|error| {
            // An error of a whole table is one of its first line.
            let place = error.span().map_or(place, |span| self.place(span));
            place.error(error.message())
        })?;
        let Some(action) = action else {
            unreachable!("the action is one of the list")
        };
        let step = Step { action, place };
        sensible(&step)?;
        Ok(step)
    }

    /// The tables of `[[step]]`, or of a list of inline tables.
    fn tables<'a>(&self, value: Spanned<DeValue<'a>>, name: &str) -> Result<Vec<Table<'a>>, Error> {
        let span = value.span();
        let message = format!("`{name}` is a list of tables: write `[[{name}]]`");
        let DeValue::Array(list) = value.into_inner() else {
            return Err(self.error(span, message));
        };
        let tables = list.into_iter().map(|item| {
            let span = item.span();
            match item.into_inner() {
                DeValue::Table(table) => Ok(Spanned::new(span, table)),
                _ => Err(self.error(span, message.clone())),
            }
        });
        tables.collect()
    }

    fn toml(&self, error: &toml::de::Error) -> Error {
        self.error(error.span().unwrap_or_default(), error.message())
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        self.place(span).error(message)
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place::at(self.text, span.start)
    }
}
