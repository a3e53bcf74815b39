//! Compares words with names.

use super::parts::Part;

/// The words that are looked for.
#[derive(Debug)]
pub(super) struct Words {
    words: Vec<String>,
}

/// How well something fits, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Every word is a name.
    Whole,
    /// Some word is only a part of a name.
    InName,
    /// The words stand in the documentation.
    Text,
}

/// What each word fits of a part, or of what it stands in.
#[derive(Clone, Debug)]
pub(super) struct Fits {
    /// Bit by bit: the words that are a name.
    pub(super) whole: u32,
    /// The words that stand in a name, those among them.
    pub(super) in_name: u32,
    /// Whether all words stand in its name and its documentation together.
    pub(super) in_text: bool,
}

/// Further words are ignored: each has a bit.
const MOST: usize = 8;

impl Words {
    pub(super) fn new(words: &[&str]) -> Self {
        let words = words.iter().map(|word| plain(word));
        let words = words.filter(|word| !word.is_empty()).take(MOST);
        Words {
            words: words.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// All words.
    pub(super) fn all(&self) -> u32 {
        (1 << self.words.len()) - 1
    }

    /// The words that are one of these names, and those that stand in one.
    pub(super) fn of_names<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> (u32, u32) {
        let mut found = (0, 0);
        for name in names {
            let name = plain(name);
            for (bit, word) in self.words.iter().enumerate() {
                found.0 |= u32::from(name == *word) << bit;
                found.1 |= u32::from(name.contains(word.as_str())) << bit;
            }
        }
        found
    }

    /// What the words fit of a part itself; `None` if none of them does.
    pub(super) fn fit(&self, part: &Part) -> Option<Fits> {
        let (whole, in_name) = self.of_names([part.name]);
        let in_text = in_name != self.all() && {
            let text = plain(&format!("{} {} {}", part.name, part.owner, part.about));
            self.words.iter().all(|word| text.contains(word.as_str()))
        };
        (in_name != 0 || in_text).then_some(Fits {
            whole,
            in_name,
            in_text,
        })
    }
}

/// A text without case and without what divides words.
fn plain(text: &str) -> String {
    let kept = text.chars().filter(|c| !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}
