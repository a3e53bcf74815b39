//! Parses the `#[wire(…)]` attributes of types, members and variants.

use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, DataEnum, DeriveInput, Field, GenericArgument, Ident, LitStr, Meta, PathArguments,
    Type, Variant,
};

use crate::docs::{docs, without_releases};
use crate::release::{Span, Times};

/// What a type says of itself.
#[derive(Default)]
pub(crate) struct TypeAttributes {
    pub(crate) docs: String,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) variant_suffix: Option<LitStr>,
    pub(crate) closed: bool,
    pub(crate) others: bool,
    pub(crate) externally_tagged: bool,
    pub(crate) untagged: bool,
    pub(crate) style: Style,
    /// When an enumeration takes any other string.
    pub(crate) open: Vec<Span>,
    /// Whether such another string has at least one character.
    pub(crate) not_empty: bool,
    /// Sets of members of which at least one is there.
    pub(crate) choices: Vec<Choice>,
}

/// Sets of members of which at least one is there whole.
#[derive(Default)]
pub(crate) struct Choice {
    /// Each a list of names on the wire, with spaces between.
    pub(crate) any: Vec<LitStr>,
    pub(crate) times: Times,
}

/// How names on the wire follow from names in Rust.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Snake,
    Camel,
    Kebab,
}

/// What a struct field is for.
pub(crate) enum Role {
    Member(Box<MemberAttributes>),
    Extra,
    Order,
    Variant,
    TagKey,
}

/// When something may be left out or be `null`.
#[derive(Default)]
pub(crate) struct Freedoms {
    pub(crate) optional: Vec<Span>,
    pub(crate) nullable: Vec<Span>,
}

/// A named member.
pub(crate) struct MemberAttributes {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) times: Times,
    pub(crate) freedoms: Freedoms,
    pub(crate) default: bool,
    /// When Codex always writes it, although it may be left out.
    pub(crate) written: Vec<Span>,
    pub(crate) recursive: bool,
    /// Whether the tag of the union it is in stands behind it.
    pub(crate) tag_behind: bool,
    /// The type inside `Maybe<…>`, if the field is one.
    pub(crate) maybe: Option<Type>,
}

/// A variant of an enum.
pub(crate) struct VariantAttributes {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) times: Times,
    /// How the content of an adjacent union may be missing; nothing for other unions.
    pub(crate) freedoms: Freedoms,
    definition: Option<LitStr>,
}

impl VariantAttributes {
    /// The documentation without the sentence about releases.
    pub(crate) fn docs_without_releases(&self) -> String {
        without_releases(&self.docs, &self.times)
    }

    /// The documentation without the name on the wire, with which its last paragraph begins.
    pub(crate) fn docs_without_name(&self) -> String {
        let name = format!("`{}`.", self.name);
        let (text, last) = self.docs.rsplit_once("\n\n").unwrap_or(("", &self.docs));
        match last.strip_prefix(&name).map(str::trim_start) {
            None => self.docs.clone(),
            Some("") => text.to_owned(),
            Some(rest) if text.is_empty() => rest.to_owned(),
            Some(rest) => format!("{text}\n\n{rest}"),
        }
    }

    /// The name of the definition of this variant: after it and what the variants are called after.
    pub(crate) fn definition(&self, ident: &Ident, after: &str) -> String {
        match &self.definition {
            Some(definition) => definition.value(),
            None => format!("{ident}{after}"),
        }
    }
}

pub(crate) fn of_type(attributes: &[Attribute]) -> syn::Result<TypeAttributes> {
    let mut out = TypeAttributes {
        docs: docs(attributes),
        ..TypeAttributes::default()
    };
    each(attributes, |meta| {
        match word(&meta).as_str() {
            "tag" => out.tag = Some(meta.value()?.parse()?),
            "content" => out.content = Some(meta.value()?.parse()?),
            "variant_suffix" => out.variant_suffix = Some(meta.value()?.parse()?),
            "rename_all" => {
                let style: LitStr = meta.value()?.parse()?;
                out.style = match style.value().as_str() {
                    "camelCase" => Style::Camel,
                    "kebab-case" => Style::Kebab,
                    _ => return Err(meta.error("names are `camelCase` or `kebab-case`")),
                };
            }
            "open" => out.open.push(span_in_parentheses(&meta)?),
            "not_empty" => out.not_empty = true,
            "choice" => out.choices.push(choice(&meta)?),
            "closed" => out.closed = true,
            "others" => out.others = true,
            "externally_tagged" => out.externally_tagged = true,
            "untagged" => out.untagged = true,
            _ => return Err(meta.error(
                "a type takes `tag`, `content`, `variant_suffix`, `rename_all`, `open`, `not_empty`, \
                 `closed`, `others`, `choice`, `externally_tagged` or `untagged`",
            )),
        }
        Ok(())
    })?;
    if let (Some(content), None) = (&out.content, &out.tag) {
        return Err(syn::Error::new(content.span(), "`content` needs a `tag`"));
    }
    Ok(out)
}

