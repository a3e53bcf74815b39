//! Derives externally tagged enums: `{"kind": {…}}` or `"kind"`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields};

use crate::attributes::{self, TypeAttributes};
use crate::{describe, generate};

pub(crate) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &TypeAttributes,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let (variants, unknown) = attributes::variants(input, data, "a union")?;
    let mut reads_object = Vec::new();
    let mut reads_string = Vec::new();
    let mut writes = Vec::new();
    let mut tags = Vec::new();
    let mut shapes = Vec::new();
    let mut branches = Vec::new();
    let mut holding = Vec::new();
    for variant in variants {
        let ident = &variant.ident;
        let wire = attributes::of_variant(variant, attributes.style)?;
        let (tag, docs) = (&wire.name, wire.docs_without_releases());
        let times = wire.times.field()?;
        let (of, strategy);
        match &variant.fields {
            Fields::Unit => {
                reads_string.push(quote!(#tag => #name::#ident,));
                writes.push(quote!(#name::#ident => serializer.serialize_str(#tag),));
                tags.push(quote!(#name::#ident => #tag,));
                of = quote!(::core::option::Option::None);
                strategy = generate::bare(name, ident);
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                let ty = &fields.unnamed[0].ty;
                reads_object.push(quote! {
                    #tag => #name::#ident(
                        <#ty as ::codex_wire::Wire>::read(cursor).map_err(|e| e.in_member(#tag))?,
                    ),
                });
                writes.push(quote! {
                    #name::#ident(value) => {
                        let mut map = serializer.serialize_map(::core::option::Option::Some(1))?;
                        map.serialize_entry(#tag, value)?;
                        map.end()
                    }
                });
                tags.push(quote!(#name::#ident(_) => #tag,));
                of = quote!(::core::option::Option::Some(
                    ::codex_wire::private::type_of::<#ty>
                ));
                strategy = generate::holding(name, ident, &generate::of(ty));
                holding.push((ident, ty));
            }
            _ => {
                return Err(syn::Error::new_spanned(
                    variant,
                    "expected one type or nothing",
                ));
            }
        }
        let definition = wire.definition(ident, &name.to_string());
        shapes.push(quote!(::codex_wire::shape::ExternalVariant {
            tag: #tag,
            docs: #docs,
            #times
            definition: #definition,
            ty: #of,
        }));
        let place = branches.len();
        branches.push(generate::branch(
            &quote!(::codex_wire::generate::available::<Self>(#place, recipe)),
            &strategy,
        ));
    }
    let form = quote!(::codex_wire::shape::Form::ExternallyTagged(&[#(#shapes),*]));
    let read = quote! {
        let value = ::codex_wire::private::read_external(
            cursor,
            |text| match text {
                #(#reads_string)*
                _ => #name::#unknown(::codex_wire::UnknownExternal::bare(text)),
            },
            |tag, cursor| ::core::result::Result::Ok(match tag {
                #(#reads_object)*
                _ => #name::#unknown(
                    ::codex_wire::UnknownExternal::read_value(tag, cursor)?,
                ),
            }),
        )?;
        if ::core::matches!(value, #name::#unknown(_)) {
            cursor.met_unknown();
        }
        ::core::result::Result::Ok(value)
    };
    let write = quote! {
        match self {
            #(#writes)*
            #name::#unknown(unknown) => {
                ::codex_wire::private::Serialize::serialize(unknown, serializer)
            }
        }
    };
    let wire = describe::wire(name, attributes, &form, &read, &write);
    let conversions = describe::conversions(name, holding.into_iter());
    let unknown_part = quote!(::codex_wire::generate::unknown_external(recipe));
    let generate = generate::union(name, branches, unknown, &unknown_part);
    Ok(quote! {
        impl #name {
            /// The kind as written on the wire, whether this crate knows it or not.
            #[inline]
            pub fn tag(&self) -> &str {
                match self {
                    #(#tags)*
                    #name::#unknown(unknown) => unknown.tag(),
                }
            }
        }

        #conversions

        const _: () = {
            #wire
            #generate
        };
    })
}
