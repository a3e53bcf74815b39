//! Fits a value into the schema of a release.
//!
//! Members that the release does not have are left out, and those that it always writes are added:
//! with what is known, else with the least that the schema allows. Of a union the variant is taken
//! that changes least.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::Release;
use codex_wire_schema::Parts;
use codex_wire_schema::ir::{
    EnumValue, ExternalVariant, Kind, Member, Object, Schema, Tagged, Undeclared,
};

use super::facts::Facts;
use super::known::{self, alike};
use super::nodes::{is_byte, kind_of, numbers, short, tag_of, values};
use super::parse;
use crate::compose::json::Node;
use crate::error::Unsupported;

/// Deeper than any message that Codex writes: definitions may contain themselves.
const DEEPEST: usize = 40;

/// A value is left out, or becomes another.
const LEFT_OUT: u32 = 3;
/// A member is added.
const ADDED: u32 = 2;
/// A value is written in another way.
const CHANGED: u32 = 1;

/// What a release has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lack {
    /// Where in the message.
    pub(super) pointer: String,
    /// What the release does not have.
    pub(super) what: String,
}

/// A value as the release has it, and how much it differs from what was recorded.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub(super) node: Node,
    pub(super) cost: u32,
}

/// The result of fitting a value.
pub(super) type Fitting = Result<Fitted, Lack>;

/// Fits values into the schemas of one release.
#[derive(Clone, Copy)]
pub(super) struct Fit<'a> {
    parts: &'a Parts,
    /// The schemas of the release that was recorded: what it does not have has come since.
    recorded: Option<&'a Parts>,
    facts: &'a Facts,
    depth: usize,
}

fn as_is(node: impl Into<Node>) -> Fitting {
    Ok(Fitted {
        node: node.into(),
        cost: 0,
    })
}

fn changed(node: impl Into<Node>) -> Fitting {
    Ok(Fitted {
        node: node.into(),
        cost: CHANGED,
    })
}

fn lack<T>(what: impl Into<String>) -> Result<T, Lack> {
    Err(Lack {
        pointer: String::new(),
        what: what.into(),
    })
}

impl Fitted {
    /// The same, at a further cost.
    fn costing(mut self, cost: u32) -> Self {
        self.cost += cost;
        self
    }
}

impl Lack {
    fn under(mut self, name: &str) -> Self {
        self.pointer = format!("/{name}{}", self.pointer);
        self
    }

    /// Why the release cannot say it.
    pub(super) fn of(self, release: Release) -> Unsupported {
        let Lack { pointer, what } = self;
        Unsupported::Part {
            release,
            what,
            pointer,
        }
    }
}

impl<'a> Fit<'a> {
    pub(super) fn new(parts: &'a Parts, facts: &'a Facts) -> Self {
        Fit {
            parts,
            recorded: None,
            facts,
            depth: 0,
        }
    }

    /// Members that have come since this release are written, also those that may be left out: Codex
    /// writes `null` for what it does not know.
    pub(super) fn since(self, recorded: Option<&'a Parts>) -> Self {
        Fit { recorded, ..self }
    }

    /// A message of the set.
    pub(super) fn message(self, message: &Node) -> Fitting {
        self.schema(self.parts.root(), "", message)
    }

    /// The result of a request of that method; none if the release has no such request.
    pub(super) fn result(self, method: &str, result: &Node) -> Option<Fitting> {
        let variant = self.parts.root().tagged()?.variant(method)?;
        let message = self.parts.schema(&variant.definition)?;
        let member = message.member("result")?;
        Some(self.member(member, result))
    }

