//! Compares two sides and gives each difference a verdict.
//!
//! A method that came or went is one difference; its result is not listed separately.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use crate::change::{Change, Direction, Verdict};
use crate::compare::{Found, Graph, Step, compare};
use crate::corrections::{Corrected, parted};
use crate::difference::{Counterexample, Difference, Judgement, Message, Which};
use crate::ended;
use crate::example::Maker;
use crate::hidden::Hidden;
use crate::limits::{Budget, DEEP, LISTED, MENTIONS, STEPS};
use crate::observed::Observed;
use crate::pair::Pair;
use crate::probed;
use crate::prove::covers;
use crate::reach::{Reached, path_texts, reach};
use crate::rules::rule;
use crate::side::{Error, Part, Side};

/// The result of comparing two sides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the older side.
    pub before: String,
    /// The name of the newer side.
    pub after: String,
    /// The differences, sorted by verdict (worst first) and place.
    pub differences: Vec<Difference>,
    /// How many messages either side has.
    pub messages: [usize; 2],
    /// Parts that only one side describes. They were not compared.
    pub left_out: Vec<String>,
    /// Known corrections, if one side is a release and the other an official schema: our
    /// description says what the release really speaks, and the official schema says otherwise.
    /// Each has a reason. They are not among the differences.
    pub corrections: Vec<Corrected>,
    /// How many further changes were found but neither listed nor decided. A comparison lists
    /// 10,000.
    pub unlisted: u64,
    /// How many differences were left out because only some were asked for.
    pub hidden: Hidden,
    /// The cost of the comparison, in steps that are the same on every machine.
    pub steps: u64,
}

impl Comparison {
    /// The number of differences with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let of = |difference: &&Difference| difference.verdict() == verdict;
        self.differences.iter().filter(of).count()
    }

    /// The worst verdict; `None` if there is no difference.
    pub fn worst(&self) -> Option<Verdict> {
        // What is not listed was not decided.
        let unlisted = (self.unlisted > 0).then_some(Verdict::Unknown);
        let listed = self.differences.iter().map(Difference::verdict);
        listed.chain(unlisted).max()
    }
}

