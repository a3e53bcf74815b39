//! Which items of two turns are the same one.

use std::mem::discriminant;
use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag};

use super::values::{about, of_item};
use crate::{Body, Item, Role};

/// An item of both sides, or of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pairing {
    Both(usize, usize),
    Before(usize),
    After(usize),
}

/// The work that is done to find what was added in the middle, in pairs of items. Longer turns, of thousands of
/// items, are compared one by one: then what follows an addition differs.
const MOST: usize = 16_000_000;

/// The items of two sides, and what of them is compared, as text.
struct Sides<'a> {
    items: [&'a [Item]; 2],
    texts: [Vec<String>; 2],
}

/// The items of both sides, those that belong together paired, in the order of the first side.
///
/// Items that are equal belong together; between them those that are about the same; between these, one by one, those
/// of the same kind.
pub(super) fn pairings(before: &[Item], after: &[Item]) -> Vec<Pairing> {
    let text = |item: &Item| {
        let (kind, value) = of_item(item);
        format!("{kind}{value}")
    };
    let texts = [before, after].map(|items| items.iter().map(text).collect());
    let sides = Sides {
        items: [before, after],
        texts,
    };
    let whole = (0..before.len(), 0..after.len());
    let mut out = Vec::new();
    match before.len().saturating_mul(after.len()) > MOST {
        true => sides.one_by_one(whole, &mut out),
        false => sides.equal(whole, &mut out),
    }
    out
}

type Ranges = (Range<usize>, Range<usize>);

impl Sides<'_> {
    fn equal(&self, (before, after): Ranges, out: &mut Vec<Pairing>) {
        let (these, those) = (&self.texts[0][before], &self.texts[1][after]);
        for op in steps(these, those) {
            aligned(op, (0, 0), out, |ranges, out| self.similar(ranges, out));
        }
    }

    fn similar(&self, (before, after): Ranges, out: &mut Vec<Pairing>) {
        let first = (before.start, after.start);
        let these: Vec<String> = self.items[0][before].iter().map(key).collect();
        let those: Vec<String> = self.items[1][after].iter().map(key).collect();
        for op in steps(&these, &those) {
            aligned(op, first, out, |ranges, out| self.one_by_one(ranges, out));
        }
    }

    fn one_by_one(&self, (before, after): Ranges, out: &mut Vec<Pairing>) {
        for number in 0..before.len().max(after.len()) {
            let this = Some(before.start + number).filter(|this| before.contains(this));
            let that = Some(after.start + number).filter(|that| after.contains(that));
            let kind = |side: usize, at: usize| discriminant(&self.items[side][at].body);
            match (this, that) {
                (Some(this), Some(that)) if kind(0, this) == kind(1, that) => {
                    out.push(Pairing::Both(this, that));
                }
                (this, that) => {
                    out.extend(this.map(Pairing::Before));
                    out.extend(that.map(Pairing::After));
                }
            }
        }
    }
}

/// Takes a step of an alignment; `replaced` pairs what stands for something else.
fn aligned(
    op: DiffOp,
    first: (usize, usize),
    out: &mut Vec<Pairing>,
    replaced: impl FnOnce(Ranges, &mut Vec<Pairing>),
) {
    let (before, after) = (op.old_range(), op.new_range());
    let before = before.start + first.0..before.end + first.0;
    let after = after.start + first.1..after.end + first.1;
    match op.tag() {
        DiffTag::Equal => out.extend(
            before
                .zip(after)
                .map(|(this, that)| Pairing::Both(this, that)),
        ),
        DiffTag::Delete => out.extend(before.map(Pairing::Before)),
        DiffTag::Insert => out.extend(after.map(Pairing::After)),
        DiffTag::Replace => replaced((before, after), out),
    }
}

/// How one side becomes the other. `capture_diff_slices` does the same with any algorithm, so all six would be compiled.
fn steps(before: &[String], after: &[String]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), before, after);
    let Ok(()) = myers::diff(&mut hook, before, 0..before.len(), after, 0..after.len());
    hook.into_inner().into_inner().into_ops()
}

/// What makes an item the same in another run: its kind, and what it is about.
fn key(item: &Item) -> String {
    let about = match &item.body {
        // What a model says is never the same twice.
        Body::Message(message) => match message.role {
            Role::User => "user".to_owned(),
            Role::Assistant => "assistant".to_owned(),
            Role::Agent => "agent".to_owned(),
            Role::Context => "context".to_owned(),
        },
        Body::Reasoning(_) | Body::Plan(_) => String::new(),
        _ => about(item),
    };
    format!("{:?}{about}", discriminant(&item.body))
}
