//! Walks two documents side by side, definition by definition.
//!
//! A difference belongs to a pair of definitions, its *owner*, and is found once, however many
//! messages lead there. The steps from pair to pair form a graph; [`crate::reach`] later looks up
//! the messages in it.
//!
//! A renamed member or variant is one difference. Its verdict is that of a removal and an addition,
//! because for the reader it is both. A pair counts as renamed if everything but the name is alike.

mod fold;
mod graph;
mod matched;
mod members;
mod messages;
mod objects;
mod phrasing;
mod same;
mod tags;
mod walk;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use crate::change::Change;
use crate::document::Document;
use crate::limits::{Budget, shown};
use crate::ranges::Ranges;
use crate::shapes::{Kind, Object, Shapes, peel};
pub(crate) use graph::{Entry, Found, Graph, Owner, Step};
use tags::{envelope, title, title_of};
use walk::{Next, Pair, PairContext, Walk, address, short};

/// Compares the descriptions that begin at the starts of two documents. `unions` says whether a
/// union at the start is one of messages; `name` is what a description of one message is called.
pub(crate) fn compare<'d>(
    before: &'d Document,
    after: &'d Document,
    unions: bool,
    name: &str,
    names_matter: bool,
    budget: &Rc<Budget>,
) -> Graph<'d> {
    let mut walk = Walk {
        before,
        after,
        names_matter,
        budget: Rc::clone(budget),
        sorted: [HashMap::new(), HashMap::new()],
        graph: Graph::default(),
        known: HashMap::new(),
        waiting: VecDeque::new(),
        unions: Vec::new(),
        within: HashSet::new(),
    };
    walk.root(unions, name);
    while let Some(next) = walk.waiting.pop_front() {
        if budget.is_spent() {
            break;
        }
        let at = PairContext {
            owner: next.owner,
            steps: Vec::new(),
        };
        match next.what {
            Pair::Nodes(a, b) => walk.shapes(&at, a, b),
            Pair::Objects(a, b) => {
                let next = walk.members(&at, &a, &b);
                walk.nodes(next);
            }
        }
    }
    fold::fold(&mut walk.graph, walk.unions);
    walk.graph
}

