//! Writes a message as a release writes it: from the schema of that release.
//!
//! A message is described once, for all releases: with every member that a script
//! has something to say for. The schema of the release decides which of them are written, and which
//! further ones always are. Names are compared without their case and their separators, because
//! releases differ in these: `workspaceWrite` and `workspace-write`, `exitCode` and `exit_code`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::ir::{Kind, Member, Object, Schema, Tagged};
use codex_wire_schema::{Parts, Profile, Stability};

use super::json::Node;

/// Deeper than any message that Codex writes: definitions may contain themselves.
const DEEPEST: usize = 40;

/// Writes the messages of one release.
#[derive(Debug)]
pub(crate) struct Writer {
    release: Release,
    sets: Vec<(MessageSet, Parts)>,
}

impl Writer {
    /// A writer of these message sets.
    pub(crate) fn new(sets: &[MessageSet], release: Release) -> Self {
        let parts = |set: &MessageSet| {
            let parts = Parts::new(*set, release, Profile::Exact, Stability::Experimental);
            (*set, parts)
        };
        Writer {
            release,
            sets: sets.iter().map(parts).collect(),
        }
    }

    /// The release.
    pub(crate) fn release(&self) -> Release {
        self.release
    }

    /// Whether the release has a message with that tag or method.
    pub(crate) fn has(&self, set: MessageSet, tag: &str) -> bool {
        let root = self.parts(set).map(Parts::root);
        let tagged = root.and_then(Schema::tagged);
        tagged.is_some_and(|union| union.variant(tag).is_some())
    }

    /// A message; none if the release has no such message, or no place for what has to be in it.
    pub(crate) fn message(&self, set: MessageSet, wanted: &Node) -> Option<Node> {
        let parts = self.parts(set)?;
        let fitted = Fit::of(parts, &nothing).schema(parts.root(), "", Some(wanted))?;
        // A message that has nothing of what is wanted is another one.
        (fitted.kept > 0).then_some(fitted.node)
    }

    /// The result of a request of that method.
    pub(crate) fn result(&self, set: MessageSet, method: &str, wanted: &Node) -> Option<Node> {
        self.fit_result(set, method, Some(wanted), &nothing)
    }

    /// The smallest result of a request of that method. `fill` says what a member holds that the
    /// release always writes and that cannot be `null`.
    pub(crate) fn smallest_result(
        &self,
        set: MessageSet,
        method: &str,
        fill: &Fill<'_>,
    ) -> Option<Node> {
        self.fit_result(set, method, None, fill)
    }

    fn fit_result(
        &self,
        set: MessageSet,
        method: &str,
        wanted: Option<&Node>,
        fill: &Fill<'_>,
    ) -> Option<Node> {
        let parts = self.parts(set)?;
        let variant = parts.root().tagged()?.variant(method)?;
        let result = parts.schema(&variant.definition)?.member("result")?;
        let fitted = Fit::of(parts, fill).member(result, wanted);
        fitted.map(|fitted| fitted.node)
    }

    fn parts(&self, set: MessageSet) -> Option<&Parts> {
        let mut sets = self.sets.iter();
        sets.find(|(other, _)| *other == set)
            .map(|(_, parts)| parts)
    }
}

/// Whether two names are equal except for their case and their separators.
fn same(one: &str, other: &str) -> bool {
    let letters = |text: &str| {
        text.bytes()
            .filter(|byte| !matches!(byte, b'_' | b'-'))
            .map(|byte| byte.to_ascii_lowercase())
            .collect::<Vec<u8>>()
    };
    one == other || letters(one) == letters(other)
}

/// A value, and how many of the wanted members are in it.
#[derive(Debug)]
struct Fitted {
    node: Node,
    kept: usize,
}

impl Fitted {
    fn of(node: impl Into<Node>) -> Option<Self> {
        Some(Fitted {
            node: node.into(),
            kept: 0,
        })
    }

    /// A wanted value that stays as it is.
    fn kept(node: impl Into<Node>) -> Option<Self> {
        Some(Fitted {
            node: node.into(),
            kept: 1,
        })
    }
}

/// What a member holds for which nothing is wanted, by the definition in which it is and its name. What
/// does not fit is not taken.
pub(crate) type Fill<'f> = dyn Fn(&str, &str) -> Option<Node> + 'f;

fn nothing(_: &str, _: &str) -> Option<Node> {
    None
}

#[derive(Clone, Copy)]
struct Fit<'a> {
    parts: &'a Parts,
    fill: &'a Fill<'a>,
    /// The definition in which it is.
    owner: &'a str,
    depth: usize,
}

