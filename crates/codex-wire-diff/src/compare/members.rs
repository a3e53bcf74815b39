//! Compares the members of two objects by name, and the constraints beside them.

use super::graph::Step;
use super::tags::{common_tags, members_of_envelopes};
use super::walk::{Next, PairContext, Walk};
use super::{phrasing, same};
use crate::change::Change;
use crate::limits::shown;
use crate::shapes::{Object, Rest};

impl<'d> Walk<'d> {
    /// Compares two objects member by member. Returns the members of both that are compared next.
    pub(super) fn members(
        &mut self,
        at: &PairContext<'d>,
        a: &Object<'d>,
        b: &Object<'d>,
    ) -> Vec<Next<'d>> {
        self.members_but(at, a, b, None)
    }

    /// The same without a member whose values tell variants apart on one side.
    pub(super) fn members_but(
        &mut self,
        at: &PairContext<'d>,
        a: &Object<'d>,
        b: &Object<'d>,
        but: Option<&str>,
    ) -> Vec<Next<'d>> {
        let closed = [a.rest() == Rest::Closed, b.rest() == Rest::Closed];
        let tags = common_tags(std::slice::from_ref(a), std::slice::from_ref(b));
        let renamed_tag = match tags {
            [Some(old), Some(new)] if old != new => tags,
            _ => [None, None],
        };
        let mut next = Vec::new();
        let mut removed: Vec<&'d str> = Vec::new();
        for (name, old) in a.members() {
            if !self.budget.step(1) {
                return next;
            }
            let Some(new) = b.member(name) else {
                if Some(name) != renamed_tag[0] {
                    removed.push(name);
                }
                continue;
            };
            if Some(name) == but {
                continue;
            }
            let inside = at.step(Step::Member(name));
            if a.requires(name) != b.requires(name) {
                let change = if b.requires(name) {
                    Change::BecameRequired
                } else {
                    Change::BecameOptional
                };
                self.member(at, change, [Some(name), Some(name)], closed);
            }
            let is_root = self.graph.common.contains(&at.owner);
            if is_root && at.steps.is_empty() && members_of_envelopes().contains(&name) {
                let (a, b) = (self.before(old), self.after(new));
                self.messages(&inside, &a.objects, &b.objects, name);
            } else {
                next.push(Next {
                    at: inside,
                    before: old,
                    after: new,
                });
            }
        }
        let mut added: Vec<&'d str> = b
            .members()
            .map(|(name, _)| name)
            .filter(|name| a.member(name).is_none() && Some(*name) != renamed_tag[1])
            .collect();
        self.members_renamed(at, a, b, &mut removed, &mut added, closed);
        for name in removed {
            let change = if a.requires(name) {
                Change::RequiredMemberRemoved
            } else {
                Change::OptionalMemberRemoved
            };
            self.member(at, change, [Some(name), None], closed);
        }
        for name in added {
            let change = if b.requires(name) {
                Change::RequiredMemberAdded
            } else {
                Change::OptionalMemberAdded
            };
            self.member(at, change, [None, Some(name)], closed);
        }
        self.constraints(at, &a.constraints, &b.constraints);
        // A name that is required may be described nowhere.
        let undescribed = |object: &Object<'d>| -> Vec<&'d str> {
            let names = object.required();
            names
                .filter(|name| a.member(name).is_none() && b.member(name).is_none())
                .collect()
        };
        if undescribed(a) != undescribed(b) {
            self.found(at, Change::ConstraintChanged, [None, None]);
        }
        self.choices(at, a, b);
        next.extend(self.rest(at, a.rest(), b.rest()));
        next
    }

    /// Compares of which members at least one has to be there.
    fn choices(&mut self, at: &PairContext<'d>, a: &Object<'d>, b: &Object<'d>) {
        if a.choices() == b.choices() {
            return;
        }
        let sets = a.choices().iter().chain(b.choices());
        // A member that is required on one side and to be chosen on the other is reported already.
        let is_reported = sets.flatten().any(|name| {
            a.member(name).is_some()
                && b.member(name).is_some()
                && a.requires(name) != b.requires(name)
        });
        if !is_reported {
            let texts = [a, b].map(|side| Some(phrasing::choices(side.choices())));
            self.found(at, Change::ConstraintChanged, texts);
        }
    }

    fn members_renamed(
        &mut self,
        at: &PairContext<'d>,
        a: &Object<'d>,
        b: &Object<'d>,
        removed: &mut Vec<&'d str>,
        added: &mut Vec<&'d str>,
        closed: [bool; 2],
    ) {
        let within = self.within();
        let renamed = phrasing::pairs(removed, added, |old, new| {
            phrasing::similar(old, new)
                && a.requires(old) == b.requires(new)
                && match (a.member(old), b.member(new)) {
                    (Some(a), Some(b)) => same::nodes(within, a, b),
                    _ => false,
                }
        });
        for (old, new) in renamed {
            let change = if b.requires(new) {
                Change::RequiredMemberRenamed
            } else {
                Change::OptionalMemberRenamed
            };
            self.member(at, change, [Some(old), Some(new)], closed);
        }
    }

    fn member(
        &mut self,
        at: &PairContext<'d>,
        change: Change,
        subject: [Option<&'d str>; 2],
        closed: [bool; 2],
    ) {
        let names = [subject[0].or(subject[1]), subject[1].or(subject[0])];
        let found = self.found(at, change, [None, None]);
        for (place, name) in found.place.iter_mut().zip(names) {
            place.push('.');
            place.push_str(&shown(name.unwrap_or_default()));
        }
        found.subject = subject;
        found.closed = closed;
        if let [Some(old), Some(new)] = subject
            && old != new
        {
            found.texts = [old, new].map(|name| Some(shown(name).into_owned()));
        }
    }

    /// Compares the schemas of undeclared members, or returns them to be compared next.
    fn rest(&mut self, at: &PairContext<'d>, a: Rest<'d>, b: Rest<'d>) -> Option<Next<'d>> {
        let change = match (a, b) {
            (Rest::Like(a), Rest::Like(b)) => {
                return Some(Next {
                    at: at.step(Step::Key),
                    before: a,
                    after: b,
                });
            }
            (Rest::Closed, Rest::Closed) | (Rest::Open, Rest::Open) => return None,
            (Rest::Closed, _) => Change::ObjectOpened,
            (_, Rest::Closed) => Change::ObjectClosed,
            (Rest::Like(_), Rest::Open) => {
                self.found(&at.step(Step::Key), Change::TypeWidened, [None, None]);
                return None;
            }
            (Rest::Open, Rest::Like(_)) => {
                self.found(&at.step(Step::Key), Change::TypeNarrowed, [None, None]);
                return None;
            }
        };
        self.found(at, change, [None, None]);
        None
    }
}
