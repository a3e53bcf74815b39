//! Derives enums with the content beside the tag: `{"method": …, "params": …}`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields, Ident, LitStr, Type};

use crate::attributes::{self, Style, TypeAttributes, VariantAttributes};
use crate::{describe, generate};

struct Variant<'a> {
    ident: &'a Ident,
    content: Option<Content<'a>>,
    wire: VariantAttributes,
}

struct Content<'a> {
    ty: &'a Type,
    /// The type inside `Maybe<…>`, if it is one.
    maybe: Option<Type>,
}

pub(crate) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    attributes: &TypeAttributes,
    (tag, content): (&LitStr, &LitStr),
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let Some(suffix) = &attributes.variant_suffix else {
        return Err(syn::Error::new_spanned(
            name,
            "say what the definitions of its variants end in: `variant_suffix = \"Message\"`",
        ));
    };
    let (variants, unknown) = attributes::variants(input, data, "a union")?;
    let variants = variants
        .into_iter()
        .map(|v| read_variant(v, attributes.style))
        .collect::<syn::Result<Vec<_>>>()?;
    let holding = variants
        .iter()
        .filter_map(|v| Some((v.ident, v.content.as_ref()?.ty)));
    let conversions = describe::conversions(name, holding);
    let contents = contents(name, &variants, unknown);
    let branches = branches(&variants, content, suffix)?;
    let generate = strategy(name, &variants, unknown);
    Ok(quote! {
        impl #name {
            /// The tag as written on the wire, whether this crate knows it or not.
            #[inline]
            pub fn tag(&self) -> &str {
                ::codex_wire::private::Contents::tag(self)
            }

            /// Reads one from its tag and its content. A tag that has no content leaves it to
            /// the caller, who keeps what else the message holds.
            ///
            /// # Errors
            /// When the content is missing or does not have the shape the tag asks for.
            #[inline]
            pub fn from_parts(
                tag: &str,
                content: ::core::option::Option<&::codex_wire::json::Raw>,
            ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                ::codex_wire::private::from_parts(tag, content)
            }
        }

        #conversions

        const _: () = {
            #[automatically_derived]
            impl ::codex_wire::private::Contents for #name {
                const TAG: &'static str = #tag;
                const CONTENT: &'static str = #content;
                const VARIANTS: &'static [::codex_wire::shape::AdjacentVariant] = &[#(#branches),*];

                #contents
            }

            #generate
        };
    })
}

fn read_variant(variant: &syn::Variant, style: Style) -> syn::Result<Variant<'_>> {
    let wire = attributes::of_adjacent_variant(variant, style)?;
    let content = match &variant.fields {
        Fields::Unit => None,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let ty = &fields.unnamed[0].ty;
            Some(Content {
                ty,
                maybe: attributes::inside_maybe(ty),
            })
        }
        _ => {
            return Err(syn::Error::new_spanned(
                variant,
                "expected one type or nothing",
            ));
        }
    };
    let is_maybe = content.as_ref().is_some_and(|c| c.maybe.is_some());
    if is_maybe == wire.freedoms.is_none() {
        return Err(syn::Error::new_spanned(
            variant,
            "content is a `Maybe` where it is `optional` or `nullable`, and only there",
        ));
    }
    Ok(Variant {
        ident: &variant.ident,
        content,
        wire,
    })
}

