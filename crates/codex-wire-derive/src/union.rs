//! Enums whose variants carry structs: tagged unions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields, Ident, Type};

use crate::attributes::{self, VariantAttributes};
use crate::describe;

struct Variant<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    wire: VariantAttributes,
}

pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let attributes = attributes::of_type(&input.attrs)?;
    let mut variants = Vec::new();
    let mut unknown = None;
    for variant in &data.variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(syn::Error::new_spanned(variant, "expected one struct"));
        };
        let [field] = &fields.unnamed.iter().collect::<Vec<_>>()[..] else {
            return Err(syn::Error::new_spanned(variant, "expected one struct"));
        };
        if attributes::is_unknown(variant) {
            unknown = Some(&variant.ident);
            continue;
        }
        variants.push(Variant {
            ident: &variant.ident,
            ty: &field.ty,
            wire: attributes::of_variant(variant)?,
        });
    }
    let Some(unknown) = unknown else {
        return Err(syn::Error::new_spanned(
            name,
            "a union needs a #[wire(unknown)] variant: unknown is a value, not an error",
        ));
    };
    let variants_impl = variants_impl(name, &variants, unknown);
    let shapes = shapes(name, &variants)?;
    let generate = generate(name, &variants, unknown)?;
    let accessors = accessors(name, &variants);
    let standalone = match &attributes.tag {
        Some(tag) => standalone(name, &attributes.docs, tag),
        None => quote!(),
    };
    Ok(quote! {
        #accessors

        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            #variants_impl
            #shapes
            #standalone
            #generate
        };
    })
}

fn variants_impl(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> TokenStream {
    let idents: Vec<_> = variants.iter().map(|v| v.ident).collect();
    let types: Vec<_> = variants.iter().map(|v| v.ty).collect();
    let tags: Vec<_> = variants.iter().map(|v| &v.wire.name).collect();
    quote! {
        pub enum Partial {
            #(#idents(<#types as ::codex_wire::private::Members>::Partial),)*
            #unknown(::codex_wire::Unknown),
        }

        #[automatically_derived]
        impl ::codex_wire::private::Variants for #name {
            type Partial = Partial;

            fn start(tag: &str) -> Partial {
                match tag {
                    #(#tags => Partial::#idents(::core::default::Default::default()),)*
                    _ => Partial::#unknown(::codex_wire::Unknown {
                        tag: tag.to_owned(),
                        members: ::codex_wire::json::Extra::new(),
                    }),
                }
            }

            fn member(
                partial: &mut Partial,
                key: &str,
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<bool, ::codex_wire::Error> {
                match partial {
                    #(Partial::#idents(partial) => {
                        <#types as ::codex_wire::private::Members>::member(partial, key, cursor)
                    })*
                    Partial::#unknown(_) => ::core::result::Result::Ok(false),
                }
            }

            fn extra(partial: &mut Partial) -> &mut ::codex_wire::json::Extra {
                match partial {
                    #(Partial::#idents(partial) => {
                        <#types as ::codex_wire::private::Members>::extra(partial)
                    })*
                    Partial::#unknown(unknown) => &mut unknown.members,
                }
            }

            fn finish(
                partial: Partial,
                start: usize,
            ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                ::core::result::Result::Ok(match partial {
                    #(Partial::#idents(partial) => #name::#idents(
                        <#types as ::codex_wire::private::Members>::finish(partial, start)?,
                    ),)*
                    Partial::#unknown(unknown) => #name::#unknown(unknown),
                })
            }

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
        }
    }
}

/// `From` for every variant, and the tag of a value.
fn accessors(name: &Ident, variants: &[Variant<'_>]) -> TokenStream {
    let idents = variants.iter().map(|v| v.ident);
    let types = variants.iter().map(|v| v.ty);
    quote! {
        impl #name {
            /// The tag as written on the wire, whether this crate knows it or not.
            pub fn tag(&self) -> &str {
                ::codex_wire::private::Variants::tag(self)
            }
        }

        #(
            #[automatically_derived]
            impl ::core::convert::From<#types> for #name {
                fn from(value: #types) -> Self {
                    #name::#idents(value)
                }
            }
        )*
    }
}

fn shapes(name: &Ident, variants: &[Variant<'_>]) -> syn::Result<TokenStream> {
    let shapes = variants
        .iter()
        .map(|v| {
            let (tag, docs, ty) = (&v.wire.name, &v.wire.docs, v.ty);
            let life = v.wire.life.constant()?;
            Ok(quote!(::codex_wire::shape::Variant {
                tag: #tag,
                docs: #docs,
                life: #life,
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

fn standalone(name: &Ident, docs: &str, tag: &syn::LitStr) -> TokenStream {
    let form = quote!(::codex_wire::shape::Form::Tagged {
        tags: &[(#tag, ::codex_wire::shape::Lifetime::ALWAYS)],
        base: &[],
        variants: <#name as ::codex_wire::private::VariantShapes>::VARIANTS,
    });
    let described = describe::described(name, docs, &form);
    let serialize = describe::serialize_map(
        name,
        &quote! {
            map.serialize_entry(#tag, ::codex_wire::private::Variants::tag(self))?;
            ::codex_wire::private::Variants::entries(self, &mut map)?;
        },
    );
    let deserialize = describe::deserialize(name);
    quote! {
        #[automatically_derived]
        impl ::codex_wire::Wire for #name {
            fn read(
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                ::codex_wire::private::read_union(#tag, cursor)
            }
        }

        #serialize
        #deserialize
        #described
    }
}

fn generate(name: &Ident, variants: &[Variant<'_>], unknown: &Ident) -> syn::Result<TokenStream> {
    let arms = variants
        .iter()
        .map(|v| {
            let (ident, ty) = (v.ident, v.ty);
            let life = v.wire.life.constant()?;
            Ok(quote! {
                if (#life).contains(recipe.release) {
                    arms.push(
                        <#ty as ::codex_wire::generate::Generate>::generate(recipe)
                            .prop_map(#name::#ident)
                            .boxed(),
                    );
                }
            })
        })
        .collect::<syn::Result<Vec<_>>>()?;
    Ok(quote! {
        #[cfg(feature = "proptest")]
        #[automatically_derived]
        impl ::codex_wire::generate::Generate for #name {
            fn generate(
                recipe: ::codex_wire::generate::Recipe,
            ) -> ::codex_wire::generate::Strategy<Self> {
                use ::codex_wire::private::ProptestStrategy as _;
                let mut arms: ::std::vec::Vec<::codex_wire::generate::Strategy<Self>> =
                    ::std::vec::Vec::new();
                #(#arms)*
                if recipe.unknown {
                    arms.push(
                        ::codex_wire::generate::unknown(recipe)
                            .prop_map(#name::#unknown)
                            .boxed(),
                    );
                }
                ::codex_wire::generate::one_of(arms)
            }
        }
    })
}