    /// A value under a schema. `name` is that of the definition that the schema is.
    fn schema(self, schema: &Schema, name: &str, value: &Node) -> Fitting {
        let fit = Fit {
            depth: self.depth + 1,
            ..self
        };
        if fit.depth > DEEPEST {
            return lack("a value that deep");
        }
        match (&schema.kind, value) {
            (Kind::Any, value) => as_is(value.clone()),
            (Kind::Reference(name), value) => match fit.parts.schema(name) {
                Some(schema) => fit.schema(schema, name, value),
                None => lack(format!("`{name}`")),
            },
            (Kind::Null, Node::Null)
            | (Kind::Boolean, Node::Bool(_))
            | (Kind::Number, Node::Number(_))
            | (Kind::String, Node::Text(_)) => as_is(value.clone()),
            (Kind::Integer { minimum, maximum }, Node::Number(number)) => match number.as_i128() {
                Some(number) if (*minimum..=*maximum).contains(&number) => as_is(value.clone()),
                _ => lack(format!("the number {number}")),
            },
            (Kind::NotEmpty, Node::Text(text)) if !text.is_empty() => as_is(text),
            (Kind::Base64, Node::Text(text)) => match STANDARD.decode(text) {
                Ok(_) => as_is(text),
                Err(_) => changed(STANDARD.encode(text)),
            },
            (Kind::Base64, Node::List(bytes)) => changed(STANDARD.encode(numbers(bytes))),
            (Kind::Constant(constant), Node::Text(text)) => match () {
                () if constant == text => as_is(text),
                () if alike(constant, text) => changed(&**constant),
                () => lack(format!("`{text}`")),
            },
            (Kind::Enum(values), Node::Text(text)) => one_of(values, text),
            // What has become an object by its kind alone, or was one.
            (Kind::Enum(values), Node::Object(members)) => match kind_of(members) {
                Some((kind, _)) => Ok(one_of(values, kind)?.costing(LEFT_OUT)),
                None => lack("an object"),
            },
            (Kind::Array(items), Node::List(list)) => Ok(fit.list(items, list)),
            // Bytes were numbers, and are base64.
            (Kind::Array(items), Node::Text(text)) if is_byte(items) => {
                let Ok(bytes) = STANDARD.decode(text) else {
                    return lack("text that is not base64");
                };
                let bytes = bytes.into_iter().map(|byte| Node::from(u64::from(byte)));
                changed(Node::List(bytes.collect()))
            }
            (Kind::Map(values), Node::Object(members)) => fit.map(values, members),
            (Kind::Object(object), Node::Object(members)) => fit.object(object, name, members),
            (Kind::Tagged(union), value) => fit.tagged(union, value),
            (Kind::External(variants), value) => fit.external(variants, value),
            (Kind::Untagged(variants), value) => {
                fit.untagged(variants.iter().map(|variant| &variant.schema), name, value)
            }
            _ => lack(format!("a value such as {}", short(value))),
        }
    }

    /// The least that a schema allows.
    fn least(self, schema: &Schema, name: &str) -> Option<Node> {
        let fit = Fit {
            depth: self.depth + 1,
            ..self
        };
        if fit.depth > DEEPEST {
            return None;
        }
        Some(match &schema.kind {
            Kind::Any | Kind::Null => Node::Null,
            Kind::Never => return None,
            Kind::Boolean => false.into(),
            Kind::Number => 0.into(),
            Kind::Integer { minimum, .. } => {
                i64::try_from((*minimum).max(0)).unwrap_or_default().into()
            }
            Kind::String => match name {
                // These have to be paths.
                "AbsolutePathBuf" | "LegacyAppPathString" | "cwd" | "path" => {
                    self.facts.cwd.as_deref().unwrap_or("/workspace").into()
                }
                _ => "".into(),
            },
            Kind::NotEmpty => "-".into(),
            Kind::Base64 => "".into(),
            Kind::Constant(constant) => (&**constant).into(),
            Kind::Enum(values) => (&*values.first()?.value).into(),
            Kind::Array(_) => Node::List(Vec::new()),
            Kind::Map(_) => Node::Object(Vec::new()),
            Kind::Object(object) => fit.object(object, name, &[]).ok()?.node,
            Kind::Reference(name) => fit.least(fit.parts.schema(name)?, name)?,
            Kind::Tagged(union) => union.variants.iter().find_map(|variant| {
                let schema = fit.parts.schema(&variant.definition)?;
                let mut node = fit.least(schema, &variant.definition)?;
                parse::set(&mut node, &union.tag, &*variant.tag);
                Some(node)
            })?,
            Kind::External(variants) => variants.iter().find_map(|variant| {
                fit.least(fit.parts.schema(&variant.definition)?, &variant.definition)
            })?,
            Kind::Untagged(variants) => variants
                .iter()
                .find_map(|variant| fit.least(&variant.schema, name))?,
        })
    }

