//! Walks a JSON text by the description of its type.

use std::ops::Range;

use super::part::{Effect, PartKind, Unsupported};
use crate::availability::{Availability, any};
use crate::cursor::{Cursor, DEFAULT_DEPTH};
use crate::error::Error;
use crate::kind::Kind;
use crate::pointer;
use crate::release::Release;
use crate::shape::{
    AdjacentVariant, Alternative, EnumValue, ExternalVariant, Form, Member, ReleaseBounds, Shape,
    ValueShape, Variant,
};

/// What `release`, a listed one, does not know. `is_newer`: it is newer than all listed ones, and may know more.
pub(super) fn walk(
    text: &str,
    shape: ValueShape,
    release: Release,
    is_newer: bool,
) -> Result<Vec<Unsupported>, Error> {
    let mut walk = Walk {
        release,
        is_newer,
        path: Vec::new(),
        found: Vec::new(),
        unmatched: 0,
        unnamed: 0,
    };
    // A value that was read as deep as may be stands a few levels deeper in its message.
    let mut cursor = Cursor::with_depth(text, 2 * DEFAULT_DEPTH);
    let walked = walk.value(&mut cursor, shape).and_then(|()| cursor.end());
    match walked {
        Ok(()) => Ok(walk.found),
        Err(mut error) => {
            error.place(text.as_bytes(), 1);
            Err(error)
        }
    }
}

enum Segment {
    Member(String),
    Index(usize),
}

struct Walk {
    release: Release,
    is_newer: bool,
    path: Vec<Segment>,
    found: Vec<Unsupported>,
    /// How often a value was not of the type that it should have.
    unmatched: usize,
    /// How many parts no known release has.
    unnamed: usize,
}

impl Walk {
    fn value(&mut self, cursor: &mut Cursor<'_>, shape: ValueShape) -> Result<(), Error> {
        let kind = cursor.kind()?;
        match shape {
            ValueShape::Any => cursor.skip(),
            ValueShape::Scalar(expected) if kind == expected => cursor.skip(),
            ValueShape::List(element) if kind == Kind::Array => self.list(cursor, element()),
            ValueShape::Map(value) if kind == Kind::Object => self.map(cursor, value()),
            ValueShape::Of(shape) => self.described(cursor, kind, shape),
            _ => self.unmatched(cursor),
        }
    }

    /// A value of another type: that is not for a release to know or not.
    fn unmatched(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.unmatched += 1;
        cursor.skip()
    }

    fn list(&mut self, cursor: &mut Cursor<'_>, element: ValueShape) -> Result<(), Error> {
        let mut end = cursor.offset() + 1;
        cursor.array(|cursor, index| {
            let start = end;
            let first = self.found.len();
            self.path.push(Segment::Index(index));
            self.value(cursor, element)?;
            self.path.pop();
            end = cursor.offset();
            self.may_be_cut(first, start..end);
            Ok(())
        })
    }

    fn map(&mut self, cursor: &mut Cursor<'_>, value: ValueShape) -> Result<(), Error> {
        self.members(cursor, |walk, cursor, _| {
            walk.value(cursor, value)?;
            Ok(true)
        })
    }

