//! The rows of the databases of a home, as far as they are compared.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::difference::{Difference, Place};
use super::evidence::homes;
use crate::phrasing::Word;
use crate::rule_macros::rules;

/// A database of a home that is compared with the session files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HomeDatabase {
    /// `state_N.sqlite`: what lists of threads show.
    State,
    /// `thread_history_N.sqlite`: turns and items of threads whose history is paginated.
    ThreadHistory,
}

impl HomeDatabase {
    /// All of them.
    pub const ALL: &[HomeDatabase] = &[HomeDatabase::State, HomeDatabase::ThreadHistory];

    /// What its file is called, before `_N.sqlite`.
    pub fn file(self) -> &'static str {
        match self {
            HomeDatabase::State => "state",
            HomeDatabase::ThreadHistory => "thread_history",
        }
    }

    /// The tables that are compared, with their columns. Columns that a release does not have are not missed.
    pub fn tables(self) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        TABLES
            .iter()
            .filter(move |table| table.database == self)
            .map(|table| {
                let columns = table.columns.iter().map(|(name, _)| *name);
                (table.name, columns.collect())
            })
    }
}

pub(super) const THREADS: &str = "threads";
pub(super) const EDGES: &str = "thread_spawn_edges";
pub(super) const BACKFILL: &str = "backfill_state";
pub(super) const TURNS: &str = "thread_turns";
pub(super) const ITEMS: &str = "thread_items";
pub(super) const PROJECTIONS: &str = "thread_history_projection_state";

struct Table {
    database: HomeDatabase,
    name: &'static str,
    /// How many of the columns, from the first, say what a row is about: without one of them, nothing is compared.
    keys: usize,
    columns: &'static [(&'static str, Type)],
}

/// What Codex writes into a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Integer,
    Text,
}

use Type::{Integer, Text};

const TABLES: &[Table] = &[
    Table {
        database: HomeDatabase::State,
        name: THREADS,
        keys: 2,
        columns: &[
            ("id", Text),
            ("rollout_path", Text),
            ("cwd", Text),
            ("cli_version", Text),
            ("model_provider", Text),
            ("history_mode", Text),
            ("first_user_message", Text),
            ("source", Text),
            ("originator", Text),
            ("thread_source", Text),
            ("agent_nickname", Text),
            ("agent_role", Text),
            ("agent_path", Text),
            ("model", Text),
            ("reasoning_effort", Text),
            ("approval_mode", Text),
            ("tokens_used", Integer),
            ("archived", Integer),
        ],
    },
    Table {
        database: HomeDatabase::State,
        name: EDGES,
        keys: 2,
        columns: &[("child_thread_id", Text), ("parent_thread_id", Text)],
    },
    Table {
        database: HomeDatabase::State,
        name: BACKFILL,
        keys: 0,
        columns: &[("status", Text)],
    },
    Table {
        database: HomeDatabase::ThreadHistory,
        name: PROJECTIONS,
        keys: 1,
        columns: &[
            ("thread_id", Text),
            ("next_rollout_byte_offset", Integer),
            ("next_rollout_ordinal", Integer),
        ],
    },
    Table {
        database: HomeDatabase::ThreadHistory,
        name: TURNS,
        keys: 2,
        columns: &[
            ("thread_id", Text),
            ("turn_id", Text),
            ("status", Text),
            ("rollout_ordinal", Integer),
            ("rollout_byte_offset", Integer),
            ("rollout_end_ordinal", Integer),
            ("rollout_end_byte_offset", Integer),
        ],
    },
    Table {
        database: HomeDatabase::ThreadHistory,
        name: ITEMS,
        keys: 3,
        columns: &[
            ("thread_id", Text),
            ("turn_id", Text),
            ("item_id", Text),
            ("item_type", Text),
            ("rollout_ordinal", Integer),
            ("updated_at_ordinal", Integer),
        ],
    },
];

/// A row without the values that its place among the others says.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) place: Place,
    integers: Vec<(&'static str, i64)>,
    texts: Vec<(&'static str, Box<str>)>,
    /// Whether its session file is there.
    pub(super) is_met: bool,
}

impl Row {
    /// A whole number; `None` if there is none.
    pub(super) fn integer(&self, column: &str) -> Option<i64> {
        let mut values = self.integers.iter();
        values
            .find(|(name, _)| *name == column)
            .map(|(_, value)| *value)
    }

    /// A text; `None` if there is none.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        let mut values = self.texts.iter();
        values
            .find(|(name, _)| *name == column)
            .map(|(_, value)| &**value)
    }

    fn take(&mut self, column: &str) -> Option<String> {
        let index = self.texts.iter().position(|(name, _)| *name == column)?;
        Some(self.texts.swap_remove(index).1.into())
    }
}

/// What the thread-history database has of a session file.
#[derive(Debug, Default)]
pub(super) struct Projection {
    pub(super) state: Option<Row>,
    /// By id.
    pub(super) turns: BTreeMap<String, Row>,
    /// By the ids of turn and item.
    pub(super) items: BTreeMap<(String, String), Row>,
    /// Whether the session file is there.
    pub(super) is_met: bool,
}