/// Where a difference was found.
struct Source<'g, 'd> {
    part: usize,
    found: &'g Found<'d>,
    /// From the start of the documents; `None` where the way is too long for a message.
    steps: Option<Vec<Step<'d>>>,
    /// The definition of the message on either side.
    definitions: [Option<&'d str>; 2],
}

/// Compares two sides.
///
/// # Errors
/// When they have no part in common.
pub fn diff(before: &Side, after: &Side) -> Result<Comparison, Error> {
    type Nothing = fn(&mut dyn FnMut(&Message, &Value)) -> Result<(), Error>;
    compared(before, after, None::<Nothing>)
}

/// Compares two sides in what observed messages contain. `read` calls the function it is given with
/// each message. The other differences are counted in [`Comparison::hidden`].
///
/// # Errors
/// When the sides have no part in common, and those of `read`.
pub fn diff_observed<E: From<Error>>(
    before: &Side,
    after: &Side,
    read: impl FnOnce(&mut dyn FnMut(&Message, &Value)) -> Result<(), E>,
) -> Result<Comparison, E> {
    Ok(compared(before, after, Some(read))?.only_observed())
}

fn compared<E: From<Error>>(
    before: &Side,
    after: &Side,
    read: Option<impl FnOnce(&mut dyn FnMut(&Message, &Value)) -> Result<(), E>>,
) -> Result<Comparison, E> {
    let nothing = Part::nothing();
    let budget = Rc::new(Budget::new());
    let mut left_out = Vec::new();
    let mut ended: Vec<(&str, Change)> = Vec::new();
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    let names: BTreeSet<&String> = before.parts.keys().chain(after.parts.keys()).collect();
    // Two documents are compared whatever their files are called.
    let lone = match (before.alone(), after.alone()) {
        (Some(a), Some(b)) => Some((a, b)),
        _ => None,
    };
    for name in &names {
        let (a, b) = match lone {
            Some((a, b)) => (Some(a), Some(b)),
            None => (before.parts.get(*name), after.parts.get(*name)),
        };
        // What only one side has is new or gone, if the other has all there is.
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            // A dialect that is no longer spoken, or was not yet.
            (Some(a), None) if a.is_of_release() && after.release.is_some() => {
                ended.push((name.as_str(), Change::DialectEnded));
                continue;
            }
            (None, Some(b)) if b.is_of_release() && before.release.is_some() => {
                ended.push((name.as_str(), Change::DialectBegan));
                continue;
            }
            (Some(a), None) if after.whole && before.whole => (a, &nothing),
            (None, Some(b)) if before.whole && after.whole => (&nothing, b),
            _ => {
                left_out.push((*name).clone());
                continue;
            }
        };
        pairs.push(Pair::new(name, a, b, &budget));
        if lone.is_some() {
            break;
        }
    }
    if pairs.is_empty() && ended.is_empty() {
        return Err(E::from(Error::NothingInCommon {
            before: before.name.clone(),
            after: after.name.clone(),
            parts: left_out.join(", "),
        }));
    }
    let graphs: Vec<(Graph<'_>, Vec<Reached>)> = pairs
        .iter()
        .map(|pair| {
            let unions = pair.before.unions || pair.after.unions;
            let graph = compare(
                &pair.before.document,
                &pair.after.document,
                unions,
                pair.name,
                before.foreign && after.foreign,
                &budget,
            );
            let reached = reach(&graph);
            (graph, reached)
        })
        .collect();
    if budget.is_spent() {
        return Err(E::from(Error::TooMuch {
            before: before.name.clone(),
            after: after.name.clone(),
            limit: format!("a comparison takes at most {STEPS} steps, and these would take more"),
        }));
    }
    let mut observed = Observed::new(pairs.iter().map(|pair| pair.name), &graphs);
    if let Some(read) = read {
        read(&mut |message, value| observed.message(message, value))?;
    }
    let mut gathered = Gathered::new(&pairs, &observed, &budget);
    for (index, (graph, reached)) in graphs.iter().enumerate() {
        gathered.part(index, graph, reached);
    }
    let mut messages = gathered.messages;
    let (mut differences, unlisted) = gathered.decided();
    for (name, change) in ended {
        let mut found = ended::dialect(name, change, [before, after], &budget);
        let mut names = found.messages.iter().map(|message| &message.name);
        found.is_observed = names.any(|message| observed.has_message(name, message));
        let side = usize::from(change == Change::DialectBegan);
        messages[side] += found.messages.len();
        differences.push(found);
    }
    probed::add_evidence(&mut differences, [before, after]);
    differences.sort_by_cached_key(|difference| {
        (
            std::cmp::Reverse(difference.verdict()),
            difference.place.clone(),
            difference.change,
            difference.before.clone(),
            difference.after.clone(),
        )
    });
    let (differences, corrections) = parted(differences, [before, after]);
    Ok(Comparison {
        before: before.name.clone(),
        after: after.name.clone(),
        differences,
        messages,
        left_out,
        corrections,
        unlisted: unlisted + budget.beyond(),
        hidden: Hidden::default(),
        steps: budget.taken(),
    })
}

type Key = (Change, [String; 2], [Option<String>; 2]);

/// Differences of all parts, each once.
struct Gathered<'g, 'd> {
    pairs: &'g [Pair<'d>],
    observed: &'g Observed<'g, 'd>,
    known: HashMap<Key, usize>,
    list: Vec<(Difference, BTreeSet<Direction>, Vec<Source<'g, 'd>>)>,
    messages: [usize; 2],
    /// Methods that came or went as requests.
    requests: BTreeMap<Change, BTreeSet<String>>,
    budget: &'g Rc<Budget>,
    /// How many further messages are named beside changes.
    mentions: usize,
    /// How many changes found no place in the list.
    unlisted: u64,
}

