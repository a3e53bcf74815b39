//! Derives enums of unit variants: strings from a list.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput};

use crate::attributes::{self, TypeAttributes, VariantAttributes};
use crate::release::constants;
use crate::{describe, generate};

pub(crate) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &TypeAttributes,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let (variants, unknown) = attributes::variants(input, data, "an enumeration")?;
    let idents: Vec<_> = variants.iter().map(|v| &v.ident).collect();
    let known = variants
        .iter()
        .map(|v| attributes::of_variant(v, attributes.style))
        .collect::<syn::Result<Vec<_>>>()?;
    let values: Vec<_> = known.iter().map(|wire| &wire.name).collect();
    let docs: Vec<_> = known
        .iter()
        .map(VariantAttributes::docs_without_releases)
        .collect();
    let times = known
        .iter()
        .map(|wire| wire.times.field())
        .collect::<syn::Result<Vec<_>>>()?;
    let open = constants(&attributes.open)?;
    let not_empty = attributes.not_empty;
    let form = quote!(::codex_wire::shape::Form::Enum {
        values: &[
            #(::codex_wire::shape::EnumValue { value: #values, docs: #docs, #times }),*
        ],
        open: #open,
        not_empty: #not_empty,
    });
    let read = quote! {
        let value = Self::from(&*cursor.string()?);
        if ::core::matches!(value, #name::#unknown(_)) {
            cursor.met_unknown();
        }
        ::core::result::Result::Ok(value)
    };
    let write = quote!(serializer.serialize_str(self.as_str()));
    let wire = describe::wire(name, attributes, &form, &read, &write);
    let part = quote! {
        ::codex_wire::generate::mapped(
            ::codex_wire::generate::enum_value(
                <Self as ::codex_wire::Described>::SHAPE,
                recipe,
            ),
            |text| ::codex_wire::generate::Part::new(Self::from(
                text.take::<::std::string::String>().as_str(),
            )),
        )
    };
    let generate = generate::implement(name, &part, &quote!());
    Ok(quote! {
        impl #name {
            /// The string on the wire, whether this crate knows it or not.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    #(#name::#idents => #values,)*
                    #name::#unknown(text) => text,
                }
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<&str> for #name {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    #(#values => #name::#idents,)*
                    other => #name::#unknown(other.into()),
                }
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<::std::string::String> for #name {
            #[inline]
            fn from(text: ::std::string::String) -> Self {
                Self::from(text.as_str())
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Display for #name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        const _: () = {
            #wire
            #generate
        };
    })
}
