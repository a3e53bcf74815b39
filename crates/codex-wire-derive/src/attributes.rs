//! The `#[wire(…)]` attributes and doc comments of types, members and variants.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Field, Ident, Lit, LitStr, Meta, Type, Variant};

use crate::release::Span;

/// What a type says of itself.
#[derive(Default)]
pub(crate) struct TypeAttributes {
    pub(crate) docs: String,
    pub(crate) tag: Option<LitStr>,
    pub(crate) external: bool,
    pub(crate) alternatives: bool,
}

/// What a struct field is for.
pub(crate) enum Role {
    Member(Box<MemberAttributes>),
    Extra,
    Variant,
    TagKey,
}

/// A named member.
pub(crate) struct MemberAttributes {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) life: Span,
    pub(crate) optional: Option<Span>,
    pub(crate) nullable: Option<Span>,
    pub(crate) default: bool,
    pub(crate) recursive: bool,
    /// The type inside `Maybe<…>`, if the field is one.
    pub(crate) maybe: Option<Type>,
}

/// A variant of an enum.
pub(crate) struct VariantAttributes {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) life: Span,
}

pub(crate) fn of_type(attributes: &[Attribute]) -> syn::Result<TypeAttributes> {
    let mut out = TypeAttributes {
        docs: docs(attributes),
        ..TypeAttributes::default()
    };
    each(attributes, |meta| {
        if meta.path.is_ident("tag") {
            out.tag = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("external") {
            out.external = true;
        } else if meta.path.is_ident("alternatives") {
            out.alternatives = true;
        } else {
            return Err(meta.error("a type takes `tag`, `external` or `alternatives`"));
        }
        Ok(())
    })?;
    Ok(out)
}

pub(crate) fn of_field(field: &Field) -> syn::Result<Role> {
    let ident = field
        .ident
        .as_ref()
        .ok_or_else(|| syn::Error::new_spanned(field, "members need names"))?;
    let mut member = MemberAttributes {
        name: raw_name(ident),
        docs: docs(&field.attrs),
        life: Span::default(),
        optional: None,
        nullable: None,
        default: false,
        recursive: false,
        maybe: inside_maybe(&field.ty),
    };
    let mut special = None;
    each(&field.attrs, |meta| {
        if meta.path.is_ident("extra") {
            special = Some(Role::Extra);
        } else if meta.path.is_ident("variant") {
            special = Some(Role::Variant);
        } else if meta.path.is_ident("tag_key") {
            special = Some(Role::TagKey);
        } else if meta.path.is_ident("default") {
            member.default = true;
        } else if meta.path.is_ident("recursive") {
            member.recursive = true;
        } else if meta.path.is_ident("rename") {
            member.name = meta.value()?.parse::<LitStr>()?.value();
        } else if meta.path.is_ident("optional") {
            member.optional = Some(span_in_parentheses(&meta)?);
        } else if meta.path.is_ident("nullable") {
            member.nullable = Some(span_in_parentheses(&meta)?);
        } else if !end_of_life(&meta, &mut member.life)? {
            return Err(meta.error("unknown member attribute"));
        }
        Ok(())
    })?;
    if let Some(role) = special {
        return Ok(role);
    }
    let comes_and_goes = !member.life.is_always()
        || member.optional.is_some()
        || member.nullable.is_some()
        || member.default;
    if comes_and_goes && member.maybe.is_none() {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "only a member that every release always writes can be required in Rust; use `Maybe`",
        ));
    }
    if member.maybe.is_some() && !comes_and_goes {
        return Err(syn::Error::new_spanned(
            &field.ty,
            "say when this member is absent or null: `since`, `until`, `optional`, `nullable` or \
             `default`",
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

pub(crate) fn of_variant(variant: &Variant) -> syn::Result<VariantAttributes> {
    let mut out = VariantAttributes {
        name: snake_case(&variant.ident),
        docs: docs(&variant.attrs),
        life: Span::default(),
    };
    each(&variant.attrs, |meta| {
        if meta.path.is_ident("rename") {
            out.name = meta.value()?.parse::<LitStr>()?.value();
        } else if !end_of_life(&meta, &mut out.life)? {
            return Err(meta.error("a variant takes `rename`, `since`, `until` or `unknown`"));
        }
        Ok(())
    })?;
    Ok(out)
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

fn end_of_life(meta: &ParseNestedMeta<'_>, life: &mut Span) -> syn::Result<bool> {
    if meta.path.is_ident("since") {
        life.since = Some(meta.value()?.parse()?);
    } else if meta.path.is_ident("until") {
        life.until = Some(meta.value()?.parse()?);
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn span_in_parentheses(meta: &ParseNestedMeta<'_>) -> syn::Result<Span> {
    let mut span = Span::default();
    if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|inner| {
            if end_of_life(&inner, &mut span)? {
                Ok(())
            } else {
                Err(inner.error("expected `since` or `until`"))
            }
        })?;
    }
    Ok(span)
}

/// The doc comment as one text, without rustdoc's link brackets.
fn docs(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    lines
        .join("\n")
        .trim()
        .replace("[`", "`")
        .replace("`]", "`")
}

fn inside_maybe(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "Maybe" {
        return None;
    }
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(inner) => Some(inner.clone()),
                _ => None,
            })
        }
        _ => None,
    }
}

fn raw_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

fn snake_case(ident: &Ident) -> String {
    let mut out = String::new();
    for (index, c) in ident.to_string().chars().enumerate() {
        if c.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
