//! Which kinds of JSON a type takes.

use app_server_codegen::Snapshot;
use app_server_codegen::snapshot::Body;
use app_server_codegen::types::Type;

/// Which kinds of JSON a type takes, as far as the questions depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Takes {
    /// Numbers.
    pub(super) numbers: bool,
    /// Texts.
    pub(super) texts: bool,
}

impl Takes {
    /// What a type of a release takes.
    pub(super) fn of(snapshot: &Snapshot, of: &Type) -> Self {
        Takes::within(snapshot, of, &mut Vec::new())
    }

    fn within(snapshot: &Snapshot, of: &Type, within: &mut Vec<String>) -> Self {
        let mut out = Takes::default();
        match of {
            Type::Any => out.texts = true,
            Type::String | Type::NonEmpty => out.texts = true,
            Type::Integer(_) | Type::Number(_) => out.numbers = true,
            Type::Union(branches) => {
                for branch in branches {
                    out.add(Takes::within(snapshot, branch, within));
                }
            }
            Type::Reference(name) if !within.contains(name) => {
                within.push(name.clone());
                if let Some(body) = snapshot.definitions.get(name) {
                    out.add(Takes::of_body(snapshot, body, within));
                }
                within.pop();
            }
            _ => {}
        }
        out
    }

    fn of_body(snapshot: &Snapshot, body: &Body, within: &mut Vec<String>) -> Self {
        let mut out = Takes::default();
        match body {
            Body::Object(_) | Body::Tagged { .. } | Body::ExternallyTagged { .. } => {}
            Body::AnyOf(branches) => {
                for branch in branches {
                    out.add(Takes::within(snapshot, branch, within));
                }
            }
            Body::Several(bodies) => {
                for body in bodies {
                    out.add(Takes::of_body(snapshot, body, within));
                }
            }
        }
        out
    }

    fn add(&mut self, other: Takes) {
        self.numbers |= other.numbers;
        self.texts |= other.texts;
    }
}
