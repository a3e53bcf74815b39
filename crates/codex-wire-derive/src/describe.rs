//! The parts every derived type shares: serde's traits, the JSON Schema, the description.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use crate::attributes::MemberAttributes;

/// Implements serde's `Deserialize` on top of the reader, so that the type can be a field of
/// anyone's own serde types.
pub(crate) fn deserialize(name: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl<'de> ::codex_wire::private::Deserialize<'de> for #name {
            fn deserialize<D: ::codex_wire::private::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::codex_wire::private::deserialize(deserializer)
            }
        }
    }
}

/// Implements `Serialize` with an expression that hands the value to `serializer`.
pub(crate) fn serialize(name: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::codex_wire::private::Serialize for #name {
            fn serialize<S: ::codex_wire::private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #[allow(unused_imports)]
                use ::codex_wire::private::SerializeMap as _;
                #body
            }
        }
    }
}

/// Implements `Serialize` for a type that writes a map.
pub(crate) fn serialize_map(name: &Ident, entries: &TokenStream) -> TokenStream {
    let body = quote! {
        let mut map = serializer.serialize_map(::core::option::Option::None)?;
        #entries
        map.end()
    };
    serialize(name, &body)
}

/// Implements `Described` with the given form, and the JSON Schema that follows from it.
pub(crate) fn described(name: &Ident, docs: &str, form: &TokenStream) -> TokenStream {
    let text = name.to_string();
    quote! {
        #[automatically_derived]
        impl ::codex_wire::Described for #name {
            const SHAPE: &'static ::codex_wire::shape::Shape = &::codex_wire::shape::Shape {
                name: #text,
                docs: #docs,
                form: #form,
            };
        }

        #[cfg(feature = "schema")]
        #[automatically_derived]
        impl ::codex_wire::private::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#text)
            }

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

/// A `Member` constant.
pub(crate) fn member(attributes: &MemberAttributes, ty: &Type) -> syn::Result<TokenStream> {
    let (name, docs) = (&attributes.name, &attributes.docs);
    let life = attributes.life.constant()?;
    let when = |span: &Option<crate::release::Span>| {
        Ok::<_, syn::Error>(match span {
            Some(span) => {
                let span = span.constant()?;
                quote!(::core::option::Option::Some(#span))
            }
            None => quote!(::core::option::Option::None),
        })
    };
    let optional = when(&attributes.optional)?;
    let nullable = when(&attributes.nullable)?;
    let default = attributes.default;
    let ty = attributes.maybe.as_ref().unwrap_or(ty);
    Ok(quote! {
        ::codex_wire::shape::Member {
            name: #name,
            docs: #docs,
            life: #life,
            optional: #optional,
            nullable: #nullable,
            default: #default,
            #[cfg(feature = "schema")]
            schema: |generator| generator.subschema_for::<#ty>(),
        }
    })
}