impl<'a> Fit<'a> {
    fn of(parts: &'a Parts, fill: &'a Fill<'a>) -> Self {
        Fit {
            parts,
            fill,
            owner: "",
            depth: 0,
        }
    }

    /// What is wanted, as the definition has it; none if it has no place for that.
    fn definition(self, name: &'a str, wanted: Option<&Node>) -> Option<Fitted> {
        let inner = Fit {
            owner: name,
            ..self
        };
        inner.schema(self.parts.schema(name)?, name, wanted)
    }

    /// What is wanted, as the schema has it; none if it has no place for that.
    fn schema(self, schema: &'a Schema, name: &str, wanted: Option<&Node>) -> Option<Fitted> {
        let fit = Fit {
            depth: self.depth + 1,
            ..self
        };
        if fit.depth > DEEPEST {
            return None;
        }
        if let Some(Node::OneOf(choices)) = wanted {
            let mut choices = choices.iter();
            return choices.find_map(|choice| self.schema(schema, name, Some(choice)));
        }
        match (&schema.kind, wanted) {
            (Kind::Any, Some(node)) => Fitted::kept(node.clone()),
            (Kind::Any | Kind::Null, None) => Fitted::of(Node::Null),
            (Kind::Null, Some(Node::Null)) => Fitted::kept(Node::Null),
            (Kind::Boolean, None) => Fitted::of(false),
            (Kind::Boolean, Some(Node::Bool(value))) => Fitted::kept(*value),
            (Kind::Number, None) => Fitted::of(0),
            (Kind::Number, Some(Node::Number(number))) => {
                Fitted::kept(Node::Number(number.clone()))
            }
            (Kind::Integer { minimum, .. }, None) => {
                Fitted::of(i64::try_from((*minimum).max(0)).unwrap_or(0))
            }
            (Kind::Integer { minimum, maximum }, Some(Node::Number(number))) => {
                let value = number.as_i128()?;
                let holds = (*minimum..=*maximum).contains(&value);
                holds.then(|| Fitted::kept(Node::Number(number.clone())))?
            }
            (Kind::String, None) => Fitted::of(text_of(name)),
            (Kind::NotEmpty, None) => Fitted::of("-"),
            (Kind::Base64, None) => Fitted::of(""),
            (Kind::String, Some(Node::Text(text))) => Fitted::kept(text),
            (Kind::NotEmpty, Some(Node::Text(text))) if !text.is_empty() => Fitted::kept(text),
            (Kind::Base64, Some(Node::Text(text))) => Fitted::kept(STANDARD.encode(text)),
            (Kind::Constant(constant), None) => Fitted::of(&**constant),
            (Kind::Constant(constant), Some(Node::Text(text))) => {
                same(constant, text).then(|| Fitted::kept(&**constant))?
            }
            (Kind::Enum(values), None) => Fitted::of(&*values.first()?.value),
            (Kind::Enum(values), Some(Node::Text(text))) => {
                let found = values.iter().find(|value| same(&value.value, text))?;
                Fitted::kept(&*found.value)
            }
            (Kind::Array(_), None) => Fitted::of(Node::List(Vec::new())),
            (Kind::Array(items), Some(Node::List(list))) => fit.list(items, list),
            // The oldest releases write the bytes of an output as numbers.
            (Kind::Array(items), Some(Node::Text(text))) => {
                let numbers = matches!(items.kind, Kind::Integer { .. });
                let bytes = text.bytes().map(|byte| Node::from(u64::from(byte)));
                numbers.then(|| Fitted::kept(Node::List(bytes.collect())))?
            }
            (Kind::Map(_), None) => Fitted::of(Node::Object(Vec::new())),
            (Kind::Map(values), Some(Node::Object(members))) => fit.map(values, members),
            (Kind::Object(object), None) => fit.object(object, &[]),
            (Kind::Object(object), Some(Node::Object(members))) => fit.object(object, members),
            (Kind::Reference(name), wanted) => fit.definition(name, wanted),
            (Kind::Tagged(union), wanted) => fit.tagged(union, wanted),
            (Kind::External(variants), wanted) => {
                let tried = variants
                    .iter()
                    .map(|variant| fit.definition(&variant.definition, wanted));
                best(tried)
            }
            (Kind::Untagged(variants), wanted) => {
                let tried = variants
                    .iter()
                    .map(|variant| fit.schema(&variant.schema, name, wanted));
                best(tried)
            }
            _ => None,
        }
    }

    fn list(self, items: &'a Schema, list: &[Node]) -> Option<Fitted> {
        let fitted = list.iter().map(|item| self.schema(items, "", Some(item)));
        let fitted: Vec<Fitted> = fitted.collect::<Option<_>>()?;
        Some(Fitted {
            kept: fitted.iter().map(|fitted| fitted.kept).sum::<usize>() + 1,
            node: Node::List(fitted.into_iter().map(|fitted| fitted.node).collect()),
        })
    }

