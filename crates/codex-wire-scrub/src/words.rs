//! Finds out which strings and names belong to the protocol, and which are payload.
//!
//! The schema model knows it. A place in a message is a set of the schemas that may describe it, in
//! any release of any protocol. Such sets are made when a message first leads there, and kept.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::ir::{Kind, Schema};
use codex_wire_schema::{Document, annotated};
use foldhash::fast::RandomState;

/// What the protocols say of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// It is declared.
    Declared(usize),
    /// It is within a value that may be any JSON, such as the arguments of a tool.
    Free,
    /// No release has it.
    Unknown,
}

/// The places of all messages, as far as they were needed.
pub(crate) struct Words {
    documents: Vec<&'static Document>,
    /// The places by the schemas that describe them.
    numbers: HashMap<Vec<Found>, usize, RandomState>,
    places: Vec<Place>,
    root: usize,
}

/// All names of members, of all releases.
static NAMES: LazyLock<HashSet<&'static str, RandomState>> = LazyLock::new(|| {
    let mut names = HashSet::default();
    for document in MessageSet::ALL.iter().map(|set| annotated(*set)) {
        let definitions = document.schemas().map(|(_, schema)| schema);
        for schema in definitions.chain([document.root()]) {
            schema.visit(&mut |schema| {
                if let Kind::Object(object) = &schema.kind {
                    names.extend(object.members.iter().map(|member| &*member.name));
                }
            });
        }
    }
    names
});

/// A schema, the document it is from, and a way to compare it.
#[derive(Clone, Copy)]
struct Found {
    document: usize,
    schema: &'static Schema,
}

impl Found {
    fn key(&self) -> (usize, usize) {
        (self.document, std::ptr::from_ref(self.schema) as usize)
    }
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Found {}

impl std::hash::Hash for Found {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// What may stand at a place.
#[derive(Default)]
struct Place {
    words: HashSet<&'static str, RandomState>,
    members: HashMap<&'static str, Next, RandomState>,
    element: Option<Next>,
    /// The values of an object with arbitrary keys.
    value: Option<Next>,
    any: bool,
    number: bool,
    base64: bool,
}

/// A place that another one leads to.
enum Next {
    New(Vec<Found>),
    Known(usize),
}

impl Words {
    /// The words of all protocols.
    pub(crate) fn new() -> Self {
        let sets = MessageSet::ALL.iter().map(|set| annotated(*set));
        let documents: Vec<&'static Document> = sets.collect();
        let roots = documents.iter().enumerate().map(|(document, of)| Found {
            document,
            schema: of.root(),
        });
        let mut roots: Vec<Found> = roots.collect();
        let mut words = Words {
            documents,
            numbers: HashMap::default(),
            places: Vec::new(),
            root: 0,
        };
        // A hook prints its output alone. The model has it beside the event.
        let outputs = roots.iter().copied().filter(|root| {
            let document = words.documents[root.document];
            std::ptr::eq(document, annotated(MessageSet::HooksOutput))
        });
        let (_, mut outputs) = words.open(outputs.collect());
        if let Some(Next::New(schemas)) = outputs.members.remove("output") {
            roots.extend(schemas);
        }
        words.root = words.place(roots);
        words
    }

    /// Whether a string is an event of hooks.
    pub(crate) fn is_event(&mut self, text: &str) -> bool {
        let (events, _) = self.member(self.root(), "hook_event_name");
        self.is_word(events, text)
    }

    /// The place of a message.
    pub(crate) fn root(&self) -> Context {
        Context::Declared(self.root)
    }

    /// The place of a member, and whether its name is one of the protocol.
    pub(crate) fn member(&mut self, context: Context, name: &str) -> (Context, bool) {
        let is_name = NAMES.contains(name);
        let Context::Declared(place) = context else {
            return (context, is_name);
        };
        if self.places[place].members.contains_key(name) {
            let next = self.places[place].members.get_mut(name);
            let next = next.map(Next::take);
            let number = self.resolve(next);
            if let (Some(number), Some(slot)) = (number, self.places[place].members.get_mut(name)) {
                *slot = Next::Known(number);
            }
            return (of(number), true);
        }
        if self.places[place].value.is_some() {
            let next = self.places[place].value.as_mut().map(Next::take);
            let number = self.resolve(next);
            self.places[place].value = number.map(Next::Known);
            return (of(number), false);
        }
        let next = match self.places[place].any {
            true => Context::Free,
            false => Context::Unknown,
        };
        (next, is_name)
    }

    /// The place of an element.
    pub(crate) fn element(&mut self, context: Context) -> Context {
        let Context::Declared(place) = context else {
            return context;
        };
        match self.places[place].element.as_mut().map(Next::take) {
            None if self.places[place].any => Context::Free,
            None => Context::Unknown,
            next => {
                let number = self.resolve(next);
                self.places[place].element = number.map(Next::Known);
                of(number)
            }
        }
    }

    /// Whether a string is a word of the protocol there.
    pub(crate) fn is_word(&self, context: Context, text: &str) -> bool {
        match context {
            Context::Declared(place) => self.places[place].words.contains(text),
            _ => false,
        }
    }

