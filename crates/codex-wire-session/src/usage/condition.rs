//! What is counted: `model=gpt-5.5`, `tokens>100000`.

use std::str::FromStr;

use super::key::Key;
use crate::model::TurnStatus;

/// A condition: of words on turns, of numbers on rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(pub(super) Test);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// A turn has this word, or has it not.
    Word { key: Key, is: bool, word: String },
    /// A row has such a number.
    Number {
        field: Field,
        compare: Compare,
        number: f64,
    },
}

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Tokens,
    Input,
    Cached,
    Output,
    Reasoning,
    Turns,
    Failed,
    Interrupted,
    Calls,
    Seconds,
    Cost,
}

impl Field {
    const ALL: [(&'static str, Field); 11] = [
        ("tokens", Field::Tokens),
        ("input", Field::Input),
        ("cached", Field::Cached),
        ("output", Field::Output),
        ("reasoning", Field::Reasoning),
        ("turns", Field::Turns),
        ("failed", Field::Failed),
        ("interrupted", Field::Interrupted),
        ("calls", Field::Calls),
        ("seconds", Field::Seconds),
        ("cost", Field::Cost),
    ];

    /// Whether a row of calls of tools has it.
    fn is_of_tools(self) -> bool {
        matches!(self, Field::Calls | Field::Failed | Field::Seconds)
    }
}

impl Condition {
    /// Whether rows have the number that is compared: rows of tools have few, and costs need prices.
    pub(super) fn check(&self, is_by_tool: bool, has_prices: bool) -> Result<(), ConditionError> {
        match self.0 {
            Test::Number { field, .. } if is_by_tool && !field.is_of_tools() => {
                let mut names = Field::ALL.iter();
                let name = names.find(|(_, known)| *known == field);
                Err(ConditionError::NotOfTools(
                    name.map_or("", |(name, _)| name),
                ))
            }
            Test::Number {
                field: Field::Cost, ..
            } if !has_prices => Err(ConditionError::NoPrices),
            _ => Ok(()),
        }
    }
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    More,
    MoreOrEqual,
}

impl Compare {
    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Compare::Less => left < right,
            Compare::LessOrEqual => left <= right,
            Compare::Equal => (left - right).abs() < f64::EPSILON,
            Compare::NotEqual => (left - right).abs() >= f64::EPSILON,
            Compare::More => left > right,
            Compare::MoreOrEqual => left >= right,
        }
    }
}

/// A text is not a condition.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// There is no comparison in it.
    #[error("`{0}` compares nothing: write `model=NAME`, or `tokens>100000`")]
    NoComparison(String),
    /// What is compared has no such name.
    #[error(
        "`{0}` is neither a word of turns (model, release, project, client, thread, tree, status) nor a number of rows \
         (tokens, input, cached, output, reasoning, turns, failed, interrupted, calls, seconds, cost)"
    )]
    UnknownName(String),
    /// A turn has no such status.
    #[error("`{0}` is not a status of turns: write {list}", list = TurnStatus::ALL.map(TurnStatus::as_str).join(", "))]
    UnknownStatus(String),
    /// It is compared with what is not a number.
    #[error("`{name}` is compared with a number, and `{value}` is not one")]
    NotANumber {
        /// What is compared.
        name: String,
        /// With what.
        value: String,
    },
    /// Words are only equal or not.
    #[error("`{0}` is a word: write `{0}=WORD` or `{0}!=WORD`")]
    WordIsCompared(String),
    /// Rows of tools have no such number.
    #[error("rows of tools have no `{0}`: compare calls, failed or seconds")]
    NotOfTools(&'static str),
    /// Nothing has a cost.
    #[error("nothing has a `cost` without prices: give `--cost` or `--prices`")]
    NoPrices,
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let signs = [
            ("!=", Compare::NotEqual),
            (">=", Compare::MoreOrEqual),
            ("<=", Compare::LessOrEqual),
            ("==", Compare::Equal),
            ("=", Compare::Equal),
            (">", Compare::More),
            ("<", Compare::Less),
        ];
        // The first sign in the text, and of those that begin there the longest.
        let found = text.find(['!', '>', '<', '=']);
        let found = found.and_then(|at| {
            let rest = &text[at..];
            let sign = signs.iter().find(|(sign, _)| rest.starts_with(sign))?;
            Some((at, sign))
        });
        let Some((at, (sign, compare))) = found else {
            return Err(ConditionError::NoComparison(text.to_owned()));
        };
        let (name, value) = (text[..at].trim(), text[at + sign.len()..].trim());
        if let Some((_, field)) = Field::ALL.iter().find(|(known, _)| *known == name) {
            let number = value.replace('_', "");
            let number = number
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite());
            let number = number.ok_or_else(|| ConditionError::NotANumber {
                name: name.to_owned(),
                value: value.to_owned(),
            })?;
            return Ok(Condition(Test::Number {
                field: *field,
                compare: *compare,
                number,
            }));
        }
        let key = name.parse::<Key>().ok();
        let is_word = |key: &Key| !matches!(key, Key::Day | Key::Week | Key::Month | Key::Tool);
        let Some(key) = key.filter(is_word) else {
            return Err(ConditionError::UnknownName(name.to_owned()));
        };
        let is = match compare {
            Compare::Equal => true,
            Compare::NotEqual => false,
            _ => return Err(ConditionError::WordIsCompared(name.to_owned())),
        };
        if key == Key::Status && !TurnStatus::ALL.map(TurnStatus::as_str).contains(&value) {
            return Err(ConditionError::UnknownStatus(value.to_owned()));
        }
        Ok(Condition(Test::Word {
            key,
            is,
            word: value.to_owned(),
        }))
    }
}
