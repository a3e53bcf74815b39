//! Reads the annotated documents that this crate embeds: one schema per message set, for all
//! releases.
//!
//! `cargo xtask generate --only documents` makes them from the protocol types, and a test of
//! `xtask` holds them equal to the types. So only `xtask` compiles the types; the program reads
//! data.
//!
//! A file holds the message sets that share definitions, as text compressed with deflate. Every
//! line begins with its kind: `set`, `tag`, `releases`, `word`, `top` (the schema of the message
//! set without definitions) or `definition`. A definition is parsed when it is first needed: a
//! transcript needs a few of hundreds. Release ranges, digests of exact schemas, tags and words are
//! stored beside each document, because they are needed before any schema is.

mod family;

use std::io::Read as _;
use std::sync::{LazyLock, OnceLock};

use codex_wire_base::{MessageSet, Protocol, Release};
use flate2::read::DeflateDecoder;
use serde_json::{Map, Value};

use crate::ir::write::{self, Form};
use crate::ir::{self, Schema};
use codex_wire_base::ReleaseRange;
pub use family::Family;

/// The schema of a message set with annotations that say which release writes what: members
/// without `null`, bounds on integers, every annotation in place. Projections are made from it.
#[derive(Debug)]
pub struct Document {
    root: Part,
    definitions: &'static [Definition],
    /// The positions of the definitions that the root reaches; all are looked through to find them.
    reached: OnceLock<Vec<usize>>,
    whole: OnceLock<Value>,
}

/// A definition by its name.
#[derive(Debug)]
struct Definition {
    name: &'static str,
    schema: Part,
}

/// A schema as text, and as a model once somebody has asked for it.
#[derive(Debug)]
struct Part {
    text: &'static str,
    schema: OnceLock<Schema>,
}

impl Part {
    fn new(text: &'static str) -> Self {
        Part {
            text,
            schema: OnceLock::new(),
        }
    }

    fn schema(&self) -> &Schema {
        self.schema
            .get_or_init(|| match ir::read::schema(self.text) {
                Ok(schema) => schema,
                Err(error) => unreachable!("the model has a place for all documents: {error}"),
            })
    }
}

