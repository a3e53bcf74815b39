//! Derives structs that embed a union: the tag and what it selects stand beside the struct's
//! members.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, LitStr, Type};

use crate::attributes::TypeAttributes;
use crate::members::Object;
use crate::object::{described_members, entries, finished, partial, strategies};
use crate::{building, describe, generate};

/// The members of the variant stand among those of the struct.
pub(crate) fn within(
    name: &Ident,
    attributes: &TypeAttributes,
    object: &Object<'_>,
    (variant, variant_ty): (&Ident, &Type),
) -> syn::Result<TokenStream> {
    let partial = partial(object);
    let entries = entries(object);
    let members = described_members(object)?;
    let mut strategies = strategies(object);
    let mut idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    let (peek, keep_key, key_of_self, keys, key_init);
    match (&object.tag_key, &attributes.tag) {
        (Some((field, ty)), None) => {
            peek = quote!(::codex_wire::private::peek_tag_key::<#ty>(cursor)?);
            keep_key = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS
                [::codex_wire::private::TagKeys::index(tag_key)].0);
            key_of_self = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS
                [::codex_wire::private::TagKeys::index(self.#field)].0);
            keys = quote!(<#ty as ::codex_wire::private::TagKeys>::KEYS);
            key_init = quote!(#field: tag_key,);
            strategies.push(quote!(::codex_wire::generate::tag_key::<#ty>(recipe)));
            idents.push(field);
        }
        (None, Some(tag)) => {
            peek = quote!(((), ::codex_wire::private::peek_tag(#tag, cursor)?));
            keep_key = quote!(#tag);
            key_of_self = quote!(#tag);
            keys = quote!(&[(#tag, ::codex_wire::shape::ReleaseBounds::ALWAYS)]);
            key_init = quote!();
        }
        _ => {
            return Err(syn::Error::new_spanned(
                name,
                "an object with an embedded union needs a #[wire(tag_key)] member or a tag",
            ));
        }
    }
    let finished = finished(name, object, &quote!(#key_init #variant: variant));
    let form = quote!(::codex_wire::shape::Form::Tagged {
        tags: #keys,
        base: &[#(#members),*],
        variants: <#variant_ty as ::codex_wire::private::VariantShapes>::VARIANTS,
    });
    let read = quote! {
        let start = ::codex_wire::private::object_start(cursor)?;
        let (tag_key, tag) = #peek;
        let mut partial = Partial::default();
        let object = ::codex_wire::private::Object::embedding(
            #keep_key, &mut partial,
        );
        let variant = <#variant_ty as ::codex_wire::private::Variants>::read(
            &tag, object, cursor,
        )?;
        #finished
    };
    let write = describe::map(&quote! {
        let map_ref = &mut map;
        { let map = &mut *map_ref; #(#entries)* }
        map_ref.serialize_entry(
            #key_of_self,
            ::codex_wire::private::Variants::tag(&self.#variant),
        )?;
        ::codex_wire::private::Variants::entries(&self.#variant, map_ref)?;
    });
    let wire = describe::wire(name, attributes, &form, &read, &write);
    strategies.push(generate::of(variant_ty));
    idents.push(variant);
    let generate = generate::object(name, &strategies, &idents);
    // Which spelling of the tag a value has is for the type to say.
    let building = match object.tag_key {
        None => building::of(name, object, Some((variant, variant_ty)), None),
        Some(_) => building::setters(name, object),
    };
    Ok(quote! {
        #building

        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            #partial

            #wire
            #generate
        };
    })
}

/// The content of the variant is a member beside those of the struct.
pub(crate) fn beside(
    name: &Ident,
    attributes: &TypeAttributes,
    object: &Object<'_>,
    ((variant, variant_ty), extra): ((&Ident, &Type), &Ident),
    (tag, content): (&LitStr, &LitStr),
) -> syn::Result<TokenStream> {
    let partial = partial(object);
    let finished = finished(name, object, &quote!(#variant: variant, #extra: extra));
    let entries = entries(object);
    let (before, behind) = entries.split_at(object.before_variant);
    let members = described_members(object)?;
    let form = quote!(::codex_wire::shape::Form::Adjacent {
        tag: #tag,
        content: #content,
        base: &[#(#members),*],
        variants: <#variant_ty as ::codex_wire::private::Contents>::VARIANTS,
    });
    let read = quote! {
        let start = ::codex_wire::private::object_start(cursor)?;
        let mut partial = Partial::default();
        let mut variant = ::core::option::Option::None;
        let extra = ::codex_wire::private::read_beside(
            cursor, &mut partial, start, &mut variant,
        )?;
        let ::core::option::Option::Some(variant) = variant else {
            return ::core::result::Result::Err(
                ::codex_wire::private::no_content::<#variant_ty>(start),
            );
        };
        #finished
    };
    let write = describe::map(&quote! {
        let map_ref = &mut map;
        { let map = &mut *map_ref; #(#before)* }
        ::codex_wire::private::Contents::entries(&self.#variant, map_ref)?;
        { let map = &mut *map_ref; #(#behind)* }
        self.#extra.entries(map_ref)?;
    });
    let wire = describe::wire(name, attributes, &form, &read, &write);
    let building = building::of(name, object, Some((variant, variant_ty)), Some(extra));
    let mut strategies = strategies(object);
    strategies.push(generate::of(variant_ty));
    strategies.push(quote!(::codex_wire::generate::extra_part(recipe)));
    let mut idents: Vec<_> = object.members.iter().map(|m| m.ident).collect();
    idents.extend([variant, extra]);
    let generate = generate::object(name, &strategies, &idents);
    Ok(quote! {
        #building

        #[allow(unreachable_pub, missing_docs)]
        const _: () = {
            // The union says once more what stands where; both have to say the same.
            const _: () = ::core::assert!(
                ::codex_wire::private::same(
                    <#variant_ty as ::codex_wire::private::Contents>::TAG, #tag,
                ) && ::codex_wire::private::same(
                    <#variant_ty as ::codex_wire::private::Contents>::CONTENT, #content,
                ),
                "the struct and its union name different members",
            );

            #partial

            #wire
            #generate
        };
    })
}
