//! Compares objects and unions of objects: variants by tag, members by name.

use std::collections::BTreeSet;

use super::fold::Union;
use super::graph::Step;
use super::phrasing;
use super::tags::{common_tags, label, tags};
use super::walk::{Next, Pair, PairContext, Walk, address, short};
use crate::change::Change;
use crate::shapes::Object;

impl<'d> Walk<'d> {
    /// Compares objects that stand in the same place. Returns their members that are compared next.
    pub(super) fn objects(
        &mut self,
        at: &PairContext<'d>,
        a: &[Object<'d>],
        b: &[Object<'d>],
    ) -> Vec<Next<'d>> {
        if let ([old], [new]) = (a, b) {
            if let tags @ [Some(old_tag), Some(new_tag)] = common_tags(a, b)
                && old_tag != new_tag
            {
                let found = self.found(
                    at,
                    Change::TagRenamed,
                    tags.map(|tag| tag.map(str::to_owned)),
                );
                found.subject = tags;
                found.branches = [Some(old.clone()), Some(new.clone())];
            }
            return self.members(at, old, new);
        }
        let matched = self.matched(a, b, "");
        if matched.both.is_empty() && matched.renamed.is_empty() {
            return self.unmatched(at, a, b);
        }
        self.tag_renamed(at, &matched);
        let mut branches = Vec::new();
        for (label, old, new) in &matched.both {
            let key = (address(old.node), address(new.node));
            let place = match (old.name, new.name) {
                (Some(old), Some(new)) => [old, new].map(|name| short(name).to_owned()),
                _ => self.place(at).map(|place| format!("{place}<{label}>")),
            };
            let what = Pair::Objects(old.clone(), new.clone());
            let owner = self.owner(place, key, what);
            let step = Step::branch(label, old, new);
            self.lead(&at.step(step.clone()), owner);
            branches.push((step, owner));
        }
        self.unions.push(Union {
            owner: Some(at.owner),
            steps: at.steps.clone(),
            place: self.place(at),
            branches,
        });
        for ([old_label, new_label], old, new) in &matched.renamed {
            let texts = [Some(old_label.clone()), Some(new_label.clone())];
            let found = self.found(at, Change::VariantRenamed, texts);
            found.branches = [Some(old.clone()), Some(new.clone())];
        }
        // Parts of a variant that is there on both sides constrain it.
        let known: BTreeSet<&str> = matched.both.iter().map(|both| both.0.as_str()).collect();
        let split = |(label, _): &(String, Object<'d>)| known.contains(label.as_str());
        if matched.removed.iter().chain(&matched.added).any(split) {
            self.found(at, Change::ConstraintChanged, phrasing::objects(a, b));
        }
        let whole = |list: &[(String, Object<'d>)]| -> Vec<(String, Object<'d>)> {
            list.iter()
                .filter(|branch| !split(branch))
                .cloned()
                .collect()
        };
        self.variants(at, Change::VariantRemoved, &whole(&matched.removed));
        self.variants(at, Change::VariantAdded, &whole(&matched.added));
        Vec::new()
    }

    /// Objects of which none is another: one that came to have variants, or another type.
    fn unmatched(
        &mut self,
        at: &PairContext<'d>,
        a: &[Object<'d>],
        b: &[Object<'d>],
    ) -> Vec<Next<'d>> {
        let (([lone], several) | (several, [lone])) = (a, b) else {
            self.found(at, Change::TypeChanged, phrasing::objects(a, b));
            return Vec::new();
        };
        let tag = tags(several).first().copied();
        let required: Vec<&str> = lone.required().filter(|name| Some(*name) != tag).collect();
        let shared = |branch: &Object<'d>| {
            let in_both = required.iter().filter(|name| branch.member(name).is_some());
            2 * in_both.count() >= required.len().max(1)
        };
        if !several.iter().all(shared) {
            self.found(at, Change::TypeChanged, phrasing::objects(a, b));
            return Vec::new();
        }
        let mut next = Vec::new();
        for branch in several {
            let (old, new) = if a.len() == 1 {
                (lone, branch)
            } else {
                (branch, lone)
            };
            let at = at.step(Step::branch(&label(branch, tag, ""), old, new));
            next.extend(self.members_but(&at, old, new, tag));
        }
        next
    }

    fn variants(&mut self, at: &PairContext<'d>, change: Change, list: &[(String, Object<'d>)]) {
        let which = usize::from(change == Change::VariantAdded);
        for (label, branch) in list {
            let found = self.found(at, change, [None, None]);
            found.texts[which] = Some(label.clone());
            found.branches[which] = Some(branch.clone());
        }
    }

    /// Objects that came to or went from a union that had only words on the other side.
    pub(super) fn variants_beside_words(
        &mut self,
        at: &PairContext<'d>,
        a: &[Object<'d>],
        b: &[Object<'d>],
    ) {
        for (change, list) in [(Change::VariantRemoved, a), (Change::VariantAdded, b)] {
            let keyed: Vec<_> = list
                .iter()
                .map(|branch| (label(branch, None, ""), branch.clone()))
                .collect();
            self.variants(at, change, &keyed);
        }
    }
}
