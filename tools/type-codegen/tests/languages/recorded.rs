//! Every recorded line, with what it is: the protocol, the release and the kind of message.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Bundle, BundleName, Draft, Profile, Stability, project};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Recorded {
    pub(crate) bundle: BundleName,
    /// A listed release.
    pub(crate) release: Release,
    pub(crate) what: What,
    /// As it was written.
    pub(crate) text: String,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// A message of a message set.
    Message(MessageSet),
    /// A response of the app-server or of its client to a request of this method.
    Response(MessageSet, String),
}

impl Recorded {
    /// The line as most readers see it: the last of several members of one name.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.text).expect("recorded lines are JSON")
    }

    pub(crate) fn message_set(&self) -> MessageSet {
        match self.what {
            What::Message(set) | What::Response(set, _) => set,
        }
    }

    /// A value as its schema wants it: a response has the method of its request beside it.
    pub(crate) fn for_schema(&self, mut value: Value) -> Value {
        if let (What::Response(_, method), Some(members)) = (&self.what, value.as_object_mut()) {
            members.insert("method".to_owned(), json!(method));
        }
        value
    }

    fn is_by_client(&self) -> bool {
        // Errors of clients are few, and right.
        !self.message_set().is_written()
    }
}

/// All unique lines of `fixtures`. Lines that a client wrote are there if they are right.
pub(crate) fn all_lines() -> &'static BTreeSet<Recorded> {
    static ALL: LazyLock<BTreeSet<Recorded>> = LazyLock::new(read);
    &ALL
}

/// All lines each night; otherwise of each kind the longest one of the first and of the last release
/// that wrote it, and the shortest of all.
pub(crate) fn lines() -> &'static BTreeSet<Recorded> {
    static SOME: LazyLock<BTreeSet<Recorded>> = LazyLock::new(|| some_of(all_lines()));
    match sampling::is_wide() {
        true => all_lines(),
        false => &SOME,
    }
}

/// How many lines of something are tried at least, of all and of a sample.
pub(crate) fn least(of_all: usize, of_some: usize) -> usize {
    match sampling::is_wide() {
        true => of_all,
        false => of_some,
    }
}

fn some_of(all: &BTreeSet<Recorded>) -> BTreeSet<Recorded> {
    let mut kinds: BTreeMap<(BundleName, String), [&Recorded; 3]> = BTreeMap::new();
    for line in all {
        let kind = (line.bundle, kind(&line.what, &line.value()));
        let [first, last, shortest] = kinds.entry(kind).or_insert([line; 3]);
        let length = |line: &Recorded| line.text.len();
        for (kept, other) in [(first, Ordering::Less), (last, Ordering::Greater)] {
            let order = line.release.cmp(&kept.release);
            if order == other || (order == Ordering::Equal && length(line) > length(kept)) {
                *kept = line;
            }
        }
        if length(line) < length(shortest) {
            *shortest = line;
        }
    }
    kinds.into_values().flatten().cloned().collect()
}

fn read() -> BTreeSet<Recorded> {
    let mut out = BTreeSet::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for protocol in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "hooks",
        "rollout",
    ] {
        for (release, path) in files(&fixtures.join(protocol)) {
            file(protocol, release, &path, &mut out);
        }
    }
    let mut validators = Validators::default();
    out.retain(|line| !line.is_by_client() || validators.accepts(line, line.value()));
    out
}

/// The definitions of messages, by release.
#[derive(Default)]
pub(crate) struct Names {
    known: BTreeMap<(BundleName, Release), BTreeMap<MessageSet, String>>,
}

impl Names {
    /// The definition of a line; of a response the type that all responses of this side have.
    pub(crate) fn of(&mut self, line: &Recorded) -> String {
        if let What::Response(set, _) = line.what {
            let by_codex = set.is_written();
            return if by_codex {
                "ServerResponse"
            } else {
                "ClientResponse"
            }
            .to_owned();
        }
        let key = (line.bundle, line.release);
        let names = self.known.entry(key).or_insert_with(|| {
            let bundle = Bundle::new(key.0, key.1, Stability::Experimental);
            let roots = bundle.roots.iter();
            let named = roots.map(|root| (root.message_set, root.definition.to_string()));
            named.collect()
        });
        let name = names.get(&line.message_set()).cloned();
        name.unwrap_or_else(|| panic!("{key:?} has no {:?}", line.what))
    }
}

/// The schemas of what a release speaks, as they are needed.
#[derive(Default)]
pub(crate) struct Validators {
    known: BTreeMap<(MessageSet, Release), jsonschema::Validator>,
}

impl Validators {
    /// Whether the release would write such a line: the type of the line has to say the same.
    pub(crate) fn accepts(&mut self, line: &Recorded, value: Value) -> bool {
        let key = (line.message_set(), line.release);
        let validator = self.known.entry(key).or_insert_with(|| {
            let (set, release) = key;
            let (exact, whole) = (Profile::Exact, Stability::Experimental);
            let schema = project(set, release, exact, Draft::Draft202012, whole);
            jsonschema::validator_for(&schema).expect("a schema")
        });
        validator.is_valid(&line.for_schema(value))
    }
}

/// What kind of message a line is: its tags.
pub(crate) fn kind(what: &What, value: &Value) -> String {
    let mut out = format!("{what:?}");
    for path in [
        "/type",
        "/method",
        "/hook_event_name",
        "/msg/type",
        "/op/type",
    ] {
        let _ = write!(out, " {}", value.pointer(path).unwrap_or(&Value::Null));
    }
    for path in [
        "/item/type",
        "/payload/type",
        "/params/item/type",
        "/payload/item/type",
    ] {
        let _ = write!(out, " {}", value.pointer(path).unwrap_or(&Value::Null));
    }
    out
}

