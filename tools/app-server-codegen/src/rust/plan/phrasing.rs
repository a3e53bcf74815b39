//! Phrases the documentation of types.

use super::builder::Builder;
use crate::Kind;
use crate::availability::Availability;
use crate::model::{Form, FormBody};
use crate::names::pascal;
use crate::rust::items::Item;
use crate::rust::ranges::Spans;

impl<'a> Builder<'a> {
    pub(super) fn method_docs(
        &self,
        kind: Kind,
        method: &str,
        availability: &Availability,
    ) -> String {
        let docs = self.sources.docs.method(kind, method).unwrap_or_default();
        let ranges = Spans::within(availability, &self.whole, self.release_list());
        let last = format!("`{method}`. {}", sentence(&ranges));
        paragraphs(docs, last.trim_end())
    }

    /// "Since 0.113.0." and the like; nothing for what every release has.
    pub(super) fn availability_sentence(&self, availability: &Availability) -> String {
        let release_list = self.release_list();
        let (Some((first, last)), Some(begin), Some(end)) = (
            availability.hull(),
            release_list.first(),
            release_list.last(),
        ) else {
            return String::new();
        };
        let mut out = match (first > *begin, last < *end) {
            (false, false) => String::new(),
            (true, false) => format!("Since {first}."),
            (false, true) => format!("Until {last}."),
            (true, true) if first == last => format!("In {first} only."),
            (true, true) => format!("From {first} to {last}."),
        };
        let now = if last < *end { last } else { *end };
        if !availability.holds(now, false) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str("Experimental.");
        }
        out
    }

    pub(super) fn definition_docs(&self, name: &str, availability: &Availability) -> String {
        let own = self.sources.docs.definition(name);
        let docs = match (own, self.uses.get(name)) {
            (Some(docs), _) => docs.to_owned(),
            (None, Some(uses)) => uses.first().cloned().unwrap_or_default(),
            (None, None) => match name.strip_prefix("Core") {
                Some(plain) if self.sources.docs.definition(plain).is_some() => {
                    let docs = self.sources.docs.definition(plain).unwrap_or_default();
                    format!("{docs} As the core wrote it.")
                }
                _ => self.placed_docs(name),
            },
        };
        paragraphs(&docs, &self.availability_sentence(availability))
    }

    /// The documentation of a type that is named after its place.
    pub(super) fn placed_docs(&self, name: &str) -> String {
        for (owner, forms) in &self.model.definitions {
            let Some(rest) = name.strip_prefix(owner.as_str()) else {
                continue;
            };
            for form in forms {
                if let FormBody::ExternallyTagged { branches, .. } = &form.body
                    && let Some(tag) = branches.keys().find(|tag| pascal(tag) == rest)
                {
                    return match self.sources.docs.variant(owner, tag) {
                        Some(docs) => docs.to_owned(),
                        None => format!("What `{tag}` of `{owner}` holds."),
                    };
                }
            }
        }
        String::new()
    }

    pub(super) fn form_docs(&self, form: &Form) -> String {
        let availability = self.availability_sentence(&form.availability);
        if availability.is_empty() {
            "In every release.".to_owned()
        } else {
            availability
        }
    }
}

/// When something is there, as far as its type does not say: "Since 0.115.0. Experimental." The derive
/// knows the sentence and keeps it out of schemas, which have annotations for it.
pub(super) fn sentence(ranges: &Spans) -> String {
    let mut parts = Vec::new();
    match ranges.ends {
        (None, None) => {}
        (Some(since), None) => parts.push(format!("Since {since}.")),
        (None, Some(until)) => parts.push(format!("Until {until}.")),
        (Some(since), Some(until)) if since == until => parts.push(format!("In {since} only.")),
        (Some(since), Some(until)) => parts.push(format!("From {since} to {until}.")),
    }
    for gap in &ranges.gaps {
        match *gap {
            (Some(since), Some(until)) if since != until => {
                parts.push(format!("Not from {since} to {until}."));
            }
            (since, until) => parts.extend(since.or(until).map(|at| format!("Not in {at}."))),
        }
    }
    for range in &ranges.experimental {
        parts.push(match *range {
            (None, None) => "Experimental.".to_owned(),
            (Some(since), None) => format!("Experimental since {since}."),
            (None, Some(until)) => format!("Experimental until {until}."),
            (Some(since), Some(until)) if since == until => format!("Experimental in {since}."),
            (Some(since), Some(until)) => format!("Experimental from {since} to {until}."),
        });
    }
    parts.join(" ")
}

pub(super) fn paragraphs(docs: &str, availability: &str) -> String {
    match (docs.is_empty(), availability.is_empty()) {
        (true, _) => availability.to_owned(),
        (false, true) => docs.to_owned(),
        (false, false) => format!("{docs}\n\n{availability}"),
    }
}

/// What an untagged union says of itself that is made for a place, until [`placed`] says what stands there.
pub(super) const SEVERAL: &str = "One of several types.";

/// Says of unions that were made for a place what stands there: `what` names the place, `about` is what is known of it.
pub(super) fn placed(made: &mut [Item], place: &str, what: &str, about: &str) {
    for item in made {
        let Some(ranges) = item.docs.strip_prefix(SEVERAL) else {
            continue;
        };
        let which = match item.name.strip_prefix(place) {
            Some("Item") => "An element of",
            Some("Value") => "A value in",
            _ => "The value of",
        };
        let about = format!("{which} {what}. {about}");
        item.docs = format!("{}{ranges}", about.trim_end());
    }
}
