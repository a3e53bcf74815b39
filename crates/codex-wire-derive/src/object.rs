//! Derives objects, and the parts that they share with objects that embed a tagged union.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::attributes::TypeAttributes;
use crate::members::{Member, Object};
use crate::{building, describe, generate};

/// The struct of members read so far: how one is read, and which is missing.
pub(crate) fn partial(object: &Object<'_>) -> TokenStream {
    let fields = object.members.iter().map(|m| {
        let (ident, ty) = (m.ident, m.ty);
        if m.is_required() {
            quote!(#ident: ::core::option::Option<#ty>)
        } else {
            quote!(#ident: #ty)
        }
    });
    let branches = object.members.iter().enumerate().map(|(place, m)| {
        let (ident, key) = (m.ident, &m.wire.name);
        let fill = if m.is_required() {
            quote!(::codex_wire::private::fill(&mut self.#ident, cursor))
        } else {
            quote!(::codex_wire::private::fill_maybe(&mut self.#ident, cursor))
        };
        match object.order {
            None => quote!(#key => #fill,),
            Some(order) => quote!(#key => {
                let filled = #fill?;
                if filled {
                    self.#order.push(#place);
                }
                ::core::result::Result::Ok(filled)
            }),
        }
    });
    let order = object.order.iter();
    let unused = object
        .members
        .is_empty()
        .then(|| quote!(#[allow(unused_variables)]));
    let required = || object.members.iter().filter(|m| m.is_required());
    let missing = (required().count() > 0).then(|| {
        let (idents, keys) = (
            required().map(|m| m.ident),
            required().map(|m| &m.wire.name),
        );
        quote! {
            #[inline]
            fn missing(&self) -> ::core::option::Option<&'static str> {
                ::codex_wire::private::first_missing(
                    &[#(self.#idents.is_some()),*],
                    &[#(#keys),*],
                )
            }
        }
    });
    quote! {
        #[derive(Default)]
        pub struct Partial { #(#fields,)* #(#order: ::codex_wire::json::MemberOrder),* }

        impl ::codex_wire::private::Fields for Partial {
            #unused
            #[inline]
            fn member(
                &mut self,
                key: &str,
                cursor: &mut ::codex_wire::json::Cursor<'_>,
            ) -> ::core::result::Result<bool, ::codex_wire::Error> {
                match key {
                    #(#branches)*
                    _ => ::core::result::Result::Ok(false),
                }
            }

            #missing
        }
    }
}

/// The value made of `partial` and further fields, or what is missing.
pub(crate) fn finished(name: &Ident, object: &Object<'_>, others: &TokenStream) -> TokenStream {
    let idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    let patterns = object.members.iter().map(|m| {
        let ident = m.ident;
        if m.is_required() {
            quote!(#ident: ::core::option::Option::Some(#ident))
        } else {
            quote!(#ident)
        }
    });
    let patterns = patterns.chain(object.order.map(|order| quote!(#order)));
    let order = object.order.map(|order| quote!(#order: #order.settled(),));
    let never_missing = !object.members.iter().any(Member::is_required);
    let otherwise = (!never_missing).then(|| {
        quote! {
            partial => ::core::result::Result::Err(
                ::codex_wire::private::missing(&partial, start),
            ),
        }
    });
    quote! {
        match partial {
            Partial { #(#patterns),* } => {
                ::core::result::Result::Ok(#name { #(#idents,)* #order #others })
            }
            #otherwise
        }
    }
}

/// The statements that write the members into `map`.
pub(crate) fn entries(object: &Object<'_>) -> Vec<TokenStream> {
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

pub(crate) fn described_members(object: &Object<'_>) -> syn::Result<Vec<TokenStream>> {
    object
        .members
        .iter()
        .map(|m| describe::member(&m.wire, m.ty))
        .collect()
}

/// The strategies of the members, in the order of the struct.
pub(crate) fn strategies(object: &Object<'_>) -> Vec<TokenStream> {
    let one = |m: &Member<'_>| match &m.wire.maybe {
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
        None => generate::of(m.ty),
    };
    object.members.iter().map(one).collect()
}

/// The method that writes the members with the tag among them, if it is not the first.
fn tagged_entries(
    object: &Object<'_>,
    entries: &[TokenStream],
    extra: &Ident,
) -> Option<TokenStream> {
    let place = object.members.iter().position(|m| m.wire.tag_behind)?;
    let (before, behind) = entries.split_at(place + 1);
    Some(quote! {
        fn tagged_entries<M: ::codex_wire::private::SerializeMap>(
            &self,
            (key, tag): (&'static str, &str),
            map: &mut M,
        ) -> ::core::result::Result<(), M::Error> {
            #(#before)*
            map.serialize_entry(key, tag)?;
            #(#behind)*
            self.#extra.entries(map)
        }
    })
}

/// An object without an embedded union.
pub(crate) fn plain(
    name: &Ident,
    attributes: &TypeAttributes,
    object: &Object<'_>,
    extra: &Ident,
) -> syn::Result<TokenStream> {
    let partial = partial(object);
    let finished = finished(name, object, &quote!(#extra: extra));
    let mut entries = entries(object);
    let tagged = tagged_entries(object, &entries, extra);
    if let Some(order) = object.order {
        let (places, count) = (0..entries.len(), entries.len());
        entries = vec![quote! {
            for place in self.#order.places(#count) {
                match place {
                    #(#places => { #entries })*
                    _ => {}
                }
            }
        }];
    }
    let members = described_members(object)?;
    let form = quote!(::codex_wire::shape::Form::Object(&[#(#members),*]));
    let read = quote!(::codex_wire::private::Object::plain().read(cursor));
    let write = describe::map(&quote!(::codex_wire::private::Members::entries(self, &mut map)?;));
    let wire = describe::wire(name, attributes, &form, &read, &write);
    let building = building::of(name, object, None, Some(extra));
    let mut strategies = strategies(object);
    strategies.push(quote!(::codex_wire::generate::extra_part(recipe)));
    let mut idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    idents.push(extra);
    if let Some(order) = object.order {
        strategies.push(quote!(::codex_wire::generate::order_part()));
        idents.push(order);
    }
    let generate = match attributes.choices.is_empty() {
        true => generate::object(name, &strategies, &idents),
        false => generate::object_with_choices(name, &strategies, &idents, &object.members),
    };
    let any_required = object.members.iter().any(Member::is_required);
    let start = if any_required {
        quote!(start)
    } else {
        quote!(_)
    };
    Ok(quote! {
        #building

        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            #partial

            #[automatically_derived]
            impl ::codex_wire::private::Members for #name {
                type Partial = Partial;

                #[inline]
                fn finish(
                    partial: Partial,
                    extra: ::codex_wire::json::Extra,
                    #start: usize,
                ) -> ::core::result::Result<Self, ::codex_wire::Error> {
                    #finished
                }

                fn entries<M: ::codex_wire::private::SerializeMap>(
                    &self,
                    map: &mut M,
                ) -> ::core::result::Result<(), M::Error> {
                    #(#entries)*
                    self.#extra.entries(map)
                }

                #tagged
            }

            #wire
            #generate
        };
    })
}
