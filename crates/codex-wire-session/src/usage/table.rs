//! Sums up turns into rows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::BufRead;

use codex_wire_base::Protocol;
use serde::Serialize;

use super::condition::{Field, Test};
use super::key::Key;
use super::query::{Query, UNKNOWN};
use super::tools;
use crate::copies::mark_copies;
use crate::ids::hash;
use crate::model::{Response, Session, Thread, Time, Tokens, Turn, TurnStatus};
use crate::reader::{Error, Part, Reader, TurnOf};

/// Sums up what inputs used.
#[derive(Debug, Default)]
pub struct Usage {
    query: Query,
    rows: Rows,
    /// What streams have of each thread: it counts if no session file has the thread.
    streams: BTreeMap<u64, Rows>,
    /// The threads of session files: their streams say the same once more.
    filed: HashSet<u64>,
    /// What the runs of `codex exec` have reported of each thread.
    reported: HashMap<u64, Reported>,
    unpriced: BTreeSet<String>,
    /// The inputs that wait for their parents.
    forks: Vec<Fork>,
    inputs: u64,
    unread: u64,
    first_unread: Option<String>,
}

/// Sums by the words of their keys.
type Rows = BTreeMap<Vec<String>, Sums>;

/// The totals of a thread that runs of `codex exec` have reported.
#[derive(Clone, Copy, Debug, Default)]
struct Reported {
    /// The last one of the input that is read.
    here: Tokens,
    /// The highest one.
    counted: Tokens,
}

/// A session file of a fork that copied the turns of its parent, and does not tell which: forks made before
/// 0.100.0. It counts once its parent is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// The name of the input.
    pub source: String,
    /// The thread that it is a fork of.
    pub parent: String,
}

/// The version of the JSON. It rises when a member goes away or means something else.
const VERSION: u32 = 1;

/// What inputs used: rows, and their sum.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Table {
    /// The version of this format: 1.
    pub version: u32,
    /// The names of the keys, in the order of each row.
    pub by: Vec<&'static str>,
    /// The rows: by time in its order, else those with the most tokens first.
    pub rows: Vec<Row>,
    /// The sum of all rows, also of those that are not listed.
    pub total: Sums,
    /// How many rows there are, also of those that are not listed.
    pub row_count: usize,
    /// Where prices are from, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<String>,
    /// The currency of costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The models without a price: their tokens cost nothing here.
    pub unpriced: Vec<String>,
    /// How many inputs were read.
    pub inputs: u64,
    /// How many lines hold no message.
    pub unread: u64,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Row {
    /// What its turns have in common: a word for each name in `by`.
    pub keys: Vec<String>,
    /// What they used.
    #[serde(flatten)]
    pub sums: Sums,
}

impl Row {
    /// A row with these keys and sums.
    pub fn new(keys: Vec<String>, sums: Sums) -> Self {
        Row { keys, sums }
    }
}

/// What turns used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sums {
    /// How many turns.
    pub turns: u64,
    /// How many turns failed.
    pub failed: u64,
    /// How many turns somebody stopped.
    pub interrupted: u64,
    /// The tokens.
    pub tokens: Tokens,
    /// How long the turns took together, in milliseconds; of tools, how long the calls took. Absent if it is known of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The longest turn in milliseconds; of tools, the longest call. Absent if it is known of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_ms: Option<u64>,
    /// How many calls of tools.
    pub calls: u64,
    /// How many calls of tools failed.
    pub failed_calls: u64,
    /// What the tokens cost, as far as their models have prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How many durations are known.
    #[serde(skip)]
    timed: u64,
}

impl Sums {
    /// How long a turn took on average, in milliseconds; of tools, a call. Only of those of which it is known.
    pub fn mean_ms(&self) -> Option<u64> {
        self.duration_ms?.checked_div(self.timed)
    }

