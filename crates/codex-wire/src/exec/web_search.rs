//! Searches and page visits.

use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// A web search, or a visit to a page, by the model's own tool.
///
/// Only completed up to 0.91.0. From 0.92.0 started too, then with an empty query and the
/// action `other`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchItem {
    /// The id the model's provider gave the call.
    ///
    /// On the wire its name is `id`, the same as the item's: from 0.92.0 every web search
    /// carries the key twice, the item's first. This is an upstream defect; most JSON readers
    /// keep only the second, and upstream's own type cannot read the line.
    ///
    /// Since 0.92.0.
    #[wire(rename = "id", since = "0.92.0", optional)]
    pub search_id: Maybe<String>,
    /// What was searched for, or the page that was visited, in words.
    pub query: String,
    /// What was done.
    ///
    /// Since 0.92.0.
    #[wire(since = "0.92.0")]
    pub action: Maybe<WebSearchAction>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a web search call did.
///
/// Visits to pages were reported as `other` from 0.117.0 to 0.155.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum WebSearchAction {
    /// It searched.
    Search(SearchAction),
    /// It opened a page.
    OpenPage(OpenPageAction),
    /// It looked for a text within a page.
    FindInPage(FindInPageAction),
    /// Something else, or not known yet.
    Other(OtherAction),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SearchAction {
    /// The query.
    #[wire(optional)]
    pub query: Maybe<String>,
    /// The queries, where there were several.
    ///
    /// Since 0.93.0.
    #[wire(since = "0.93.0", optional)]
    pub queries: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A visit to a page.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OpenPageAction {
    /// The page.
    #[wire(optional)]
    pub url: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A search within a page.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FindInPageAction {
    /// The page.
    #[wire(optional)]
    pub url: Maybe<String>,
    /// The text.
    #[wire(optional)]
    pub pattern: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something else, or not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OtherAction {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