impl Document {
    /// Makes a document from a whole schema, with its definitions under `$defs`. It is never freed:
    /// use it only to make documents, and in tests.
    #[doc(hidden)]
    pub fn of(schema: &Value) -> &'static Document {
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let mut root = object(schema).clone();
        let definitions = root.remove("$defs").unwrap_or_default();
        let definitions: Vec<Definition> = object(&definitions)
            .iter()
            .map(|(name, schema)| Definition {
                name: leak(name.clone()),
                schema: Part::new(leak(schema.to_string())),
            })
            .collect();
        Box::leak(Box::new(Document {
            root: Part::new(leak(Value::Object(root).to_string())),
            definitions: Vec::leak(definitions),
            reached: OnceLock::new(),
            whole: OnceLock::new(),
        }))
    }

    /// The schema of a message.
    pub fn root(&'static self) -> &'static Schema {
        self.root.schema()
    }

    /// The definition of that name.
    pub fn schema(&'static self, name: &str) -> Option<&'static Schema> {
        Some(self.schema_at(self.position(name)?))
    }

    /// The position of a definition among those that share a file; less than [`Self::len`].
    pub fn position(&self, name: &str) -> Option<usize> {
        self.definitions
            .binary_search_by(|definition| definition.name.cmp(name))
            .ok()
    }

    /// The definition that stands at a position.
    ///
    /// # Panics
    /// When there is no such position.
    pub fn schema_at(&'static self, position: usize) -> &'static Schema {
        self.definitions[position].schema.schema()
    }

    /// The name of the definition that stands at a position.
    ///
    /// # Panics
    /// When there is no such position.
    pub fn name_at(&self, position: usize) -> &'static str {
        self.definitions[position].name
    }

    /// The definitions that messages of this set can lead to, sorted by name.
    pub fn schemas(&'static self) -> impl Iterator<Item = (&'static str, &'static Schema)> + Clone {
        let reached = self.reached().iter();
        reached.map(|position| (self.name_at(*position), self.schema_at(*position)))
    }

    /// What a schema is once its references to definitions are followed.
    pub fn resolve(&'static self, schema: &'static Schema) -> &'static Schema {
        let mut found = schema;
        // A definition may be a reference, but not to itself.
        while let Some(next) = found.reference().and_then(|name| self.schema(name)) {
            found = next;
        }
        found
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether there are no definitions.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// All of it as one JSON Schema, the definitions under `$defs`.
    pub fn whole(&'static self) -> &'static Value {
        self.whole.get_or_init(|| {
            let mut whole = write::schema(self.root(), Form::Annotated);
            let definitions: Map<String, Value> = self
                .schemas()
                .map(|(name, schema)| {
                    let schema = write::schema(schema, Form::Annotated);
                    (name.to_owned(), Value::Object(schema))
                })
                .collect();
            if !definitions.is_empty() {
                whole.insert("$defs".into(), Value::Object(definitions));
            }
            Value::Object(whole)
        })
    }

    fn reached(&'static self) -> &'static [usize] {
        self.reached.get_or_init(|| {
            let mut found = vec![false; self.len()];
            let mut waiting = Vec::new();
            self.root().references(&mut |name| waiting.push(name));
            while let Some(name) = waiting.pop() {
                if let Some(position) = self.position(name)
                    && !std::mem::replace(&mut found[position], true)
                {
                    self.schema_at(position)
                        .references(&mut |name| waiting.push(name));
                }
            }
            (0..self.len())
                .filter(|position| found[*position])
                .collect()
        })
    }
}

/// The node as an object; an empty one for a boolean schema.
fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

/// What is kept of a message set. Every stream needs all but the document, before any
/// schema is loaded.
#[derive(Debug)]
pub(crate) struct StoredSet {
    name: &'static str,
    /// The ranges of releases that speak alike, oldest first.
    pub(crate) ranges: Vec<ReleaseRange>,
    /// For each the digest of its schema: exact, draft 2020-12, the experimental API in it.
    pub(crate) digests: Vec<&'static str>,
    /// The tags of the messages.
    pub(crate) tags: Vec<&'static str>,
    /// The words of the messages: tags and values of enumerations, in order.
    pub(crate) words: Vec<&'static str>,
    /// The annotated document.
    pub(crate) document: Document,
}

/// The annotated document of a message set.
pub fn annotated(message_set: impl Into<MessageSet>) -> &'static Document {
    &kept(message_set.into()).document
}

/// The annotated document of the project's own transcript format.
pub(crate) fn transcript() -> &'static Document {
    &of_family(Family::Transcript)[0].document
}

/// What is kept of a message set.
pub(crate) fn kept(message_set: MessageSet) -> &'static StoredSet {
    let sets = of_family(Family::of(message_set));
    match sets.iter().find(|set| set.name == message_set.as_str()) {
        Some(set) => set,
        None => unreachable!("no document for {message_set}"),
    }
}

/// The vocabulary of a protocol, sorted: tags and values of enumerations, of all releases. Any
/// other string in a message is payload.
pub fn words(protocol: Protocol) -> &'static [&'static str] {
    fn all(protocol: Protocol) -> Vec<&'static str> {
        let sets = protocol
            .message_sets()
            .iter()
            .map(|message_set| kept(*message_set));
        let mut words: Vec<_> = sets.flat_map(|set| &set.words).copied().collect();
        words.sort_unstable();
        words.dedup();
        words
    }
    static EXEC: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::Exec));
    static CORE: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::Core));
    static APP_SERVER: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::AppServer));
    static HOOKS: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::Hooks));
    static NOTIFY: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::Notify));
    static ROLLOUT: LazyLock<Vec<&str>> = LazyLock::new(|| all(Protocol::Rollout));
    match protocol {
        Protocol::Exec => &EXEC,
        Protocol::Core => &CORE,
        Protocol::AppServer => &APP_SERVER,
        Protocol::Hooks => &HOOKS,
        Protocol::Notify => &NOTIFY,
        Protocol::Rollout => &ROLLOUT,
        other => unreachable!("no documents for {other}"),
    }
}