    fn add_duration(&mut self, ms: Option<u64>) {
        let Some(ms) = ms else { return };
        self.timed += 1;
        self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(ms));
        self.longest_ms = self.longest_ms.max(Some(ms));
    }

    fn add_cost(&mut self, cost: Option<f64>) {
        let Some(cost) = cost else { return };
        *self.cost.get_or_insert(0.0) += cost;
    }

    /// Of costs, what is behind nine decimals is due to how they are added.
    fn round(&mut self) {
        self.cost = self.cost.map(|cost| (cost * 1e9).round() / 1e9);
    }

    fn add(&mut self, other: &Sums) {
        self.turns += other.turns;
        self.failed += other.failed;
        self.interrupted += other.interrupted;
        self.tokens += other.tokens;
        self.calls += other.calls;
        self.failed_calls += other.failed_calls;
        if let Some(ms) = other.duration_ms {
            self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(ms));
        }
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.timed += other.timed;
        self.add_cost(other.cost);
    }

    fn number(&self, field: Field, is_by_tool: bool) -> f64 {
        let count = match field {
            Field::Tokens => self.tokens.total,
            Field::Input => self.tokens.input,
            Field::Cached => self.tokens.cached_input,
            Field::Output => self.tokens.output,
            Field::Reasoning => self.tokens.reasoning_output,
            Field::Turns => self.turns,
            Field::Failed if is_by_tool => self.failed_calls,
            Field::Failed => self.failed,
            Field::Interrupted => self.interrupted,
            Field::Calls => self.calls,
            Field::Seconds => return as_number(self.duration_ms.unwrap_or(0)) / 1000.0,
            Field::Cost => return self.cost.unwrap_or(0.0),
        };
        as_number(count)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "it is compared with what a person wrote"
)]
fn as_number(count: u64) -> f64 {
    count as f64
}

impl Usage {
    /// Nothing yet.
    pub fn new(query: Query) -> Self {
        Usage {
            query,
            ..Usage::default()
        }
    }

    /// Adds what an input used. What streams and session files both hold counts once, in whichever order they come; less is
    /// kept of streams that come after their session files. A fork that needs its parent waits: see [`forks`](Self::forks).
    ///
    /// # Errors
    /// If reading fails, or the input holds no session. What was read before counts, but for forks that wait.
    pub fn read(
        &mut self,
        reader: &Reader,
        source: &str,
        input: impl BufRead,
    ) -> Result<(), Error> {
        let mut filed = HashSet::new();
        let mut fork = None;
        let mut unread = (0, None);
        let mut has_thread = false;
        let result = reader.each(source, input, |part| match part {
            Part::Turn(of, turn) => {
                if of.protocol == Some(Protocol::Rollout) {
                    filed.extend(of.thread.id.as_deref().map(hash));
                }
                match of.thread.lineage.copies_are_guessed {
                    true => fork.clone_from(&of.thread.lineage.forked_from),
                    false => self.turn(&of, &turn),
                }
            }
            Part::Unread(line) => {
                unread.0 += 1;
                unread.1.get_or_insert_with(|| {
                    format!("{source}: line {}: {}", line.line, line.problem)
                });
            }
            Part::Thread(_) => has_thread = true,
            Part::RolledBack(_) => {}
        });
        self.filed.extend(filed);
        // Of what holds no session no line was to be counted. What was read in part is read.
        if result.is_ok() || has_thread {
            self.inputs += 1;
            self.unread += unread.0;
            self.first_unread = self.first_unread.take().or(unread.1);
        }
        result?;
        if let Some(parent) = fork {
            self.forks.push(Fork {
                source: source.to_owned(),
                parent,
            });
        }
        Ok(())
    }

    /// The first line that holds no message, with its input and the reason.
    pub fn first_unread(&self) -> Option<&str> {
        self.first_unread.as_deref()
    }

    /// Takes the inputs that were read and wait for their parents.
    pub fn forks(&mut self) -> Vec<Fork> {
        std::mem::take(&mut self.forks)
    }