impl<'g, 'd: 'g> Gathered<'g, 'd> {
    fn new(pairs: &'g [Pair<'d>], observed: &'g Observed<'g, 'd>, budget: &'g Rc<Budget>) -> Self {
        Gathered {
            pairs,
            observed,
            known: HashMap::new(),
            list: Vec::new(),
            messages: [0, 0],
            requests: BTreeMap::new(),
            budget,
            mentions: MENTIONS,
            unlisted: 0,
        }
    }

    fn part(&mut self, index: usize, graph: &'g Graph<'d>, all: &[Reached]) {
        let pair = &self.pairs[index];
        let answers = pair.before.answers || pair.after.answers;
        let message = |name: &str| Message::new(pair.name, name);
        if !answers {
            self.messages = [
                self.messages[0] + graph.entries.len(),
                self.messages[1] + graph.entries.len(),
            ];
        }
        for (name, found) in &graph.messages {
            if !answers {
                self.messages[0] += usize::from(found.change != Change::MessageAdded);
                self.messages[1] += usize::from(found.change != Change::MessageRemoved);
                self.requests
                    .entry(found.change)
                    .or_default()
                    .insert(name.clone());
            }
            // An answer comes and goes with its request, which is reported already.
            if answers {
                continue;
            }
            let source = Source {
                part: index,
                found,
                steps: Some(found.steps.clone()),
                definitions: [None, None],
            };
            self.add(&[message(name)], vec![name.clone()], source);
        }
        for (owner, reached) in graph.owners.iter().zip(all) {
            if owner.found.is_empty() {
                continue;
            }
            let messages: Vec<Message> = reached
                .messages
                .iter()
                .map(|at| message(&graph.entries[*at].name))
                .collect();
            let mut way: Option<Vec<Step<'d>>> = None;
            let mut path = Vec::new();
            let mut definitions = [None, None];
            let steps = reached.way(graph, all);
            if let Some(entry) = reached.entry.map(|at| &graph.entries[at]) {
                way = steps.as_ref().map(|_| entry.steps.clone());
                path.push(entry.name.clone());
                if let Some(Step::Branch { before, after, .. }) = entry.steps.last() {
                    definitions = [before.name, after.name];
                }
            } else if steps.is_some() {
                way = Some(Vec::new());
            }
            match &steps {
                Some(steps) => path.extend(path_texts(steps)),
                None => path.push("…".to_owned()),
            }
            if let (Some(way), Some(steps)) = (&mut way, steps) {
                way.extend(steps);
            }
            for found in &owner.found {
                let steps = way.clone().map(|mut steps| {
                    steps.extend(found.steps.iter().cloned());
                    steps
                });
                let mut path = path.clone();
                // What concerns every message has no way of its own.
                if reached.entry.is_some() {
                    path.extend(path_texts(&found.steps));
                }
                let source = Source {
                    part: index,
                    found,
                    steps,
                    definitions,
                };
                self.add(&messages, path, source);
            }
        }
        self.stability(index, graph);
    }

    /// Methods that moved into the experimental API or out of it.
    fn stability(&mut self, index: usize, graph: &'g Graph<'d>) {
        let pair = &self.pairs[index];
        // Documents do not say which half a method belongs to.
        if !pair.before.is_of_release() || !pair.after.is_of_release() {
            return;
        }
        for entry in &graph.entries {
            let name = entry.name.as_str();
            let old = pair.before.experimental.contains(&name);
            let new = pair.after.experimental.contains(&name);
            if old == new {
                continue;
            }
            let change = if new {
                Change::BecameExperimental
            } else {
                Change::BecameStable
            };
            let difference = Difference {
                change,
                place: name.to_owned(),
                former_place: name.to_owned(),
                before: None,
                after: None,
                judgements: Vec::new(),
                messages: vec![Message::new(pair.name, name)],
                path: vec![name.to_owned()],
                is_observed: self.observed.has_message(pair.name, name),
            };
            let directions = self.directions(index);
            self.list.push((difference, directions, Vec::new()));
        }
    }

    fn directions(&self, part: usize) -> BTreeSet<Direction> {
        let pair = &self.pairs[part];
        let both = pair.before.directions.iter().chain(pair.after.directions);
        let common = both.filter(|direction| {
            pair.before.directions.contains(direction) && pair.after.directions.contains(direction)
        });
        common.copied().collect()
    }

    fn add(&mut self, messages: &[Message], path: Vec<String>, source: Source<'g, 'd>) {
        let found = source.found;
        let key = (found.change, found.place.clone(), found.texts.clone());
        let directions = self.directions(source.part);
        if self.list.len() >= LISTED && !self.known.contains_key(&key) {
            self.unlisted += 1;
            return;
        }
        let at = *self.known.entry(key).or_insert_with(|| {
            let [before, after] = found.texts.clone();
            let difference = Difference {
                change: found.change,
                place: found.place[1].clone(),
                former_place: found.place[0].clone(),
                before,
                after,
                judgements: Vec::new(),
                messages: Vec::new(),
                path: path.clone(),
                is_observed: false,
            };
            self.list.push((difference, BTreeSet::new(), Vec::new()));
            self.list.len() - 1
        });
        let (difference, known, sources) = &mut self.list[at];
        // Where there are too many to name them all, the first is.
        let named = messages.len().min(self.mentions.max(1));
        self.mentions = self.mentions.saturating_sub(named);
        difference.messages.extend_from_slice(&messages[..named]);
        difference.is_observed |= self.observed.has(self.pairs[source.part].name, found);
        if path.len() < difference.path.len() {
            difference.path = path;
        }
        known.extend(directions);
        sources.push(source);
    }

    /// The differences with their verdicts.
    fn decided(self) -> (Vec<Difference>, u64) {
        let mut provers: HashMap<(usize, Which), Maker<'d>> = HashMap::new();
        let mut out = Vec::new();
        for (mut difference, directions, sources) in self.list {
            difference.messages.sort();
            difference.messages.dedup();
            for direction in directions {
                let judgement = decide(
                    self.pairs,
                    difference.change,
                    direction,
                    &sources,
                    &mut provers,
                    self.budget,
                );
                difference.judgements.push(judgement);
            }
            out.push(difference);
        }
        (out, self.unlisted)
    }
}

