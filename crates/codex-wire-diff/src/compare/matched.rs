//! Matches the variants of two unions.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::tags::{common_tags, label};
use super::walk::{PairContext, Walk};
use super::{phrasing, same};
use crate::change::Change;
use crate::shapes::Object;

/// The variants of two unions, matched.
pub(super) struct Matched<'d> {
    /// The members that tell the variants apart.
    pub(super) tags: [Option<&'d str>; 2],
    pub(super) both: Vec<(String, Object<'d>, Object<'d>)>,
    pub(super) renamed: Vec<([String; 2], Object<'d>, Object<'d>)>,
    pub(super) removed: Vec<(String, Object<'d>)>,
    pub(super) added: Vec<(String, Object<'d>)>,
}

impl<'d> Walk<'d> {
    /// Matches the variants of two unions; `name` is that of a variant without any.
    pub(super) fn matched(&self, a: &[Object<'d>], b: &[Object<'d>], name: &str) -> Matched<'d> {
        let tags = common_tags(a, b);
        let keyed = |list: &[Object<'d>], tag: Option<&str>| -> Vec<(String, Object<'d>)> {
            list.iter()
                .map(|branch| (label(branch, tag, name), branch.clone()))
                .collect()
        };
        self.budget.step(a.len() + b.len());
        let (mut removed, mut left) = (keyed(a, tags[0]), keyed(b, tags[1]));
        let mut both = Vec::new();
        // A tag in a member and a tag as the member are different forms, whatever they say.
        let same_form = tags[0].is_some() == tags[1].is_some();
        let mut twins: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, (key, _)) in left.iter().enumerate().filter(|_| same_form) {
            twins.entry(key.clone()).or_default().push_back(at);
        }
        let mut taken = vec![false; left.len()];
        removed.retain(|(key, old)| {
            let Some(at) = twins.get_mut(key).and_then(VecDeque::pop_front) else {
                return true;
            };
            taken[at] = true;
            both.push((key.clone(), old.clone(), left[at].1.clone()));
            false
        });
        let mut taken = taken.into_iter();
        left.retain(|_| taken.next() == Some(false));
        let mut added = left;
        // Of variants without a tag one side may name those the other describes in place.
        if both.is_empty() && tags == [None, None] {
            both = by_members(&mut removed, &mut added);
        }
        let renamed = phrasing::pairs(
            &mut removed,
            &mut added,
            |(old_key, old), (new_key, new)| {
                phrasing::similar(old_key, new_key) && same::objects(self.within(), old, new, tags)
            },
        );
        let renamed = renamed
            .into_iter()
            .map(|((old_key, old), (new_key, new))| ([old_key, new_key], old, new))
            .collect();
        Matched {
            tags,
            both,
            renamed,
            removed,
            added,
        }
    }

    /// Notes that another member tells the variants apart.
    pub(super) fn tag_renamed(&mut self, at: &PairContext<'d>, matched: &Matched<'d>) {
        if let [Some(old), Some(new)] = matched.tags
            && old != new
        {
            let texts = [Some(old.to_owned()), Some(new.to_owned())];
            let (_, before, after) = match matched.both.first() {
                Some(both) => both.clone(),
                None => return,
            };
            let found = self.found(at, Change::TagRenamed, texts);
            found.subject = [Some(old), Some(new)];
            found.branches = [Some(before), Some(after)];
        }
    }
}

/// A variant by its name on the one side and its members on the other.
type Twins<'d> = Vec<(String, Object<'d>, Object<'d>)>;

/// Pairs variants that require the same members, where no other of their side does.
fn by_members<'d>(
    removed: &mut Vec<(String, Object<'d>)>,
    added: &mut Vec<(String, Object<'d>)>,
) -> Twins<'d> {
    let required = |branch: &Object<'d>| branch.required().collect::<BTreeSet<&'d str>>();
    let alone = |list: &[(String, Object<'d>)]| {
        let mut out: HashMap<BTreeSet<&'d str>, Vec<usize>> = HashMap::new();
        for (at, (_, branch)) in list.iter().enumerate() {
            out.entry(required(branch)).or_default().push(at);
        }
        out
    };
    let (old, new) = (alone(removed), alone(added));
    let mut both = Vec::new();
    let mut gone = [BTreeSet::new(), BTreeSet::new()];
    for (members, at) in &old {
        if let ([a], Some([b])) = (&at[..], new.get(members).map(Vec::as_slice)) {
            let ((old_label, before), (new_label, after)) = (&removed[*a], &added[*b]);
            // A name says more than a list of members, whichever side has it.
            let is_list = |label: &String| (label.contains('+'), label.clone());
            let label = if is_list(new_label) < is_list(old_label) {
                new_label
            } else {
                old_label
            };
            both.push((label.clone(), before.clone(), after.clone()));
            gone[0].insert(*a);
            gone[1].insert(*b);
        }
    }
    for (list, gone) in [removed, added].into_iter().zip(gone) {
        let mut at = 0..;
        list.retain(|_| at.next().is_some_and(|at| !gone.contains(&at)));
    }
    both.sort_by(|a, b| a.0.cmp(&b.0));
    both
}