pub(crate) fn of_field(field: &Field, style: Style) -> syn::Result<Role> {
    let ident = field
        .ident
        .as_ref()
        .ok_or_else(|| syn::Error::new_spanned(field, "members need names"))?;
    let mut member = MemberAttributes {
        name: style.member(&raw_name(ident)),
        docs: docs(&field.attrs),
        times: Times::default(),
        freedoms: Freedoms::default(),
        default: false,
        written: Vec::new(),
        recursive: false,
        tag_behind: false,
        maybe: inside_maybe(&field.ty),
    };
    let mut special = None;
    each(&field.attrs, |meta| {
        match word(&meta).as_str() {
            "extra" => special = Some(Role::Extra),
            "order" => special = Some(Role::Order),
            "variant" => special = Some(Role::Variant),
            "tag_key" => special = Some(Role::TagKey),
            "default" => member.default = true,
            "written" => member.written.push(span_in_parentheses(&meta)?),
            "recursive" => member.recursive = true,
            "tag_behind" => member.tag_behind = true,
            "rename" => member.name = meta.value()?.parse::<LitStr>()?.value(),
            _ if member.freedoms.take(&meta)? || member.times.take(&meta)? => {}
            _ => return Err(meta.error("unknown member attribute")),
        }
        Ok(())
    })?;
    if let Some(role) = special {
        return Ok(role);
    }
    member.docs = without_releases(&member.docs, &member.times);
    let comes_and_goes = !member.times.is_always() || !member.freedoms.is_none() || member.default;
    if comes_and_goes && member.maybe.is_none() {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "only a member that every release always writes can be required in Rust; use `Maybe`",
        ));
    }
    if member.maybe.is_some() && !comes_and_goes {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "say when this member is absent or null: `since`, `until`, `gap`, `experimental`, \
             `optional`, `nullable` or `default`",
        ));
    }
    if !member.written.is_empty() && member.freedoms.optional.is_empty() {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "`written` needs `optional`",
        ));
    }
    if member.recursive && member.maybe.is_none() {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "a member that holds its own type again must be a `Maybe`, or no value would end",
        ));
    }
    Ok(Role::Member(Box::new(member)))
}

pub(crate) fn of_variant(variant: &Variant, style: Style) -> syn::Result<VariantAttributes> {
    let out = of_adjacent_variant(variant, style)?;
    if !out.freedoms.is_none() {
        return Err(syn::Error::new_spanned(
            variant,
            "only the content beside a tag can be `optional` or `nullable`",
        ));
    }
    Ok(out)
}

/// As [`of_variant`], for a union whose tag has the content beside it.
pub(crate) fn of_adjacent_variant(
    variant: &Variant,
    style: Style,
) -> syn::Result<VariantAttributes> {
    let mut out = VariantAttributes {
        name: style.variant(&variant.ident),
        docs: docs(&variant.attrs),
        times: Times::default(),
        freedoms: Freedoms::default(),
        definition: None,
    };
    each(&variant.attrs, |meta| {
        if meta.path.is_ident("rename") {
            out.name = meta.value()?.parse::<LitStr>()?.value();
        } else if meta.path.is_ident("definition") {
            out.definition = Some(meta.value()?.parse()?);
        } else if !out.freedoms.take(&meta)? && !out.times.take(&meta)? {
            return Err(meta.error(
                "a variant takes `rename`, `definition`, `since`, `until`, `gap`, `experimental` or \
                 `unknown`",
            ));
        }
        Ok(())
    })?;
    Ok(out)
}

/// The variants of an enum that releases have, and the one that keeps any other. `what` names the kind of enum.
pub(crate) fn variants<'a>(
    input: &'a DeriveInput,
    data: &'a DataEnum,
    what: &str,
) -> syn::Result<(Vec<&'a Variant>, &'a Ident)> {
    let (unknown, known): (Vec<_>, Vec<_>) = data.variants.iter().partition(|v| is_unknown(v));
    match unknown.last() {
        Some(unknown) => Ok((known, &unknown.ident)),
        None => Err(syn::Error::new_spanned(
            &input.ident,
            format!("{what} needs a #[wire(unknown)] variant: unknown is a value, not an error"),
        )),
    }
}

pub(crate) fn is_unknown(variant: &Variant) -> bool {
    variant.attrs.iter().any(|attribute| {
        attribute.path().is_ident("wire")
            && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == "unknown")
    })
}