    /// Adds what a fork used that has waited. Without its parent, times tell which turns were copied.
    pub fn fork(&mut self, mut fork: Session, parent: Option<&Session>) {
        let parents = parent.map_or(&[][..], |parent| &parent.threads);
        for (thread_number, thread) in fork.threads.iter_mut().enumerate() {
            for parent in parents {
                mark_copies(thread, parent);
            }
            let turns = std::mem::take(&mut thread.turns);
            for (number, turn) in turns.iter().enumerate() {
                let of = TurnOf {
                    thread,
                    thread_number,
                    number,
                    protocol: Some(Protocol::Rollout),
                };
                self.turn(&of, turn);
            }
        }
    }

    /// Adds what a turn used.
    pub fn turn(&mut self, of: &TurnOf<'_>, turn: &Turn) {
        let thread = of.thread;
        let is_stream = of.protocol != Some(Protocol::Rollout);
        let id = thread.id.as_deref().map(hash);
        let is_known = is_stream && id.is_some_and(|id| self.filed.contains(&id));
        if turn.is_copied || is_known || !self.is_wanted(thread, turn) {
            return;
        }
        let since = self.query.since;
        let is_late = |time: Option<Time>| match (since, time) {
            (Some(since), Some(time)) => time < since,
            _ => false,
        };
        let stream = id.filter(|_| is_stream);
        if !is_late(turn.started) {
            self.count_turn(thread, turn, stream);
        }
        if self.query.is_by_tool() {
            return;
        }
        for response in &turn.responses {
            if !is_late(response.at.or(turn.started)) {
                let exec = stream.filter(|_| of.protocol == Some(Protocol::Exec));
                self.count_response(thread, turn, response, (stream, exec));
            }
        }
    }

    /// The rows.
    pub fn finish(mut self) -> Table {
        for (thread, rows) in std::mem::take(&mut self.streams) {
            for (keys, sums) in rows {
                if !self.filed.contains(&thread) {
                    self.rows.entry(keys).or_default().add(&sums);
                }
            }
        }
        let is_by_time = self
            .query
            .by
            .first()
            .is_some_and(|key| matches!(key, Key::Day | Key::Week | Key::Month));
        let conditions = &self.query.conditions;
        let is_by_tool = self.query.is_by_tool();
        let is_listed = |sums: &Sums| {
            conditions.iter().all(|condition| match &condition.0 {
                Test::Number {
                    field,
                    compare,
                    number,
                } => compare.holds(sums.number(*field, is_by_tool), *number),
                Test::Word { .. } => true,
            })
        };
        let rows = self.rows.into_iter();
        let rows = rows.filter(|(_, sums)| is_listed(sums));
        let mut rows: Vec<Row> = rows.map(|(keys, sums)| Row { keys, sums }).collect();
        let row_count = rows.len();
        let mut total = Sums::default();
        rows.iter().for_each(|row| total.add(&row.sums));
        let weight = |row: &Row| (row.sums.tokens.total, row.sums.calls, row.sums.turns);
        if !is_by_time || self.query.top.is_some() {
            rows.sort_by_key(|row| std::cmp::Reverse(weight(row)));
        }
        if let Some(top) = self.query.top {
            rows.truncate(top);
            if is_by_time {
                rows.sort_by(|a, b| a.keys.cmp(&b.keys));
            }
        }
        rows.iter_mut().for_each(|row| row.sums.round());
        total.round();
        let prices = self.query.prices.as_ref();
        Table {
            version: VERSION,
            by: self.query.by.iter().map(|key| key.name()).collect(),
            rows,
            total,
            row_count,
            prices: prices.map(|prices| format!("{}, {}", prices.source, prices.date)),
            currency: prices.map(|prices| prices.currency.clone()),
            unpriced: self.unpriced.into_iter().collect(),
            inputs: self.inputs,
            unread: self.unread,
        }
    }

    /// Whether a turn meets the conditions on words.
    fn is_wanted(&self, thread: &Thread, turn: &Turn) -> bool {
        self.query
            .conditions
            .iter()
            .all(|condition| match &condition.0 {
                Test::Word { key, is, word } => (word_of(*key, thread, turn) == *word) == *is,
                Test::Number { .. } => true,
            })
    }

