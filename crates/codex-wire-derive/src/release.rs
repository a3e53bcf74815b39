//! Release numbers in attributes, turned into constants.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// A `Release` constant from the text of an attribute.
pub(crate) fn constant(text: &LitStr) -> syn::Result<TokenStream> {
    let value = text.value();
    let bad = || syn::Error::new(text.span(), "write a release like 0.44.0 or 0.43.0-alpha.4");
    let (numbers, alpha) = match value.split_once("-alpha.") {
        Some((numbers, alpha)) => (numbers, Some(alpha.parse::<u32>().map_err(|_| bad())?)),
        None => (value.as_str(), None),
    };
    let parts: Vec<u32> = numbers
        .split('.')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| bad())?;
    let [major, minor, patch] = parts[..] else {
        return Err(bad());
    };
    Ok(match alpha {
        Some(alpha) => quote!(::codex_wire::Release::alpha(#major, #minor, #patch, #alpha)),
        None => quote!(::codex_wire::Release::new(#major, #minor, #patch)),
    })
}

/// A span of releases as attributes give it.
#[derive(Default, Clone)]
pub(crate) struct Span {
    pub(crate) since: Option<LitStr>,
    pub(crate) until: Option<LitStr>,
}

impl Span {
    /// Whether it covers every release.
    pub(crate) fn is_always(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// A `Lifetime` constant.
    pub(crate) fn constant(&self) -> syn::Result<TokenStream> {
        let end = |text: &Option<LitStr>| {
            Ok::<_, syn::Error>(match text {
                Some(text) => {
                    let release = constant(text)?;
                    quote!(::core::option::Option::Some(#release))
                }
                None => quote!(::core::option::Option::None),
            })
        };
        let (since, until) = (end(&self.since)?, end(&self.until)?);
        Ok(quote!(::codex_wire::shape::Lifetime { since: #since, until: #until }))
    }
}
