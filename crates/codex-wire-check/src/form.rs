//! Defines the dialects (`Form`) and what a stream of each dialect is checked against (`Spec`).
//!
//! A `Spec` is the one place that asks schemas about a message: whether the fast path accepts it,
//! which releases could have written it, and what is wrong with it. If several releases are
//! possible, the message is validated for those, and the release with the fewest violations
//! explains it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use codex_wire_base::{Protocol, Release, ReleaseSet, Surface, Timeline};
use codex_wire_program::{Outline, View};
use codex_wire_schema::{Span, annotated, experimental_beside, experimental_in, spans, tags};
use serde_json::{Value, json};

use crate::alike::Alike;
use crate::finding::Writer;
use crate::judge::{Experimental, Fault, Judge};
use crate::placement::{Part, Placement};
use crate::rpc;
use crate::sequence::Possible;

/// A kind of stream: one dialect of a protocol, with one or two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `codex exec --json` from 0.42.0 on.
    Exec,
    /// `codex exec --json` up to 0.42.0.
    ExecLegacy,
    /// `codex proto`.
    Core,
    /// `codex app-server`.
    AppServer,
}

impl Form {
    /// All forms, the ones more often met first.
    pub(crate) const ALL: [Form; 4] = [Form::Exec, Form::ExecLegacy, Form::Core, Form::AppServer];

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Form::Exec | Form::ExecLegacy => Protocol::Exec,
            Form::Core => Protocol::Core,
            Form::AppServer => Protocol::AppServer,
        }
    }

    /// Its surfaces, the written one first.
    pub(crate) fn surfaces(self) -> &'static [Surface] {
        let written = match self {
            Form::Exec => Surface::Exec,
            Form::ExecLegacy => Surface::ExecLegacy,
            Form::Core => Surface::CoreEvents,
            Form::AppServer => Surface::AppServerServerNotifications,
        };
        written.conversation()
    }

    pub(crate) fn timeline(self) -> Timeline {
        self.surfaces()[0].timeline()
    }

    /// Whether a release speaks it: past its last release a form is gone, and the newest form is
    /// still growing.
    pub(crate) fn speaks(self, release: Release) -> bool {
        let timeline = self.timeline();
        timeline.floor(release).is_some()
            && (self.surfaces()[0].is_current() || release <= timeline.latest())
    }

    /// Whether a message has the tag of an event of exec.
    pub(crate) fn is_event(message: View<'_>) -> bool {
        let tag = message.get("type").and_then(View::as_str);
        tag.is_some_and(|tag| tags(Surface::Exec).contains(&tag))
    }

    /// The form whose streams begin with or hold such messages.
    pub(crate) fn of(message: View<'_>) -> Option<Form> {
        let has = |key: &str| message.get(key).is_some();
        if has("msg") || has("op") {
            return Some(Form::Core);
        }
        if has("workdir") && has("model") || has("prompt") && !has("type") {
            return Some(Form::ExecLegacy);
        }
        if message.get("type").is_none() {
            return rpc::looks_like(message).then_some(Form::AppServer);
        }
        Self::is_event(message).then_some(Form::Exec)
    }

    /// Whether a message that looks like one of the form is one beyond doubt. Other programs
    /// speak JSON-RPC too.
    pub(crate) fn is_sure_of(self, message: View<'_>) -> bool {
        self != Form::AppServer || rpc::is_known(message)
    }

    /// The side whose message it is, other than for the app-server: by its shape, and where that does not tell by who wrote it.
    pub(crate) fn side_of(self, message: View<'_>, writer: Option<Writer>) -> usize {
        if self != Form::Core {
            return 0;
        }
        let has = |key: &str| message.get(key).is_some();
        let submitted = match (has("op"), has("msg"), writer) {
            (true, false, _) | (true, true, None) => true,
            (false, true, _) | (false, false, None) => false,
            (_, _, Some(writer)) => writer == Writer::Client,
        };
        usize::from(submitted)
    }
}

/// What the streams of a form are judged by.
pub(crate) struct Spec {
    pub(crate) form: Form,
    /// Releases that speak alike on all sides.
    pub(crate) spans: Vec<Span>,
    sides: Vec<Side>,
}

struct Side {
    surface: Surface,
    placement: OnceLock<Placement>,
    judges: Vec<OnceLock<Judge>>,
    /// Which spans are alike for a kind of message, by its tags.
    alike: Mutex<BTreeMap<String, Arc<Alike>>>,
}

