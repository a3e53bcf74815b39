//! Hooks: the official schemas of each release mean the same as our projections, and a program has the
//! schemas that are archived of it.
//!
//! Both sides are closed, so they have to agree about every instance: those made from the official
//! schema, those made from ours, and one-step mutants of both. Of inputs our open projection takes
//! members that nobody has declared, and otherwise agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use app_server_codegen::hooks::HookSchemas;
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use jsonschema::Validator;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use xtask::app_server::binaries;
use xtask::hooks::{HookStep, KnownHooks, of_program};

use crate::meaning::instances::{Document, Seeds};
use crate::meaning::mutants;

static KNOWN: LazyLock<KnownHooks> = LazyLock::new(|| KnownHooks::load().unwrap());

/// How many instances and mutants were tried.
static TRIED: Mutex<(usize, usize)> = Mutex::new((0, 0));

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for at in 0..KNOWN.0.len() {
        let name = format!("hooks::meaning::{}", KNOWN.0[at].release);
        trials.push(Trial::test(name, move || equal(&KNOWN.0[at])));
    }
    for version in ["0.114.0", "0.125.0", "0.169.0"] {
        let program = binaries::find(version);
        let missing = program.is_none();
        let name = format!("hooks::a-program-has-what-is-archived::{version}");
        let trial = Trial::test(name, move || archived(version, &program.unwrap()));
        let kind = if missing { "needs the binary" } else { "" };
        trials.push(trial.with_kind(kind).with_ignored_flag(missing));
    }
    trials.push(Trial::test(
        "hooks::the-archive-has-the-releases-of-the-list",
        listed,
    ));
    trials.push(Trial::test("hooks::a-difference-is-noticed", noticed));
    trials.push(Trial::test("hooks::sync-says-what-changed", said));
    trials
}

/// Prints what the trials tried.
#[allow(clippy::print_stdout, reason = "the numbers are asked for")]
pub(crate) fn report() {
    let (instances, mutants) = *TRIED.lock().unwrap();
    if instances > 0 {
        println!("hooks: {instances} instances, {mutants} mutants");
    }
}

fn equal(official: &HookSchemas) -> Result<(), Failed> {
    let found = differences(official)?;
    match found.is_empty() {
        true => Ok(()),
        false => {
            let shown: Vec<&str> = found.iter().take(40).map(String::as_str).collect();
            Err(format!(
                "{} differences, among them\n{}",
                found.len(),
                shown.join("\n")
            )
            .into())
        }
    }
}

/// One schema, as a validator and as a source of instances.
struct Side {
    validator: Validator,
    document: Document,
}

/// What a reference to the schema itself is in [`Document`].
const ROOT: &str = "#";

impl Side {
    fn new(schema: &Value, definitions: &str) -> Result<Self, Failed> {
        let inner = schema[definitions].as_object().cloned().unwrap_or_default();
        let mut all: BTreeMap<String, Value> = inner
            .into_iter()
            .map(|(name, schema)| (format!("#/{definitions}/{name}"), schema))
            .collect();
        all.insert(ROOT.to_owned(), schema.clone());
        Ok(Side {
            validator: jsonschema::validator_for(schema)?,
            document: Document::new(all, BTreeMap::new()),
        })
    }

    /// Instances, and those of them to be altered.
    fn instances(&self) -> Vec<(Value, bool)> {
        let instances = self.document.instances(ROOT, &Seeds::new()).into_iter();
        instances.map(|one| (one.value, one.is_whole)).collect()
    }
}

/// The event of a title: `PreToolUse` of `pre-tool-use.command.input`, and whether it is about input.
fn event_of(title: &str) -> Result<(String, bool), Failed> {
    let (event, kind) = title
        .split_once(".command.")
        .ok_or("a title of another form")?;
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    let event = event.split('-').map(word).collect();
    Ok((event, kind == "input"))
}

/// Our schema of an event, alone.
fn ours(release: Release, profile: Profile, event: &str, is_input: bool) -> Option<Value> {
    let (message_set, suffix) = match is_input {
        true => (MessageSet::HooksInput, "CommandInput"),
        false => (MessageSet::HooksOutput, "CommandOutputWire"),
    };
    let (draft, stability) = (Draft::Draft202012, Stability::Experimental);
    let whole = project(message_set, release, profile, draft, stability);
    let name = format!("{event}{suffix}");
    let mut own = whole["$defs"].get(&name)?.clone();
    own["$schema"] = whole["$schema"].clone();
    own["$defs"] = whole["$defs"].clone();
    Some(own)
}

/// The events of a message set in a release.
fn events(release: Release, message_set: MessageSet) -> BTreeSet<String> {
    let (draft, stability) = (Draft::Draft202012, Stability::Experimental);
    let whole = project(message_set, release, Profile::Exact, draft, stability);
    let suffix = match message_set {
        MessageSet::HooksInput => "CommandInput",
        _ => "CommandOutputWire",
    };
    let names = whole["$defs"].as_object().into_iter().flatten();
    let named = names.filter_map(|(name, _)| name.strip_suffix(suffix));
    named.map(str::to_owned).collect()
}

