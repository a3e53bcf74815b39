//! Derives structs: reads their attributes, and decides which kind of object each is.

use proc_macro2::TokenStream;
use syn::{DeriveInput, FieldsNamed};

use crate::attributes::{self, Role, TypeAttributes};
use crate::members::{Member, Object};
use crate::{embedding, object};

pub(crate) fn expand(input: &DeriveInput, fields: &FieldsNamed) -> syn::Result<TokenStream> {
    let attributes = attributes::of_type(&input.attrs)?;
    let mut object = Object {
        members: Vec::new(),
        extra: None,
        order: None,
        variant: None,
        before_variant: 0,
        tag_key: None,
    };
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        match attributes::of_field(field, attributes.style)? {
            Role::Member(wire) => object.members.push(Member {
                ident,
                ty: &field.ty,
                wire,
            }),
            Role::Extra => object.extra = Some(ident),
            Role::Order => object.order = Some(ident),
            Role::Variant => {
                object.variant = Some((ident, &field.ty));
                object.before_variant = object.members.len();
            }
            Role::TagKey => object.tag_key = Some((ident, &field.ty)),
        }
    }
    let name = &input.ident;
    check_choices(&attributes, &object)?;
    if let (Some(order), Some(_)) = (object.order, object.variant) {
        return Err(syn::Error::new_spanned(
            order,
            "only an object without an embedded union keeps the order of its members",
        ));
    }
    match (
        object.variant,
        object.extra,
        &attributes.tag,
        &attributes.content,
    ) {
        (Some(variant), Some(extra), Some(tag), Some(content)) => {
            embedding::beside(name, &attributes, &object, (variant, extra), (tag, content))
        }
        (Some(variant), None, _, None) => embedding::within(name, &attributes, &object, variant),
        (None, Some(extra), None, None) => object::plain(name, &attributes, &object, extra),
        _ => Err(syn::Error::new_spanned(
            name,
            "an object has #[wire(extra)], or with a tag #[wire(variant)], or with a tag and a \
             content both",
        )),
    }
}

/// Only members that may be left out are ever chosen among.
fn check_choices(attributes: &TypeAttributes, object: &Object<'_>) -> syn::Result<()> {
    for set in attributes.choices.iter().flat_map(|choice| &choice.any) {
        for name in set.value().split_whitespace() {
            let member = object.members.iter().find(|m| m.wire.name == name);
            if member.is_none_or(Member::is_required) {
                return Err(syn::Error::new(
                    set.span(),
                    format!("there is no member `{name}` that may be left out"),
                ));
            }
        }
    }
    Ok(())
}