    /// The variant that changes least; of equal ones the first.
    fn untagged<'s>(
        self,
        variants: impl Iterator<Item = &'s Schema>,
        name: &str,
        value: &Node,
    ) -> Fitting {
        let mut best: Fitting = lack(format!("a value such as {}", short(value)));
        for variant in variants {
            match (self.schema(variant, name, value), &best) {
                (Ok(fitted), _) if fitted.cost == 0 => return Ok(fitted),
                (Ok(fitted), Ok(known)) if fitted.cost >= known.cost => {}
                (Ok(fitted), _) => best = Ok(fitted),
                (Err(error), Err(known)) if error.pointer.len() > known.pointer.len() => {
                    best = Err(error);
                }
                _ => {}
            }
        }
        best
    }

    fn external(self, variants: &[ExternalVariant], value: &Node) -> Fitting {
        let schema = |variant: &ExternalVariant| self.parts.schema(&variant.definition);
        let all = variants.iter().filter_map(schema);
        let fitted = self.untagged(all, "", value);
        if fitted.is_ok() {
            return fitted;
        }
        // The same kind, told in another way: `{"type": …}`.
        let (kind, rest) = match value {
            Node::Text(text) => (text.as_str(), Vec::new()),
            Node::Object(members) => match kind_of(members) {
                Some(found) => found,
                None => return fitted,
            },
            _ => return fitted,
        };
        let has = |kind: &str| {
            let found = variants.iter().find(|variant| alike(&variant.kind, kind));
            found.map(|variant| &*variant.kind)
        };
        let near = known::kind(kind, has).map(|kind| (kind, CHANGED));
        let near = near.or_else(|| known::value(kind, has).map(|kind| (kind, LEFT_OUT)));
        let Some((kind, cost)) = near else {
            return lack(format!("`{kind}`"));
        };
        let forms = [
            Node::Object(vec![(kind.to_owned(), Node::Object(rest))]),
            Node::from(kind),
        ];
        for form in forms {
            let all = variants.iter().filter_map(schema);
            if let Ok(fitted) = self.untagged(all, "", &form) {
                return Ok(fitted.costing(cost));
            }
        }
        fitted
    }

    fn tagged(self, union: &Tagged, value: &Node) -> Fitting {
        let (kind, members) = match value {
            Node::Text(text) => (text.as_str(), Vec::new()),
            Node::Object(members) => {
                let own = members.iter().find(|(name, _)| *name == union.tag);
                match own.and_then(|(_, tag)| tag.as_str()) {
                    Some(tag) => (tag, members.clone()),
                    None => match kind_of(members) {
                        Some(found) => found,
                        None => return lack("an object without its kind"),
                    },
                }
            }
            _ => return lack(format!("a value such as {}", short(value))),
        };
        let has = |kind: &str| {
            let mut variants = union.variants.iter();
            let found = variants.clone().find(|variant| variant.tag == kind);
            found.or_else(|| variants.find(|variant| alike(&variant.tag, kind)))
        };
        let tag = |kind: &str| has(kind).map(|variant| &*variant.tag);
        let (found, cost) = match known::kind(kind, tag) {
            Some(found) => (found, 0),
            None => match known::value(kind, tag) {
                Some(found) => (found, LEFT_OUT),
                None => return lack(format!("`{kind}`")),
            },
        };
        let Some(variant) = has(found) else {
            return lack(format!("`{kind}`"));
        };
        let Some(definition) = self.parts.schema(&variant.definition) else {
            return lack(format!("`{kind}`"));
        };
        // The tag stands where it stood, or first.
        let place = tag_of(value).unwrap_or(0);
        let mut tagged = Node::Object(members);
        let cost = cost + u32::from(found != kind) * CHANGED;
        match parse::get_mut(&mut tagged, &union.tag) {
            Some(tag) => *tag = found.into(),
            None => {
                if let Node::Object(members) = &mut tagged {
                    members.insert(place, (union.tag.to_string(), found.into()));
                }
            }
        }
        let fitted = self.schema(definition, &variant.definition, &tagged)?;
        Ok(fitted.costing(cost))
    }

    /// Elements that the release has no place for are left out.
    fn list(self, items: &Schema, list: &[Node]) -> Fitted {
        let mut cost = 0;
        let mut out = Vec::new();
        for item in list {
            match self.schema(items, "", item) {
                Ok(fitted) => {
                    cost += fitted.cost;
                    out.push(fitted.node);
                }
                Err(_) => cost += LEFT_OUT * values(item),
            }
        }
        Fitted {
            node: Node::List(out),
            cost,
        }
    }

    fn map(self, values: &Schema, members: &[(String, Node)]) -> Fitting {
        let (mut out, mut cost) = (Vec::new(), 0);
        for (name, value) in members {
            let fitted = self
                .schema(values, "", value)
                .map_err(|lack| lack.under(name))?;
            cost += fitted.cost;
            out.push((name.clone(), fitted.node));
        }
        Ok(Fitted {
            node: Node::Object(out),
            cost,
        })
    }

    fn object(self, object: &Object, definition: &str, recorded: &[(String, Node)]) -> Fitting {
        let mut out: Vec<(String, Node)> = Vec::new();
        let mut cost = 0;
        for (name, value) in recorded {
            let Some(member) = find(object, recorded, name) else {
                if object.undeclared == Undeclared::Written {
                    out.push((name.clone(), value.clone()));
                } else {
                    cost += LEFT_OUT * values(value);
                }
                continue;
            };
            let member = match out.iter().filter(|(name, _)| *name == member.name).count() {
                0 => member,
                1 => match &member.second {
                    Some(second) => second,
                    None => {
                        cost += LEFT_OUT;
                        continue;
                    }
                },
                _ => continue,
            };
            let optional = !member.optional.is_empty();
            if *value == Node::Null && member.nullable.is_empty() && !allows_null(self, member) {
                // What is `null` is left out, or is added below.
                if !optional {
                    cost += CHANGED;
                }
                continue;
            }
            match self.member(member, value) {
                Ok(fitted) => {
                    cost += fitted.cost + u32::from(member.name != *name) * CHANGED;
                    out.push((member.name.to_string(), fitted.node));
                }
                Err(_) if optional => cost += LEFT_OUT * values(value),
                Err(lack) => return Err(lack.under(name)),
            }
        }
        if out.is_empty() && !recorded.is_empty() && !object.members.is_empty() {
            // An object that has nothing of what was recorded is another one.
            return lack(short(&Node::Object(recorded.to_vec())));
        }
        for member in &object.members {
            let written = out.iter().filter(|(name, _)| *name == member.name).count();
            let members = [Some(member), member.second.as_deref()];
            for member in members.into_iter().flatten().skip(written) {
                if !member.optional.is_empty() && !self.has_come(member, definition) {
                    continue;
                }
                cost += ADDED;
                match self.added(member, definition, &out, recorded) {
                    Some(node) => out.push((member.name.to_string(), node)),
                    None if !member.optional.is_empty() => {}
                    None => return lack(format!("a value for `{}`", member.name)),
                }
            }
        }
        cost += self.choose(object, definition, recorded, &mut out)?;
        Ok(Fitted {
            node: Node::Object(out),
            cost,
        })
    }

    /// Whether a member that may be left out is written because the recorded release did not have it.
    fn has_come(self, member: &Member, definition: &str) -> bool {
        let recorded = self.recorded.and_then(|parts| parts.schema(definition));
        let Some(object) = recorded.and_then(Schema::object) else {
            return false;
        };
        // These are left out if there is nothing to say; see `fixtures/app-server/0.169.0`.
        if definition.ends_with("ResponseItem") || member.name == "mcpAppResourceUri" {
            return false;
        }
        let is_new = object.member(&member.name).is_none();
        let is_known = self.facts.is_written(definition, &member.name);
        is_new && (!member.nullable.is_empty() || is_known)
    }

    /// Adds the members of the first set of a group of which the release requires one.
    fn choose(
        self,
        object: &Object,
        definition: &str,
        recorded: &[(String, Node)],
        out: &mut Vec<(String, Node)>,
    ) -> Result<u32, Lack> {
        let mut cost = 0;
        for choice in &object.choices {
            let has = |out: &[(String, Node)], set: &[codex_wire_schema::ir::Text]| {
                set.iter().all(|name| out.iter().any(|(n, _)| n == name))
            };
            if choice.any.iter().any(|set| has(out, set)) {
                continue;
            }
            let Some(set) = choice.any.first() else {
                continue;
            };
            for member in set.iter().filter_map(|name| object.member(name)) {
                if out.iter().any(|(name, _)| *name == member.name) {
                    continue;
                }
                let Some(node) = self.added(member, definition, out, recorded) else {
                    return lack(format!("a value for `{}`", member.name));
                };
                cost += ADDED;
                out.push((member.name.to_string(), node));
            }
        }
        Ok(cost)
    }

    fn member(self, member: &Member, value: &Node) -> Fitting {
        let nullable = !member.nullable.is_empty();
        if *value == Node::Null && nullable {
            return as_is(Node::Null);
        }
        match self.schema(&member.schema, &member.name, value) {
            Err(_) if nullable => Ok(Fitted {
                node: Node::Null,
                cost: LEFT_OUT * values(value),
            }),
            fitted => fitted,
        }
    }

    /// A value for a member that was not recorded.
    fn added(
        self,
        member: &Member,
        definition: &str,
        out: &[(String, Node)],
        recorded: &[(String, Node)],
    ) -> Option<Node> {
        let nullable = !member.nullable.is_empty();
        let facts = self.facts;
        if !nullable || facts.is_written(definition, &member.name) {
            // What was recorded may tell more than what is left of it.
            let siblings = [out, recorded].concat();
            let known = facts.value(definition, &member.name, &siblings);
            let known = known.filter(|known| *known != Node::Null || !nullable);
            if let Some(known) = known
                && let Ok(fitted) = self.schema(&member.schema, &member.name, &known)
            {
                return Some(fitted.node);
            }
        }
        match nullable {
            true => Some(Node::Null),
            false => self.least(&member.schema, &member.name),
        }
    }
}