/// Of how many kinds of message it is kept which spans are alike for them: as many as there are,
/// and some that there are not.
const KINDS: usize = 1024;

/// Where the tags of a message stand.
const TAGS: [&str; 6] = [
    "/type",
    "/item/type",
    "/item/item_type",
    "/msg/type",
    "/op/type",
    "/params/item/type",
];

impl Spec {
    pub(crate) fn new(form: Form) -> Self {
        let spans = merged(form);
        let side = |surface: &Surface| Side {
            surface: *surface,
            placement: OnceLock::new(),
            judges: spans.iter().map(|_| OnceLock::new()).collect(),
            alike: Mutex::default(),
        };
        Spec {
            form,
            sides: form.surfaces().iter().map(side).collect(),
            spans,
        }
    }

    /// All spans.
    pub(crate) fn all(&self) -> ReleaseSet {
        ReleaseSet::first(self.spans.len())
    }

    /// The side that messages of a surface are of.
    pub(crate) fn side(&self, surface: Surface) -> usize {
        let found = self.sides.iter().position(|side| side.surface == surface);
        found.unwrap_or(0)
    }

    /// The span of a release, as a set of one.
    pub(crate) fn only(&self, release: Release) -> ReleaseSet {
        let release = self.form.timeline().floor(release);
        self.spans
            .iter()
            .position(|span| release.is_some_and(|r| span.contains(r)))
            .map_or(ReleaseSet::EMPTY, ReleaseSet::one)
    }

    /// The spans that could have written a message of a side.
    pub(crate) fn place(&self, side: usize, message: &Value) -> ReleaseSet {
        let side = &self.sides[side];
        side.placement
            .get_or_init(|| Placement::new(side.surface, &self.spans))
            .of(message)
    }

    /// The parts of a message of a side that some of `excluded` do not write.
    pub(crate) fn parts(&self, side: usize, message: &Value, excluded: ReleaseSet) -> Vec<Part> {
        let side = &self.sides[side];
        side.placement
            .get_or_init(|| Placement::new(side.surface, &self.spans))
            .parts(message, excluded)
    }

