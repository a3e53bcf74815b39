//! Structs: objects, and objects that embed a tagged union.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, FieldsNamed, Ident, Type};

use crate::attributes::{self, MemberAttributes, Role};
use crate::describe;

struct Member<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    wire: Box<MemberAttributes>,
}

struct Object<'a> {
    members: Vec<Member<'a>>,
    extra: Option<&'a Ident>,
    variant: Option<(&'a Ident, &'a Type)>,
    tag_key: Option<(&'a Ident, &'a Type)>,
}

pub(crate) fn expand(input: &DeriveInput, fields: &FieldsNamed) -> syn::Result<TokenStream> {
    let attributes = attributes::of_type(&input.attrs)?;
    let mut object = Object {
        members: Vec::new(),
        extra: None,
        variant: None,
        tag_key: None,
    };
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        match attributes::of_field(field)? {
            Role::Member(wire) => object.members.push(Member {
                ident,
                ty: &field.ty,
                wire,
            }),
            Role::Extra => object.extra = Some(ident),
            Role::Variant => object.variant = Some((ident, &field.ty)),
            Role::TagKey => object.tag_key = Some((ident, &field.ty)),
        }
    }
    let name = &input.ident;
    match (object.variant, object.extra) {
        (Some(variant), None) => embedding(name, &attributes, &object, variant),
        (None, Some(extra)) => plain(name, &attributes, &object, extra),
        _ => Err(syn::Error::new_spanned(
            name,
            "an object needs exactly one of #[wire(extra)] and #[wire(variant)]",
        )),
    }
}

/// The struct of members read so far, and the statement that reads one of them.
fn partial(object: &Object<'_>, with_extra: bool) -> (TokenStream, TokenStream) {
    let fields = object.members.iter().map(|m| {
        let (ident, ty) = (m.ident, m.ty);
        match m.wire.maybe {
            Some(_) => quote!(#ident: #ty),
            None => quote!(#ident: ::core::option::Option<#ty>),
        }
    });
    let extra = with_extra.then(|| quote!(extra: ::codex_wire::json::Extra,));
    let declaration = quote! {
        #[derive(Default)]
        pub struct Partial { #(#fields,)* #extra }
    };
    let arms = object.members.iter().map(|m| {
        let (ident, key) = (m.ident, &m.wire.name);
        match &m.wire.maybe {
            Some(ty) => quote! {
                #key if partial.#ident.is_absent() => {
                    partial.#ident = ::codex_wire::Maybe::<#ty>::read(cursor)?;
                }
            },
            None => {
                let ty = m.ty;
                quote! {
                    #key if partial.#ident.is_none() => {
                        partial.#ident = ::core::option::Option::Some(
                            <#ty as ::codex_wire::Wire>::read(cursor)?,
                        );
                    }
                }
            }
        }
    });
    if object.members.is_empty() {
        return (declaration, quote!(::core::result::Result::Ok(false)));
    }
    let read = quote! {
        match key {
            #(#arms)*
            _ => return ::core::result::Result::Ok(false),
        }
        ::core::result::Result::Ok(true)
    };
    (declaration, read)
}

fn finished(object: &Object<'_>) -> Vec<TokenStream> {
    object
        .members
        .iter()
        .map(|m| {
            let (ident, key) = (m.ident, &m.wire.name);
            match m.wire.maybe {
                Some(_) => quote!(#ident: partial.#ident),
                None => quote! {
                    #ident: match partial.#ident {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => {
                            return ::core::result::Result::Err(
                                ::codex_wire::private::missing(#key, start),
                            );
                        }
                    }
                },
            }
        })
        .collect()
}

