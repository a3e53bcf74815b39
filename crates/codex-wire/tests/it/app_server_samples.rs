//! Values of any type of the app-server, as texts.

use std::collections::BTreeMap;

use codex_wire::generate::{Generate, Recipe};
use codex_wire::shape::{Form, Member, Shape};
use codex_wire::{Described, Error, Release, Wire};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde::Serialize;

use crate::support::tree::Tree;

/// A type whose values can be made and read, without its name in the code.
pub(crate) struct Type {
    pub(crate) name: &'static str,
    pub(crate) shape: &'static Shape,
    /// Whether the release has any value of the type.
    pub(crate) possible: fn(Recipe) -> bool,
    /// Makes values as a recipe asks for.
    pub(crate) values: fn(Recipe) -> Values,
    /// Reads a text and writes it again.
    pub(crate) again: fn(&str) -> Result<String, Error>,
}

/// Makes one value after the other.
pub(crate) type Values = Box<dyn FnMut(&mut TestRunner) -> Sample>;

/// A value that was made.
pub(crate) struct Sample {
    /// How it is written.
    pub(crate) text: String,
    /// The variant, if it is one of an enum.
    pub(crate) variant: String,
    /// Whether what is read from the text is the same value, and how that is written.
    pub(crate) back: Result<(bool, String), Error>,
}

/// A type as a value.
pub(crate) fn of<T>() -> Type
where
    T: Wire + Generate + Serialize + PartialEq + Described,
{
    Type {
        name: std::any::type_name::<T>(),
        shape: T::SHAPE,
        possible: T::possible,
        values: |recipe| {
            let strategy = T::generate(recipe);
            Box::new(move |runner| {
                let value = strategy.new_tree(runner).expect("a value").current();
                let text = codex_wire::to_string(&value);
                let mut variant = format!("{value:?}");
                variant.truncate(variant.find(['(', ' ', '{']).unwrap_or(variant.len()));
                let back = codex_wire::from_str::<T>(&text);
                let back = back.map(|back| (back == value, codex_wire::to_string(&back)));
                Sample {
                    text,
                    variant,
                    back,
                }
            })
        },
        again: |text| codex_wire::from_str::<T>(text).map(|value| codex_wire::to_string(&value)),
    }
}

/// What there is to see of a type in a release: every variant, and every state of every member.
pub(crate) struct Unseen {
    left: Vec<String>,
    enum_like: bool,
    tag: Option<&'static str>,
    members: Vec<&'static str>,
}

impl Unseen {
    pub(crate) fn of(shape: &'static Shape, release: Release) -> Self {
        let mut unseen = Unseen {
            left: Vec::new(),
            enum_like: false,
            tag: None,
            members: Vec::new(),
        };
        match &shape.form {
            Form::Object(members) => unseen.add_members(members, release),
            Form::Tagged {
                tags,
                base,
                variants,
            } => {
                unseen.add_members(base, release);
                unseen.tag = Some(tags[0].0);
                let available = variants.iter().filter(|v| v.is_available(release));
                unseen.left.extend(available.map(|v| v.tag.to_owned()));
            }
            Form::Adjacent {
                tag,
                base,
                variants,
                ..
            } => {
                unseen.add_members(base, release);
                unseen.tag = Some(tag);
                let available = variants.iter().filter(|v| v.is_available(release));
                unseen.left.extend(available.map(|v| v.tag.to_owned()));
            }
            Form::Enum { values, .. } => {
                let available = values.iter().filter(|v| v.is_available(release));
                unseen.left.extend(available.map(|v| v.value.to_owned()));
            }
            Form::ExternallyTagged(kinds) => {
                let available = kinds.iter().filter(|v| v.is_available(release));
                unseen.left.extend(available.map(|v| v.tag.to_owned()));
            }
            // No name stands for an alternative on the wire: the name in Rust has to do, and of
            // those only the number is known.
            Form::Untagged(branches) => {
                let available = branches
                    .iter()
                    .filter(|branch| branch.is_available(release))
                    .count();
                unseen.left.extend((0..available).map(|_| String::new()));
                unseen.enum_like = true;
            }
        }
        unseen
    }

    fn add_members(&mut self, members: &'static [Member], release: Release) {
        for member in members {
            let Some(presence) = member.presence_written(release) else {
                continue;
            };
            self.members.push(member.name);
            self.left.push(format!("{} value", member.name));
            if presence.may_be_absent() {
                self.left.push(format!("{} absent", member.name));
            }
            if presence.may_be_null() {
                self.left.push(format!("{} null", member.name));
            }
        }
    }

    /// What has not been seen yet.
    pub(crate) fn left(&self) -> &[String] {
        &self.left
    }

    /// Takes note of a sample.
    pub(crate) fn see(&mut self, sample: &Sample, variants: &mut BTreeMap<String, usize>) {
        if self.enum_like {
            let seen = variants.entry(sample.variant.clone()).or_default();
            *seen += 1;
            if *seen == 1 {
                self.left.pop();
            }
            return;
        }
        match Tree::parse(&sample.text).expect("JSON") {
            Tree::String(text) => self.strike(&text),
            Tree::Object(members) => {
                match self.tag {
                    Some(tag) => {
                        if let Some([Tree::String(tag)]) = members.get(tag).map(Vec::as_slice) {
                            self.strike(tag);
                        }
                    }
                    // Of an externally tagged union, the only member is the kind.
                    None if self.members.is_empty() => {
                        for key in members.keys() {
                            self.strike(key);
                        }
                    }
                    None => {}
                }
                for name in self.members.clone() {
                    let state = match members.get(name).map(|all| &all[0]) {
                        None => "absent",
                        Some(Tree::Scalar(text)) if text == "null" => "null",
                        Some(_) => "value",
                    };
                    self.strike(&format!("{name} {state}"));
                }
            }
            _ => {}
        }
    }

    fn strike(&mut self, what: &str) {
        self.left.retain(|left| left != what);
    }
}
