//! Renders comparisons: JSON for machines, Markdown for pages, sentences for both.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod pages;

use crate::change::{Change, Verdict};
use crate::comparison::Comparison;
use crate::difference::{Difference, Judgement};
use crate::evidence::Evidence;

impl Difference {
    /// The change in a few words, to be printed after the place.
    pub fn sentence(&self) -> String {
        let name = |name: &Option<String>| format!("`{}`", name.as_deref().unwrap_or_default());
        let (old, new) = (name(&self.before), name(&self.after));
        let types = match (&self.before, &self.after) {
            (Some(old), Some(new)) if old != new => format!(": {old} → {new}"),
            _ => String::new(),
        };
        match self.change {
            Change::MessageAdded => "message added".to_owned(),
            Change::MessageRemoved => "message removed".to_owned(),
            Change::MessageRenamed => format!("message renamed from {old}, the same otherwise"),
            Change::DialectEnded => "no longer spoken".to_owned(),
            Change::DialectBegan => "spoken".to_owned(),
            Change::BecameExperimental => "now only for clients that opted in".to_owned(),
            Change::BecameStable => "now for every client".to_owned(),
            Change::OptionalMemberAdded => "optional member added".to_owned(),
            Change::RequiredMemberAdded => "required member added".to_owned(),
            Change::OptionalMemberRemoved => "optional member removed".to_owned(),
            Change::RequiredMemberRemoved => "required member removed".to_owned(),
            Change::OptionalMemberRenamed | Change::RequiredMemberRenamed => {
                format!("member renamed: {old} → {new}")
            }
            Change::BecameOptional => "became optional".to_owned(),
            Change::BecameRequired => "became required".to_owned(),
            Change::NullAdded => format!("may be `null`{types}"),
            Change::NullRemoved => format!("is no longer `null`{types}"),
            Change::TypeWidened => format!("type widened{types}"),
            Change::TypeNarrowed => format!("type narrowed{types}"),
            Change::TypeChanged => format!("type changed{types}"),
            Change::ValueAdded => format!("value {new} added"),
            Change::ValueRemoved => format!("value {old} removed"),
            Change::ValueRenamed => format!("value renamed: {old} → {new}"),
            Change::EnumOpened => format!("any text is allowed{types}"),
            Change::EnumClosed => format!("only certain texts are allowed{types}"),
            Change::VariantAdded => format!("variant {new} added"),
            Change::VariantRemoved => format!("variant {old} removed"),
            Change::VariantRenamed => format!("variant renamed: {old} → {new}"),
            Change::TagRenamed => format!("tag renamed: {old} → {new}"),
            Change::ObjectOpened => "allows undeclared members".to_owned(),
            Change::ObjectClosed => "no longer allows undeclared members".to_owned(),
            Change::BoundsWidened => format!("bounds widened{types}"),
            Change::BoundsNarrowed => format!("bounds narrowed{types}"),
            Change::ConstraintChanged => format!("constraint changed{types}"),
            Change::FormatChanged => format!("format changed{types}"),
            Change::DefinitionRenamed => format!("definition renamed: {old} → {new}"),
        }
    }

    /// The messages concerned, in a few words: one of them, and how many others.
    pub fn reach(&self) -> String {
        let Some(first) = self.path.first() else {
            return match self.messages.len() {
                0 => "the whole stream".to_owned(),
                count => format!("all {count} messages"),
            };
        };
        match self.messages.len() {
            0 | 1 => format!("`{first}`"),
            2 => format!("`{first}` and 1 more message"),
            many => format!("`{first}` and {} more messages", many - 1),
        }
    }

    /// The judgements with the difference's own verdict.
    pub fn worst(&self) -> impl Iterator<Item = &Judgement> {
        let verdict = self.verdict();
        let of = move |judgement: &&Judgement| judgement.verdict == verdict;
        self.judgements.iter().filter(of)
    }

    /// A message that shows the worst verdict: the one that a release was sent, if one was.
    pub fn example(&self) -> Option<String> {
        let probed = self
            .worst()
            .find_map(|judgement| match &judgement.evidence {
                Some(Evidence::Probed(probed)) => Some(probed.sent.to_owned()),
                _ => None,
            });
        probed.or_else(|| {
            let example = self
                .worst()
                .find_map(|judgement| judgement.counterexample.as_ref())?;
            Some(example.value.to_string())
        })
    }

    /// The best evidence of the worst verdict, if it has any.
    pub fn evidence(&self) -> Option<&Evidence> {
        let all = self.worst();
        all.filter_map(|judgement| judgement.evidence.as_ref())
            .min_by_key(|evidence| evidence.kind())
    }

    /// Whether the place says the same as the message.
    pub(crate) fn is_about_a_message(&self) -> bool {
        self.path.len() == 1 && self.path[0] == self.place
    }
}

impl Comparison {
    /// The number of differences by verdict, in words: `3 breaking, 1 maybe`.
    pub fn counts(&self) -> String {
        if self.differences.is_empty() && self.hidden.differences() > 0 {
            return "no such difference".to_owned();
        }
        counts(&self.differences)
    }
}

/// A number of differences by verdict, in words: `3 breaking, 1 maybe`.
pub fn counts(differences: &[Difference]) -> String {
    let mut out = Vec::new();
    for verdict in Verdict::ALL {
        let of = |difference: &&Difference| difference.verdict() == verdict;
        let count = differences.iter().filter(of).count();
        if count > 0 {
            out.push(format!("{count} {verdict}"));
        }
    }
    if out.is_empty() {
        return "no difference".to_owned();
    }
    out.join(", ")
}
