//! What a client shows: lines of JSON, without what differs between any two runs.

use std::collections::BTreeMap;

use serde_json::Value;

/// Whether a client does what its user expects; if not, what it does.
pub(crate) type Verdict = Result<(), String>;

/// What a client showed. Each line has one member, which says what it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown(Vec<Value>);

impl Shown {
    /// Reads what a client printed. `root` is the folder that it ran in.
    pub(crate) fn read(printed: &str, root: &str) -> Self {
        let mut steady = Steady {
            root: root.to_owned(),
            ids: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        let line = |line: &str| {
            let mut value = serde_json::from_str(line).unwrap_or_else(|_| line.into());
            steady.value("", &mut value);
            value
        };
        Shown(printed.lines().map(line).collect())
    }

    /// The lines.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    /// With its lines changed.
    pub(crate) fn changed(mut self, change: impl FnOnce(&mut Vec<Value>)) -> Self {
        change(&mut self.0);
        self
    }

    /// The error that the client raised.
    pub(crate) fn error(&self) -> Option<String> {
        let error = self.values("error").next()?;
        let message = error.get("message").unwrap_or(error);
        Some(message.as_str().unwrap_or_default().to_owned())
    }

    /// The client wrote to a process that was gone.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let error = self.error().unwrap_or_default();
        error.contains("EPIPE") || error.contains("Broken pipe")
    }

    /// The only line of this name has this value there.
    pub(crate) fn is(&self, name: &str, pointer: &str, value: Value) -> Verdict {
        self.nth_is(name, 0, pointer, value)
    }

    pub(crate) fn nth_is(&self, name: &str, at: usize, pointer: &str, value: Value) -> Verdict {
        let found = self.values(name).nth(at);
        self.same(name, pointer, found, &value)
    }

    /// The last line of this name has this value there, and no error comes.
    pub(crate) fn ends_with(&self, name: &str, pointer: &str, value: Value) -> Verdict {
        let last = self.values(name).last();
        self.same(name, pointer, last, &value)
    }

    /// Some line of this name has this value there.
    pub(crate) fn some(&self, name: &str, pointer: &str, value: Value) -> Verdict {
        let mut values = self.values(name);
        match values.any(|found| found.pointer(pointer) == Some(&value)) {
            true => Ok(()),
            false => Err(self
                .error()
                .unwrap_or_else(|| format!("no `{name}` with {value}"))),
        }
    }

    /// Some line of this name has a text there that contains another.
    pub(crate) fn some_text(&self, name: &str, pointer: &str, part: &str) -> Verdict {
        let has = |found: &Value| {
            let text = found.pointer(pointer).and_then(Value::as_str);
            text.is_some_and(|text| text.contains(part))
        };
        match self.values(name).any(has) {
            true => Ok(()),
            false => Err(self
                .error()
                .unwrap_or_else(|| format!("no `{name}{pointer}` with `{part}`"))),
        }
    }

    /// Some line has this name.
    pub(crate) fn has(&self, name: &str) -> Verdict {
        match self.values(name).next() {
            Some(_) => Ok(()),
            None => Err(self.error().unwrap_or_else(|| format!("no `{name}`"))),
        }
    }

    /// No line has this name.
    pub(crate) fn none(&self, name: &str) -> Verdict {
        match self.values(name).next() {
            None => Ok(()),
            Some(value) => {
                let value = value.get("error").unwrap_or(value);
                Err(format!("`{name}`: {}", value.as_str().unwrap_or_default()))
            }
        }
    }

    /// All lines of this name have one value.
    pub(crate) fn all_same(&self, name: &str) -> Verdict {
        let first = self.values(name).next();
        match self.values(name).all(|value| Some(value) == first) {
            true => Ok(()),
            false => Err(format!("`{name}` differs")),
        }
    }

    /// The client raises such an error.
    pub(crate) fn raises(&self, is_valid: fn(&str) -> bool) -> Verdict {
        match self.error() {
            Some(message) if is_valid(&message) => Ok(()),
            Some(message) => Err(message),
            None => Err("no error is raised".to_owned()),
        }
    }

    fn same(&self, name: &str, pointer: &str, line: Option<&Value>, value: &Value) -> Verdict {
        if let Some(error) = self.error() {
            return Err(error);
        }
        match line.and_then(|line| line.pointer(pointer)) {
            Some(found) if found == value => Ok(()),
            Some(found) => Err(format!("`{name}{pointer}` is {found}, not {value}")),
            None => Err(format!("no `{name}{pointer}`")),
        }
    }