/// The functions of `Contents`.
fn contents(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> TokenStream {
    let (mut tags, mut reads, mut absent, mut writes) = (vec![], vec![], vec![], vec![]);
    for Variant {
        ident,
        content,
        wire,
    } in variants
    {
        let tag = &wire.name;
        match content {
            None => {
                tags.push(quote!(#name::#ident => #tag,));
                reads.push(quote!(#tag => {}));
                absent.push(quote!(#tag => #name::#ident,));
                writes.push(quote!(#name::#ident => ::core::result::Result::Ok(()),));
            }
            Some(Content { maybe: None, ty }) => {
                tags.push(quote!(#name::#ident(_) => #tag,));
                reads.push(quote!(#tag => {
                    let content = <#ty as ::codex_wire::Wire>::read(cursor)?;
                    *to = ::core::option::Option::Some(#name::#ident(content));
                }));
                absent.push(quote!(#tag => return ::core::option::Option::None,));
                writes.push(quote!(
                    #name::#ident(content) => map.serialize_entry(Self::CONTENT, content),
                ));
            }
            Some(Content {
                maybe: Some(ty), ..
            }) => {
                tags.push(quote!(#name::#ident(_) => #tag,));
                reads.push(quote!(#tag => {
                    let content = ::codex_wire::Maybe::<#ty>::read(cursor)?;
                    *to = ::core::option::Option::Some(#name::#ident(content));
                }));
                absent.push(quote!(#tag => #name::#ident(::codex_wire::Maybe::Absent),));
                writes.push(quote!(
                    #name::#ident(content) => content.entry(Self::CONTENT, map),
                ));
            }
        }
    }
    quote! {
        #[inline]
        fn with_content(
            tag: &str,
            cursor: &mut ::codex_wire::json::Cursor<'_>,
            to: &mut ::core::option::Option<Self>,
        ) -> ::core::result::Result<(), ::codex_wire::Error> {
            match tag {
                #(#reads)*
                _ => {
                    let content = ::codex_wire::UnknownCall::read_content(tag, cursor)?;
                    *to = ::core::option::Option::Some(#name::#unknown(content));
                }
            }
            ::core::result::Result::Ok(())
        }

        #[inline]
        fn without_content(tag: &str) -> ::core::option::Option<Self> {
            ::core::option::Option::Some(match tag {
                #(#absent)*
                _ => #name::#unknown(::codex_wire::UnknownCall::bare(tag)),
            })
        }

        #[inline]
        fn tag(&self) -> &str {
            match self {
                #(#tags)*
                #name::#unknown(unknown) => &unknown.tag,
            }
        }

        fn entries<M: ::codex_wire::private::SerializeMap>(
            &self,
            map: &mut M,
        ) -> ::core::result::Result<(), M::Error> {
            map.serialize_entry(Self::TAG, self.tag())?;
            match self {
                #(#writes)*
                #name::#unknown(unknown) => match &unknown.content {
                    ::core::option::Option::Some(content) => {
                        map.serialize_entry(Self::CONTENT, content)
                    }
                    ::core::option::Option::None => ::core::result::Result::Ok(()),
                },
            }
        }
    }
}

fn branches(
    variants: &[Variant<'_>],
    key: &LitStr,
    suffix: &LitStr,
) -> syn::Result<Vec<TokenStream>> {
    variants
        .iter()
        .map(|v| {
            let (tag, docs) = (&v.wire.name, v.wire.docs_without_name());
            let times = v.wire.times.field()?;
            let freedoms = describe::freedoms(&v.wire.freedoms)?;
            let content = match &v.content {
                None => quote!(::core::option::Option::None),
                Some(content) => {
                    let ty = content.maybe.as_ref().unwrap_or(content.ty);
                    quote!(::core::option::Option::Some(::codex_wire::shape::Member {
                        name: #key,
                        docs: "",
                        availability: ::codex_wire::Availability::ALWAYS,
                        #freedoms
                        written: &[],
                        default: false,
                        ty: ::codex_wire::private::type_of::<#ty>,
                    }))
                }
            };
            let definition = v.wire.definition(v.ident, &suffix.value());
            Ok(quote!(::codex_wire::shape::AdjacentVariant {
                tag: #tag,
                docs: #docs,
                #times
                definition: #definition,
                content: #content,
            }))
        })
        .collect()
}

fn strategy(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> TokenStream {
    let branches = variants.iter().enumerate().map(|(place, v)| {
        let strategy = match &v.content {
            None => generate::bare(name, v.ident),
            Some(Content { maybe: None, ty }) => {
                generate::holding(name, v.ident, &generate::of(ty))
            }
            Some(Content {
                maybe: Some(ty), ..
            }) => {
                let part = quote!(::codex_wire::generate::content::<#ty>(branch, recipe));
                generate::holding(name, v.ident, &part)
            }
        };
        let branch = generate::branch(&quote!(branch.is_available(recipe.release)), &strategy);
        quote! {
            let branch = &<Self as ::codex_wire::private::Contents>::VARIANTS[#place];
            #branch
        }
    });
    let unknown_part = quote!(::codex_wire::generate::unknown_call(recipe));
    generate::union(name, branches, unknown, &unknown_part)
}