    /// A line as the newest of some spans surely writes it on a side, which comes with it; see
    /// [`Judge::accepts`]. An answer has no tag but the method of its request.
    pub(crate) fn accepts<'a>(
        &self,
        side: usize,
        by: ReleaseSet,
        tag: Option<&str>,
        text: &'a str,
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, bool)> {
        self.judge(side, by).accepts(tag, text, outline)
    }

    /// What is wrong with a message of a side, by that of some spans which finds least to
    /// fault; by the newest of those. Where enough was searched, by the one that was found last.
    pub(crate) fn faults(
        &self,
        side: usize,
        by: ReleaseSet,
        message: &Value,
        search: &Search,
    ) -> Vec<Fault> {
        let mut left = by;
        if left.len() > 1 && search.is_over() {
            return self.faults_after(side, by, message, search);
        }
        let mut best = self
            .judge(side, left)
            .faults(message, search.is_brief.get());
        let is_least = |faults: &[Fault]| Fault::weight(faults) <= (0, 1);
        if is_least(&best) || left.len() < 2 {
            return best;
        }
        let mut found_by = newest(left);
        // Many faults are in every span, and looking for fewer takes as long as finding them.
        let mut found = best.len();
        // Of hundreds of definitions a message needs a few: most spans are alike for it.
        let alike = Alike::new(annotated(self.sides[side].surface), &self.spans, message);
        while !is_least(&best) && found <= TRIED {
            left &= !alike.of(newest(left));
            if left.is_empty() {
                break;
            }
            search.tries();
            let faults = self
                .judge(side, left)
                .faults(message, search.is_brief.get());
            found += faults.len();
            if Fault::weight(&faults) < Fault::weight(&best) {
                (best, found_by) = (faults, newest(left));
            }
        }
        search.found.set(Some(found_by));
        best
    }

    /// Which spans are alike for messages of the kind that a line is of, by its tags.
    pub(crate) fn alike(&self, side: usize, line: View<'_>, method: Option<&str>) -> Arc<Alike> {
        let side = &self.sides[side];
        let tags = TAGS.map(|place| line.pointer(place).and_then(View::as_str));
        let mut key = String::new();
        for tag in [method].iter().chain(&tags) {
            // A tag that is longer than any is one that nobody has.
            key.push_str(tag.map_or("", |tag| tag.get(..256).unwrap_or(tag)));
            key.push('\n');
        }
        let mut known = side.alike.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(alike) = known.get(&key) {
            return Arc::clone(alike);
        }
        let mut message = json!({});
        if let Some(method) = method {
            message["method"] = json!(method);
        }
        for (place, tag) in TAGS.iter().zip(tags) {
            let Some(tag) = tag else { continue };
            let mut at = &mut message;
            for name in place.split('/').skip(1) {
                at = &mut at[name];
            }
            *at = json!(tag);
        }
        let alike = Arc::new(Alike::new(annotated(side.surface), &self.spans, &message));
        if known.len() < KINDS {
            known.insert(key, Arc::clone(&alike));
        }
        alike
    }

    /// What is wrong with a message once enough was searched: nothing if one of the spans writes
    /// it, as ever.
    fn faults_after(
        &self,
        side: usize,
        by: ReleaseSet,
        message: &Value,
        search: &Search,
    ) -> Vec<Fault> {
        let right = by & self.place(side, message);
        let last = search
            .found
            .get()
            .map_or(ReleaseSet::EMPTY, ReleaseSet::one)
            & by;
        let chosen = [right, last, by].into_iter().find(|bits| !bits.is_empty());
        self.judge(side, chosen.unwrap_or(by))
            .faults(message, search.is_brief.get())
    }

    /// The places of a message that belong to the experimental API in all of these releases.
    pub(crate) fn experimental(
        &self,
        side: usize,
        by: ReleaseSet,
        releases: &Possible<'_>,
        message: &Value,
    ) -> Vec<String> {
        self.judge(side, by).experimental(message, &|part| {
            releases.iter().all(|release| match part {
                Experimental::Node(node) => experimental_beside(node, release),
                Experimental::Value(about) => experimental_in(about, release),
            })
        })
    }

    /// What all releases say of the members of an object.
    pub(crate) fn members(
        &self,
        (side, by): (Option<usize>, ReleaseSet),
        message: &Value,
        object: &str,
    ) -> Option<&'static Value> {
        self.judge(side?, by).members(message, object)
    }

    /// The releases of a set, both ends included.
    pub(crate) fn range(&self, bits: ReleaseSet) -> Span {
        Span {
            since: self.spans[oldest(bits)].since,
            until: self.spans[newest(bits)].until,
        }
    }

    fn judge(&self, side: usize, by: ReleaseSet) -> &Judge {
        let span = newest(by);
        let side = &self.sides[side];
        side.judges[span].get_or_init(|| Judge::new(side.surface, self.spans[span]))
    }
}

/// Cuts the timeline wherever one of the form's surfaces changes.
fn merged(form: Form) -> Vec<Span> {
    let begins: BTreeSet<Release> = form
        .surfaces()
        .iter()
        .flat_map(|surface| spans(*surface).iter().map(|span| span.since))
        .collect();
    let mut out: Vec<Span> = Vec::new();
    for release in form.timeline().releases() {
        match out.last_mut() {
            Some(span) if !begins.contains(release) => span.until = *release,
            _ => out.push(Span {
                since: *release,
                until: *release,
            }),
        }
    }
    out
}

/// How many faults of a message are looked at to find a release by which it has fewer.
const TRIED: usize = 500;

/// How often the messages of an input are held against another release to find one by which they
/// have fewer faults.
const SEARCHED: u32 = 200;

/// How much was searched in an input for the release by which its messages have the fewest faults.
#[derive(Debug, Default)]
pub(crate) struct Search {
    tried: Cell<u32>,
    /// Whether faults are only counted.
    pub(crate) is_brief: Cell<bool>,
    /// The span that was found last.
    found: Cell<Option<usize>>,
}

impl Search {
    fn tries(&self) {
        self.tried.set(self.tried.get().saturating_add(1));
    }

    fn is_over(&self) -> bool {
        self.tried.get() >= SEARCHED
    }
}

fn newest(bits: ReleaseSet) -> usize {
    bits.newest().unwrap_or_default()
}

fn oldest(bits: ReleaseSet) -> usize {
    bits.oldest().unwrap_or_default()
}