impl<'d> Walk<'d> {
    /// Compares what the documents begin with.
    fn root(&mut self, unions: bool, name: &str) {
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
            let next = self.members(&at, a, b);
            return self.nodes(next);
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

    /// Compares nodes one after the other.
    fn nodes(&mut self, all: Vec<Next<'d>>) {
        for next in all {
            self.node(&next.at, next.before, next.after);
        }
    }

    /// Compares two nodes, as members, items or values have them.
    fn node(&mut self, at: &PairContext<'d>, a: &'d Value, b: &'d Value) {
        if !self.budget.step(1) {
            return;
        }
        let ((null_a, a), (null_b, b)) = (peel(a), peel(b));
        let (found_a, found_b) = (self.before.resolve(a), self.after.resolve(b));
        // A reference is what it leads to, however many there are.
        let (sorted_a, sorted_b) = (self.before(found_a.node), self.after(found_b.node));
        // A definition may allow it by itself.
        let null_a = null_a || sorted_a.null || sorted_a.any;
        let null_b = null_b || sorted_b.null || sorted_b.any;
        let texts = || {
            [
                Some(phrasing::named(&sorted_a, null_a, found_a.name)),
                Some(phrasing::named(&sorted_b, null_b, found_b.name)),
            ]
        };
        // For any value, the type is enough.
        if null_a != null_b && !sorted_a.any && !sorted_b.any {
            let change = if null_b {
                Change::NullAdded
            } else {
                Change::NullRemoved
            };
            self.found(at, change, texts());
        }
        // A member without a value that came to hold one, or the other way round.
        if sorted_a.is_bare() != sorted_b.is_bare() {
            self.found(at, retyped(sorted_a.is_bare()), texts());
            return;
        }
        if let (Some(name_a), Some(name_b)) = (found_a.name, found_b.name) {
            if self.names_matter && name_a != name_b {
                let texts = [name_a, name_b].map(|name| Some(shown(name).into_owned()));
                self.found(at, Change::DefinitionRenamed, texts);
            }
            let key = (address(found_a.node), address(found_b.node));
            let place = [name_a, name_b].map(|name| shown(short(name)).into_owned());
            let owner = self.owner(place, key, Pair::Nodes(found_a.node, found_b.node));
            self.lead(at, owner);
        } else {
            self.shapes(at, found_a.node, found_b.node);
        }
    }

    /// Compares what two nodes allow.
    fn shapes(&mut self, at: &PairContext<'d>, a: &'d Value, b: &'d Value) {
        // A definition can lead back to itself without a step to another one.
        let key = (address(a), address(b));
        if self.within.insert(key) {
            self.shapes_once(at, a, b);
            self.within.remove(&key);
        }
    }

    fn shapes_once(&mut self, at: &PairContext<'d>, node_a: &'d Value, node_b: &'d Value) {
        let (a, b) = (self.before(node_a), self.after(node_b));
        if a.any && b.any {
            return;
        }
        if a.any != b.any {
            self.found(at, retyped(b.any), phrasing::pair(&a, &b));
            return;
        }
        let known = self.graph.owners[at.owner].found.len();
        self.kinds(at, &a, &b);
        self.values(at, &a, &b);
        for (old, new) in [(&a.integer, &b.integer), (&a.number, &b.number)] {
            if !old.is_empty() && !new.is_empty() {
                self.bounds(at, old, new);
            }
        }
        if let (Some(old), Some(new)) = (&a.text, &b.text) {
            self.constraints(at, old, new);
        }
        // The types say that a number need not be whole, but not that it may be too small.
        let no_others = a.number.is_empty() && b.integer.is_empty();
        if no_others && !b.number.is_empty() && !b.number.cover(&a.integer) {
            self.found(at, Change::BoundsNarrowed, ends(&a.integer, &b.number));
        }
        let no_others = a.integer.is_empty() && b.number.is_empty();
        if no_others && !a.number.is_empty() && !a.number.cover(&b.integer) {
            self.found(at, Change::BoundsWidened, ends(&a.number, &b.integer));
        }
        let differ = a.constraints != b.constraints
            || a.has_other_values(&b)
            || b.has_other_values(&a)
            || a.arrays.len() != b.arrays.len();
        // Of what only one side has, the types differ.
        let of_numbers = a.numbers != b.numbers && !a.numbers.is_empty() && !b.numbers.is_empty();
        let of_lists =
            a.arrays.len() != b.arrays.len() && !a.arrays.is_empty() && !b.arrays.is_empty();
        let is_told = self.graph.owners[at.owner].found.len() > known;
        if differ && !is_told || of_numbers || of_lists {
            self.found(at, Change::ConstraintChanged, [None, None]);
        }
        for (old, new) in a.arrays.iter().zip(&b.arrays) {
            self.constraints(at, &old.constraints, &new.constraints);
            let at = at.step(Step::Item);
            match (old.items, new.items) {
                (Some(old), Some(new)) => self.node(&at, old, new),
                (None, None) => {}
                (old, _) => {
                    self.found(&at, retyped(old.is_some()), [None, None]);
                }
            }
        }
        if !a.objects.is_empty() && !b.objects.is_empty() {
            let next = self.objects(at, &a.objects, &b.objects);
            self.nodes(next);
        }
        if !same::all(self.within(), &a.opaque, &b.opaque) || a.constants != b.constants {
            self.found(at, Change::ConstraintChanged, [None, None]);
        }
    }

    /// Compares the JSON types.
    fn kinds(&mut self, at: &PairContext<'d>, a: &Shapes<'d>, b: &Shapes<'d>) {
        let (mut old, mut new) = (a.kinds(), b.kinds());
        // Whether `null` is allowed is told apart from the types.
        if old.iter().chain(&new).all(|kind| *kind == Kind::Null) {
            return;
        }
        // Whole numbers are numbers.
        if old.contains(&Kind::Integer)
            && new.contains(&Kind::Number)
            && !new.contains(&Kind::Integer)
            || new.contains(&Kind::Integer)
                && old.contains(&Kind::Number)
                && !old.contains(&Kind::Integer)
        {
            let change = retyped(new.contains(&Kind::Number));
            self.found(at, change, phrasing::pair(a, b));
            for kinds in [&mut old, &mut new] {
                kinds.remove(&Kind::Integer);
                kinds.remove(&Kind::Number);
            }
            if old.is_empty() && new.is_empty() {
                return;
            }
        }
        // Variants without content are words, others objects: one union.
        let union = |one: &Shapes<'_>, other: &Shapes<'_>| {
            !one.values.is_empty()
                && !other.values.is_empty()
                && !other.objects.is_empty()
                && one.objects.is_empty()
        };
        if union(a, b) || union(b, a) {
            self.variants_beside_words(at, &a.objects, &b.objects);
            old.remove(&Kind::Object);
            new.remove(&Kind::Object);
        }
        let (lost, gained) = (old.difference(&new).count(), new.difference(&old).count());
        if lost == 0 && gained == 0 || !a.opaque.is_empty() || !b.opaque.is_empty() {
            return;
        }
        if old.intersection(&new).next().is_none() {
            self.found(at, Change::TypeChanged, phrasing::pair(a, b));
            return;
        }
        if gained > 0 {
            self.found(at, Change::TypeWidened, phrasing::pair(a, b));
        }
        if lost > 0 {
            self.found(at, Change::TypeNarrowed, phrasing::pair(a, b));
        }
    }

    /// Compares enumerations.
    fn values(&mut self, at: &PairContext<'d>, a: &Shapes<'d>, b: &Shapes<'d>) {
        match (&a.text, &b.text) {
            (None, Some(_)) if !a.values.is_empty() => {
                self.found(at, Change::EnumOpened, phrasing::pair(a, b));
                return;
            }
            (Some(_), None) if !b.values.is_empty() => {
                self.found(at, Change::EnumClosed, phrasing::pair(a, b));
                return;
            }
            (None, None) if !a.values.is_empty() && !b.values.is_empty() => {}
            _ => return,
        }
        self.budget.step(a.values.len() + b.values.len());
        let mut removed: Vec<&'d str> = a.values.difference(&b.values).copied().collect();
        let mut added: Vec<&'d str> = b.values.difference(&a.values).copied().collect();
        let said = |value: &str| Some(shown(value).into_owned());
        for (old, new) in phrasing::renamed(&mut removed, &mut added) {
            let said = [said(old), said(new)];
            self.found(at, Change::ValueRenamed, said).subject = [Some(old), Some(new)];
        }
        for value in removed {
            let found = self.found(at, Change::ValueRemoved, [said(value), None]);
            found.subject = [Some(value), None];
        }
        for value in added {
            let found = self.found(at, Change::ValueAdded, [None, said(value)]);
            found.subject = [None, Some(value)];
        }
    }

    fn bounds(&mut self, at: &PairContext<'d>, old: &Ranges, new: &Ranges) {
        if !old.cover(new) {
            self.found(at, Change::BoundsWidened, ends(old, new));
        }
        if !new.cover(old) {
            self.found(at, Change::BoundsNarrowed, ends(old, new));
        }
    }
}

/// The change of a type that takes more, or less.
fn retyped(takes_more: bool) -> Change {
    match takes_more {
        true => Change::TypeWidened,
        false => Change::TypeNarrowed,
    }
}

/// Two ranges as they are shown.
fn ends(old: &Ranges, new: &Ranges) -> [Option<String>; 2] {
    [Some(old.to_string()), Some(new.to_string())]
}
