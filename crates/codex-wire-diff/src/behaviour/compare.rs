//! Compares the runs of a scene in two releases.
//!
//! A difference is one that no two runs disagree about: a step that every run of the one release has more often
//! than any run of the other, or two steps that come in one order in all runs of the one release and in the other
//! order in all of the other. What varies from run to run is never a difference.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{BehaviourChange, BehaviourKind, Near};
use super::runs::Runs;

/// What a step of the client of a scene begins with. What the client asks depends on the release, by our choice.
pub(super) const CLIENT: &str = "client asks ";

/// What stands between a message and its status.
const STATUS: &str = ": ";

/// Whether the client of the scene does the same in both: if not, what Codex does cannot be compared.
pub(super) fn is_comparable(before: &Runs<'_>, after: &Runs<'_>) -> bool {
    let asked = |runs: &Runs<'_>| -> BTreeMap<String, [usize; 2]> {
        let counts = runs.counts().into_iter();
        let of_client = counts.filter(|(step, _)| step.starts_with(CLIENT));
        of_client
            .map(|(step, counts)| (step.to_owned(), counts))
            .collect()
    };
    asked(before) == asked(after)
}

/// What differs between the runs of two releases.
pub(super) fn compare(before: &Runs<'_>, after: &Runs<'_>) -> Vec<BehaviourChange> {
    let (old, new) = (before.counts(), after.counts());
    let steps: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for step in steps.into_iter().filter(|step| !step.starts_with(CLIENT)) {
        let of =
            |counts: &BTreeMap<&str, [usize; 2]>| counts.get(step).copied().unwrap_or_default();
        let (was, is) = (of(&old), of(&new));
        if was[1] < is[0] {
            come.push((step, [was[1], is[0]]));
        } else if was[0] > is[1] {
            gone.push((step, [was[0], is[1]]));
        }
    }
    let is_fixed = |counts: &BTreeMap<&str, [usize; 2]>, step: &str| {
        counts
            .get(step)
            .is_some_and(|[least, greatest]| least == greatest)
    };
    let fixed =
        |step: &str| is_fixed(&old, step) && is_fixed(&new, step) && old.get(step) == new.get(step);
    let mut changes = Vec::new();
    for (step, times) in &gone {
        // The same message with another status is one change.
        let name = name(step);
        let by = times[0] - times[1];
        let partner = come.iter().position(|(other, [was, is])| {
            self::name(other) == name && is - was == by && status(other) != status(step)
        });
        let near = near(before, step, &fixed);
        changes.push(match partner {
            Some(at) => {
                let (other, _) = come.remove(at);
                BehaviourChange {
                    before: Some(status(step).to_owned()),
                    after: Some(status(other).to_owned()),
                    ..BehaviourChange::new(BehaviourKind::Changed, name, [by, by], None)
                }
            }
            None => BehaviourChange::new(BehaviourKind::Gone, step, *times, near),
        });
    }
    for (step, times) in come {
        let near = near(after, step, &fixed);
        changes.push(BehaviourChange::new(BehaviourKind::New, step, times, near));
    }
    changes.extend(moved(before, after, &fixed));
    changes.sort_by(|a, b| (a.kind, &a.step).cmp(&(b.kind, &b.step)));
    changes
}

/// The message of a step, without its status.
fn name(step: &str) -> &str {
    step.split_once(STATUS).map_or(step, |(name, _)| name)
}

/// The status of the message of a step.
fn status(step: &str) -> &str {
    step.split_once(STATUS).map_or("", |(_, status)| status)
}

/// The step that comes next in all runs, else the one before: steps that the other release has as well.
fn near(runs: &Runs<'_>, step: &str, fixed: &impl Fn(&str) -> bool) -> Option<Near> {
    let anchor = |step: &&String| fixed(step) && !step.starts_with(CLIENT);
    let mut next: Option<Option<&String>> = None;
    let mut last: Option<Option<&String>> = None;
    let (mut next_agrees, mut last_agrees) = (true, true);
    for run in runs.all() {
        let Some(at) = run.iter().position(|one| one == step) else {
            continue;
        };
        let behind = run[at + 1..].iter().find(anchor);
        let ahead = run[..at].iter().rfind(anchor);
        next_agrees &= next.is_none_or(|known| known == behind);
        last_agrees &= last.is_none_or(|known| known == ahead);
        next.get_or_insert(behind);
        last.get_or_insert(ahead);
    }
    let next = next.flatten().filter(|_| next_agrees);
    let last = last.flatten().filter(|_| last_agrees);
    let before = next.map(|step| Near::Before(step.clone()));
    before.or_else(|| last.map(|step| Near::Behind(step.clone())))
}

