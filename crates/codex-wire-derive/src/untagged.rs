//! Derives untagged enums: variants are different types of the same member.
//!
//! They have no tag, but each belongs to other releases or is another kind of JSON value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields, Ident, Type};

use crate::attributes::{self, TypeAttributes};
use crate::{describe, generate};

pub(crate) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &TypeAttributes,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let (variants, unknown) = attributes::variants(input, data, "an untagged enum")?;
    let mut idents = Vec::new();
    let mut types = Vec::new();
    let mut times = Vec::new();
    let mut docs = Vec::new();
    for variant in variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(syn::Error::new_spanned(variant, "expected one type"));
        };
        let wire = attributes::of_variant(variant, attributes.style)?;
        idents.push(&variant.ident);
        types.push(&fields.unnamed[0].ty);
        times.push(wire.times.field()?);
        docs.push(wire.docs);
    }
    let form = quote!(::codex_wire::shape::Form::Untagged(&[
        #(::codex_wire::shape::Alternative {
            docs: #docs,
            #times
            ty: ::codex_wire::private::type_of::<#types>,
        }),*
    ]));
    // Any value fits where any is allowed, so that shape is tried behind those that say more.
    let (unbounded, bounded): (Vec<_>, Vec<_>) = idents
        .iter()
        .zip(&types)
        .partition(|(_, ty)| attributes::is_named(ty, "Raw"));
    let bounded = bounded.iter().map(|(ident, _)| ident);
    let unbounded = unbounded.iter().map(|(ident, _)| ident);
    let read = quote! {
        let mut attempts = ::codex_wire::private::Attempts::new(cursor);
        #(attempts.shape(#name::#bounded);)*
        #(attempts.otherwise(#name::#unbounded);)*
        if let ::core::option::Option::Some(value) = attempts.best(cursor) {
            return ::core::result::Result::Ok(value);
        }
        cursor.met_unknown();
        <::codex_wire::json::Raw as ::codex_wire::Wire>::read(cursor)
            .map(#name::#unknown)
    };
    let write = quote! {
        match self {
            #(#name::#idents(value) => {
                ::codex_wire::private::Serialize::serialize(value, serializer)
            })*
            #name::#unknown(raw) => {
                ::codex_wire::private::Serialize::serialize(raw, serializer)
            }
        }
    };
    let wire = describe::wire(name, attributes, &form, &read, &write);
    let conversions =
        describe::conversions(name, idents.iter().copied().zip(types.iter().copied()));
    let generate = strategy(name, &idents, &types);
    Ok(quote! {
        #conversions

        const _: () = {
            #wire
            #generate
        };
    })
}

/// Unlike other unions these are never unknown, and possible only where one of the shapes is.
fn strategy(name: &Ident, idents: &[&Ident], types: &[&Type]) -> TokenStream {
    let possible: Vec<_> = types
        .iter()
        .enumerate()
        .map(|(place, ty)| {
            quote! {
                ::codex_wire::generate::available::<Self>(#place, recipe)
                    && <#ty as ::codex_wire::generate::Generate>::possible(recipe)
            }
        })
        .collect();
    let branches = idents
        .iter()
        .zip(types)
        .zip(&possible)
        .map(|((ident, ty), possible)| {
            generate::branch(possible, &generate::holding(name, ident, &generate::of(ty)))
        });
    let further = quote! {
        fn possible(recipe: ::codex_wire::generate::Recipe) -> bool {
            #(#possible)||*
        }
    };
    generate::implement(name, &generate::one_of(branches), &further)
}