    fn values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Value> {
        self.0.iter().filter_map(move |line| line.get(name))
    }
}

/// Members that say when something was, how long it took, or which process it was.
const TIMES: &[&str] = &[
    "completedAt",
    "completedAtMs",
    "completed_at",
    "createdAt",
    "durationMs",
    "duration_ms",
    "processId",
    "recencyAt",
    "startedAt",
    "startedAtMs",
    "started_at",
    "timestamp",
    "totalDurationMs",
    "updatedAt",
];

/// Replaces what differs between two runs.
struct Steady {
    root: String,
    /// Ids, with their numbers.
    ids: BTreeMap<String, usize>,
    /// The same of ids that a model makes up.
    calls: BTreeMap<String, usize>,
}

impl Steady {
    fn value(&mut self, key: &str, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(key, value)),
            Value::Object(members) => {
                let member = |(key, mut value): (String, Value)| {
                    self.value(&key, &mut value);
                    (self.string(&key), value)
                };
                *members = std::mem::take(members).into_iter().map(member).collect();
            }
            Value::Null => {}
            value if TIMES.contains(&key) => *value = "<time>".into(),
            // What follows is the system that Codex runs on.
            Value::String(text) if key == "userAgent" => {
                let end = text.find(" (").unwrap_or(text.len());
                text.truncate(end);
            }
            Value::String(text) => *text = self.string(text),
            _ => {}
        }
    }

    fn string(&mut self, text: &str) -> String {
        let text = text.replace(&self.root, "/stage");
        let text = replace(&text, "dddd-dd-ddTdd-dd-dd", &mut |_| "<time>".to_owned());
        let text = replace(&text, "dddd/dd/dd", &mut |_| "<day>".to_owned());
        // In milliseconds, in a text.
        let text = replace(&text, "ddddddddddddd", &mut |_| "<time>".to_owned());
        let ids = &mut self.ids;
        let text = replace(&text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", &mut |id| {
            format!("<id {}>", number_of(ids, id))
        });
        self.without_calls(&text)
    }

    /// Replaces ids of the model, such as `call_0103`: those of a script are longer.
    fn without_calls(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(CALL) {
            let (before, id) = rest.split_at(at);
            let end = id[1..].find(|c: char| !c.is_ascii_hexdigit());
            let end = end.map_or(id.len(), |end| end + 1);
            let start = before.rfind(|c: char| !c.is_ascii_alphabetic());
            let start = start.map_or(0, |start| start + 1);
            let kind = &before[start..];
            if end >= 5 && KINDS.contains(&kind) {
                let (id, after) = rest[start..].split_at(kind.len() + end);
                out += &rest[..start];
                out += &format!("<{kind} {}>", number_of(&mut self.calls, id));
                rest = after;
            } else {
                out += &rest[..=at];
                rest = &rest[at + 1..];
            }
        }
        out + rest
    }
}

/// What stands before the digits of an id of the model, and which kinds there are.
const CALL: char = '_';
const KINDS: [&str; 3] = ["call", "msg", "rs"];

/// The number of an id.
fn number_of(ids: &mut BTreeMap<String, usize>, id: &str) -> usize {
    let next = ids.len() + 1;
    *ids.entry(id.to_owned()).or_insert(next)
}

/// Replaces what has a shape: `d` is a digit, `x` a hexadecimal digit, all else stands for itself.
fn replace(text: &str, shape: &str, with: &mut dyn FnMut(&str) -> String) -> String {
    let has_shape = |part: &[u8]| {
        part.len() == shape.len()
            && part.iter().zip(shape.bytes()).all(|(c, s)| match s {
                b'd' => c.is_ascii_digit(),
                b'x' => c.is_ascii_hexdigit(),
                s => *c == s,
            })
    };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut at = 0;
    while at + shape.len() <= text.len() {
        match has_shape(&text.as_bytes()[at..at + shape.len()]) {
            // Such a part is ASCII, so it begins and ends between characters.
            true => {
                out += &text[from..at];
                out += &with(&text[at..at + shape.len()]);
                at += shape.len();
                from = at;
            }
            false => at += 1,
        }
    }
    out + &text[from..]
}