fn decide<'g, 'd: 'g>(
    pairs: &'g [Pair<'d>],
    change: Change,
    direction: Direction,
    sources: &[Source<'g, 'd>],
    makers: &mut HashMap<(usize, Which), Maker<'d>>,
    budget: &Rc<Budget>,
) -> Judgement {
    budget.prove();
    let writer = match direction {
        Direction::CodexWrites => Which::After,
        Direction::ClientWrites => Which::Before,
    };
    let concerns = |source: &&Source<'g, 'd>| {
        let pair = &pairs[source.part];
        pair.before.directions.contains(&direction) && pair.after.directions.contains(&direction)
    };
    let sources: Vec<&Source<'g, 'd>> = sources.iter().filter(concerns).collect();
    let closed = sources
        .iter()
        .any(|source| source.found.closed[writer.other() as usize]);
    let rule = rule(change, direction, closed);
    let mut judgement = Judgement::new(direction, rule);
    let undecided = change == Change::ConstraintChanged;
    if rule.verdict != Verdict::Breaking && !undecided {
        return judgement;
    }
    for source in &sources {
        let pair = &pairs[source.part];
        let maker = makers.entry((source.part, writer)).or_insert_with(|| {
            Maker::new(&pair.before.document, &pair.after.document, writer, budget)
        });
        judgement.counterexample = counterexample(pair, maker, source, writer);
        if judgement.counterexample.is_some() {
            judgement.verdict = Verdict::Breaking;
            return judgement;
        }
    }
    judgement.verdict = Verdict::Unknown;
    let too_deep = sources.iter().any(|source| source.steps.is_none());
    if let Some(reason) = budget.gave_up() {
        judgement.remark = Some(reason);
    } else if too_deep {
        judgement.remark = Some(format!("not tried: it stands deeper than {DEEP} levels"));
    } else if !undecided {
        judgement.remark = Some("no message was found that shows it".to_owned());
    } else if sources
        .iter()
        .all(|source| proven(pairs, source, writer, budget))
        && !sources.is_empty()
    {
        judgement.verdict = Verdict::Compatible;
        judgement.remark = Some("every value written is one that is taken".to_owned());
    } else {
        judgement.remark = Some("the sets of values could not be compared".to_owned());
    }
    judgement
}

/// A message of the writer that the reader refuses.
fn counterexample<'d>(
    pair: &Pair<'d>,
    maker: &mut Maker<'d>,
    source: &Source<'_, 'd>,
    writer: Which,
) -> Option<Counterexample> {
    let reader = writer.other();
    let definition = source.definitions[reader as usize];
    for made in maker.messages(source.steps.as_deref()?, source.found) {
        let value: Value = made.value;
        let exact = pair.validators(writer).writes(&value);
        // Undeclared members are what opening and closing an object is about.
        let about_rest = matches!(
            source.found.change,
            Change::ObjectClosed | Change::ObjectOpened
        );
        let undeclared = !exact && about_rest && pair.validators(writer).takes(&value);
        if (exact || undeclared)
            && pair
                .validators(reader)
                .refuses(&value, definition, &made.pointer)
        {
            return Some(Counterexample {
                value,
                accepted_by: writer,
                undeclared,
            });
        }
    }
    None
}

/// Whether sets of values show that the reader takes everything that can come.
fn proven<'d>(
    pairs: &[Pair<'d>],
    source: &Source<'_, 'd>,
    writer: Which,
    budget: &Rc<Budget>,
) -> bool {
    let pair = &pairs[source.part];
    let reader = writer.other();
    let mut maker = Maker::new(&pair.before.document, &pair.after.document, writer, budget);
    let steps = source.steps.as_deref().unwrap_or_default();
    let Some((written, Some(read))) = maker.at(steps) else {
        return false;
    };
    covers(
        (pair.document(writer), written),
        (pair.document(reader), read),
        budget,
    ) == Some(true)
}
