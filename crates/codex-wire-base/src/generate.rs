//! Makes proptest strategies for values as a given release writes them.
//!
//! Every variant of a union and every value of an enumeration is equally likely, so that rare kinds
//! are tried as often as common ones.
//!
//! Strategies are composed of parts without a type ([`Part`]): proptest's combinators would
//! otherwise be compiled again for each of more than a thousand types.

use std::any::Any;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::{BoxedStrategy, Strategy as _, Union};

use crate::Maybe;
use crate::json::{Extra, MemberOrder, Raw};
use crate::members::TagKeys;
use crate::release::Release;
use crate::shape::{AdjacentVariant, Form, Presence, Shape};
use crate::values::{Map, Unknown, UnknownCall, UnknownExternal};
use crate::wire::Described;

/// A boxed strategy.
pub type Strategy<T> = BoxedStrategy<T>;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The release whose values to make, a listed one.
    pub release: Release,
    /// Whether to add what no release writes: unknown members, kinds and values.
    pub unknown: bool,
}

/// A type whose values can be generated.
///
/// Each of the two functions is made from the other, so a type has at least one of them.
pub trait Generate: Sized + std::fmt::Debug + 'static {
    /// A strategy for values as `recipe` asks for.
    fn generate(recipe: Recipe) -> Strategy<Self> {
        Self::part(recipe).prop_map(Part::take).boxed()
    }

    /// The same without the type, to be a part of others.
    #[doc(hidden)]
    fn part(recipe: Recipe) -> Strategy<Part> {
        erased(Self::generate(recipe))
    }

    /// Whether the release has any value of the type.
    #[doc(hidden)]
    fn possible(recipe: Recipe) -> bool {
        let _ = recipe;
        true
    }
}

/// No release has any.
impl Generate for crate::NoParams {
    fn generate(_: Recipe) -> Strategy<Self> {
        unreachable!("no release has params here")
    }

    fn possible(_: Recipe) -> bool {
        false
    }
}

impl<const N: u8> Generate for crate::Exactly<N> {
    fn generate(_: Recipe) -> Strategy<Self> {
        Just(crate::Exactly).boxed()
    }
}

impl Generate for crate::Null {
    fn generate(_: Recipe) -> Strategy<Self> {
        Just(crate::Null).boxed()
    }
}

/// A value without its type. Proptest's combinators are compiled once for each type they give;
/// of parts and their wholes there are very many, and all of them are of this type.
#[doc(hidden)]
pub struct Part(Box<dyn Any>);

impl Part {
    /// Forgets the type.
    pub fn new<T: 'static>(value: T) -> Self {
        Part(Box::new(value))
    }

    /// The value again.
    ///
    /// # Panics
    /// When it is of another type.
    pub fn take<T: 'static>(self) -> T {
        match self.0.downcast() {
            Ok(value) => *value,
            Err(_) => unreachable!("the derive puts in what it takes out"),
        }
    }
}

impl Part {
    /// A look at the value.
    ///
    /// # Panics
    /// When it is of another type.
    pub fn peek<T: 'static>(&self) -> &T {
        match self.0.downcast_ref() {
            Some(value) => value,
            None => unreachable!("the derive looks at what it puts in"),
        }
    }
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// The values of a struct's members, in its order.
#[doc(hidden)]
pub struct Parts(std::vec::IntoIter<Part>);

impl Parts {
    /// The next value.
    ///
    /// # Panics
    /// When the strategies were given in another order than the members.
    pub fn take<T: 'static>(&mut self) -> T {
        match self.0.next() {
            Some(part) => part.take(),
            None => unreachable!("the derive lists members and strategies alike"),
        }
    }
}

/// A struct from the strategies of its members.
#[doc(hidden)]
pub fn assemble(members: Vec<Strategy<Part>>, make: fn(&mut Parts) -> Part) -> Strategy<Part> {
    members
        .prop_map(move |parts| make(&mut Parts(parts.into_iter())))
        .boxed()
}

/// Those values of an object that have what the release asks for of each choice of members.
#[doc(hidden)]
pub fn chosen(
    parts: Strategy<Part>,
    shape: &'static Shape,
    recipe: Recipe,
    has: fn(&Part, &str) -> bool,
) -> Strategy<Part> {
    parts
        .prop_filter("at least one of some members is there", move |part| {
            shape.has_chosen(recipe.release, |name| has(part, name))
        })
        .boxed()
}

/// A value around another one, or made of it.
#[doc(hidden)]
pub fn mapped(parts: Strategy<Part>, make: fn(Part) -> Part) -> Strategy<Part> {
    parts.prop_map(make).boxed()
}

/// One value, always.
#[doc(hidden)]
pub fn constant(make: fn() -> Part) -> Strategy<Part> {
    // `Just` would ask for a value that can be copied.
    Just(()).prop_map(move |()| make()).boxed()
}