fn of_family(family: Family) -> &'static [StoredSet] {
    macro_rules! kept {
        ($file:literal) => {{
            static SETS: LazyLock<Vec<StoredSet>> =
                LazyLock::new(|| read(include_bytes!(concat!("documents/", $file))));
            &SETS
        }};
    }
    match family {
        Family::Exec => kept!("exec.deflate"),
        Family::Core => kept!("core.deflate"),
        Family::AppServer => kept!("app-server.deflate"),
        Family::Hooks => kept!("hooks.deflate"),
        Family::Notify => kept!("notify.deflate"),
        Family::Rollout => kept!("rollout.deflate"),
        Family::Transcript => kept!("transcript.deflate"),
    }
}

/// Reads what `make.rs` makes.
fn read(bytes: &[u8]) -> Vec<StoredSet> {
    let mut text = String::new();
    match DeflateDecoder::new(bytes).read_to_string(&mut text) {
        Ok(_) => read_text(String::leak(text)),
        Err(error) => unreachable!("the documents of this crate are readable: {error}"),
    }
}

fn read_text(text: &'static str) -> Vec<StoredSet> {
    let mut sets: Vec<StoredSet> = Vec::new();
    let mut definitions = Vec::new();
    for line in text.lines() {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (what, sets.last_mut(), rest.split_once(' ')) {
            ("set", _, _) => sets.push(StoredSet {
                name: rest,
                ranges: Vec::new(),
                digests: Vec::new(),
                tags: Vec::new(),
                words: Vec::new(),
                document: Document {
                    root: Part::new("{}"),
                    definitions: &[],
                    reached: OnceLock::new(),
                    whole: OnceLock::new(),
                },
            }),
            ("definition", _, Some((name, schema))) => definitions.push(Definition {
                name,
                schema: Part::new(schema),
            }),
            ("top", Some(set), _) => set.document.root = Part::new(rest),
            ("tag", Some(set), _) => set.tags.push(rest),
            ("word", Some(set), _) => set.words.push(rest),
            ("releases", Some(set), Some((since, rest))) => {
                let (until, digest) = rest.split_once(' ').unwrap_or((rest, ""));
                set.ranges.push(ReleaseRange {
                    since: release(since),
                    until: release(until),
                });
                set.digests.push(digest);
            }
            _ => unreachable!("the documents have no such line: {line}"),
        }
    }
    let definitions: &'static [Definition] = Vec::leak(definitions);
    for set in &mut sets {
        set.document.definitions = definitions;
    }
    sets
}

fn release(text: &str) -> Release {
    let release = text.parse();
    release.unwrap_or_else(|_| unreachable!("the documents have no such release: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::write::schema;

    /// Each line of a file with a schema in it, written again from the model.
    fn rewritten(bytes: &[u8]) -> (usize, Vec<String>) {
        let mut text = String::new();
        DeflateDecoder::new(bytes)
            .read_to_string(&mut text)
            .expect("a readable file");
        let mut differ = Vec::new();
        let text: &'static str = String::leak(text);
        let mut count = 0;
        for line in text.lines() {
            let json = match line.split_once(' ') {
                Some(("top", json)) => json,
                Some(("definition", rest)) => rest.split_once(' ').expect("a name").1,
                _ => continue,
            };
            count += 1;
            let read = ir::read::schema(json).unwrap_or_else(|error| panic!("{error}: {json}"));
            let again = Value::Object(schema(&read, Form::Annotated)).to_string();
            if again != json {
                differ.push(format!("{json}\n{again}"));
            }
        }
        (count, differ)
    }

    #[test]
    fn the_model_says_all_that_the_documents_say() {
        for (bytes, least) in [
            (&include_bytes!("documents/exec.deflate")[..], 40),
            (include_bytes!("documents/core.deflate"), 150),
            (include_bytes!("documents/app-server.deflate"), 2000),
            (include_bytes!("documents/hooks.deflate"), 60),
            (include_bytes!("documents/notify.deflate"), 1),
            (include_bytes!("documents/rollout.deflate"), 80),
            (include_bytes!("documents/transcript.deflate"), 5),
        ] {
            let (count, differ) = rewritten(bytes);
            assert!(count > least, "{count} schemas");
            assert_eq!(differ, [""; 0]);
        }
    }
}