    /// Whether a string is a method of the app-server.
    pub(crate) fn is_method(&mut self, text: &str) -> bool {
        let (methods, _) = self.member(self.root(), "method");
        self.is_word(methods, text)
    }

    /// Whether a word of the protocol there begins like that, up to a slash or a dot: the part that
    /// methods of one domain share.
    pub(crate) fn domain<'t>(&self, context: Context, text: &'t str) -> Option<&'t str> {
        let Context::Declared(place) = context else {
            return None;
        };
        let words = &self.places[place].words;
        let end = text.rfind(['/', '.'])? + 1;
        let begin = &text[..end];
        words
            .iter()
            .any(|word| word.starts_with(begin))
            .then_some(begin)
    }

    /// Whether the place holds bytes in base64.
    pub(crate) fn is_base64(&self, context: Context) -> bool {
        matches!(context, Context::Declared(place) if self.places[place].base64)
    }

    /// Whether any JSON may stand there.
    pub(crate) fn is_any(&self, context: Context) -> bool {
        match context {
            Context::Declared(place) => self.places[place].any,
            Context::Free => true,
            Context::Unknown => false,
        }
    }

    /// Whether a number is declared at a place.
    pub(crate) fn is_number(&self, place: usize) -> bool {
        self.places[place].number
    }

    fn resolve(&mut self, next: Option<Next>) -> Option<usize> {
        Some(match next? {
            Next::Known(number) => number,
            Next::New(schemas) => self.place(schemas),
        })
    }

    /// The number of the place that these schemas describe.
    fn place(&mut self, schemas: Vec<Found>) -> usize {
        let (schemas, place) = self.open(schemas);
        if let Some(number) = self.numbers.get(&schemas) {
            return *number;
        }
        let number = self.places.len();
        self.places.push(place);
        self.numbers.insert(schemas, number);
        number
    }

    /// What these schemas say once references and unions are followed, and the schemas that do.
    fn open(&self, mut left: Vec<Found>) -> (Vec<Found>, Place) {
        let mut seen = HashSet::<Found, RandomState>::default();
        let mut place = Place::default();
        while let Some(found) = left.pop() {
            if !seen.insert(found) {
                continue;
            }
            let document = self.documents[found.document];
            let at = |schema| Found {
                document: found.document,
                schema,
            };
            match &found.schema.kind {
                Kind::Any => place.any = true,
                Kind::Never | Kind::Null | Kind::Boolean => {}
                Kind::Number | Kind::Integer { .. } => place.number = true,
                Kind::String | Kind::NotEmpty => {}
                Kind::Base64 => place.base64 = true,
                Kind::Constant(word) => {
                    place.words.insert(word);
                }
                Kind::Enum(values) => place.words.extend(values.iter().map(|value| &*value.value)),
                Kind::Array(element) => add(&mut place.element, at(element)),
                Kind::Map(value) => add(&mut place.value, at(value)),
                Kind::Object(object) => {
                    for member in &object.members {
                        let second = member.second.as_ref().map(|second| &second.schema);
                        for schema in [&member.schema].into_iter().chain(second) {
                            let next = place.members.entry(&member.name);
                            let next = next.or_insert_with(|| Next::New(Vec::new()));
                            next.push(at(schema));
                        }
                    }
                }
                Kind::Reference(name) => left.extend(document.schema(name).map(at)),
                Kind::Tagged(union) => {
                    let definitions = union.variants.iter().map(|variant| &variant.definition);
                    left.extend(definitions.filter_map(|name| document.schema(name)).map(at));
                }
                Kind::External(variants) => {
                    place
                        .words
                        .extend(variants.iter().map(|variant| &*variant.kind));
                    let definitions = variants.iter().map(|variant| &variant.definition);
                    left.extend(definitions.filter_map(|name| document.schema(name)).map(at));
                }
                Kind::Untagged(variants) => {
                    left.extend(variants.iter().map(|variant| at(&variant.schema)));
                }
            }
        }
        let mut schemas: Vec<Found> = seen.into_iter().collect();
        schemas.sort_unstable_by_key(Found::key);
        (schemas, place)
    }
}

impl Next {
    /// What is known of it; put back what it leads to.
    fn take(&mut self) -> Next {
        match self {
            Next::New(schemas) => Next::New(std::mem::take(schemas)),
            Next::Known(number) => Next::Known(*number),
        }
    }

    fn push(&mut self, found: Found) {
        if let Next::New(schemas) = self {
            schemas.push(found);
        }
    }
}

fn add(next: &mut Option<Next>, found: Found) {
    next.get_or_insert_with(|| Next::New(Vec::new()))
        .push(found);
}

fn of(number: Option<usize>) -> Context {
    number.map_or(Context::Unknown, Context::Declared)
}

/// Whether a text names a release, as transcripts and headers do.
pub(crate) fn is_release(text: &str) -> bool {
    let protocols = [Protocol::Exec, Protocol::Core, Protocol::AppServer];
    let named = protocols
        .iter()
        .flat_map(|protocol| protocol.release_list().points())
        .any(|point| point.name == text);
    named || text.parse::<Release>().is_ok_and(|release| release < LATER)
}

/// No release of Codex yet: what looks like a later one may be another program's version.
const LATER: Release = Release::new(1, 0, 0);