fn entries(object: &Object<'_>) -> Vec<TokenStream> {
    object
        .members
        .iter()
        .map(|m| {
            let (ident, key) = (m.ident, &m.wire.name);
            match m.wire.maybe {
                Some(_) => quote!(self.#ident.entry(#key, map)?;),
                None => quote!(map.serialize_entry(#key, &self.#ident)?;),
            }
        })
        .collect()
}

fn described_members(object: &Object<'_>) -> syn::Result<Vec<TokenStream>> {
    object
        .members
        .iter()
        .map(|m| describe::member(&m.wire, m.ty))
        .collect()
}

/// The constructor: what every release always writes is an argument, the rest starts absent.
fn constructor(name: &Ident, object: &Object<'_>, extra: &Ident) -> TokenStream {
    let required = object.members.iter().filter(|m| m.wire.maybe.is_none());
    let arguments = required.clone().map(|m| {
        let (ident, ty) = (m.ident, m.ty);
        quote!(#ident: impl ::core::convert::Into<#ty>)
    });
    let given = required.map(|m| {
        let ident = m.ident;
        quote!(#ident: #ident.into())
    });
    let absent = object
        .members
        .iter()
        .filter(|m| m.wire.maybe.is_some())
        .map(|m| {
            let ident = m.ident;
            quote!(#ident: ::codex_wire::Maybe::Absent)
        });
    quote! {
        impl #name {
            /// A value with the members every release writes; the others start absent.
            #[allow(clippy::too_many_arguments, clippy::new_without_default)]
            pub fn new(#(#arguments),*) -> Self {
                #name { #(#given,)* #(#absent,)* #extra: ::codex_wire::json::Extra::new() }
            }
        }
    }
}

/// One nested pair of strategies, and the pattern that takes its values apart again.
fn strategies(object: &Object<'_>) -> (TokenStream, TokenStream) {
    let mut strategy = quote!(::codex_wire::generate::nothing());
    let mut pattern = quote!(());
    for m in object.members.iter().rev() {
        let ident = m.ident;
        let one = match &m.wire.maybe {
            Some(ty) => {
                let key = &m.wire.name;
                let maybe = if m.wire.recursive {
                    quote!(maybe_again)
                } else {
                    quote!(maybe)
                };
                quote!(::codex_wire::generate::#maybe::<#ty>(
                    <Self as ::codex_wire::Described>::SHAPE, #key, recipe
                ))
            }
            None => {
                let ty = m.ty;
                quote!(<#ty as ::codex_wire::generate::Generate>::generate(recipe))
            }
        };
        strategy = quote!((#one, #strategy));
        pattern = quote!((#ident, #pattern));
    }
    (strategy, pattern)
}

fn plain(
    name: &Ident,
    attributes: &attributes::TypeAttributes,
    object: &Object<'_>,
    extra: &Ident,
) -> syn::Result<TokenStream> {
    let (partial, read) = partial(object, true);
    let finished = finished(object);
    let entries = entries(object);
    let members = described_members(object)?;
    let form = quote!(::codex_wire::shape::Form::Object(&[#(#members),*]));
    let described = describe::described(name, &attributes.docs, &form);
    let serialize = describe::serialize_map(
        name,
        &quote!(::codex_wire::private::Members::entries(self, &mut map)?;),
    );
    let deserialize = describe::deserialize(name);
    let constructor = constructor(name, object, extra);
    let (strategy, pattern) = strategies(object);
    let idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    let tests_nothing = object.members.is_empty();
    let allow_unused = tests_nothing.then(|| quote!(#[allow(unused_variables)]));
    Ok(quote! {
        #constructor

        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            #partial

            #[automatically_derived]
            impl ::codex_wire::private::Members for #name {
                type Partial = Partial;

                #allow_unused
                fn member(
                    partial: &mut Partial,
                    key: &str,
                    cursor: &mut ::codex_wire::json::Cursor<'_>,
                ) -> ::core::result::Result<bool, ::codex_wire::Error> {
                    #read
                }

                fn extra(partial: &mut Partial) -> &mut ::codex_wire::json::Extra {
                    &mut partial.extra
                }

                #allow_unused
                fn finish(
                    partial: Partial,
                    start: usize,
                ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                    ::core::result::Result::Ok(#name { #(#finished,)* #extra: partial.extra })
                }

                fn entries<M: ::codex_wire::private::SerializeMap>(
                    &self,
                    map: &mut M,
                ) -> ::core::result::Result<(), M::Error> {
                    #(#entries)*
                    self.#extra.entries(map)
                }
            }

            #[automatically_derived]
            impl ::codex_wire::Wire for #name {
                fn read(
                    cursor: &mut ::codex_wire::json::Cursor<'_>,
                ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                    ::codex_wire::private::read_object(cursor)
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
                    (#strategy, ::codex_wire::generate::extra(recipe))
                        .prop_map(|(#pattern, extra)| #name { #(#idents,)* #extra: extra })
                        .boxed()
                }
            }
        };
    })
}

fn embedding(
    name: &Ident,
    attributes: &attributes::TypeAttributes,
    object: &Object<'_>,
    (variant, variant_ty): (&Ident, &Type),
) -> syn::Result<TokenStream> {
    let (partial, read) = partial(object, false);
    let finished = finished(object);
    let entries = entries(object);
    let members = described_members(object)?;
    let (peek, keep_key, key_of_self, keys, key_strategy, key_init);
    match (&object.tag_key, &attributes.tag) {
        (Some((field, ty)), None) => {
            peek = quote!(::codex_wire::private::peek_tag_key::<#ty>(cursor)?);
            keep_key = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS
                [::codex_wire::private::TagKeys::index(tag_key)].0);
            key_of_self = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS
                [::codex_wire::private::TagKeys::index(self.#field)].0);
            keys = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS);
            key_strategy = quote!(::codex_wire::generate::tag_key::<#ty>(recipe));
            key_init = quote!(#field: tag_key,);
        }
        (None, Some(tag)) => {
            peek = quote!(((), ::codex_wire::private::peek_tag(#tag, cursor)?));
            keep_key = quote!(#tag);
            key_of_self = quote!(#tag);
            keys = quote!(&[(#tag, ::codex_wire::shape::Lifetime::ALWAYS)]);
            key_strategy = quote!(::codex_wire::generate::nothing());
            key_init = quote!();
        }
        _ => {
            return Err(syn::Error::new_spanned(
                name,
                "an object with an embedded union needs a #[wire(tag_key)] member or a tag",
            ));
        }
    }
    let form = quote!(::codex_wire::shape::Form::Tagged {
        tags: #keys,
        base: &[#(#members),*],
        variants: <#variant_ty as ::codex_wire::private::VariantShapes>::VARIANTS,
    });
    let described = describe::described(name, &attributes.docs, &form);
    let serialize = describe::serialize_map(
        name,
        &quote! {
            let map_ref = &mut map;
            { let map = &mut *map_ref; #(#entries)* }
            map_ref.serialize_entry(
                #key_of_self,
                ::codex_wire::private::Variants::tag(&self.#variant),
            )?;
            ::codex_wire::private::Variants::entries(&self.#variant, map_ref)?;
        },
    );
    let deserialize = describe::deserialize(name);
    let (strategy, pattern) = strategies(object);
    let idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    let partial_name = format_ident!("Partial");
    Ok(quote! {
        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            #partial

            fn member(
                partial: &mut #partial_name,
                key: &str,
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<bool, ::codex_wire::Error> {
                #read
            }

            #[automatically_derived]
            impl ::codex_wire::Wire for #name {
                fn read(
                    cursor: &mut ::codex_wire::json::Cursor<'_>,
                ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                    use ::codex_wire::private::Variants;
                    let start = ::codex_wire::private::object_start(cursor)?;
                    let (tag_key, tag) = #peek;
                    let tag_name = #keep_key;
                    let mut tag_seen = false;
                    let mut partial = Partial::default();
                    let mut variant = <#variant_ty as Variants>::start(&tag);
                    cursor.object(|cursor, key| {
                        if !tag_seen && key == tag_name {
                            tag_seen = true;
                            return cursor.skip();
                        }
                        if member(&mut partial, key, cursor).map_err(|e| e.in_member(key))?
                            || <#variant_ty as Variants>::member(&mut variant, key, cursor)
                                .map_err(|e| e.in_member(key))?
                        {
                            return ::core::result::Result::Ok(());
                        }
                        ::codex_wire::private::keep(
                            <#variant_ty as Variants>::extra(&mut variant),
                            key,
                            cursor,
                        )
                    })?;
                    ::core::result::Result::Ok(#name {
                        #(#finished,)*
                        #key_init
                        #variant: <#variant_ty as Variants>::finish(variant, start)?,
                    })
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
                    let variant = <#variant_ty as ::codex_wire::generate::Generate>::generate(recipe);
                    (#strategy, #key_strategy, variant)
                        .prop_map(|(#pattern, tag_key, variant)| {
                            let _ = &tag_key;
                            #name { #(#idents,)* #key_init #variant: variant }
                        })
                        .boxed()
                }
            }
        };
    })
}
