//! Renders the pages under `docs/changes`: what each release changed, for authors of clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::{Stability, release_ranges};

use crate::behaviour::{Behaviour, BehaviourChange, list};
use crate::change::Verdict;
use crate::comparison::{Comparison, diff};
use crate::render::counts;
use crate::side::Side;

/// A page and its path.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// The path below `docs/changes/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// What is compared from release to release, with all that is spoken together with it: its
/// folder, what it is, and one of its message sets.
const STREAMS: &[(&str, &str, MessageSet)] = &[
    (
        "app-server",
        "`codex app-server`, both directions, the experimental API included",
        MessageSet::AppServerServerNotifications,
    ),
    ("exec", "`codex exec --json`", MessageSet::Exec),
    (
        "exec-legacy",
        "`codex exec --json` up to 0.42.0",
        MessageSet::ExecLegacy,
    ),
    (
        "core",
        "`codex proto`, both directions",
        MessageSet::CoreEvents,
    ),
    (
        "hooks",
        "what hooks read and print, by the schemas that Codex embeds",
        MessageSet::HooksInput,
    ),
    (
        "notify",
        "the payload of the `notify` program",
        MessageSet::Notify,
    ),
    (
        "rollout",
        "lines of session files, from 0.34.0 on",
        MessageSet::Rollout,
    ),
];

/// All pages, the index first. `app_server` is the [`history`] of the app-server: it takes long to make, so whoever
/// has it does not make it twice.
pub fn pages(app_server: &[Comparison]) -> Vec<Page> {
    let mut index = String::from(INDEX);
    let mut out = Vec::new();
    let recorded = Behaviour::recorded();
    for (folder, about, message_set) in STREAMS {
        let _ = write!(
            index,
            "\n## {folder}\n\n{about}\n\n\
             | release | breaking | maybe | not decided | compatible | behaviour |\n|---|--:|--:|--:|--:|--:|\n"
        );
        // Scenes are of the newer dialect.
        let behaviour = match MessageSet::from(message_set.protocol()) == *message_set {
            true => recorded.history(message_set.protocol()),
            false => Vec::new(),
        };
        let mut behaviour: BTreeMap<Release, Vec<BehaviourChange>> =
            behaviour.into_iter().collect();
        let mut changes: BTreeMap<Release, (String, Option<&Comparison>)> = BTreeMap::new();
        let made: Vec<Comparison>;
        let comparisons = match message_set.protocol() {
            Protocol::AppServer => app_server,
            _ => {
                made = steps(message_set.conversation());
                &made
            }
        };
        for comparison in comparisons {
            if let Ok(release) = comparison.after.parse() {
                changes.insert(release, (comparison.before.clone(), Some(comparison)));
            }
        }
        let releases = message_set.release_list().releases();
        for release in behaviour.keys() {
            let before = releases.iter().rfind(|known| *known < release);
            let before = before.map(Release::to_string).unwrap_or_default();
            changes.entry(*release).or_insert((before, None));
        }
        let mut rows = Vec::new();
        for (release, (before, comparison)) in changes {
            let path = format!("{folder}/{release}.md");
            let behaviour = behaviour.remove(&release).unwrap_or_default();
            let count = |verdict| comparison.map_or(0, |found| found.count(verdict));
            rows.push(format!(
                "| [{release}]({path}) | {} | {} | {} | {} | {} |\n",
                count(Verdict::Breaking),
                count(Verdict::Maybe),
                count(Verdict::Unknown),
                count(Verdict::Compatible),
                behaviour.len(),
            ));
            let head = format!("# {folder} {release}\n\nSince {before}: ");
            out.push(Page {
                path,
                text: head + &page(folder, comparison, &behaviour),
            });
        }
        rows.reverse();
        index.extend(rows);
    }
    out.insert(
        0,
        Page {
            path: "README.md".to_owned(),
            text: index,
        },
    );
    out
}

const INDEX: &str = "\
# What each release changed

A page for each release that changed something on the wire, newest first; releases not listed speak as the one before them.
*Breaking* means that there is a message which the one release writes and the description of the other refuses; the pages show
one. *Maybe* depends on the reader, such as a value more in an enumeration. *Compatible* asks of a reader only that it ignores
what it does not know. Each change counts once, by the worse of its verdicts. `codex-wire diff PROTOCOL A B` compares any two.
*Behaviour* is what no schema says: which messages Codex writes in the same [scenes](../upgrading.md#behaviour), in which order,
and how they end.

These pages are generated and compared on every test run: `cargo xtask generate --only changes` makes them again.
";

/// The comparisons of each release of a protocol with the one before it, oldest first, where they differ.
pub fn history(protocol: Protocol) -> Vec<Comparison> {
    steps(MessageSet::from(protocol).conversation())
}

/// The comparisons of neighbours that differ, oldest first.
fn steps(message_sets: &[MessageSet]) -> Vec<Comparison> {
    let mut begins: Vec<Release> = message_sets
        .iter()
        .flat_map(|message_set| release_ranges(*message_set).iter().map(|range| range.since))
        .collect();
    begins.sort();
    begins.dedup();
    let mut out = Vec::new();
    let mut last: Option<Side> = None;
    for release in &begins {
        let next = Side::release_beside(
            message_sets,
            *release,
            Stability::Experimental,
            last.as_ref(),
        );
        // Releases have all parts in common with each other.
        let found = last.as_ref().and_then(|last| diff(last, &next).ok());
        if let Some(mut found) = found.filter(|found| !found.differences.is_empty()) {
            // The last of those that speak alike.
            let releases = message_sets[0].release_list().releases();
            if let Some(before) = releases.iter().rfind(|known| *known < release) {
                found.before = before.to_string();
            }
            out.push(found);
        }
        last = Some(next);
    }
    out
}

/// What stands on the pages about what hooks print.
const OF_HOOKS: &str = "\nThis compares the schemas that Codex embeds. What it does with the output of a hook differs: it \
    refuses more, and takes the names of other events, which the schemas from 0.136.0 on refuse. \
    [What Codex takes](../../hooks.md#what-codex-does-with-an-output)\n";

/// What stands above changes of behaviour.
const OF_BEHAVIOUR: &str = "\n## Behaviour\n\nIn the same [scenes](../../upgrading.md#behaviour), though no schema says so:\n\n";

/// A page behind its first words.
fn page(folder: &str, comparison: Option<&Comparison>, behaviour: &[BehaviourChange]) -> String {
    let counts = match comparison {
        Some(comparison) => counts(&comparison.differences),
        None => "no difference in the schemas".to_owned(),
    };
    let mut out = format!("{counts}. [All releases](../README.md)\n");
    if folder == "hooks" {
        out += OF_HOOKS;
    }
    if let Some(comparison) = comparison {
        comparison.sections(&mut out);
    }
    if !behaviour.is_empty() {
        out += OF_BEHAVIOUR;
        list(&mut out, behaviour);
    }
    out
}