    /// The row of a thread with these keys.
    fn row(&mut self, stream: Option<u64>, keys: Vec<String>) -> &mut Sums {
        let rows = match stream {
            Some(thread) => self.streams.entry(thread).or_default(),
            None => &mut self.rows,
        };
        rows.entry(keys).or_default()
    }

    fn count_turn(&mut self, thread: &Thread, turn: &Turn, stream: Option<u64>) {
        let ms = turn.took_ms();
        let calls = turn.items.iter().filter_map(tools::call);
        if self.query.is_by_tool() {
            for call in calls {
                let keys = self.keys(thread, turn, turn.started, None, Some(&call.name));
                let sums = self.row(stream, keys);
                sums.calls += 1;
                sums.failed_calls += u64::from(call.has_failed);
                sums.add_duration(call.ms);
            }
            return;
        }
        let (mut count, mut failed) = (0, 0);
        for call in calls {
            count += 1;
            failed += u64::from(call.has_failed);
        }
        let keys = self.keys(thread, turn, turn.started, None, None);
        let sums = self.row(stream, keys);
        sums.turns += 1;
        sums.failed += u64::from(turn.status == TurnStatus::Failed);
        sums.interrupted += u64::from(turn.status == TurnStatus::Interrupted);
        sums.calls += count;
        sums.failed_calls += failed;
        sums.add_duration(ms);
    }

    /// Counts a response. `stream` is the thread if a stream holds it, `exec` if that is one of `codex exec`, which counts from the
    /// beginning of the thread.
    fn count_response(
        &mut self,
        thread: &Thread,
        turn: &Turn,
        response: &Response,
        (stream, exec): (Option<u64>, Option<u64>),
    ) {
        let mut tokens = response.tokens;
        if let Some(id) = exec {
            let reported = self.reported.entry(id).or_default();
            reported.here = match response.is_cumulative {
                true => tokens,
                false => reported.here + tokens,
            };
            let Some(more) = reported.here.checked_sub(reported.counted) else {
                // An earlier run, which a later one has counted.
                return;
            };
            reported.counted = reported.here;
            tokens = more;
        }
        let model = response.model.as_deref();
        let at = response.at.or(turn.started);
        let keys = self.keys(thread, turn, at, model, None);
        let cost = self.cost(model, tokens);
        let sums = self.row(stream, keys);
        sums.tokens += tokens;
        sums.add_cost(cost);
    }

    fn cost(&mut self, model: Option<&str>, tokens: Tokens) -> Option<f64> {
        let prices = self.query.prices.as_ref()?;
        let model = model.unwrap_or(UNKNOWN);
        match prices.of(model) {
            Some(price) => Some(price.cost(tokens)),
            None => {
                self.unpriced.insert(model.to_owned());
                None
            }
        }
    }

    fn keys(
        &self,
        thread: &Thread,
        turn: &Turn,
        at: Option<Time>,
        model: Option<&str>,
        tool: Option<&str>,
    ) -> Vec<String> {
        let word = |key: &Key| match key {
            Key::Day | Key::Week | Key::Month => self.query.period(*key, at),
            Key::Tool => tool.unwrap_or(UNKNOWN).to_owned(),
            Key::Model => match model {
                Some(model) => model.to_owned(),
                None => word_of(Key::Model, thread, turn),
            },
            key => word_of(*key, thread, turn),
        };
        self.query.by.iter().map(word).collect()
    }
}

/// What a turn has of a key that is not about time or tools.
fn word_of(key: Key, thread: &Thread, turn: &Turn) -> String {
    let word = match key {
        Key::Model => turn.settings.model.as_deref(),
        Key::Release => thread.release.as_deref(),
        Key::Project => turn.settings.cwd.as_deref().or(thread.cwd.as_deref()),
        Key::Client => thread.client.as_deref(),
        Key::Thread => thread.id.as_deref(),
        Key::Tree => thread.root(),
        Key::Status => Some(turn.status.as_str()),
        _ => None,
    };
    word.unwrap_or(UNKNOWN).to_owned()
}
