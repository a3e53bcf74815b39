//! Compares objects and unions of objects: variants by tag, members by name.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::fold::Union;
use super::{Entry, Found, Owner, Pair, PairContext, Step, Walk, address, phrasing, same, short};
use crate::change::Change;
use crate::limits::shown;
use crate::shapes::Object;

/// The members of an envelope that hold what the message is.
pub(super) fn members_of_envelopes() -> &'static [&'static str] {
    &["msg", "op"]
}

/// Tags by these names are preferred to other constant members.
const TAGS: &[&str] = &["type", "method", "kind"];

/// The variants of two unions, matched.
struct Matched<'d> {
    /// The members that tell the variants apart.
    tags: [Option<&'d str>; 2],
    both: Vec<(String, Object<'d>, Object<'d>)>,
    renamed: Vec<([String; 2], Object<'d>, Object<'d>)>,
    removed: Vec<(String, Object<'d>)>,
    added: Vec<(String, Object<'d>)>,
}

impl<'d> Walk<'d> {
    /// Compares what the documents begin with.
    pub(super) fn root(&mut self, unions: bool, name: &str) {
        let (before, after) = (self.before, self.after);
        let (a, b) = (before.resolve(before.start()), after.resolve(after.start()));
        let (sorted_a, sorted_b) = (self.before(a.node), self.after(b.node));
        let (list_a, list_b) = (sorted_a.objects.clone(), sorted_b.objects.clone());
        let kinds = sorted_a.kinds().len().max(sorted_b.kinds().len());
        let plain = kinds > usize::from(!list_a.is_empty() || !list_b.is_empty());
        let several = list_a.len() != 1 || list_b.len() != 1;
        let tagged = |list: &[Object<'d>]| list.iter().any(|object| object.tags().next().is_some());
        if unions && !plain && (several || tagged(&list_a) || tagged(&list_b)) {
            // Nothing is found at the root itself, but its place is needed.
            let at = self.root_owner([String::new(), String::new()]);
            self.messages(&at, &list_a, &list_b, name);
            return;
        }
        if let ([a], [b]) = (&list_a[..], &list_b[..])
            && !plain
            && envelope(a).is_some()
            && envelope(a) == envelope(b)
        {
            let place = [a, b].map(|side| side.name.or(title(side)).unwrap_or(name).to_owned());
            let at = self.root_owner(place);
            self.graph.common.push(at.owner);
            self.members(&at, a, b);
            return;
        }
        let place = title_of(after.start()).unwrap_or(name).to_owned();
        let at = self.root_owner([place.clone(), place.clone()]);
        self.graph.entries.push(Entry {
            name: place,
            steps: Vec::new(),
            owner: at.owner,
        });
        self.node(&at, before.start(), after.start());
    }

    fn root_owner(&mut self, place: [String; 2]) -> PairContext<'d> {
        let owner = self.graph.owners.len();
        self.graph.owners.push(Owner {
            place,
            found: Vec::new(),
            edges: Vec::new(),
        });
        PairContext {
            owner,
            steps: Vec::new(),
        }
    }

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
            let step = Step::Branch {
                label: label.to_owned(),
                before: old.clone(),
                after: new.clone(),
            };
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
        let step = Step::Branch {
            label: label.to_owned(),
            before: old.clone(),
            after: new.clone(),
        };
        self.graph.entries.push(Entry {
            name: label.to_owned(),
            steps: at.step(step.clone()).steps,
            owner,
        });
        Some((step, owner))
    }

    /// Compares objects that stand in the same place.
    pub(super) fn objects(&mut self, at: &PairContext<'d>, a: &[Object<'d>], b: &[Object<'d>]) {
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
            self.members(at, old, new);
            return;
        }
        let matched = self.matched(a, b, "");
        if matched.both.is_empty() && matched.renamed.is_empty() {
            self.unmatched(at, a, b);
            return;
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
            let step = Step::Branch {
                label: label.clone(),
                before: old.clone(),
                after: new.clone(),
            };
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
    }

    /// Objects of which none is another: one that came to have variants, or another type.
    fn unmatched(&mut self, at: &PairContext<'d>, a: &[Object<'d>], b: &[Object<'d>]) {
        let (([lone], several) | (several, [lone])) = (a, b) else {
            self.found(at, Change::TypeChanged, phrasing::objects(a, b));
            return;
        };
        let tag = tags(several).first().copied();
        let required: Vec<&str> = lone.required().filter(|name| Some(*name) != tag).collect();
        let shared = |branch: &Object<'d>| {
            let in_both = required.iter().filter(|name| branch.member(name).is_some());
            2 * in_both.count() >= required.len().max(1)
        };
        if !several.iter().all(shared) {
            self.found(at, Change::TypeChanged, phrasing::objects(a, b));
            return;
        }
        for branch in several {
            let (old, new) = if a.len() == 1 {
                (lone, branch)
            } else {
                (branch, lone)
            };
            let step = Step::Branch {
                label: label(branch, tag, ""),
                before: old.clone(),
                after: new.clone(),
            };
            let mut at = at.clone();
            at.steps.push(step);
            self.members_but(&at, old, new, tag);
        }
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

    fn tag_renamed(&mut self, at: &PairContext<'d>, matched: &Matched<'d>) {
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

    fn matched(&self, a: &[Object<'d>], b: &[Object<'d>], name: &str) -> Matched<'d> {
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
}

/// The member of an envelope that holds the message.
fn envelope(object: &Object<'_>) -> Option<&'static str> {
    members_of_envelopes()
        .iter()
        .copied()
        .find(|name| object.member(name).is_some() && object.requires(name))
}

/// The members by which the variants of two unions are told apart: the same where there is one.
pub(super) fn common_tags<'d>(a: &[Object<'d>], b: &[Object<'d>]) -> [Option<&'d str>; 2] {
    let (a, b) = (tags(a), tags(b));
    if let Some(common) = a.iter().find(|tag| b.contains(tag)) {
        return [Some(common), Some(common)];
    }
    [a.first().copied(), b.first().copied()]
}

/// The constant members all variants have, of more than one value, preferred first.
fn tags<'d>(list: &[Object<'d>]) -> Vec<&'d str> {
    let Some(first) = list.first() else {
        return Vec::new();
    };
    let value = |object: &Object<'d>, tag: &str| {
        let text = object.member(tag)?.get("const")?.as_str()?;
        object.requires(tag).then_some(text)
    };
    let mut out: Vec<&'d str> = first.tags().map(|(tag, _)| tag).collect();
    out.sort_by_key(|tag| {
        TAGS.iter()
            .position(|known| known == tag)
            .unwrap_or(TAGS.len())
    });
    out.truncate(CANDIDATES);
    out.retain(|tag| {
        let values: Option<BTreeSet<&str>> = list.iter().map(|branch| value(branch, tag)).collect();
        // A variant may be split in two that share their tag.
        values.is_some_and(|values| values.len() > 1 || list.len() == 1)
    });
    out
}

/// How many constant members of a variant may be its tag.
const CANDIDATES: usize = 16;

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

/// What a variant is called: by its tag, its only member, its definition, or its members.
fn label(branch: &Object<'_>, tag: Option<&str>, name: &str) -> String {
    let tagged = tag.and_then(|tag| branch.member(tag)?.get("const")?.as_str());
    if let Some(tagged) = tagged {
        return shown(tagged).into_owned();
    }
    let mut required: Vec<&str> = branch.required().collect();
    // `{"kind": …}`: the only member says what it is.
    if let ([only], 1) = (&required[..], branch.members().count()) {
        return shown(only).into_owned();
    }
    if let Some(name) = branch.name.or(title(branch)) {
        return shown(short(name)).into_owned();
    }
    if required.is_empty() && !name.is_empty() {
        return shown(name).into_owned();
    }
    if required.is_empty() {
        required.extend(branch.members().map(|(name, _)| name));
    }
    if required.is_empty() {
        return "any object".to_owned();
    }
    required.sort_unstable();
    shown(&required.join("+")).into_owned()
}

fn title<'d>(object: &Object<'d>) -> Option<&'d str> {
    title_of(object.node)
}

fn title_of(node: &Value) -> Option<&str> {
    node.get("title")?.as_str()
}