    /// Walks the members of an object; `member` says whether it may be left out.
    fn members(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut member: impl FnMut(&mut Self, &mut Cursor<'_>, &str) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut end = cursor.offset() + 1;
        cursor.object(|cursor, key| {
            let start = end;
            let first = self.found.len();
            self.path.push(Segment::Member(key.to_owned()));
            let may_be_absent = member(self, cursor, key)?;
            self.path.pop();
            end = cursor.offset();
            if may_be_absent {
                self.may_be_cut(first, start..end);
            }
            Ok(())
        })
    }

    /// What was found since then and cannot be left out is left out with this.
    fn may_be_cut(&mut self, first: usize, range: Range<usize>) {
        for found in &mut self.found[first..] {
            found.cut.get_or_insert_with(|| range.clone());
        }
    }

    fn described(
        &mut self,
        cursor: &mut Cursor<'_>,
        kind: Kind,
        shape: &'static Shape,
    ) -> Result<(), Error> {
        match (&shape.form, kind) {
            (Form::Object(members), Kind::Object) => self.object(cursor, shape, &[members], None),
            (
                Form::Tagged {
                    tags,
                    base,
                    variants,
                },
                Kind::Object,
            ) => self.tagged(cursor, tags, base, variants),
            (
                Form::Adjacent {
                    tag,
                    base,
                    variants,
                    ..
                },
                Kind::Object,
            ) => self.adjacent(cursor, shape, tag, base, variants),
            (
                Form::Enum {
                    values,
                    open,
                    not_empty: _,
                },
                Kind::String,
            ) => self.word(cursor, values, any(open, self.release)),
            (Form::ExternallyTagged(kinds), Kind::String | Kind::Object) => {
                self.external(cursor, kind, kinds)
            }
            (Form::Untagged(alternatives), _) => self.untagged(cursor, alternatives),
            _ => self.unmatched(cursor),
        }
    }

    /// An object whose members are in these lists, beside the tag.
    fn object(
        &mut self,
        cursor: &mut Cursor<'_>,
        shape: &'static Shape,
        lists: &[&'static [Member]],
        tag: Option<&str>,
    ) -> Result<(), Error> {
        let mut there: Vec<Vec<bool>> = lists.iter().map(|list| vec![false; list.len()]).collect();
        self.members(cursor, |walk, cursor, key| {
            if Some(key) == tag {
                cursor.skip()?;
                return Ok(false);
            }
            // One object may have two members of a name, of which releases know one or both.
            let mut known = None;
            for (list, there) in lists.iter().zip(&mut there) {
                for (member, there) in list.iter().zip(there) {
                    if member.name == key && !*there {
                        let is_there = member.is_available(walk.release);
                        if is_there || known.is_none() {
                            known = Some(member);
                        }
                        if is_there {
                            *there = true;
                            break;
                        }
                    }
                }
            }
            match known {
                None if shape.others => cursor.skip()?,
                None => {
                    walk.unknown(PartKind::Member, key, None, effect_on(shape));
                    cursor.skip()?;
                }
                Some(member) if !member.is_available(walk.release) => {
                    let availability = Some(member.availability);
                    walk.unknown(PartKind::Member, key, availability, effect_on(shape));
                    cursor.skip()?;
                }
                Some(member) => {
                    if cursor.kind()? == Kind::Null && !member.nullable.is_empty() {
                        cursor.skip()?;
                    } else {
                        walk.value(cursor, (member.ty)().value)?;
                    }
                    return Ok(member
                        .presence(walk.release)
                        .is_some_and(|presence| member.default || presence.may_be_absent()));
                }
            }
            Ok(true)
        })?;
        for (list, there) in lists.iter().zip(there) {
            let missing = list.iter().zip(there).filter(|(member, there)| {
                let presence = member.presence(self.release);
                !there && presence.is_some_and(|presence| !presence.may_be_absent())
            });
            self.unmatched += missing.count();
        }
        Ok(())
    }

    fn tagged(
        &mut self,
        cursor: &mut Cursor<'_>,
        tags: &'static [(&'static str, ReleaseBounds)],
        base: &'static [Member],
        variants: &'static [Variant],
    ) -> Result<(), Error> {
        let mut found = None;
        for (key, _) in tags {
            match cursor.peek_tag(key) {
                Ok(Some(tag)) => {
                    found = Some((*key, tag));
                    break;
                }
                Ok(None) => {}
                // A tag that is not a text; what is malformed is found when the value is skipped.
                Err(_) => return self.unmatched(cursor),
            }
        }
        let Some((key, tag)) = found else {
            return self.unmatched(cursor);
        };
        // One tag may stand for two kinds, of which releases know one.
        let named = || variants.iter().filter(|variant| variant.tag == tag);
        match named()
            .find(|variant| variant.is_available(self.release))
            .or_else(|| named().next())
        {
            Some(variant) if variant.is_available(self.release) => match &variant.shape.form {
                Form::Object(own) => self.object(cursor, variant.shape, &[base, own], Some(key)),
                _ => cursor.skip(),
            },
            variant => {
                // A kind that stands for all others takes those that the release does not know.
                let is_other = |variant: &Variant| variant.tag == "other";
                let mut there = variants.iter().filter(|of| of.is_available(self.release));
                let effect = match there.any(is_other) {
                    true => Effect::Ignored,
                    false => Effect::Refused,
                };
                let availability = variant.map(|variant| variant.availability);
                self.unknown(PartKind::Kind, &tag, availability, effect);
                cursor.skip()
            }
        }
    }

    fn adjacent(
        &mut self,
        cursor: &mut Cursor<'_>,
        shape: &'static Shape,
        key: &'static str,
        base: &'static [Member],
        variants: &'static [AdjacentVariant],
    ) -> Result<(), Error> {
        let Ok(Some(tag)) = cursor.peek_tag(key) else {
            return self.unmatched(cursor);
        };
        match variants.iter().find(|variant| variant.tag == tag) {
            Some(variant) if variant.is_available(self.release) => {
                let content = variant.content.as_slice();
                self.object(cursor, shape, &[base, content], Some(key))
            }
            variant => {
                let availability = variant.map(|variant| variant.availability);
                let part = match key {
                    "method" => PartKind::Method,
                    _ => PartKind::Kind,
                };
                self.unknown(part, &tag, availability, Effect::Refused);
                cursor.skip()
            }
        }
    }