fn each(
    attributes: &[Attribute],
    mut visit: impl FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) -> syn::Result<()> {
    for attribute in attributes.iter().filter(|a| a.path().is_ident("wire")) {
        attribute.parse_nested_meta(&mut visit)?;
    }
    Ok(())
}

/// The name of an attribute, which is empty if it is a path.
fn word(meta: &ParseNestedMeta<'_>) -> String {
    meta.path
        .get_ident()
        .map(Ident::to_string)
        .unwrap_or_default()
}

impl Times {
    /// Takes an attribute that says when something exists; `false` for any other.
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        if meta.path.is_ident("gap") {
            let gap = span_in_parentheses(meta)?;
            if gap.since.is_none() || gap.until.is_none() {
                return Err(meta.error("a gap has both ends: `gap(since = \"…\", until = \"…\")`"));
            }
            self.gaps.push(gap);
        } else if meta.path.is_ident("experimental") {
            self.experimental.push(span_in_parentheses(meta)?);
        } else {
            return end_of_availability(meta, &mut self.availability);
        }
        Ok(true)
    }
}

impl Freedoms {
    /// Takes an attribute that says when something may be left out or `null`; `false` for any
    /// other.
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        if meta.path.is_ident("optional") {
            self.optional.push(span_in_parentheses(meta)?);
        } else if meta.path.is_ident("nullable") {
            self.nullable.push(span_in_parentheses(meta)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(crate) fn is_none(&self) -> bool {
        self.optional.is_empty() && self.nullable.is_empty()
    }
}

fn end_of_availability(meta: &ParseNestedMeta<'_>, availability: &mut Span) -> syn::Result<bool> {
    if meta.path.is_ident("since") {
        availability.since = Some(meta.value()?.parse()?);
    } else if meta.path.is_ident("until") {
        availability.until = Some(meta.value()?.parse()?);
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// `choice(any("url", "fileId"), since = "…")`.
fn choice(meta: &ParseNestedMeta<'_>) -> syn::Result<Choice> {
    let mut out = Choice::default();
    meta.parse_nested_meta(|inner| {
        if inner.path.is_ident("any") {
            let list;
            syn::parenthesized!(list in inner.input);
            let sets =
                list.parse_terminated(<LitStr as syn::parse::Parse>::parse, syn::Token![,])?;
            out.any.extend(sets);
        } else if !out.times.take(&inner)? {
            return Err(
                inner.error("a choice takes `any`, `since`, `until`, `gap` or `experimental`")
            );
        }
        Ok(())
    })?;
    if out.any.is_empty() {
        return Err(meta.error("a choice has sets of members: `choice(any(\"url\", \"fileId\"))`"));
    }
    Ok(out)
}

fn span_in_parentheses(meta: &ParseNestedMeta<'_>) -> syn::Result<Span> {
    let mut span = Span::default();
    if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|inner| {
            if end_of_availability(&inner, &mut span)? {
                Ok(())
            } else {
                Err(inner.error("expected `since` or `until`"))
            }
        })?;
    }
    Ok(span)
}

/// The type inside `Maybe<…>`, if it is one.
pub(crate) fn inside_maybe(ty: &Type) -> Option<Type> {
    inside(ty, "Maybe").cloned()
}

/// The type between the brackets of a type of this name.
pub(crate) fn inside<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|s| s.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

/// Whether a type is written as this one word.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

fn raw_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

impl Style {
    /// The name of a member called `ident`, which is snake_case.
    fn member(self, ident: &str) -> String {
        match self {
            Style::Snake => ident.to_owned(),
            Style::Kebab => ident.replace('_', "-"),
            Style::Camel => {
                let mut out = String::new();
                let mut begins = false;
                for c in ident.chars() {
                    if c == '_' {
                        begins = !out.is_empty();
                    } else if std::mem::take(&mut begins) {
                        out.extend(c.to_uppercase());
                    } else {
                        out.push(c);
                    }
                }
                out
            }
        }
    }

    /// The tag or value of a variant called `ident`, which is PascalCase.
    fn variant(self, ident: &Ident) -> String {
        let ident = ident.to_string();
        let between = match self {
            Style::Snake => '_',
            Style::Kebab => '-',
            Style::Camel => {
                let mut letters = ident.chars();
                return match letters.next() {
                    Some(first) => first.to_lowercase().chain(letters).collect(),
                    None => ident,
                };
            }
        };
        let mut out = String::new();
        for (index, c) in ident.chars().enumerate() {
            if c.is_uppercase() && index > 0 {
                out.push(between);
            }
            out.extend(c.to_lowercase());
        }
        out
    }
}