/// Steps that come in another order: as few as say all of it.
fn moved(
    before: &Runs<'_>,
    after: &Runs<'_>,
    fixed: &impl Fn(&str) -> bool,
) -> Vec<BehaviourChange> {
    let own = |step: &str| fixed(step) && !step.starts_with(CLIENT);
    let (old, new) = (before.places(own), after.places(own));
    let Some(first) = old.first() else {
        return Vec::new();
    };
    let all: Vec<_> = first.keys().copied().collect();
    // Whether the first comes earlier in all runs, or later in all; nothing if that varies.
    let order = |runs: &[BTreeMap<(&str, usize), usize>], one, other| {
        let mut orders = runs
            .iter()
            .map(|places| places.get(&one) < places.get(&other));
        let first = orders.next()?;
        orders.all(|order| order == first).then_some(first)
    };
    let mut swapped: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (at, one) in all.iter().enumerate() {
        for (behind, other) in all.iter().enumerate().skip(at + 1) {
            let orders = (order(&old, *one, *other), order(&new, *one, *other));
            if let (Some(was), Some(is)) = orders
                && was != is
            {
                swapped.entry(at).or_default().insert(behind);
                swapped.entry(behind).or_default().insert(at);
            }
        }
    }
    let mut changes: Vec<BehaviourChange> = Vec::new();
    loop {
        let worst = swapped
            .iter()
            .max_by_key(|(at, with)| (with.len(), std::cmp::Reverse(**at)));
        let Some((&at, with)) = worst.filter(|(_, with)| !with.is_empty()) else {
            return changes;
        };
        // The nearest of those that it has passed.
        let is_earlier = with
            .iter()
            .all(|other| order(&new, all[at], all[*other]) == Some(true));
        let place = |other: &usize| new.first().and_then(|run| run.get(&all[*other]).copied());
        let passed = match is_earlier {
            true => with.iter().min_by_key(|other| place(other)),
            false => with.iter().max_by_key(|other| place(other)),
        };
        let passed = passed.map(|other| all[*other].0.to_owned());
        for with in swapped.values_mut() {
            with.remove(&at);
        }
        swapped.remove(&at);
        let step = all[at].0;
        let near = passed.map(|passed| match is_earlier {
            true => Near::Before(passed),
            false => Near::Behind(passed),
        });
        // Several of one kind that moved to the same place are one change.
        let known = changes
            .iter_mut()
            .find(|change| change.step == step && change.near == near);
        match known {
            Some(change) => change.times = change.times.map(|times| times + 1),
            None => changes.push(BehaviourChange::new(
                BehaviourKind::Moved,
                step,
                [1, 1],
                near,
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(before: &[&str], after: &[&str]) -> Vec<String> {
        let runs = |runs: &[&str]| -> Vec<Vec<String>> {
            let steps = |run: &&str| run.split(", ").map(str::to_owned).collect();
            runs.iter().map(steps).collect()
        };
        let (before, after) = (runs(before), runs(after));
        let [before, after] =
            [&before, &after].map(|runs| Runs::new(runs.iter().map(Vec::as_slice)));
        let changes = compare(&before, &after);
        changes.iter().map(BehaviourChange::sentence).collect()
    }

    #[test]
    fn a_new_step_has_its_place() {
        assert_eq!(
            sentences(&["begin, turn, end"], &["begin, item error, turn, end"]),
            ["new: `item error`, before `turn`"]
        );
        assert_eq!(
            sentences(&["begin, turn, end"], &["begin, turn, end, exit 0"]),
            ["new: `exit 0`, behind `end`"]
        );
    }

    #[test]
    fn another_status_is_one_change() {
        assert_eq!(
            sentences(&["a, item call: failed"], &["a, item call: completed"]),
            ["`item call`: `failed` → `completed`"]
        );
    }

    #[test]
    fn what_varies_is_no_difference() {
        let varies = ["a, b, c", "b, a, c, d"];
        assert!(sentences(&varies, &["b, a, c"]).is_empty());
        assert!(sentences(&["a, b, c, d"], &varies).is_empty());
        assert_eq!(sentences(&varies, &["c, a, b, e"]).len(), 2);
    }

    #[test]
    fn a_step_that_moved_is_one_change() {
        assert_eq!(
            sentences(&["a, b, c, d, e"], &["e, a, b, c, d"]),
            ["earlier: `e`, before `a`"]
        );
        assert_eq!(
            sentences(&["a, b, c, d, e"], &["b, c, d, a, e"]),
            ["later: `a`, behind `d`"]
        );
    }

    #[test]
    fn what_the_client_asks_is_no_behaviour() {
        assert!(sentences(&["client asks a, b"], &["client asks a, client asks c, b"]).is_empty());
        let (a, b) = (["client asks a".to_owned()], ["client asks b".to_owned()]);
        let runs = |run| Runs::new([run]);
        assert!(is_comparable(&runs(&a[..]), &runs(&a[..])));
        assert!(!is_comparable(&runs(&a[..]), &runs(&b[..])));
    }
}
