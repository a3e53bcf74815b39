//! Enums whose variants are different shapes of the same member: the wire has no tag to tell
//! them apart, but each shape belongs to other releases or is of another JSON kind.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields};

use crate::{attributes, describe};

pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let attributes = attributes::of_type(&input.attrs)?;
    let mut unknown = None;
    let mut idents = Vec::new();
    let mut types = Vec::new();
    let mut lives = Vec::new();
    let mut docs = Vec::new();
    for variant in &data.variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(syn::Error::new_spanned(variant, "expected one type"));
        };
        if attributes::is_unknown(variant) {
            unknown = Some(&variant.ident);
            continue;
        }
        let wire = attributes::of_variant(variant)?;
        idents.push(&variant.ident);
        types.push(&fields.unnamed[0].ty);
        lives.push(wire.life.constant()?);
        docs.push(wire.docs);
    }
    let Some(unknown) = unknown else {
        return Err(syn::Error::new_spanned(
            name,
            "alternatives need a #[wire(unknown)] variant that keeps other shapes as text",
        ));
    };
    let form = quote!(::codex_wire::shape::Form::Alternatives(&[
        #(::codex_wire::shape::Alternative {
            docs: #docs,
            life: #lives,
            #[cfg(feature = "schema")]
            schema: |generator| generator.subschema_for::<#types>(),
        }),*
    ]));
    let described = describe::described(name, &attributes.docs, &form);
    let serialize = describe::serialize(
        name,
        &quote! {
        match self {
            #(#name::#idents(value) => {
                ::codex_wire::private::Serialize::serialize(value, serializer)
            })*
            #name::#unknown(raw) => {
                ::codex_wire::private::Serialize::serialize(raw, serializer)
            }
        }
        },
    );
    let deserialize = describe::deserialize(name);
    Ok(quote! {
        #(
            #[automatically_derived]
            impl ::core::convert::From<#types> for #name {
                fn from(value: #types) -> Self {
                    #name::#idents(value)
                }
            }
        )*

        const _: () = {
            #[automatically_derived]
            impl ::codex_wire::Wire for #name {
                fn read(
                    cursor: &mut ::codex_wire::json::Cursor<'_>,
                ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                    #(
                        let mut ahead = cursor.clone();
                        if let ::core::result::Result::Ok(value) =
                            <#types as ::codex_wire::Wire>::read(&mut ahead)
                        {
                            *cursor = ahead;
                            return ::core::result::Result::Ok(#name::#idents(value));
                        }
                    )*
                    <::codex_wire::json::Raw as ::codex_wire::Wire>::read(cursor)
                        .map(#name::#unknown)
                }
            }

            #serialize
            #deserialize
            #described

            #[cfg(feature = "proptest")]
            #[automatically_derived]
            impl ::codex_wire::generate::Generate for #name {
                fn generate(
                    recipe: ::codex_wire::generate::Recipe,
                ) -> ::codex_wire::generate::Strategy<Self> {
                    use ::codex_wire::private::ProptestStrategy as _;
                    let mut arms: ::std::vec::Vec<::codex_wire::generate::Strategy<Self>> =
                        ::std::vec::Vec::new();
                    #(
                        if (#lives).contains(recipe.release) {
                            arms.push(
                                <#types as ::codex_wire::generate::Generate>::generate(recipe)
                                    .prop_map(#name::#idents)
                                    .boxed(),
                            );
                        }
                    )*
                    ::codex_wire::generate::one_of(arms)
                }
            }
        };
    })
}
