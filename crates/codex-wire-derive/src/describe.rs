//! Derives what all types share: serde's traits, the JSON Schema, the description.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Ident, Type};

use crate::attributes::{
    Choice, Freedoms, MemberAttributes, TypeAttributes, inside_maybe, is_named,
};
use crate::release::constants;

/// Implements what every type on the wire has: its reader, serde's traits on top of it, so that the type can be a
/// field of anyone's own serde types, and its description. `read` is the body of the reader, which has a `cursor`;
/// `write` hands the value to `serializer`.
pub(crate) fn wire(
    name: &Ident,
    attributes: &TypeAttributes,
    form: &TokenStream,
    read: &TokenStream,
    write: &TokenStream,
) -> TokenStream {
    let described = described(name, attributes, form);
    quote! {
        #[automatically_derived]
        impl ::codex_wire::Wire for #name {
            const VALUE: ::codex_wire::shape::ValueShape =
                ::codex_wire::shape::ValueShape::Of(<Self as ::codex_wire::Described>::SHAPE);

            #[allow(unused_variables)]
            #[inline]
            fn read(
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                #read
            }
        }

        #[automatically_derived]
        impl ::codex_wire::private::Serialize for #name {
            fn serialize<S: ::codex_wire::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #[allow(unused_imports)]
                use ::codex_wire::private::SerializeMap as _;
                #write
            }
        }

        #[automatically_derived]
        impl<'de> ::codex_wire::private::Deserialize<'de> for #name {
            fn deserialize<D: ::codex_wire::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::codex_wire::private::deserialize(deserializer)
            }
        }

        #described
    }
}

/// What writes a map with these entries.
pub(crate) fn map(entries: &TokenStream) -> TokenStream {
    quote! {
        let mut map = serializer.serialize_map(::core::option::Option::None)?;
        #entries
        map.end()
    }
}

/// Implements `Described` with the given form, and the JSON Schema that follows from it.
fn described(name: &Ident, attributes: &TypeAttributes, form: &TokenStream) -> TokenStream {
    let text = name.to_string();
    let (docs, closed, others) = (&attributes.docs, attributes.closed, attributes.others);
    let choices = match attributes
        .choices
        .iter()
        .map(choice)
        .collect::<syn::Result<Vec<_>>>()
    {
        Ok(choices) => choices,
        Err(error) => return error.to_compile_error(),
    };
    quote! {
        #[automatically_derived]
        impl ::codex_wire::Described for #name {
            const SHAPE: &'static ::codex_wire::shape::Shape = &::codex_wire::shape::Shape {
                name: #text,
                docs: #docs,
                closed: #closed,
                others: #others,
                choices: &[#(#choices),*],
                form: #form,
            };
        }

        ::codex_wire::private::with_schema! {
            #[automatically_derived]
            impl ::codex_wire::private::JsonSchema for #name {
                #[inline]
                fn schema_name() -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#text)
                }

                #[inline]
                fn json_schema(
                    generator: &mut ::codex_wire::private::SchemaGenerator,
                ) -> ::codex_wire::private::Schema {
                    ::codex_wire::schema::of_shape(
                        <Self as ::codex_wire::Described>::SHAPE,
                        generator,
                    )
                }
            }
        }
    }
}

/// A `Choice` constant.
fn choice(choice: &Choice) -> syn::Result<TokenStream> {
    let times = choice.times.field()?;
    let sets = choice.any.iter().map(|set| {
        let text = set.value();
        let names: Vec<&str> = text.split_whitespace().collect();
        quote!(&[#(#names),*])
    });
    Ok(quote!(::codex_wire::shape::Choice { any: &[#(#sets),*], #times }))
}

/// A `Member` constant.
pub(crate) fn member(attributes: &MemberAttributes, ty: &Type) -> syn::Result<TokenStream> {
    let (name, docs, default) = (&attributes.name, &attributes.docs, attributes.default);
    let times = attributes.times.field()?;
    let freedoms = freedoms(&attributes.freedoms)?;
    let written = constants(&attributes.written)?;
    let ty = attributes.maybe.as_ref().unwrap_or(ty);
    Ok(quote! {
        ::codex_wire::shape::Member {
            name: #name,
            docs: #docs,
            #times
            #freedoms
            written: #written,
            default: #default,
            ty: ::codex_wire::private::type_of::<#ty>,
        }
    })
}

/// The fields `optional` and `nullable` of a `Member` constant.
pub(crate) fn freedoms(freedoms: &Freedoms) -> syn::Result<TokenStream> {
    let (optional, nullable) = (
        constants(&freedoms.optional)?,
        constants(&freedoms.nullable)?,
    );
    Ok(quote!(optional: #optional, nullable: #nullable,))
}

/// `From` for every variant whose type no other variant has. What is made of a `String` is made of a `&str` as well.
pub(crate) fn conversions<'a>(
    name: &Ident,
    variants: impl Iterator<Item = (&'a Ident, &'a Type)> + Clone,
) -> TokenStream {
    let mut times = HashMap::new();
    for (_, ty) in variants.clone() {
        *times.entry(ty.to_token_stream().to_string()).or_insert(0) += 1;
    }
    let alone = |ty: &Type| {
        times.get(&ty.to_token_stream().to_string()) == Some(&1) && inside_maybe(ty).is_none()
    };
    variants
        .filter(|(_, ty)| alone(ty))
        .map(|(ident, ty)| {
            let borrowed = is_named(ty, "String").then(|| {
                quote! {
                    #[automatically_derived]
                    impl ::core::convert::From<&str> for #name {
                        fn from(value: &str) -> Self {
                            #name::#ident(::std::borrow::ToOwned::to_owned(value))
                        }
                    }
                }
            });
            quote! {
                #[automatically_derived]
                impl ::core::convert::From<#ty> for #name {
                    fn from(value: #ty) -> Self {
                        #name::#ident(value)
                    }
                }

                #borrowed
            }
        })
        .collect()
}
