//! What one protocol declares, each declaration with the names that it uses.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use codex_wire_base::MessageSet;
use codex_wire_schema::ir::Undeclared;
use codex_wire_schema::{BundleName, MethodKind};

use super::any::absent;
use crate::comments::Comment;
use crate::model::{Alternative, Answer, Definition, Field, Method, Model, Shape, Type};
use crate::names::free;

/// A declaration, or several that belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Declaration {
    /// The name by which others refer to it.
    pub(super) name: String,
    pub(super) text: String,
    /// The names that it refers to, perhaps its own among them.
    pub(super) uses: BTreeSet<String>,
}

impl Declaration {
    /// The names that it refers to.
    pub(super) fn uses(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().map(String::as_str)
    }

    /// The names that it declares.
    pub(super) fn declares(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(|line| {
            let line = line.strip_prefix("export ")?;
            let name = line
                .strip_prefix("type ")
                .or(line.strip_prefix("interface "))?;
            name.split([' ', '<']).next()
        })
    }
}

/// The declarations of a protocol, in their order: messages come first.
pub(super) fn declarations(model: &Model, span: Span) -> Vec<Declaration> {
    let writer = Writer { model, span };
    let mut out = Vec::new();
    let mut written = BTreeSet::new();
    let roots = model.roots.iter().map(|root| &root.definition);
    let roots = roots.filter_map(|name| model.definitions.get_key_value(name));
    for (name, definition) in roots {
        if written.insert(name) {
            out.push(writer.definition(name, definition));
        }
    }
    match model.name {
        BundleName::AppServer => writer.connection(&mut out),
        BundleName::Hooks => out.push(writer.hook_events()),
        _ => {}
    }
    for (name, definition) in &model.definitions {
        if written.insert(name) {
            out.push(writer.definition(name, definition));
        }
    }
    out
}

/// Which releases a module has the types of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// Those that speak alike.
    One,
    /// All.
    Any,
}

impl Span {
    /// The releases that have something.
    pub(super) fn has(self) -> &'static str {
        match self {
            Span::One => "this release has",
            Span::Any => "any release has",
        }
    }

    /// The releases that do not have it.
    pub(super) fn has_not(self) -> &'static str {
        match self {
            Span::One => "this release does not have",
            Span::Any => "no release has",
        }
    }
}

struct Writer<'m> {
    model: &'m Model,
    span: Span,
}