    fn map(self, values: &'a Schema, members: &[(String, Node)]) -> Option<Fitted> {
        let (mut out, mut kept) = (Vec::new(), 1);
        for (name, value) in members {
            let fitted = self.schema(values, "", Some(value))?;
            kept += fitted.kept;
            out.push((name.clone(), fitted.node));
        }
        Some(Fitted {
            node: Node::Object(out),
            kept,
        })
    }

    fn tagged(self, union: &'a Tagged, wanted: Option<&Node>) -> Option<Fitted> {
        let Some(wanted) = wanted else {
            let tag = (self.fill)(self.owner, &union.tag);
            let named = tag.as_ref().and_then(Node::as_str);
            let named = named.and_then(|tag| union.variant(tag));
            let variant = named.or(union.variants.first())?;
            return self.definition(&variant.definition, None);
        };
        let Node::Object(members) = wanted else {
            return None;
        };
        // One release after the other renamed `item_type` to `type`.
        let tag = members
            .iter()
            .position(|(name, _)| *name == union.tag)
            .or_else(|| members.iter().position(|(name, _)| name == "type"))?;
        let tags = match &members[tag].1 {
            Node::OneOf(tags) => tags.as_slice(),
            only => std::slice::from_ref(only),
        };
        let variant = tags.iter().filter_map(Node::as_str).find_map(|tag| {
            let mut variants = union.variants.iter();
            variants.find(|variant| same(&variant.tag, tag))
        })?;
        let mut members = members.clone();
        members[tag] = (union.tag.to_string(), Node::from(&*variant.tag));
        self.definition(&variant.definition, Some(&Node::Object(members)))
    }

    /// The wanted members that the release has, in their order, and those that it always writes.
    fn object(self, object: &'a Object, wanted: &[(String, Node)]) -> Option<Fitted> {
        let mut out: Vec<(String, Node)> = Vec::new();
        let mut kept = 0;
        for (name, value) in wanted {
            let Some(member) = object
                .members
                .iter()
                .find(|member| same(&member.name, name))
            else {
                continue;
            };
            let written = out.iter().filter(|(name, _)| *name == member.name).count();
            let member = match written {
                0 => member,
                1 => match &member.second {
                    Some(second) => second,
                    None => continue,
                },
                _ => continue,
            };
            match self.member(member, Some(value)) {
                Some(fitted) => {
                    kept += fitted.kept;
                    out.push((member.name.to_string(), fitted.node));
                }
                None if member.optional.is_empty() => return None,
                None => {}
            }
        }
        let missing = object.members.iter().filter(|member| {
            let written = out.iter().any(|(name, _)| *name == member.name);
            member.optional.is_empty() && !written
        });
        let missing: Vec<&Member> = missing.collect();
        for member in missing {
            let filled = match member.nullable.is_empty() {
                true => (self.fill)(self.owner, &member.name),
                false => None,
            };
            let filled =
                filled.and_then(|node| self.schema(&member.schema, &member.name, Some(&node)));
            let fitted = match filled {
                Some(filled) => filled,
                None => self.member(member, None)?,
            };
            out.push((member.name.to_string(), fitted.node));
        }
        Some(Fitted {
            node: Node::Object(out),
            kept,
        })
    }

    fn member(self, member: &'a Member, wanted: Option<&Node>) -> Option<Fitted> {
        let nullable = !member.nullable.is_empty();
        match wanted {
            Some(Node::OneOf(choices)) => {
                let mut choices = choices.iter();
                choices.find_map(|choice| self.member(member, Some(choice)))
            }
            Some(Node::Null) if nullable => Fitted::kept(Node::Null),
            None if nullable => Fitted::of(Node::Null),
            wanted => {
                let fitted = self.schema(&member.schema, &member.name, wanted);
                fitted.or_else(|| nullable.then(|| Fitted::of(Node::Null))?)
            }
        }
    }
}

/// What has a place for most of what is wanted; of equal ones the first.
fn best(tried: impl Iterator<Item = Option<Fitted>>) -> Option<Fitted> {
    let mut best: Option<Fitted> = None;
    for fitted in tried.flatten() {
        if best.as_ref().is_none_or(|best| fitted.kept > best.kept) {
            best = Some(fitted);
        }
    }
    best
}

/// The text of a member for which a script has nothing to say.
fn text_of(name: &str) -> &'static str {
    match name {
        // These have to be paths.
        "AbsolutePathBuf" | "cwd" | "path" => "/workspace",
        _ => "",
    }
}
