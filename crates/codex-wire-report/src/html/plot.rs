//! Draws tokens as bars, of each turn or of each day. If there are many, several share a bar, so that the picture stays small.

use std::fmt::Write as _;

use codex_wire_session::Tokens;

use crate::numbers::grouped;

/// The most bars.
const MOST: usize = 120;

const HEIGHT: f64 = 64.0;

/// The tokens of turns, or of what else is counted.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    bars: Vec<Bar>,
    /// How many of them share a bar.
    share: usize,
    /// How many were added.
    count: usize,
}

#[derive(Clone, Debug)]
struct Bar {
    tokens: Tokens,
    /// The names of the first and of the last, as HTML.
    first: String,
    last: String,
    /// What it leads to, if it leads anywhere.
    id: Option<String>,
}

impl Plot {
    pub(crate) fn new() -> Self {
        Plot {
            bars: Vec::new(),
            share: 1,
            count: 0,
        }
    }

    /// Adds a turn, with its name and the id of its heading.
    pub(crate) fn push(&mut self, tokens: Tokens, name: String, id: Option<String>) {
        let shares = !self.count.is_multiple_of(self.share);
        self.count += 1;
        match self.bars.last_mut() {
            Some(bar) if shares => {
                bar.tokens += tokens;
                bar.last = name;
            }
            _ => self.bars.push(Bar {
                tokens,
                first: name.clone(),
                last: name,
                id,
            }),
        }
        if self.bars.len() > MOST {
            let mut halved: Vec<Bar> = Vec::with_capacity(MOST);
            for (at, bar) in self.bars.drain(..).enumerate() {
                match halved.last_mut() {
                    Some(last) if at % 2 == 1 => {
                        last.tokens += bar.tokens;
                        last.last = bar.last;
                    }
                    _ => halved.push(bar),
                }
            }
            self.bars = halved;
            self.share *= 2;
        }
    }

    /// The plot of each `one` of `many` as HTML; nothing if fewer than two have tokens.
    pub(crate) fn html(&self, one: &str, many: &str) -> String {
        let mut out = String::new();
        let size = |tokens: &Tokens| tokens.input.saturating_add(tokens.output);
        let counted = self.bars.iter().filter(|bar| size(&bar.tokens) > 0).count();
        let most = self.bars.iter().map(|bar| size(&bar.tokens)).max();
        let Some(most) = most.filter(|_| counted > 1) else {
            return out;
        };
        let width = self.bars.len() * 10;
        let shown = (self.bars.len() * 22).min(1060);
        // What holds links is more than a picture.
        let role = match self.bars.iter().any(|bar| bar.id.is_some()) {
            true => "group",
            false => "img",
        };
        let _ = write!(
            out,
            "<section class=\"tokens\"><h2>Tokens per {one}</h2><svg width=\"{shown}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"{role}\" aria-label=\"tokens of each {one}\">"
        );
        for (at, bar) in self.bars.iter().enumerate() {
            let tokens = bar.tokens;
            let x = at * 10 + 1;
            let name = match bar.first == bar.last {
                true => bar.first.clone(),
                false => format!("{} to {}", bar.first, bar.last),
            };
            let mut title = format!(
                "{name}: {} in, {} out",
                grouped(tokens.input),
                grouped(tokens.output)
            );
            if tokens.cached_input > 0 {
                let _ = write!(
                    title,
                    ", {} of the input cached",
                    grouped(tokens.cached_input)
                );
            }
            let mut bars = format!("<title>{title}</title>");
            let mut y = HEIGHT;
            let cached = tokens.cached_input.min(tokens.input);
            for (count, kind) in [
                (cached, "cached"),
                (tokens.input - cached, "input"),
                (tokens.output, "output"),
            ] {
                let height = count as f64 / most as f64 * HEIGHT;
                if height > 0.0 {
                    y -= height;
                    let _ = write!(
                        bars,
                        "<rect class=\"{kind}\" x=\"{x}\" y=\"{:.1}\" width=\"8\" height=\"{height:.1}\"/>",
                        y.max(0.0)
                    );
                }
            }
            let _ = match &bar.id {
                Some(id) => write!(out, "<a href=\"#{id}\" tabindex=\"-1\">{bars}</a>"),
                None => write!(out, "<g>{bars}</g>"),
            };
        }
        out.push_str("</svg><p class=\"note key\"><span class=\"cached\">cached input</span> <span class=\"input\">input</span> <span class=\"output\">output</span> ");
        let _ = write!(out, "<span>highest {}</span>", grouped(most));
        if self.share > 1 {
            let _ = write!(
                out,
                " <span>{} {many} share a bar</span>",
                grouped(self.share as u64)
            );
        }
        out.push_str("</p></section>");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_turns_share_bars() {
        let tokens = Tokens::new(10, 0);
        let mut plot = Plot::new();
        for turn in 1..=1000 {
            plot.push(tokens, format!("turn {turn}"), None);
        }
        assert!(plot.bars.len() <= MOST);
        let sum: u64 = plot.bars.iter().map(|bar| bar.tokens.input).sum();
        assert_eq!(sum, 10_000);
        let full = plot.bars.len() - 1;
        let is_even = |bar: &Bar| bar.tokens.input == 10 * plot.share as u64;
        assert!(plot.bars[..full].iter().all(is_even));
        assert_eq!(plot.bars[1].first, format!("turn {}", plot.share + 1));
    }

    #[test]
    fn a_single_turn_is_not_drawn() {
        let mut plot = Plot::new();
        let mut tokens = Tokens::default();
        plot.push(tokens, "turn 1".to_owned(), None);
        tokens.output = 5;
        plot.push(tokens, "turn 2".to_owned(), None);
        assert_eq!(plot.html("turn", "turns"), "");
        plot.push(tokens, "turn 3".to_owned(), None);
        assert!(plot.html("turn", "turns").contains("turn 3: 0 in, 5 out"));
    }
}
