//! What a walk along two documents keeps, and how it notes what it finds.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use super::fold::Union;
use super::graph::{Found, Graph, Owner, Step};
use super::{phrasing, same};
use crate::change::Change;
use crate::document::Document;
use crate::limits::{Budget, shown};
use crate::shapes::{Constraints, Object, Shapes, shapes};

/// What is known on the way.
pub(super) struct Walk<'d> {
    pub(super) before: &'d Document,
    pub(super) after: &'d Document,
    pub(super) names_matter: bool,
    pub(super) budget: Rc<Budget>,
    /// What nodes allow, by their addresses, on either side.
    pub(super) sorted: [HashMap<usize, Rc<Shapes<'d>>>; 2],
    pub(super) graph: Graph<'d>,
    /// Owners by the addresses of the two nodes.
    pub(super) known: HashMap<(usize, usize), usize>,
    pub(super) waiting: VecDeque<Waiting<'d>>,
    pub(super) unions: Vec<Union<'d>>,
    /// The nodes that are being compared.
    pub(super) within: HashSet<(usize, usize)>,
}

/// A pair that is compared later, in an owner of its own.
pub(super) struct Waiting<'d> {
    pub(super) owner: usize,
    pub(super) what: Pair<'d>,
}

/// What is compared.
pub(super) enum Pair<'d> {
    Nodes(&'d Value, &'d Value),
    Objects(Object<'d>, Object<'d>),
}

/// Two nodes that are compared next, and where they stand.
pub(super) struct Next<'d> {
    pub(super) at: PairContext<'d>,
    pub(super) before: &'d Value,
    pub(super) after: &'d Value,
}

/// Where the walk is.
#[derive(Clone)]
pub(super) struct PairContext<'d> {
    pub(super) owner: usize,
    pub(super) steps: Vec<Step<'d>>,
}

impl<'d> PairContext<'d> {
    pub(super) fn step(&self, step: Step<'d>) -> PairContext<'d> {
        let mut steps = self.steps.clone();
        steps.push(step);
        PairContext {
            owner: self.owner,
            steps,
        }
    }
}

pub(super) fn address(node: &Value) -> usize {
    std::ptr::from_ref(node) as usize
}

impl<'d> Walk<'d> {
    /// What a node of the older side allows.
    pub(super) fn before(&mut self, node: &'d Value) -> Rc<Shapes<'d>> {
        let sorted = self.sorted[0].entry(address(node));
        Rc::clone(sorted.or_insert_with(|| Rc::new(shapes(self.before, node))))
    }

    /// What a node of the newer side allows.
    pub(super) fn after(&mut self, node: &'d Value) -> Rc<Shapes<'d>> {
        let sorted = self.sorted[1].entry(address(node));
        Rc::clone(sorted.or_insert_with(|| Rc::new(shapes(self.after, node))))
    }

    pub(super) fn within(&self) -> same::Within<'_> {
        same::Within {
            before: self.before,
            after: self.after,
            budget: &self.budget,
        }
    }

    /// The pair of two definitions, which is walked once.
    pub(super) fn owner(
        &mut self,
        place: [String; 2],
        key: (usize, usize),
        what: Pair<'d>,
    ) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let owner = self.graph.owners.len();
        self.graph.owners.push(Owner {
            place,
            found: Vec::new(),
            edges: Vec::new(),
        });
        self.known.insert(key, owner);
        self.waiting.push_back(Waiting { owner, what });
        owner
    }

    pub(super) fn lead(&mut self, at: &PairContext<'d>, to: usize) {
        self.graph.owners[at.owner]
            .edges
            .push((at.steps.clone(), to));
    }

    /// The text of a place on both sides: the owner, then members.
    pub(super) fn place(&self, at: &PairContext<'d>) -> [String; 2] {
        let mut rest = String::new();
        for step in &at.steps {
            match step {
                Step::Member(name) => {
                    rest.push('.');
                    rest.push_str(&shown(name));
                }
                Step::Item => rest.push_str("[]"),
                Step::Key => rest.push_str(".*"),
                Step::Branch { label, .. } => {
                    rest.push('<');
                    rest.push_str(label);
                    rest.push('>');
                }
            }
        }
        let owner = &self.graph.owners[at.owner].place;
        owner.each_ref().map(|owner| format!("{owner}{rest}"))
    }

    pub(super) fn found(
        &mut self,
        at: &PairContext<'d>,
        change: Change,
        texts: [Option<String>; 2],
    ) -> &mut Found<'d> {
        let found = Found {
            change,
            steps: at.steps.clone(),
            place: self.place(at),
            texts,
            subject: [None, None],
            branches: [None, None],
            closed: [false, false],
        };
        if !self.budget.keeps() {
            // It is counted, and what is said of it goes nowhere.
            return self.graph.spare.insert(found);
        }
        let list = &mut self.graph.owners[at.owner].found;
        list.push(found);
        let last = list.len() - 1;
        &mut list[last]
    }

    /// Compares constraints: the format, and all others together.
    pub(super) fn constraints(
        &mut self,
        at: &PairContext<'d>,
        old: &Constraints<'d>,
        new: &Constraints<'d>,
    ) {
        let of = |list: &Constraints<'d>, format: bool| -> Vec<(&'d str, &'d Value)> {
            let is_format = |(key, _): &(&&'d str, &&'d Value)| (**key == "format") == format;
            list.iter()
                .filter(is_format)
                .map(|(key, value)| (*key, *value))
                .collect()
        };
        for (format, change) in [
            (true, Change::FormatChanged),
            (false, Change::ConstraintChanged),
        ] {
            let (old, new) = (of(old, format), of(new, format));
            if old != new {
                self.found(
                    at,
                    change,
                    [
                        Some(phrasing::constraints(&old)),
                        Some(phrasing::constraints(&new)),
                    ],
                );
            }
        }
    }
}

/// The last part of a name with folders.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