fn differences(official: &HookSchemas) -> Result<Vec<String>, Failed> {
    let release = official.release;
    let mut found = Vec::new();
    let mut known = [BTreeSet::new(), BTreeSet::new()];
    for (title, schema) in &official.schemas {
        let (event, is_input) = event_of(title)?;
        known[usize::from(!is_input)].insert(event.clone());
        let schema_of = |profile| ours(release, profile, &event, is_input);
        let (Some(exact), Some(open)) = (schema_of(Profile::Exact), schema_of(Profile::Known))
        else {
            found.push(format!("{title}: there is no type for it"));
            continue;
        };
        let theirs = Side::new(schema, "definitions")?;
        let (exact, open) = (Side::new(&exact, "$defs")?, Side::new(&open, "$defs")?);
        let mut tried = BTreeSet::new();
        let mut to_try = Vec::new();
        for (side, name) in [(&theirs, "official"), (&exact, "ours")] {
            for (value, is_whole) in side.instances() {
                if !side.validator.is_valid(&value) {
                    found.push(format!(
                        "{title}: no instance of its own schema ({name}): {value}"
                    ));
                }
                if is_whole {
                    let mutants = mutants::of(&value, &Default::default());
                    TRIED.lock().unwrap().1 += mutants.len();
                    to_try.extend(mutants);
                }
                TRIED.lock().unwrap().0 += 1;
                to_try.push(value);
            }
        }
        for value in to_try {
            if !tried.insert(value.to_string()) {
                continue;
            }
            let expected = theirs.validator.is_valid(&value);
            if exact.validator.is_valid(&value) != expected {
                let who = if expected {
                    "only official"
                } else {
                    "only ours"
                };
                found.push(format!("{title}: {who}: {value}"));
            }
            // What hooks print is closed in both profiles.
            let has_stranger = is_input && value.get(mutants::STRANGER).is_some();
            if !has_stranger && open.validator.is_valid(&value) != expected {
                found.push(format!(
                    "{title}: open differs, official says {expected}: {value}"
                ));
            }
        }
    }
    for (message_set, known) in [MessageSet::HooksInput, MessageSet::HooksOutput]
        .iter()
        .zip(known)
    {
        let ours = events(release, *message_set);
        if ours != known {
            found.push(format!(
                "{message_set}: official has {known:?}, ours {ours:?}"
            ));
        }
    }
    Ok(found)
}

fn archived(version: &str, program: &Path) -> Result<(), Failed> {
    let release: Release = version.parse()?;
    let of_program = of_program(release, program)?;
    let known = KNOWN.0.iter().find(|known| known.release == release);
    match known == Some(&of_program) {
        true => Ok(()),
        false => Err("the program has other schemas than the archive".into()),
    }
}

fn listed() -> Result<(), Failed> {
    let archived: Vec<Release> = KNOWN.0.iter().map(|known| known.release).collect();
    match archived == Protocol::Hooks.release_list().releases() {
        true => Ok(()),
        false => Err(format!("{archived:?}").into()),
    }
}

/// Each alteration of the newest schemas is found, and named.
fn noticed() -> Result<(), Failed> {
    type Alter = fn(&mut BTreeMap<String, Value>);
    let alterations: [(&str, Alter); 6] = [
        ("stop.command.input: only official", |all| {
            let stop = all.get_mut("stop.command.input").unwrap();
            stop["properties"]["model"] = json!(true);
        }),
        ("pre-tool-use.command.output: only ours", |all| {
            let output = all.get_mut("pre-tool-use.command.output").unwrap();
            output["required"] = json!(["reason"]);
        }),
        ("session-start.command.input: only official", |all| {
            let input = all.get_mut("session-start.command.input").unwrap();
            let values = input["properties"]["source"]["enum"]
                .as_array_mut()
                .unwrap();
            values.push("later".into());
        }),
        ("stop.command.output: only official", |all| {
            let output = all.get_mut("stop.command.output").unwrap();
            output["additionalProperties"] = json!(true);
        }),
        ("later.command.input: there is no type for it", |all| {
            let stop = all["stop.command.input"].clone();
            all.insert("later.command.input".to_owned(), stop);
        }),
        ("hooks-output: official has", |all| {
            all.remove("stop.command.output");
        }),
    ];
    for (expected, alter) in alterations {
        let mut altered = KNOWN.0.last().ok_or("no releases")?.clone();
        alter(&mut altered.schemas);
        let found = differences(&altered)?;
        if !found.iter().any(|line| line.starts_with(expected)) {
            return Err(format!("{expected}: reported was\n{}", found.join("\n")).into());
        }
    }
    Ok(())
}

/// `sync` names what a release changed, and takes a release out again without a trace.
fn said() -> Result<(), Failed> {
    let mut known = KNOWN.clone();
    let newest = known.0.last().ok_or("no releases")?.clone();
    let again = known.take(HookStep::Learn(newest.clone()));
    let mut later = newest.clone();
    later.release = Release::new(0, 999, 0);
    later.schemas.remove("stop.command.output");
    let changed = known.take(HookStep::Learn(later));
    known.take(HookStep::Forget(Release::new(0, 999, 0)));
    let expected = [
        format!(
            "hooks: {} against what was known of it: nothing new\n",
            newest.release
        ),
        format!(
            "hooks: 0.999.0 against {}\n  gone     stop.command.output\ndescribe these changes in \
             crates/codex-wire/src/hooks; `cargo test -p xtask --test it hooks` names what is left\n",
            newest.release
        ),
    ];
    if [&again, &changed] != [&expected[0], &expected[1]] {
        return Err(format!("{again}{changed}").into());
    }
    match known == *KNOWN {
        true => Ok(()),
        false => Err("a release leaves a trace".into()),
    }
}
