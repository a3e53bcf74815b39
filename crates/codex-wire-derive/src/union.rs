//! Derives tagged unions: enums whose variants carry structs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields, Ident, Type};

use crate::attributes::{self, Style, TypeAttributes, VariantAttributes};
use crate::{describe, generate};

struct Variant<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    wire: VariantAttributes,
}

pub(crate) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &TypeAttributes,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let (variants, unknown) = attributes::variants(input, data, "a union")?;
    let variants = variants
        .into_iter()
        .map(|v| read_variant(v, attributes.style))
        .collect::<syn::Result<Vec<_>>>()?;
    let variants_impl = variants_impl(name, &variants, unknown);
    let shapes = shapes(name, &variants)?;
    let generate = strategy(name, &variants, unknown);
    let conversions = describe::conversions(name, variants.iter().map(|v| (v.ident, v.ty)));
    let standalone = match &attributes.tag {
        Some(tag) => standalone(name, attributes, tag),
        None => quote!(),
    };
    Ok(quote! {
        impl #name {
            /// The tag as written on the wire, whether this crate knows it or not.
            #[inline]
            pub fn tag(&self) -> &str {
                ::codex_wire::private::Variants::tag(self)
            }
        }

        #conversions

        const _: () = {
            #variants_impl
            #shapes
            #standalone
            #generate
        };
    })
}

fn read_variant(variant: &syn::Variant, style: Style) -> syn::Result<Variant<'_>> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(Variant {
            ident: &variant.ident,
            ty: &fields.unnamed[0].ty,
            wire: attributes::of_variant(variant, style)?,
        }),
        _ => Err(syn::Error::new_spanned(variant, "expected one struct")),
    }
}

fn variants_impl(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> TokenStream {
    let idents: Vec<_> = variants.iter().map(|v| v.ident).collect();
    let types: Vec<_> = variants.iter().map(|v| v.ty).collect();
    let tags: Vec<_> = variants.iter().map(|v| &v.wire.name).collect();
    quote! {
        #[automatically_derived]
        impl ::codex_wire::private::Variants for #name {
            #[inline]
            fn read(
                tag: &str,
                object: ::codex_wire::private::Object<'_>,
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                match tag {
                    #(#tags => object.read::<#types>(cursor).map(#name::#idents),)*
                    _ => object.read_unknown(tag, cursor).map(#name::#unknown),
                }
            }

            #[inline]
            fn tag(&self) -> &str {
                match self {
                    #(#name::#idents(_) => #tags,)*
                    #name::#unknown(unknown) => &unknown.tag,
                }
            }

            fn entries<M: ::codex_wire::private::SerializeMap>(
                &self,
                map: &mut M,
            ) -> ::core::result::Result<(), M::Error> {
                match self {
                    #(#name::#idents(value) => {
                        ::codex_wire::private::Members::entries(value, map)
                    })*
                    #name::#unknown(unknown) => unknown.members.entries(map),
                }
            }

            fn tagged_entries<M: ::codex_wire::private::SerializeMap>(
                &self,
                key: &'static str,
                map: &mut M,
            ) -> ::core::result::Result<(), M::Error> {
                match self {
                    #(#name::#idents(value) => {
                        ::codex_wire::private::Members::tagged_entries(value, (key, #tags), map)
                    })*
                    #name::#unknown(unknown) => {
                        map.serialize_entry(key, &unknown.tag)?;
                        unknown.members.entries(map)
                    }
                }
            }
        }
    }
}

fn shapes(name: &Ident, variants: &[Variant<'_>]) -> syn::Result<TokenStream> {
    let shapes = variants
        .iter()
        .map(|v| {
            let (tag, docs, ty) = (&v.wire.name, &v.wire.docs, v.ty);
            let times = v.wire.times.field()?;
            Ok(quote!(::codex_wire::shape::Variant {
                tag: #tag,
                docs: #docs,
                #times
                shape: <#ty as ::codex_wire::Described>::SHAPE,
            }))
        })
        .collect::<syn::Result<Vec<_>>>()?;
    Ok(quote! {
        #[automatically_derived]
        impl ::codex_wire::private::VariantShapes for #name {
            const VARIANTS: &'static [::codex_wire::shape::Variant] = &[#(#shapes),*];
        }
    })
}

fn standalone(name: &Ident, attributes: &TypeAttributes, tag: &syn::LitStr) -> TokenStream {
    let form = quote!(::codex_wire::shape::Form::Tagged {
        tags: &[(#tag, ::codex_wire::shape::ReleaseBounds::ALWAYS)],
        base: &[],
        variants: <#name as ::codex_wire::private::VariantShapes>::VARIANTS,
    });
    let read = quote!(::codex_wire::private::read_union(#tag, cursor));
    let write = describe::map(&quote! {
        ::codex_wire::private::Variants::tagged_entries(self, #tag, &mut map)?;
    });
    describe::wire(name, attributes, &form, &read, &write)
}

fn strategy(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> TokenStream {
    let branches = variants.iter().enumerate().map(|(place, v)| {
        generate::branch(
            &quote! {
                <Self as ::codex_wire::private::VariantShapes>::VARIANTS[#place]
                    .is_available(recipe.release)
            },
            &generate::holding(name, v.ident, &generate::of(v.ty)),
        )
    });
    let unknown_part = quote!(::codex_wire::generate::unknown(recipe));
    generate::union(name, branches, unknown, &unknown_part)
}
