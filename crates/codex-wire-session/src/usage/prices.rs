//! What models cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Tokens;

/// Prices of models, and where they are from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Where the prices are from.
    pub source: String,
    /// The day they are of: `2026-11-20`.
    pub date: String,
    /// The currency, such as `USD`.
    pub currency: String,
    /// The prices by the name of the model.
    pub models: BTreeMap<String, Price>,
}

/// What a million tokens of a model cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens sent to the model that its cache did not have.
    pub input: f64,
    /// Those that its cache had. Without a price of their own they cost as much as others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cached_input: Option<f64>,
    /// Tokens of the answer, reasoning included.
    pub output: f64,
}

/// A text holds no prices.
#[derive(Debug, thiserror::Error)]
#[error("no prices")]
pub struct PricesError(#[from] serde_json::Error);

impl Prices {
    /// The prices that come with this crate: those of OpenAI's own service, for requests of usual length and speed. Their
    /// source and date stand in them.
    pub fn included() -> Self {
        // A test holds that this is right.
        Prices::read(include_str!("prices.json")).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// Reads prices from JSON: `{"source", "date", "currency", "models": {"NAME": {"input", "cached_input", "output"}}}`,
    /// for a million tokens each.
    ///
    /// # Errors
    /// If the text is something else.
    pub fn read(text: &str) -> Result<Self, PricesError> {
        Ok(serde_json::from_str(text.trim_start_matches('\u{feff}'))?)
    }

    /// The price of a model.
    pub fn of(&self, model: &str) -> Option<&Price> {
        self.models.get(model)
    }
}

impl Price {
    /// What these tokens cost.
    pub fn cost(&self, tokens: Tokens) -> f64 {
        let fresh = tokens.input.saturating_sub(tokens.cached_input);
        let cached = self.cached_input.unwrap_or(self.input);
        let millions = |tokens: u64| number(tokens) / 1_000_000.0;
        millions(fresh) * self.input
            + millions(tokens.cached_input) * cached
            + millions(tokens.output) * self.output
    }
}

/// A count as a number that can be multiplied. Beyond 2⁵³ tokens it is not exact.
#[expect(clippy::cast_precision_loss, reason = "costs are rounded anyway")]
fn number(count: u64) -> f64 {
    count as f64
}