/// The files in the folders of releases.
fn files(folder: &Path) -> Vec<(Release, PathBuf)> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(release) = name.and_then(|name| name.parse().ok()) else {
            continue;
        };
        let mut left = vec![path];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).expect("a folder");
                left.extend(entries.map(|entry| entry.expect("an entry").path()));
            } else if path.extension().is_some_and(|e| e == "jsonl") {
                out.push((release, path));
            }
        }
    }
    assert!(!out.is_empty(), "no recordings in {}", folder.display());
    out
}

fn file(protocol: &str, release: Release, path: &Path, out: &mut BTreeSet<Recorded>) {
    let text = fs::read_to_string(path).expect("a recording");
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let lines = text.split('\n').filter(|line| !line.is_empty());
    let mut add = |bundle, set, lines: &mut dyn Iterator<Item = &str>| {
        for line in lines {
            let what = What::Message(set);
            insert(bundle, release, what, line, out);
        }
    };
    let mut lines = lines;
    let is_exec = protocol == "exec" || (protocol == "rollout" && name.starts_with("exec-"));
    if is_exec
        && text.contains("{\"type\":\"")
        && release >= Release::new(0, 42, 0)
        && !text.starts_with("{\"prompt\"")
        && !text.contains("\n{\"prompt\":")
    {
        add(BundleName::Exec, MessageSet::Exec, &mut lines);
    } else if is_exec || protocol == "exec-legacy" {
        add(BundleName::ExecLegacy, MessageSet::ExecLegacy, &mut lines);
    } else if name == "notify.jsonl" {
        for line in lines {
            let record: Value = serde_json::from_str(line).expect("a record");
            let what = What::Message(MessageSet::Notify);
            // Codex was asked to run the program with further words, or the payload stands alone.
            let words = record["argv"].as_array();
            let payload = words.map_or(Some(line), |words| words.last()?.as_str());
            let payload = payload.expect("a payload");
            insert(BundleName::Notify, release, what, payload, out);
        }
    } else if protocol == "hooks" {
        for line in lines {
            let record: Value = serde_json::from_str(line).expect("a record");
            let what = What::Message(MessageSet::HooksInput);
            let input = record["stdin"].as_str().expect("an input");
            insert(BundleName::Hooks, release, what, input, out);
        }
    } else if protocol == "core" {
        for (side, _, line) in records(lines) {
            let set = match side.as_str() {
                "codex" => MessageSet::CoreEvents,
                _ => MessageSet::CoreSubmissions,
            };
            insert(BundleName::Core, release, What::Message(set), &line, out);
        }
    } else if protocol == "app-server" || name.starts_with("app-server-") {
        conversation(release, path, records(lines), out);
    } else if name.starts_with("rollout-") {
        let set = match release < Release::new(0, 34, 0) {
            true => MessageSet::RolloutEarly,
            false => MessageSet::Rollout,
        };
        add(BundleName::Rollout, set, &mut lines);
    }
}

/// The lines of a recording of both directions: who wrote each, the connection, the text.
fn records<'t>(
    lines: impl Iterator<Item = &'t str>,
) -> impl Iterator<Item = (String, Value, String)> {
    lines.filter_map(|line| {
        let record: Value = serde_json::from_str(line).expect("a record");
        let side = record["from"].as_str()?.to_owned();
        let text = record["line"].as_str()?.to_owned();
        Some((side, record["connection"].clone(), text))
    })
}

fn conversation(
    release: Release,
    path: &Path,
    records: impl Iterator<Item = (String, Value, String)>,
    out: &mut BTreeSet<Recorded>,
) {
    let mut methods: BTreeMap<(bool, String), String> = BTreeMap::new();
    for (side, connection, text) in records {
        let is_codex = side == "codex";
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            assert!(!is_codex, "{release}: Codex wrote what is not JSON");
            continue;
        };
        let key = |is_codex| (is_codex, format!("{connection} {}", value["id"]));
        let what = match (value["method"].as_str(), value.get("id")) {
            (Some(method), Some(_)) => {
                methods.insert(key(is_codex), method.to_owned());
                What::Message(match is_codex {
                    true => MessageSet::AppServerServerRequests,
                    false => MessageSet::AppServerClientRequests,
                })
            }
            (Some(_), None) => What::Message(match is_codex {
                true => MessageSet::AppServerServerNotifications,
                false => MessageSet::AppServerClientNotifications,
            }),
            (None, _) if value.get("error").is_some() => What::Message(MessageSet::AppServerErrors),
            (None, _) => {
                let set = match is_codex {
                    true => MessageSet::AppServerServerResponses,
                    false => MessageSet::AppServerClientResponses,
                };
                let Some(method) = methods.get(&key(!is_codex)) else {
                    // The recordings of bad requests have some that only Codex can read.
                    let is_bad = path.to_string_lossy().contains("malformed");
                    assert!(!is_codex || is_bad, "{}: {text}", path.display());
                    continue;
                };
                What::Response(set, method.clone())
            }
        };
        insert(BundleName::AppServer, release, what, &text, out);
    }
}

fn insert(
    bundle: BundleName,
    release: Release,
    what: What,
    text: &str,
    out: &mut BTreeSet<Recorded>,
) {
    if serde_json::from_str::<Value>(text).is_err() {
        let is_client = matches!(what, What::Message(set) if !set.is_written());
        assert!(
            text.is_empty() || is_client,
            "{bundle} {release}: no JSON: {text}"
        );
        return;
    }
    let releases = bundle.releases();
    let mut releases = releases.into_iter().rev();
    // Of the app-server before 0.58.0 nothing is known.
    let Some(release) = releases.find(|listed| *listed <= release) else {
        return;
    };
    out.insert(Recorded {
        bundle,
        release,
        what,
        text: text.to_owned(),
    });
}
