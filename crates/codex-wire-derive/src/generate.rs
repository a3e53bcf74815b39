//! Derives the parts of proptest strategies that all kinds of type share.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use crate::members::Member;

/// Implements `Generate` with an expression that makes the strategy from `recipe`, and what
/// else the trait has to say of the type.
pub(crate) fn implement(name: &Ident, part: &TokenStream, further: &TokenStream) -> TokenStream {
    quote! {
        ::codex_wire::private::with_proptest! {
            #[automatically_derived]
            impl ::codex_wire::generate::Generate for #name {
                fn part(
                    recipe: ::codex_wire::generate::Recipe,
                ) -> ::codex_wire::generate::Strategy<::codex_wire::generate::Part> {
                    #part
                }

                #further
            }
        }
    }
}

/// Implements `Generate` for a struct, from the strategies of all fields and their names.
pub(crate) fn object(name: &Ident, strategies: &[TokenStream], idents: &[&Ident]) -> TokenStream {
    let part = quote! {
        ::codex_wire::generate::assemble(
            ::std::vec![#(#strategies),*],
            |parts| ::codex_wire::generate::Part::new(
                #name { #(#idents: parts.take()),* },
            ),
        )
    };
    implement(name, &part, &quote!())
}

/// As [`object`], for a struct of some of whose members at least one is there.
pub(crate) fn object_with_choices(
    name: &Ident,
    strategies: &[TokenStream],
    idents: &[&Ident],
    members: &[Member<'_>],
) -> TokenStream {
    let maybe = members.iter().filter(|m| m.wire.maybe.is_some());
    let (fields, keys): (Vec<_>, Vec<_>) = maybe.map(|m| (m.ident, &m.wire.name)).unzip();
    let part = quote! {
        ::codex_wire::generate::chosen(
            ::codex_wire::generate::assemble(
                ::std::vec![#(#strategies),*],
                |parts| ::codex_wire::generate::Part::new(
                    #name { #(#idents: parts.take()),* },
                ),
            ),
            <Self as ::codex_wire::Described>::SHAPE,
            recipe,
            |part, name| {
                let value: &#name = part.peek();
                match name {
                    #(#keys => !value.#fields.is_absent(),)*
                    _ => false,
                }
            },
        )
    };
    implement(name, &part, &quote!())
}

/// Implements `Generate` for a union of known variants, with an `unknown` one that is made by
/// `unknown_part` where the recipe asks for such.
pub(crate) fn union(
    name: &Ident,
    branches: impl IntoIterator<Item = TokenStream>,
    unknown: &Ident,
    unknown_part: &TokenStream,
) -> TokenStream {
    let unknown = branch(
        &quote!(recipe.unknown),
        &holding(name, unknown, unknown_part),
    );
    let part = one_of(branches.into_iter().chain([unknown]));
    implement(name, &part, &quote!())
}

/// One of the variants that the release has; see [`branch`].
pub(crate) fn one_of(branches: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let branches = branches.into_iter();
    quote! {
        let mut branches = ::std::vec::Vec::new();
        #(#branches)*
        ::codex_wire::generate::one_of(branches)
    }
}

/// The statement for a variant that the release has on a condition.
pub(crate) fn branch(condition: &TokenStream, strategy: &TokenStream) -> TokenStream {
    quote! {
        if #condition {
            branches.push(#strategy);
        }
    }
}

/// The strategy of a type.
pub(crate) fn of(ty: &Type) -> TokenStream {
    quote!(<#ty as ::codex_wire::generate::Generate>::part(recipe))
}

/// The strategy of a variant that holds what another one makes.
pub(crate) fn holding(name: &Ident, variant: &Ident, part: &TokenStream) -> TokenStream {
    quote! {
        ::codex_wire::generate::mapped(
            #part,
            |part| ::codex_wire::generate::Part::new(#name::#variant(part.take())),
        )
    }
}

/// The strategy of a variant that holds nothing.
pub(crate) fn bare(name: &Ident, variant: &Ident) -> TokenStream {
    quote! {
        ::codex_wire::generate::constant(
            || ::codex_wire::generate::Part::new(#name::#variant)
        )
    }
}
