//! A change of what Codex does in a scene, and its words.

use codex_wire_base::Release;
use serde_json::{Value, json};

/// What happened to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BehaviourKind {
    /// It comes no more, or less often.
    Gone,
    /// The message comes with another status.
    Changed,
    /// It is new, or comes more often.
    New,
    /// It comes at another place.
    Moved,
}

impl BehaviourKind {
    /// Its name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            BehaviourKind::Gone => "gone",
            BehaviourKind::Changed => "changed",
            BehaviourKind::New => "new",
            BehaviourKind::Moved => "moved",
        }
    }
}

/// Where a step is, beside a step that both releases have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Near {
    /// Before this step.
    Before(String),
    /// Behind this step.
    Behind(String),
}

/// Two recorded releases between which something changed, and no release between them was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourStep {
    /// The last release that was recorded before the change.
    pub before: Release,
    /// The first that was recorded behind it.
    pub after: Release,
    /// Whether they are neighbours on the list of releases.
    pub is_exact: bool,
}

impl BehaviourStep {
    /// Between which releases, in words.
    pub fn sentence(&self) -> String {
        match self.is_exact {
            true => format!("{} → {}", self.before, self.after),
            false => format!("between {} and {}", self.before, self.after),
        }
    }

    fn to_json(&self) -> Value {
        json!({"before": self.before.to_string(), "after": self.after.to_string(), "exact": self.is_exact})
    }
}

/// A change of what Codex does in scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BehaviourChange {
    /// What happened to the step.
    pub kind: BehaviourKind,
    /// The step: a kind of message, and its status unless that is what changed.
    pub step: String,
    /// The status before, if it changed.
    pub before: Option<String>,
    /// The status afterwards, if it changed.
    pub after: Option<String>,
    /// How often the step comes in a run, before and afterwards; how many of them changed or moved. In several scenes:
    /// the least.
    pub times: [usize; 2],
    /// Where the step is: afterwards, or before if it is gone. Nothing if that differs.
    pub near: Option<Near>,
    /// The scenes in which it changed.
    pub scenes: Vec<String>,
    /// Between which releases it changed, oldest first.
    pub steps: Vec<BehaviourStep>,
}

/// How many scenes are named.
const NAMED: usize = 3;

impl BehaviourChange {
    /// A change of a step, in no scene yet.
    pub(super) fn new(
        kind: BehaviourKind,
        step: &str,
        times: [usize; 2],
        near: Option<Near>,
    ) -> Self {
        BehaviourChange {
            kind,
            step: step.to_owned(),
            before: None,
            after: None,
            times,
            near,
            scenes: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The change in a few words.
    pub fn sentence(&self) -> String {
        let step = code(&self.step);
        let near = match &self.near {
            Some(Near::Before(step)) => format!(", before {}", code(step)),
            Some(Near::Behind(step)) => format!(", behind {}", code(step)),
            None => String::new(),
        };
        let [was, is] = self.times;
        let several = match was.max(is) {
            0 | 1 => String::new(),
            many => format!(" ({many} times)"),
        };
        match self.kind {
            BehaviourKind::Changed => {
                let status = |status: &Option<String>| match status.as_deref() {
                    Some("") | None => "nothing".to_owned(),
                    Some(status) => code(status),
                };
                let (before, after) = (status(&self.before), status(&self.after));
                format!("{step}: {before} → {after}{several}")
            }
            BehaviourKind::New if was == 0 => format!("new: {step}{near}{several}"),
            BehaviourKind::Gone if is == 0 => format!("gone: {step}{near}{several}"),
            BehaviourKind::New => format!("more often: {step}, {was} → {is}"),
            BehaviourKind::Gone => format!("less often: {step}, {was} → {is}"),
            BehaviourKind::Moved => match &self.near {
                Some(Near::Behind(_)) => format!("later: {step}{near}{several}"),
                _ => format!("earlier: {step}{near}{several}"),
            },
        }
    }

    /// In which scenes it changed, and between which releases.
    pub fn place(&self) -> String {
        let steps = self.steps.iter().map(BehaviourStep::sentence);
        let steps = steps.collect::<Vec<_>>().join(", ");
        let scenes = self.scenes.iter().take(NAMED).map(|scene| code(scene));
        let scenes = scenes.collect::<Vec<_>>().join(", ");
        let scenes = match self.scenes.len() {
            1 => format!("scene {scenes}"),
            many if many <= NAMED => format!("scenes {scenes}"),
            many => format!("{many} scenes, such as {scenes}"),
        };
        format!("{scenes}; {steps}")
    }

    /// The same change in another scene.
    pub(super) fn join(&mut self, other: BehaviourChange) {
        if self.near != other.near {
            self.near = None;
        }
        for (times, other) in self.times.iter_mut().zip(other.times) {
            *times = other.min(*times);
        }
        self.scenes.extend(other.scenes);
        for step in other.steps {
            if !self.steps.contains(&step) {
                self.steps.push(step);
            }
        }
    }

    /// Leaves out steps around others: one scene may say more exactly than another when it was.
    pub(super) fn narrow(&mut self) {
        let all = self.steps.clone();
        let is_around = |one: &BehaviourStep, other: &BehaviourStep| {
            one != other && one.before <= other.before && other.after <= one.after
        };
        self.steps
            .retain(|step| !all.iter().any(|other| is_around(step, other)));
        self.steps.sort_by_key(|step| step.after);
    }

    /// Whether that is the same change, in this scene or another.
    pub(super) fn is_like(&self, other: &BehaviourChange) -> bool {
        let key = |change: &BehaviourChange| {
            let is_both = change.times.iter().all(|times| *times > 0);
            let counts =
                [BehaviourKind::New, BehaviourKind::Gone].contains(&change.kind) && is_both;
            (change.kind, counts.then_some(change.times))
        };
        key(self) == key(other)
            && (&self.step, &self.before, &self.after) == (&other.step, &other.before, &other.after)
    }

    /// The change as JSON.
    pub(super) fn to_json(&self) -> Value {
        let mut out = json!({"kind": self.kind.as_str(), "step": self.step, "sentence": self.sentence(),
                             "scenes": self.scenes});
        let steps: Vec<Value> = self.steps.iter().map(BehaviourStep::to_json).collect();
        let mut set = |name: &str, value: Value| {
            if let Some(out) = out.as_object_mut() {
                out.insert(name.to_owned(), value);
            }
        };
        set("steps", steps.into());
        match self.kind {
            BehaviourKind::Changed => {
                set("before", self.before.clone().into());
                set("after", self.after.clone().into());
                set("times", self.times[1].into());
            }
            BehaviourKind::Moved => set("times", self.times[1].into()),
            _ => set("times", json!(self.times)),
        }
        match &self.near {
            Some(Near::Before(step)) => set("comesBefore", step.clone().into()),
            Some(Near::Behind(step)) => set("comesBehind", step.clone().into()),
            None => {}
        }
        out
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