impl Writer<'_> {
    fn definition(&self, name: &str, definition: &Definition) -> Declaration {
        let about = commented(&definition.comment, "");
        let mut uses = BTreeSet::new();
        let mut see = |name: &str| {
            uses.insert(name.to_owned());
        };
        definition.shape.references(&mut see);
        let text = match &definition.shape {
            Shape::Object(fields, Undeclared::Written) => {
                let members = members(fields, "Codex writes further members.");
                format!("{about}export type {name} = {members};\n")
            }
            Shape::Object(fields, _) => {
                // `{}` would take a number.
                let further = if fields.is_empty() {
                    "No member is known."
                } else {
                    ""
                };
                format!(
                    "{about}export interface {name} {}\n",
                    members(fields, further)
                )
            }
            Shape::Tagged(tags, variants) => {
                see("UnknownTag");
                let (known, closed) = self.known(name, "kinds", variants);
                let unknown = self.free(["Unknown", "Unlisted"], name);
                let tag = property(tags.first().map_or("type", |tag| tag));
                let current = match self.span {
                    Span::One => String::new(),
                    Span::Any => self.current(name, variants),
                };
                let former = tags.iter().skip(1).cloned().map(absent);
                let former = former.map(|tag| format!("  {};\n", member(&tag)));
                let has_not = self.span.has_not();
                format!(
                    "{current}{closed}\
                     /** A kind of `{name}` that {has_not}. */\n\
                     export interface {unknown} {{\n  {tag}: UnknownTag;\n{}  [member: string]: unknown;\n}}\n\n\
                     {about}export type {name} = {known} | {unknown};\n",
                    former.collect::<String>()
                )
            }
            Shape::Having { with, without, .. } => {
                format!("{about}export type {name} = {with} | {without};\n")
            }
            Shape::External(variants) => {
                see("UnknownVariant");
                let (known, closed) = self.known(name, "variants", variants);
                format!(
                    "{closed}{about}export type {name} = {known} | (string & {{}}) | UnknownVariant;\n"
                )
            }
            Shape::Enum(values) => {
                let (known, closed) = self.known(name, "values", values);
                format!("{closed}{about}export type {name} = {known} | (string & {{}});\n")
            }
            Shape::Alias(Type::Union(parts), comments) => {
                let comments = comments.iter().map(Some).chain(std::iter::repeat(None));
                let parts = parts.iter().map(expression).zip(comments);
                let parts: String = parts
                    .map(|(part, comment)| alternative(&part, comment))
                    .collect();
                format!("{about}export type {name} ={parts};\n")
            }
            Shape::Alias(value, _) => {
                format!("{about}export type {name} = {};\n", expression(value))
            }
        };
        Declaration {
            name: name.to_owned(),
            text,
            uses,
        }
    }

    /// The name of the closed union beside an open one, and its declaration.
    fn known(&self, name: &str, what: &str, alternatives: &[Alternative]) -> (String, String) {
        let known = self.free(["Known", "Listed"], name);
        let mut text = if alternatives.is_empty() {
            " never"
        } else {
            ""
        }
        .to_owned();
        for known in alternatives {
            let definitions = match known.definitions.as_slice() {
                [] => quoted(&known.tag),
                definitions => definitions.join(" | "),
            };
            // Of some strings the description has nothing but the string.
            let plain = format!("`{}`.", known.tag);
            let comment = Comment {
                text: known.comment.text.replace(&plain, ""),
                ..known.comment.clone()
            };
            text.push_str(&alternative(&definitions, Some(&comment)));
        }
        let has = self.span.has();
        let closed =
            format!("/** The {what} of `{name}` that {has}. */\nexport type {known} ={text};\n\n");
        (known, closed)
    }

    /// The kinds of a union that the newest release has, and the others. A union without the ones has neither.
    fn current(&self, name: &str, kinds: &[Alternative]) -> String {
        let current: Vec<&str> = kinds
            .iter()
            .filter_map(|kind| Some(kind.current()?.as_str()))
            .collect();
        if current.is_empty() {
            return String::new();
        }
        let retired = kinds.iter().flat_map(Alternative::retired);
        let mut retired: Vec<&str> = retired.map(String::as_str).collect();
        if retired.is_empty() {
            retired.push("never");
        }
        let mut out = String::new();
        for (prefixes, kinds, about) in [
            (["Current", "Today"], current, "the newest release has"),
            (["Retired", "Former"], retired, "only older releases have"),
        ] {
            let alias = self.free(prefixes, name);
            let kinds = kinds.join("\n  | ");
            let _ = write!(
                out,
                "/** The kinds of `{name}` that {about}. */\nexport type {alias} =\n  | {kinds};\n\n"
            );
        }
        out
    }

    /// The first of these names that no definition has.
    fn free(&self, prefixes: [&str; 2], name: &str) -> String {
        let names = prefixes.map(|prefix| format!("{prefix}{name}"));
        free(names, |name| self.model.definitions.contains_key(name))
    }

    /// The maps of methods, and the messages of both sides.
    fn connection(&self, out: &mut Vec<Declaration>) {
        let (client, server) = (("Client", false, "clients"), ("Server", true, "Codex"));
        for (side, by_codex, whose) in [client, server] {
            for (what, kind) in [
                ("Requests", MethodKind::Request),
                ("Notifications", MethodKind::Notification),
            ] {
                let (name, plural) = (format!("{side}{what}"), what.to_lowercase());
                let mut text = format!(
                    "/** The {plural} of {whose}, by method. */\nexport interface {name} {{\n"
                );
                let mut uses = BTreeSet::new();
                for method in &self.model.methods {
                    if (method.by_codex, method.kind) == (by_codex, kind) {
                        text.push_str(&self.method(method, &mut uses));
                    }
                }
                text.push_str("}\n");
                out.push(Declaration { name, text, uses });
            }
        }
        out.extend(MESSAGES.iter().map(|(name, uses, text)| Declaration {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
            uses: uses.split(' ').map(str::to_owned).collect(),
        }));
    }

    fn method(&self, method: &Method, uses: &mut BTreeSet<String>) -> String {
        let result = self.model.result(method);
        uses.extend(method.params.iter().chain(result).flat_map(used));
        let params = method.params.as_ref();
        let params = params.map_or("params?: undefined".to_owned(), member);
        let result = result.map(|result| format!("; {}", member(result)));
        format!(
            "{}  {}: {{ {params}{} }};\n",
            commented(&method.comment, "  "),
            quoted(&method.name),
            result.unwrap_or_default()
        )
    }

    /// What a hook of each event reads and prints.
    fn hook_events(&self) -> Declaration {
        let mut uses = BTreeSet::new();
        let mut text = String::from(
            "/** What a hook of each event reads and prints. */\nexport interface HookEvents {\n",
        );
        let mut roots = self.model.roots.iter();
        let input = roots.find(|root| root.message_set == MessageSet::HooksInput);
        let input = input.and_then(|root| self.model.shape(&root.definition));
        for event in input.into_iter().flat_map(Shape::alternatives) {
            let mut outputs = self.model.answers(MessageSet::HooksOutput);
            let output = outputs.find(|answer| answer.to == event.tag);
            let output = output.and_then(Answer::value);
            uses.extend(event.definitions.iter().cloned());
            uses.extend(output.into_iter().flat_map(used));
            let _ = writeln!(
                text,
                "{}  {}: {{ input: {}; output: {} }};",
                commented(&event.comment, "  "),
                quoted(&event.tag),
                event.definitions.join(" | "),
                output.map_or("unknown".to_owned(), field_type),
            );
        }
        text.push_str("}\n");
        Declaration {
            name: "HookEvents".to_owned(),
            text,
            uses,
        }
    }
}

