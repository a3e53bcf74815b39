//! proptest strategies for values as a given release writes them.
//!
//! Every variant of a union and every value of an enumeration is equally likely, so that rare
//! kinds are tried as often as common ones.

use proptest::prelude::*;
use proptest::strategy::{BoxedStrategy, Strategy as _, Union};

use crate::Maybe;
use crate::json::{Extra, Raw};
use crate::release::Release;
use crate::shape::{Form, Shape};
use crate::wire::{Map, TagKeys, Unknown, UnknownExternal};

/// A boxed strategy.
pub type Strategy<T> = BoxedStrategy<T>;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The release whose values to make, one of the timeline's.
    pub release: Release,
    /// Whether to add what no release writes: unknown members, kinds and values.
    pub unknown: bool,
}

/// A type whose values can be generated.
pub trait Generate: Sized + std::fmt::Debug + 'static {
    /// A strategy for values as `recipe` asks for.
    fn generate(recipe: Recipe) -> Strategy<Self>;
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
    fn generate(recipe: Recipe) -> Strategy<Self> {
        proptest::collection::vec(T::generate(recipe), 0..3).boxed()
    }
}

impl<T: Generate> Generate for Box<T> {
    fn generate(recipe: Recipe) -> Strategy<Self> {
        T::generate(recipe).prop_map(Box::new).boxed()
    }
}

impl<T: Generate> Generate for Map<T> {
    fn generate(recipe: Recipe) -> Strategy<Self> {
        // Distinct names: a schema validator sees one value per name.
        proptest::collection::btree_map("[a-f0-9-]{1,8}", T::generate(recipe), 0..3)
            .prop_map(|map| map.into_iter().collect())
            .boxed()
    }
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
pub fn maybe<T: Generate + Clone>(
    shape: &'static Shape,
    name: &'static str,
    recipe: Recipe,
) -> Strategy<Maybe<T>> {
    maybe_with(shape, name, recipe, T::generate)
}

/// As [`maybe`], for a member that holds the type it belongs to again: its strategy is made
/// only where a value comes up, for it would never be finished otherwise.
#[doc(hidden)]
pub fn maybe_again<T: Generate + Clone>(
    shape: &'static Shape,
    name: &'static str,
    recipe: Recipe,
) -> Strategy<Maybe<T>> {
    maybe_with(shape, name, recipe, |recipe| {
        Just(())
            .prop_flat_map(move |()| T::generate(recipe))
            .boxed()
    })
}

fn maybe_with<T: Generate + Clone>(
    shape: &'static Shape,
    name: &'static str,
    recipe: Recipe,
    value: impl FnOnce(Recipe) -> Strategy<T>,
) -> Strategy<Maybe<T>> {
    let members = match &shape.form {
        Form::Object(members) => members,
        Form::Tagged { base, .. } => base,
        _ => unreachable!("only objects ask for members"),
    };
    let presence = members
        .iter()
        .find(|m| m.name == name)
        .and_then(|m| m.presence(recipe.release));
    let Some(presence) = presence else {
        return Just(Maybe::Absent).boxed();
    };
    let mut arms = vec![value(recipe).prop_map(Maybe::Value).boxed()];
    if presence.may_be_absent() {
        arms.push(Just(Maybe::Absent).boxed());
    }
    if presence.may_be_null() {
        arms.push(Just(Maybe::Null).boxed());
    }
    one_of(arms)
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

/// A kind no release writes.
#[doc(hidden)]
pub fn unknown(recipe: Recipe) -> Strategy<Unknown> {
    ("x_[a-z.]{1,6}", extra(recipe))
        .prop_map(|(tag, members)| Unknown { tag, members })
        .boxed()
}

/// A value of an enumeration that the release has.
#[doc(hidden)]
pub fn enum_value(shape: &'static Shape, recipe: Recipe) -> Strategy<String> {
    let Form::Enum(values) = &shape.form else {
        unreachable!("only enumerations ask for values");
    };
    let mut arms: Vec<Strategy<String>> = values
        .iter()
        .filter(|value| value.life.contains(recipe.release))
        .map(|value| Just(value.value.to_owned()).boxed())
        .collect();
    if recipe.unknown {
        arms.push("x_[a-z]{1,4}".boxed());
    }
    one_of(arms)
}

/// The spelling of a tag that the release uses.
#[doc(hidden)]
pub fn tag_key<K: TagKeys + std::fmt::Debug + 'static>(recipe: Recipe) -> Strategy<K> {
    let alive = K::KEYS
        .iter()
        .enumerate()
        .filter(|(_, (_, life))| life.contains(recipe.release))
        .map(|(index, _)| Just(K::at(index)).boxed())
        .collect();
    one_of(alive)
}

/// A bare kind no release writes, or one with a value.
#[doc(hidden)]
pub fn unknown_external(recipe: Recipe) -> Strategy<UnknownExternal> {
    prop_oneof![
        "x_[a-z]{1,6}".prop_map(|kind| UnknownExternal::bare(&kind)),
        ("x_[a-z]{1,6}", Raw::generate(recipe))
            .prop_map(|(kind, value)| UnknownExternal::with_value(kind, value)),
    ]
    .boxed()
}

/// One value, always.
#[doc(hidden)]
pub fn just<T: Clone + std::fmt::Debug + 'static>(value: T) -> Strategy<T> {
    Just(value).boxed()
}

/// The end of a nested list of strategies.
#[doc(hidden)]
pub fn nothing() -> Just<()> {
    Just(())
}

/// Each arm equally likely.
///
/// # Panics
/// When there are no arms: the release has no value of this type, so nothing may ask for one.
#[doc(hidden)]
pub fn one_of<T: std::fmt::Debug + 'static>(arms: Vec<Strategy<T>>) -> Strategy<T> {
    Union::new(arms).boxed()
}
