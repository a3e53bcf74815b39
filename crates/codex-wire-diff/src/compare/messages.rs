//! Compares unions of messages.

use super::fold::Union;
use super::graph::{Entry, Found, Step};
use super::phrasing;
use super::tags::envelope;
use super::walk::{Pair, PairContext, Walk, address};
use crate::change::Change;
use crate::shapes::Object;

impl<'d> Walk<'d> {
    /// Compares a union of messages.
    pub(super) fn messages(
        &mut self,
        at: &PairContext<'d>,
        a: &[Object<'d>],
        b: &[Object<'d>],
        name: &str,
    ) {
        let matched = self.matched(a, b, name);
        let nothing_left = matched.both.is_empty() && matched.renamed.is_empty();
        if nothing_left && !a.is_empty() && !b.is_empty() {
            // Another stream altogether.
            let (old, new) = (self.before.title(name), self.after.title(name));
            let found = self.found(at, Change::TypeChanged, phrasing::objects(a, b));
            found.place = [old, new];
            self.graph.common.push(at.owner);
        }
        self.tag_renamed(at, &matched);
        let mut branches = Vec::new();
        for (label, old, new) in &matched.both {
            branches.extend(self.message(at, label, old, new));
        }
        self.unions.push(Union {
            owner: None,
            steps: at.steps.clone(),
            place: [self.before.title(name), self.after.title(name)],
            branches,
        });
        for ([old_label, new_label], old, new) in &matched.renamed {
            let mut found = self.lone(at, Change::MessageRenamed, [Some(old), Some(new)]);
            found.texts = [Some(old_label.clone()), Some(new_label.clone())];
            found.place = [old_label.clone(), new_label.clone()];
            self.graph.messages.push((new_label.clone(), found));
        }
        let gone = matched
            .removed
            .iter()
            .map(|(label, branch)| (label, Change::MessageRemoved, [Some(branch), None]));
        let new = matched
            .added
            .iter()
            .map(|(label, branch)| (label, Change::MessageAdded, [None, Some(branch)]));
        for (label, change, branches) in gone.chain(new) {
            if !self.budget.keeps() {
                continue;
            }
            let mut found = self.lone(at, change, branches);
            found.texts = branches.map(|branch| branch.map(|_| label.clone()));
            found.place = [label.clone(), label.clone()];
            self.graph.messages.push((label.clone(), found));
        }
    }

    /// A message both sides have.
    fn message(
        &mut self,
        at: &PairContext<'d>,
        label: &str,
        old: &Object<'d>,
        new: &Object<'d>,
    ) -> Option<(Step<'d>, usize)> {
        if let (Some(inner), true) = (envelope(old), envelope(old) == envelope(new)) {
            // One of several envelopes: what is in it is the message.
            let step = Step::branch(label, old, new);
            if let (Some(a), Some(b)) = (old.member(inner), new.member(inner)) {
                let (a, b) = (self.before(a), self.after(b));
                let at = at.step(step).step(Step::Member(inner));
                self.messages(&at, &a.objects, &b.objects, label);
                return None;
            }
        }
        let key = (address(old.node), address(new.node));
        let what = Pair::Objects(old.clone(), new.clone());
        let owner = self.owner([label.to_owned(), label.to_owned()], key, what);
        let step = Step::branch(label, old, new);
        self.graph.entries.push(Entry {
            name: label.to_owned(),
            steps: at.step(step.clone()).steps,
            owner,
        });
        Some((step, owner))
    }

    fn lone(
        &self,
        at: &PairContext<'d>,
        change: Change,
        branches: [Option<&Object<'d>>; 2],
    ) -> Found<'d> {
        Found {
            change,
            steps: at.steps.clone(),
            place: [String::new(), String::new()],
            texts: [None, None],
            subject: [None, None],
            branches: branches.map(Option::<&Object<'d>>::cloned),
            closed: [false, false],
        }
    }
}
