//! Parses release numbers in attributes into constants.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// A `Release` constant from the text of an attribute.
pub(crate) fn constant(text: &LitStr) -> syn::Result<TokenStream> {
    let ([major, minor, patch], alpha) = numbers(text)?;
    Ok(match alpha {
        FINAL => quote!(::codex_wire::Release::new(#major, #minor, #patch)),
        alpha => quote!(::codex_wire::Release::alpha(#major, #minor, #patch, #alpha)),
    })
}

/// Stands for a release proper, which comes after its alphas.
const FINAL: u32 = u32::MAX;

fn numbers(text: &LitStr) -> syn::Result<([u32; 3], u32)> {
    let value = text.value();
    let bad = || syn::Error::new(text.span(), "write a release like 0.44.0 or 0.43.0-alpha.4");
    let number = |digits: &str| {
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten().ok_or_else(bad)
    };
    let (numbers, alpha) = match value.split_once("-alpha.") {
        Some((numbers, alpha)) => (numbers, number(alpha)?),
        None => (value.as_str(), FINAL),
    };
    let parts = numbers
        .split('.')
        .map(number)
        .collect::<syn::Result<Vec<u32>>>()?;
    Ok((parts.try_into().map_err(|_| bad())?, alpha))
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

    /// A `ReleaseBounds` constant.
    pub(crate) fn constant(&self) -> syn::Result<TokenStream> {
        if let (Some(since), Some(until)) = (&self.since, &self.until)
            && numbers(since)? > numbers(until)?
        {
            return Err(syn::Error::new(until.span(), "ends before it begins"));
        }
        if self.is_always() {
            return Ok(quote!(::codex_wire::shape::ReleaseBounds::ALWAYS));
        }
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
        Ok(quote!(::codex_wire::shape::ReleaseBounds { since: #since, until: #until }))
    }
}

/// When something exists, and for whom.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) availability: Span,
    /// The releases within that range that do not have it.
    pub(crate) gaps: Vec<Span>,
    /// The releases in which it belongs to the experimental API.
    pub(crate) experimental: Vec<Span>,
}

impl Times {
    /// Whether every client of every release meets it.
    pub(crate) fn is_always(&self) -> bool {
        self.availability.is_always() && self.gaps.is_empty() && self.experimental.is_empty()
    }

    /// The sentence for rustdoc: "Since 0.115.0. Experimental." The generator of the app-server types
    /// writes the same one.
    pub(crate) fn sentence(&self) -> String {
        let mut parts = Vec::new();
        match (
            text(&self.availability.since),
            text(&self.availability.until),
        ) {
            (None, None) => {}
            (Some(since), None) => parts.push(format!("Since {since}.")),
            (None, Some(until)) => parts.push(format!("Until {until}.")),
            (Some(since), Some(until)) if since == until => parts.push(format!("In {since} only.")),
            (Some(since), Some(until)) => parts.push(format!("From {since} to {until}.")),
        }
        for gap in &self.gaps {
            match (text(&gap.since), text(&gap.until)) {
                (Some(since), Some(until)) if since != until => {
                    parts.push(format!("Not from {since} to {until}."));
                }
                (since, until) => parts.extend(since.or(until).map(|at| format!("Not in {at}."))),
            }
        }
        for span in &self.experimental {
            parts.push(match (text(&span.since), text(&span.until)) {
                (None, None) => "Experimental.".to_owned(),
                (Some(since), None) => format!("Experimental since {since}."),
                (None, Some(until)) => format!("Experimental until {until}."),
                (Some(since), Some(until)) if since == until => format!("Experimental in {since}."),
                (Some(since), Some(until)) => format!("Experimental from {since} to {until}."),
            });
        }
        parts.join(" ")
    }

    /// The field `availability` of a description.
    pub(crate) fn field(&self) -> syn::Result<TokenStream> {
        if self.is_always() {
            return Ok(quote!(availability: ::codex_wire::Availability::ALWAYS,));
        }
        let range = self.availability.constant()?;
        if self.gaps.is_empty() && self.experimental.is_empty() {
            return Ok(quote!(availability: ::codex_wire::Availability::during(#range),));
        }
        let (gaps, experimental) = (constants(&self.gaps)?, constants(&self.experimental)?);
        Ok(quote!(availability: ::codex_wire::Availability {
            range: #range,
            gaps: #gaps,
            experimental: #experimental,
        },))
    }
}

fn text(release: &Option<LitStr>) -> Option<String> {
    release.as_ref().map(LitStr::value)
}

/// A slice of `ReleaseBounds` constants.
pub(crate) fn constants(spans: &[Span]) -> syn::Result<TokenStream> {
    let spans = spans
        .iter()
        .map(Span::constant)
        .collect::<syn::Result<Vec<_>>>()?;
    Ok(quote!(&[#(#spans),*]))
}
