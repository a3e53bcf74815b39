//! Combines equal changes of all variants of a union into one.
//!
//! A member that every variant gained is written once in the source, and often once in the schema.
//! Reported per variant, it would hide what else a release changed.

use super::graph::{Found, Graph, Owner, Step};
use crate::change::Change;

/// A union both sides have, with the pairs of its variants.
#[derive(Debug)]
pub(super) struct Union<'d> {
    /// The owner the union stands in; none for a union of messages.
    pub(super) owner: Option<usize>,
    /// From there, or from the start.
    pub(super) steps: Vec<Step<'d>>,
    pub(super) place: [String; 2],
    pub(super) branches: Vec<(Step<'d>, usize)>,
}

/// How many variants make it worth while.
const SEVERAL: usize = 3;

/// How many pairs of changes are examined. If there are more, each is reported by itself.
const PAIRS: usize = 10_000_000;

/// Moves what all variants have in common to their unions.
pub(super) fn fold<'d>(graph: &mut Graph<'d>, unions: Vec<Union<'d>>) {
    for union in unions {
        let Some((first_branch, first)) = union.branches.first() else {
            continue;
        };
        if union.branches.len() < SEVERAL {
            continue;
        }
        let candidates: Vec<Found<'d>> = graph.owners[*first].found.clone();
        let all = union
            .branches
            .iter()
            .map(|(_, branch)| graph.owners[*branch].found.len());
        if candidates.len().saturating_mul(all.sum()) > PAIRS {
            continue;
        }
        let mut common = Vec::new();
        for candidate in candidates {
            let in_all = union.branches.iter().all(|(_, branch)| {
                let found = &graph.owners[*branch].found;
                found.iter().any(|found| similar(found, &candidate))
            });
            if in_all {
                for (_, branch) in &union.branches {
                    graph.owners[*branch]
                        .found
                        .retain(|found| !similar(found, &candidate));
                }
                common.push(moved(candidate, &union, first_branch));
            }
        }
        match union.owner {
            _ if common.is_empty() => {}
            Some(owner) => graph.owners[owner].found.extend(common),
            None => {
                graph.common.push(graph.owners.len());
                graph.owners.push(Owner {
                    place: union.place,
                    found: common,
                    edges: Vec::new(),
                });
            }
        }
    }
}

/// Whether two variants changed alike: in a member of their own, not below it.
fn similar(one: &Found<'_>, other: &Found<'_>) -> bool {
    let about_a_member = matches!(
        one.change,
        Change::OptionalMemberAdded
            | Change::RequiredMemberAdded
            | Change::OptionalMemberRemoved
            | Change::RequiredMemberRemoved
            | Change::OptionalMemberRenamed
            | Change::RequiredMemberRenamed
            | Change::BecameOptional
            | Change::BecameRequired
    );
    about_a_member
        && one.change == other.change
        && one.steps.is_empty()
        && other.steps.is_empty()
        && one.subject == other.subject
        && one.closed == other.closed
}

fn moved<'d>(mut found: Found<'d>, union: &Union<'d>, branch: &Step<'d>) -> Found<'d> {
    found.steps.clone_from(&union.steps);
    found.steps.push(branch.clone());
    let names = [
        found.subject[0].or(found.subject[1]),
        found.subject[1].or(found.subject[0]),
    ];
    for ((place, union), name) in found.place.iter_mut().zip(&union.place).zip(names) {
        *place = format!("{union}.{}", name.unwrap_or_default());
    }
    found
}