/// The rows of the databases of a home.
#[derive(Debug, Default)]
pub struct HomeRows {
    tables: BTreeSet<&'static str>,
    counts: BTreeMap<&'static str, u64>,
    /// By id of the thread.
    pub(super) threads: BTreeMap<String, Row>,
    /// By the ids of child and parent.
    pub(super) edges: BTreeMap<(String, String), Row>,
    /// By id of the thread, or of the segment of a thread.
    pub(super) projections: BTreeMap<String, Projection>,
    is_filling: bool,
    pub(super) differences: Vec<Difference>,
}

impl HomeRows {
    /// No rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that a database has a table with these columns, which may have no rows.
    pub fn add_table(&mut self, table: &str, columns: &[&str]) {
        let known = TABLES.iter().find(|known| known.name == table);
        let known = known.filter(|known| {
            let mut keys = known.columns[..known.keys].iter();
            keys.all(|(name, _)| columns.contains(name))
        });
        self.tables.extend(known.map(|known| known.name));
    }

    /// Adds a row: its table, its number there from 1, and its values by their columns. Rows of tables that were not
    /// added, and other columns, are not compared.
    pub fn add(&mut self, table: &str, number: u64, values: &Map<String, Value>) {
        let Some(table) = TABLES.iter().find(|known| known.name == table) else {
            return;
        };
        if !self.has(table.name) {
            return;
        }
        *self.counts.entry(table.name).or_default() += 1;
        let mut row = self.row(table, number, values);
        match table.name {
            THREADS => {
                if let Some(id) = row.take("id") {
                    self.threads.insert(id, row);
                }
            }
            EDGES => {
                let ids = row
                    .take("child_thread_id")
                    .zip(row.take("parent_thread_id"));
                if let Some(ids) = ids {
                    self.edges.insert(ids, row);
                }
            }
            // Until it is complete, threads of earlier releases have no rows.
            BACKFILL => self.is_filling |= row.text("status") != Some("complete"),
            name => {
                let Some(thread) = row.take("thread_id") else {
                    return;
                };
                let projection = self.projections.entry(thread).or_default();
                match (name, row.take("turn_id"), row.take("item_id")) {
                    (PROJECTIONS, ..) => projection.state = Some(row),
                    (TURNS, Some(turn), _) => {
                        projection.turns.insert(turn, row);
                    }
                    (ITEMS, Some(turn), Some(item)) => {
                        projection.items.insert((turn, item), row);
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn has(&self, table: &str) -> bool {
        self.tables.contains(table)
    }

    /// Whether each thread should have a row.
    pub(super) fn is_complete(&self) -> bool {
        self.has(THREADS) && !self.is_filling
    }

    /// How many rows of a database were added.
    pub(super) fn count(&self, database: HomeDatabase) -> u64 {
        let tables = TABLES.iter().filter(|table| table.database == database);
        tables.filter_map(|table| self.counts.get(table.name)).sum()
    }

    fn row(&mut self, table: &Table, number: u64, values: &Map<String, Value>) -> Row {
        let place = Place::row(table.name, number);
        let mut row = Row {
            place,
            integers: Vec::new(),
            texts: Vec::new(),
            is_met: false,
        };
        for (name, expected) in table.columns {
            match (values.get(*name), expected) {
                (None | Some(Value::Null), _) => {}
                (Some(Value::String(text)), Text) => row.texts.push((name, text.as_str().into())),
                (Some(value), Integer) if value.is_i64() => {
                    row.integers
                        .push((name, value.as_i64().unwrap_or_default()));
                }
                (Some(value), _) => {
                    let how = OtherType {
                        column: Word::of(name),
                        kind: kind(value),
                        expected: match expected {
                            Integer => "an integer",
                            Text => "a text",
                        },
                    };
                    self.differences
                        .push(Difference::new(place.column(name), how));
                }
            }
        }
        row
    }
}

/// Which database has a table.
pub(super) fn database_of(table: &str) -> Option<HomeDatabase> {
    let mut tables = TABLES.iter();
    tables
        .find(|known| known.name == table)
        .map(|known| known.database)
}

/// What a value of a database is, as `codex-wire-state` writes it in JSON.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(members) if members.contains_key("text_bytes") => "a text that is too long",
        Value::Object(members) if members.contains_key("real") => "a number",
        Value::Object(_) => "bytes",
    }
}

rules! {
    HOME_VALUE {
        summary: "a column holds the type that Codex writes",
        id: "home/value",
        explanation: "A column of SQLite takes values of any type, whatever type it was declared with. Ids, paths and names are \
            texts, numbers of tokens, ordinals and bytes are integers; where nothing is known, a column is null. A value of another \
            type was written by another program, and is not compared. So is a text that is longer than any line that is read.",
        evidence: homes!("No value has another type."),
    } => {
        OtherType { column: Word, kind: &'static str, expected: &'static str }: "`{column}` is {kind}, not {expected}",
    }
}