    fn word(
        &mut self,
        cursor: &mut Cursor<'_>,
        values: &'static [EnumValue],
        is_open: bool,
    ) -> Result<(), Error> {
        let word = cursor.string()?;
        let known = values.iter().find(|value| value.value == word);
        if !is_open && !known.is_some_and(|value| value.is_available(self.release)) {
            let availability = known.map(|value| value.availability);
            self.unknown(PartKind::Value, &word, availability, Effect::Refused);
        }
        Ok(())
    }

    fn external(
        &mut self,
        cursor: &mut Cursor<'_>,
        kind: Kind,
        kinds: &'static [ExternalVariant],
    ) -> Result<(), Error> {
        let find = |name: &str, is_bare: bool, release: Release| {
            let named = || {
                kinds
                    .iter()
                    .filter(move |kind| kind.tag == name && kind.ty.is_none() == is_bare)
            };
            let there = named().find(|kind| kind.is_available(release));
            there.or_else(|| named().next())
        };
        if kind == Kind::String {
            let name = cursor.string()?;
            match find(&name, true, self.release) {
                Some(kind) if kind.is_available(self.release) => {}
                kind => {
                    let availability = kind.map(|kind| kind.availability);
                    self.unknown(PartKind::Value, &name, availability, Effect::Refused);
                }
            }
            return Ok(());
        }
        self.members(cursor, |walk, cursor, name| {
            match find(name, false, walk.release) {
                Some(ExternalVariant {
                    ty: Some(ty),
                    availability,
                    ..
                }) if availability.contains(walk.release) => walk.value(cursor, ty().value)?,
                kind => {
                    let availability = kind.map(|kind| kind.availability);
                    walk.unknown(PartKind::Kind, name, availability, Effect::Refused);
                    cursor.skip()?;
                }
            }
            Ok(false)
        })
    }

    /// Takes the alternative that fits the value best, as reading does. One that the release has goes before one that
    /// it does not have, even if that one knows more of the members: the release reads the value as its own.
    fn untagged(
        &mut self,
        cursor: &mut Cursor<'_>,
        alternatives: &'static [Alternative],
    ) -> Result<(), Error> {
        let start = cursor.clone();
        let mut best: Option<(Fit, &'static Alternative, Cursor<'_>, Vec<Unsupported>)> = None;
        let earlier = (
            std::mem::take(&mut self.found),
            self.unmatched,
            self.unnamed,
        );
        for alternative in alternatives {
            let mut ahead = start.clone();
            (self.unmatched, self.unnamed) = (0, 0);
            let path = self.path.len();
            if self.value(&mut ahead, (alternative.ty)().value).is_err() {
                // Malformed text, or text nested too deeply: no alternative fits.
                self.path.truncate(path);
                self.found.clear();
                continue;
            }
            let found = std::mem::take(&mut self.found);
            let fit = Fit {
                unmatched: self.unmatched,
                is_not_there: !alternative.is_available(self.release),
                unnamed: self.unnamed,
                unsupported: found.len(),
            };
            let is_perfect = fit == Fit::default();
            if best.as_ref().is_none_or(|(least, ..)| fit < *least) {
                best = Some((fit, alternative, ahead, found));
            }
            if is_perfect {
                break;
            }
        }
        (self.found, self.unmatched, self.unnamed) = earlier;
        let Some((fit, alternative, ahead, found)) = best else {
            return cursor.skip();
        };
        *cursor = ahead;
        self.unmatched += usize::from(fit.unmatched > 0);
        self.unnamed += fit.unnamed;
        if fit.unmatched > 0 {
            return Ok(());
        }
        if fit.is_not_there {
            self.unknown(
                PartKind::Form,
                "",
                Some(alternative.availability),
                Effect::Refused,
            );
        } else {
            self.found.extend(found);
        }
        Ok(())
    }

    fn unknown(
        &mut self,
        part: PartKind,
        name: &str,
        availability: Option<Availability>,
        effect: Effect,
    ) {
        self.unnamed += usize::from(availability.is_none());
        if self.is_newer && availability.is_none() {
            return;
        }
        let pointer = self.pointer();
        self.found.push(Unsupported {
            pointer,
            part,
            name: name.to_owned(),
            availability,
            effect,
            cut: None,
        });
    }

    fn pointer(&self) -> String {
        let mut out = String::new();
        for segment in &self.path {
            match segment {
                Segment::Member(name) => pointer::push(&mut out, name),
                Segment::Index(index) => pointer::push(&mut out, &index.to_string()),
            }
        }
        out
    }
}

/// How well an alternative fits a value; the least fits best.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    unmatched: usize,
    is_not_there: bool,
    unnamed: usize,
    unsupported: usize,
}

/// What becomes of a member that a release does not know.
fn effect_on(shape: &Shape) -> Effect {
    match shape.closed {
        true => Effect::Refused,
        false => Effect::Ignored,
    }
}