/// What the messages of a connection are, with the names that they use. A response has no method: that of its
/// request says what it holds.
const MESSAGES: &[(&str, &str, &str)] = &[
    (
        "ServerResponse",
        "RequestId ClientRequests",
        "/** A response of Codex to a request of the method `M`. */
export interface ServerResponse<M extends keyof ClientRequests = keyof ClientRequests> {
  /** The id of the request. */
  id: RequestId;
  result: ClientRequests[M]['result'];
}
",
    ),
    (
        "ClientResponse",
        "RequestId ServerRequests",
        "/** A response of the client to a request of the method `M`. */
export interface ClientResponse<M extends keyof ServerRequests = keyof ServerRequests> {
  /** The id of the request. */
  id: RequestId;
  result: ServerRequests[M]['result'];
}
",
    ),
    (
        "ServerMessage",
        "ServerNotification ServerRequest ServerResponse ErrorResponse",
        "/** A line that Codex writes. */
export type ServerMessage = ServerNotification | ServerRequest | ServerResponse | ErrorResponse;
",
    ),
    (
        "ClientMessage",
        "ClientRequest ClientNotification ClientResponse ErrorResponse",
        "/** A line that a client writes. */
export type ClientMessage = ClientRequest | ClientNotification | ClientResponse | ErrorResponse;
",
    ),
];

/// The names that stand in a member.
fn used(field: &Field) -> Vec<String> {
    let mut out = Vec::new();
    field
        .value
        .references(&mut |name| out.push(name.to_owned()));
    out
}

/// An alternative of a union, on a line of its own.
fn alternative(what: &str, comment: Option<&Comment>) -> String {
    let comment = comment.map(|comment| commented(comment, "  "));
    format!("\n{}  | {what}", comment.unwrap_or_default())
}

/// The members of an object, with its braces. `further` says why there may be others.
fn members(fields: &[Field], further: &str) -> String {
    let mut out = String::from("{");
    for field in fields {
        let comment = commented(&field.comment, "  ");
        let _ = write!(out, "\n{comment}  {};", member(field));
    }
    if !further.is_empty() {
        let _ = write!(out, "\n  /** {further} */\n  [member: string]: unknown;");
    }
    out + "\n}"
}

/// A member, with its type.
fn member(field: &Field) -> String {
    let optional = if field.optional { "?" } else { "" };
    format!("{}{optional}: {}", property(&field.name), field_type(field))
}

fn field_type(field: &Field) -> String {
    let text = expression(&field.value);
    match field.nullable && !matches!(field.value, Type::Null | Type::Any) {
        true => format!("{text} | null"),
        false => text,
    }
}

fn expression(value: &Type) -> String {
    match value {
        Type::Any => "unknown".to_owned(),
        Type::Never => "never".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Number | Type::Integer { .. } => "number".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Constant(text) => quoted(text),
        Type::Strings(values) => {
            let values = values.iter().map(|value| quoted(&value.tag) + " | ");
            values.collect::<String>() + "(string & {})"
        }
        Type::List(items) => match **items {
            Type::Union(_) | Type::Strings(_) => format!("({})[]", expression(items)),
            _ => format!("{}[]", expression(items)),
        },
        Type::Dict(values) => format!("{{ [key: string]: {} }}", expression(values)),
        Type::Named(name) => name.clone(),
        Type::Union(parts) => {
            let parts: Vec<String> = parts.iter().map(expression).collect();
            parts.join(" | ")
        }
    }
}

/// The name of a member, in quotes where it needs them.
fn property(name: &str) -> String {
    let mut letters = name.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_name =
        letters.next().is_some_and(is_start) && letters.all(|c| is_start(c) || c.is_ascii_digit());
    match is_name {
        true => name.to_owned(),
        false => quoted(name),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A comment on lines of its own; empty if there is nothing to say.
fn commented(comment: &Comment, indent: &str) -> String {
    let mut lines: Vec<String> = comment
        .text
        .lines()
        .map(|line| line.replace("*/", "*\\/"))
        .collect();
    let mut tags = Vec::new();
    tags.extend(comment.since.map(|release| format!("@since {release}")));
    tags.extend(comment.until.map(|release| format!("@until {release}")));
    if comment.is_experimental {
        tags.push("@experimental".to_owned());
    }
    if !lines.is_empty() && !tags.is_empty() {
        lines.push(String::new());
    }
    lines.extend(tags);
    match lines.as_slice() {
        [] => String::new(),
        [only] => format!("{indent}/** {only} */\n"),
        lines => {
            let lines = lines.iter();
            let lines = lines.map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n");
            format!("{indent}/**\n{}{indent} */\n", lines.collect::<String>())
        }
    }
}