/// The member of the release that a recorded one is. A name of the release comes before one that is
/// only alike.
fn find<'o>(object: &'o Object, recorded: &[(String, Node)], name: &str) -> Option<&'o Member> {
    if let Some(member) = object.member(name) {
        return Some(member);
    }
    let free = |member: &&Member| !recorded.iter().any(|(name, _)| *name == member.name);
    let mut members = object.members.iter();
    let found = members
        .find(|member| alike(&member.name, name))
        .filter(free);
    found.or_else(|| {
        known::member(name)
            .find_map(|name| object.member(name))
            .filter(free)
    })
}

/// Whether the schema of a member has `null` among its values.
fn allows_null(fit: Fit<'_>, member: &Member) -> bool {
    fit.schema(&member.schema, &member.name, &Node::Null)
        .is_ok()
}

fn one_of(values: &[EnumValue], text: &str) -> Fitting {
    if values.iter().any(|value| value.value == text) {
        return as_is(text);
    }
    let has = |text: &str| {
        let found = values.iter().find(|value| alike(&value.value, text));
        found.map(|value| &*value.value)
    };
    match (has(text), known::value(text, has)) {
        (Some(found), _) => changed(found),
        (None, Some(near)) => Ok(Fitted {
            node: near.into(),
            cost: LEFT_OUT,
        }),
        (None, None) => lack(format!("`{text}`")),
    }
}
