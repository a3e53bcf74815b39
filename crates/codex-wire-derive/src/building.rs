//! Derives what makes values: `new`, `Default` where it takes nothing, and a `with_…` for each member that may be absent.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Type};

use crate::attributes::{inside, is_named};
use crate::members::Object;

/// All of it, for a type with this embedded union and this place for further members.
pub(crate) fn of(
    name: &Ident,
    object: &Object<'_>,
    variant: Option<(&Ident, &Type)>,
    extra: Option<&Ident>,
) -> TokenStream {
    let constructor = constructor(name, object, variant, extra);
    let setters = setters(name, object);
    quote!(#constructor #setters)
}

/// A method for each member that starts absent. It gives the member a value; `null` is given through the field.
pub(crate) fn setters(name: &Ident, object: &Object<'_>) -> TokenStream {
    let setters = object.members.iter().filter_map(|m| {
        let ident = m.ident;
        let method = format_ident!("with_{}", ident);
        let (taken, value) = given(m.wire.maybe.as_ref()?);
        let docs = format!("Sets [`{ident}`](field@Self::{ident}).");
        Some(quote! {
            #[doc = #docs]
            #[inline]
            #[must_use]
            pub fn #method(mut self, value: #taken) -> Self {
                self.#ident = ::codex_wire::Maybe::Value(#value);
                self
            }
        })
    });
    let setters: Vec<_> = setters.collect();
    match setters.is_empty() {
        true => quote!(),
        false => quote!(impl #name { #(#setters)* }),
    }
}

/// The constructor: what every release always writes is an argument, the rest starts absent.
fn constructor(
    name: &Ident,
    object: &Object<'_>,
    variant: Option<(&Ident, &Type)>,
    extra: Option<&Ident>,
) -> TokenStream {
    let required = object.members.iter().filter(|m| m.is_required());
    let given: Vec<_> = required.map(|m| (m.ident, m.ty)).chain(variant).collect();
    let idents: Vec<_> = given.iter().map(|(ident, _)| ident).collect();
    let arguments = given
        .iter()
        .map(|(ident, ty)| argument(ty, &quote!(#ident)));
    let (taken, values): (Vec<_>, Vec<_>) = arguments.unzip();
    let absent = object.members.iter().filter(|m| !m.is_required());
    let absent = absent.map(|m| m.ident);
    let (order, extra) = (object.order.iter(), extra.iter());
    let default = given.is_empty().then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self::new()
                }
            }
        }
    });
    quote! {
        impl #name {
            /// A value with the members every release writes; the others start absent.
            #[allow(clippy::too_many_arguments)]
            pub fn new(#(#idents: #taken),*) -> Self {
                #name {
                    #(#idents: #values,)*
                    #(#absent: ::codex_wire::Maybe::Absent,)*
                    #(#order: ::codex_wire::json::MemberOrder::new(),)*
                    #(#extra: ::codex_wire::json::Extra::new(),)*
                }
            }
        }

        #default
    }
}

/// What a setter takes, and the member that is made of it. A list is made of anything that can be made its elements:
/// `["a", "b"]`.
fn given(ty: &Type) -> (TokenStream, TokenStream) {
    match inside(ty, "Vec") {
        Some(element) if !is_plain(element) => (
            quote!(impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#element>>),
            quote!(value.into_iter().map(::core::convert::Into::into).collect()),
        ),
        _ => argument(ty, &quote!(value)),
    }
}

/// The type of an argument, and the member that is made of it. A number is taken as it is: of a literal, `Into` would
/// not say which type it has.
fn argument(ty: &Type, value: &TokenStream) -> (TokenStream, TokenStream) {
    match is_plain(ty) {
        true => (quote!(#ty), value.clone()),
        false => (
            quote!(impl ::core::convert::Into<#ty>),
            quote!(#value.into()),
        ),
    }
}

fn is_plain(ty: &Type) -> bool {
    const PLAIN: [&str; 7] = ["bool", "u8", "u16", "u32", "u64", "i32", "i64"];
    PLAIN.iter().any(|plain| is_named(ty, plain))
}
