//! Writes tokens as people space them.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing, or what opens a group.
    Open,
    Word,
    Close,
    /// Something behind which a space stands.
    Separator,
    /// Any other sign.
    Sign,
}

/// The tokens as a text on one line.
pub(super) fn spaced(tokens: TokenStream) -> String {
    let mut out = String::new();
    write(tokens, &mut out);
    out
}

fn write(tokens: TokenStream, out: &mut String) {
    let mut last = Last::Open;
    // Signs that belong together, such as `->` and `::`.
    let mut signs = String::new();
    for token in tokens {
        match token {
            TokenTree::Punct(sign) => {
                signs.push(sign.as_char());
                let is_part = matches!(signs.as_str(), "-" | ":" | "=" | "'" | ".");
                if is_part && sign.spacing() == Spacing::Joint {
                    continue;
                }
                let text = std::mem::take(&mut signs);
                let is_between = matches!(text.as_str(), "->" | "=" | "=>" | "+" | "|");
                if last == Last::Separator || is_between && last != Last::Open {
                    out.push(' ');
                }
                out.push_str(&text);
                last = match text.as_str() {
                    "," | ";" | ":" => Last::Separator,
                    _ if is_between => Last::Separator,
                    ">" => Last::Close,
                    _ => Last::Sign,
                };
                // These stand close to what they follow.
                if matches!(text.as_str(), "," | ";" | ":" | ">") {
                    let close = out.len() - text.len();
                    if out[..close].ends_with(' ') {
                        out.remove(close - 1);
                    }
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => (" { ", " }"),
                    Delimiter::None => ("", ""),
                };
                if last == Last::Separator {
                    out.push(' ');
                }
                out.push_str(open);
                write(group.stream(), out);
                // A comma in front of the end is a matter of the line breaks.
                if out.ends_with(',') {
                    out.pop();
                }
                out.push_str(close);
                last = Last::Close;
            }
            word => {
                let lifetime = std::mem::take(&mut signs);
                if matches!(last, Last::Word | Last::Close | Last::Separator) {
                    out.push(' ');
                }
                out.push_str(&lifetime);
                out.push_str(&word.to_string());
                last = Last::Word;
            }
        }
    }
}
