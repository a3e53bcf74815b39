//! Takes secrets out of transcripts and leaves the rest: keys, tokens, passwords, names of home folders and addresses
//! of mail.
//!
//! What is found is overwritten: each letter and digit of it becomes `*`. So every string stays as long as it was, and a
//! line stays the JSON that it was, however deep the string stands in others.

mod overwrite;
mod places;
mod rules;
mod texts;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use aho_corasick::AhoCorasick;
use foldhash::fast::RandomState;

use crate::deltas::Place;
use overwrite::Output;
use places::{At, Origin, Places};
use rules::{Rules, Which};
use texts::Texts;

/// A transcript without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithoutSecrets {
    /// The transcript.
    pub bytes: Vec<u8>,
    /// What was found, by the name of the rule, and how often.
    pub found: BTreeMap<&'static str, u64>,
}

/// Takes secrets out of transcripts.
pub struct Secrets {
    rules: Rules,
}

impl Secrets {
    /// With the rules of gitleaks and our own.
    pub fn new() -> Self {
        Secrets {
            rules: Rules::new(),
        }
    }

    /// Overwrites the secrets in a whole transcript. Deltas are read as the text that they join to, and what is found in
    /// one place is overwritten in all.
    pub fn take_out(&self, input: &[u8]) -> WithoutSecrets {
        let mut taking = Taking {
            rules: &self.rules,
            out: Output::new(input.to_vec()),
            found: BTreeMap::new(),
            values: BTreeMap::new(),
            matcher: None,
            rules_of: Vec::new(),
            deltas: HashMap::default(),
        };
        taking.lines(input);
        if !taking.values.is_empty() {
            let values: Vec<&Vec<u8>> = taking.values.keys().collect();
            taking.matcher = Some(rules::matcher(&values, false));
            taking.rules_of = taking.values.values().copied().collect();
            taking.lines(input);
        }
        WithoutSecrets {
            bytes: taking.out.into_bytes(),
            found: taking.found,
        }
    }
}

impl Default for Secrets {
    fn default() -> Self {
        Secrets::new()
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

/// How long a secret is at least that is sought elsewhere.
const SHORTEST: usize = 8;

/// How many secrets are sought elsewhere.
const MOST: usize = 10_000;

/// A transcript that secrets are being taken out of.
struct Taking<'r> {
    rules: &'r Rules,
    out: Output,
    found: BTreeMap<&'static str, u64>,
    /// What was found, with the name of the rule.
    values: BTreeMap<Vec<u8>, &'static str>,
    /// Finds the values, once all lines have been read.
    matcher: Option<AhoCorasick>,
    /// The rule of each that it finds.
    rules_of: Vec<&'static str>,
    /// Texts that come in deltas, and where in the input their bytes stand.
    deltas: HashMap<Place, (Vec<u8>, Places), RandomState>,
}

impl Taking<'_> {
    fn lines(&mut self, input: &[u8]) {
        let mut texts = Texts::new();
        // Lines that are not JSON, one after another.
        let mut plain = 0..0;
        for line in input.split_inclusive(|byte| *byte == b'\n') {
            let start = plain.end;
            plain.end += line.len();
            if texts.line(line.strip_suffix(b"\n").unwrap_or(line), start, self) {
                self.plain(input, plain.start..start);
                plain.start = plain.end;
            }
        }
        self.plain(input, plain);
        for (bytes, places) in std::mem::take(&mut self.deltas).into_values() {
            self.find(&bytes, Which::All, Origin::Of(&places), None);
        }
        self.out.flush();
    }

    /// Reads some lines that are not JSON together.
    fn plain(&mut self, input: &[u8], lines: Range<usize>) {
        let origin = Origin::From(lines.start);
        self.find(&input[lines], Which::Lines, origin, None);
    }

    /// Overwrites the secrets in a text; if there are `strings`, only those that stand within one of them.
    fn find(
        &mut self,
        text: &[u8],
        which: Which,
        origin: Origin<'_>,
        strings: Option<&[Range<usize>]>,
    ) {
        let is_inside = |secret: &Range<usize>| {
            strings.is_none_or(|strings| {
                let after = strings.partition_point(|string| string.start <= secret.start);
                let string = after.checked_sub(1).map(|before| &strings[before]);
                string.is_some_and(|string| secret.end <= string.end)
            })
        };
        if let Some(matcher) = &self.matcher {
            // Those that overlap are one, or each byte would be overwritten as often as it is found.
            let mut finds: Vec<(&'static str, Range<usize>)> = Vec::new();
            for find in matcher.find_overlapping_iter(text) {
                let (mut rule, mut secret) =
                    (self.rules_of[find.pattern().as_usize()], find.range());
                if !is_inside(&secret) {
                    continue;
                }
                // They come by their ends.
                while let Some((of, last)) = finds.pop_if(|(_, last)| secret.start < last.end) {
                    (rule, secret.start) = (of, secret.start.min(last.start));
                }
                finds.push((rule, secret));
            }
            for (rule, secret) in finds {
                self.take(rule, secret, text, origin);
            }
            return;
        }
        let rules = self.rules;
        rules.find(text, which, |rule, secret| {
            if is_inside(&secret) {
                if rule != rules::HOME && secret.len() >= SHORTEST && self.values.len() < MOST {
                    self.values.insert(text[secret.clone()].to_vec(), rule);
                }
                self.take(rule, secret, text, origin);
            }
        });
    }

    fn take(&mut self, rule: &'static str, secret: Range<usize>, text: &[u8], origin: Origin<'_>) {
        let mut is_new = false;
        for (at, byte) in secret.clone().zip(&text[secret]) {
            is_new |= self.out.overwrite(origin.at(at), *byte);
        }
        // The same place may be read more than once: within JSON, and by itself.
        if is_new {
            *self.found.entry(rule).or_default() += 1;
        }
    }
}

impl texts::Reader for Taking<'_> {
    fn text(&mut self, text: &[u8], origin: Origin<'_>) {
        self.find(text, Which::All, origin, None);
    }

    fn json(&mut self, text: &[u8], origin: Origin<'_>, strings: &[Range<usize>]) {
        self.find(text, Which::Named, origin, Some(strings));
    }

    fn base64(&mut self, digits: &[u8], origin: Origin<'_>) -> Option<usize> {
        self.out.base64(digits, origin)
    }

    fn delta(&mut self, place: Place, begins: bool, text: &[u8], places: &Places) {
        let (bytes, of) = self.deltas.entry(place).or_default();
        if begins && !bytes.is_empty() {
            bytes.push(b'\n');
            of.push(At::Nowhere, 1);
        }
        bytes.extend_from_slice(text);
        of.extend(Origin::Of(places), 0..text.len());
    }
}