fn erased<T: std::fmt::Debug + 'static>(values: Strategy<T>) -> Strategy<Part> {
    values.prop_map(Part::new).boxed()
}

impl Generate for String {
    fn generate(_: Recipe) -> Strategy<Self> {
        prop_oneof![
            4 => "[a-z0-9 /_.-]{0,12}",
            // Escapes, line separators, astral characters and what JSON must escape.
            1 => proptest::collection::vec(
                prop_oneof![
                    any::<char>(),
                    Just('\u{2028}'),
                    Just('\u{2029}'),
                    Just('"'),
                    Just('\\'),
                    Just('\0'),
                    Just('\n'),
                    Just('😀'),
                ],
                0..6
            )
            .prop_map(String::from_iter),
        ]
        .boxed()
    }
}

impl Generate for bool {
    fn generate(_: Recipe) -> Strategy<Self> {
        any::<bool>().boxed()
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Generate for $ty {
            fn generate(_: Recipe) -> Strategy<Self> {
                prop_oneof![
                    2 => 0..100 as $ty,
                    1 => any::<$ty>(),
                    1 => prop_oneof![Just(<$ty>::MIN), Just(<$ty>::MAX)],
                ]
                .boxed()
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, i32, i64);

impl<T: Generate> Generate for Vec<T> {
    fn part(recipe: Recipe) -> Strategy<Part> {
        assemble_list(T::part(recipe), |parts| {
            Part::new(parts.into_iter().map(Part::take).collect::<Vec<T>>())
        })
    }
}

fn assemble_list(element: Strategy<Part>, make: fn(Vec<Part>) -> Part) -> Strategy<Part> {
    proptest::collection::vec(element, 0..3)
        .prop_map(make)
        .boxed()
}

impl<T: Generate> Generate for Box<T> {
    fn part(recipe: Recipe) -> Strategy<Part> {
        mapped(T::part(recipe), |part| {
            Part::new(Box::new(part.take::<T>()))
        })
    }
}

impl<T: Generate> Generate for Map<T> {
    fn part(recipe: Recipe) -> Strategy<Part> {
        assemble_map(T::part(recipe), |parts| {
            let entries = parts.into_iter().map(|(name, part)| (name, part.take()));
            Part::new(entries.collect::<Map<T>>())
        })
    }
}

fn assemble_map(value: Strategy<Part>, make: fn(BTreeMap<String, Part>) -> Part) -> Strategy<Part> {
    // Distinct names: a schema validator sees one value per name.
    proptest::collection::btree_map("[a-f0-9-]{1,8}", value, 0..3)
        .prop_map(make)
        .boxed()
}

impl Generate for Raw {
    fn generate(_: Recipe) -> Strategy<Self> {
        // A bare `null` belongs to the member that holds the value: see `Maybe::Null`.
        json()
            .prop_filter("null is a state of its own", |value| !value.is_null())
            .prop_map(Raw::from)
            .boxed()
    }
}

impl Generate for std::num::NonZeroU64 {
    fn generate(recipe: Recipe) -> Strategy<Self> {
        u64::generate(recipe)
            .prop_filter_map("it is at least one", std::num::NonZeroU64::new)
            .boxed()
    }
}

impl Generate for crate::json::Number {
    fn generate(_: Recipe) -> Strategy<Self> {
        (-1e6..1e6f64).prop_map(Into::into).boxed()
    }
}

/// Any JSON value of moderate size.
pub fn json() -> Strategy<serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e6..1e6f64).prop_map(Into::into),
        "[a-zé\u{2028}\"\\\\]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            proptest::collection::btree_map("[a-z_]{0,4}", inner, 0..3)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

/// A member with three states, as the release fills it.
#[doc(hidden)]
pub fn maybe<T: Generate>(
    shape: &'static Shape,
    name: &'static str,
    recipe: Recipe,
) -> Strategy<Part> {
    states::<T>(recipe, presence(shape, name, recipe), || T::part(recipe))
}

/// As [`maybe`], for a member that holds the type it belongs to again: its strategy is made
/// only where a value comes up, for it would never be finished otherwise.
#[doc(hidden)]
pub fn maybe_again<T: Generate>(
    shape: &'static Shape,
    name: &'static str,
    recipe: Recipe,
) -> Strategy<Part> {
    states::<T>(recipe, presence(shape, name, recipe), || {
        later(T::part, recipe)
    })
}

fn later(make: fn(Recipe) -> Strategy<Part>, recipe: Recipe) -> Strategy<Part> {
    Just(()).prop_flat_map(move |()| make(recipe)).boxed()
}

/// The content of a kind that may be without.
#[doc(hidden)]
pub fn content<T: Generate>(kind: &'static AdjacentVariant, recipe: Recipe) -> Strategy<Part> {
    let member = kind.content.as_ref();
    let presence = member.and_then(|member| member.presence(recipe.release));
    states::<T>(recipe, presence, || T::part(recipe))
}

fn presence(shape: &'static Shape, name: &'static str, recipe: Recipe) -> Option<Presence> {
    let members = match &shape.form {
        Form::Object(members) => members,
        Form::Tagged { base, .. } | Form::Adjacent { base, .. } => base,
        _ => unreachable!("only objects ask for members"),
    };
    members
        .iter()
        .find(|m| m.name == name)
        .and_then(|m| m.presence_written(recipe.release))
}

/// The states that a presence allows.
fn states<T: Generate>(
    recipe: Recipe,
    presence: Option<Presence>,
    value: impl FnOnce() -> Strategy<Part>,
) -> Strategy<Part> {
    let absent = || Part::new(Maybe::<T>::Absent);
    let null = || Part::new(Maybe::<T>::Null);
    let Some(presence) = presence else {
        return constant(absent);
    };
    let mut branches = Vec::new();
    if T::possible(recipe) {
        branches.push(mapped(value(), |part| {
            Part::new(Maybe::Value(part.take::<T>()))
        }));
    }
    if presence.may_be_absent() {
        branches.push(constant(absent));
    }
    if presence.may_be_null() {
        branches.push(constant(null));
    }
    one_of(branches)
}

/// Whether the alternative or kind at an index is there in the release.
#[doc(hidden)]
pub fn available<T: Described>(index: usize, recipe: Recipe) -> bool {
    match &T::SHAPE.form {
        Form::ExternallyTagged(kinds) => kinds[index].is_available(recipe.release),
        Form::Untagged(branches) => branches[index].is_available(recipe.release),
        _ => unreachable!("the derive asks for kinds and alternatives only"),
    }
}

/// The members no type names.
#[doc(hidden)]
pub fn extra(recipe: Recipe) -> Strategy<Extra> {
    if !recipe.unknown {
        return Just(Extra::new()).boxed();
    }
    proptest::collection::vec(("x_[a-z]{1,4}", Raw::generate(recipe)), 0..2)
        .prop_map(|members| {
            let mut extra = Extra::new();
            for (name, value) in members {
                extra.push(name, value);
            }
            extra
        })
        .boxed()
}

/// As [`extra`], as a member of a struct.
#[doc(hidden)]
pub fn extra_part(recipe: Recipe) -> Strategy<Part> {
    erased(extra(recipe))
}

/// The order of the type, as a member of a struct.
#[doc(hidden)]
pub fn order_part() -> Strategy<Part> {
    erased(Just(MemberOrder::new()).boxed())
}

/// A kind no release writes.
#[doc(hidden)]
pub fn unknown(recipe: Recipe) -> Strategy<Part> {
    ("x_[a-z.]{1,6}", extra(recipe))
        .prop_map(|(tag, members)| Part::new(Unknown { tag, members }))
        .boxed()
}

/// A value of an enumeration that the release has.
#[doc(hidden)]
pub fn enum_value(shape: &'static Shape, recipe: Recipe) -> Strategy<Part> {
    let Form::Enum { values, .. } = &shape.form else {
        unreachable!("only enumerations ask for values");
    };
    let mut branches: Vec<Strategy<String>> = values
        .iter()
        .filter(|value| value.is_available(recipe.release))
        .map(|value| Just(value.value.to_owned()).boxed())
        .collect();
    if recipe.unknown {
        branches.push("x_[a-z]{1,4}".boxed());
    }
    erased(one_of(branches))
}

/// The spelling of a tag that the release uses.
#[doc(hidden)]
pub fn tag_key<K: TagKeys + std::fmt::Debug + 'static>(recipe: Recipe) -> Strategy<Part> {
    let available = K::KEYS
        .iter()
        .enumerate()
        .filter(|(_, (_, availability))| availability.contains(recipe.release))
        .map(|(index, _)| Just(K::at(index)).boxed())
        .collect();
    erased(one_of(available))
}

/// A bare kind no release writes, or one with a value.
#[doc(hidden)]
pub fn unknown_external(recipe: Recipe) -> Strategy<Part> {
    let values = prop_oneof![
        "x_[a-z]{1,6}".prop_map(|kind| UnknownExternal::bare(&kind)),
        ("x_[a-z]{1,6}", Raw::generate(recipe))
            .prop_map(|(kind, value)| UnknownExternal::with_value(kind, value)),
    ];
    erased(values.boxed())
}

/// A call no release makes.
#[doc(hidden)]
pub fn unknown_call(recipe: Recipe) -> Strategy<Part> {
    let content = proptest::option::of(Raw::generate(recipe));
    ("x_[a-z/]{1,6}", content)
        .prop_map(|(tag, content)| Part::new(UnknownCall { tag, content }))
        .boxed()
}

/// Each branch equally likely.
///
/// # Panics
/// When there are no branches: the release has no value of this type, so nothing may ask for one.
#[doc(hidden)]
pub fn one_of<T: std::fmt::Debug + 'static>(branches: Vec<Strategy<T>>) -> Strategy<T> {
    Union::new(branches).boxed()
}
