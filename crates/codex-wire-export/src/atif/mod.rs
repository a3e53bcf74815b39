//! The Agent Trajectory Interchange Format, as `harbor` reads it: one trajectory for each thread.

mod members;
mod model;
mod steps;

use std::collections::HashSet;

use codex_wire_session::{Session, Thread};
use serde_json::json;

use self::members::{details, members};
use crate::family::Family;
use crate::left_out::LeftOut;
use crate::source;
pub(crate) use model::Trajectory;
use model::{Agent, FinalMetrics, VERSION};

/// How deep trajectories of sub-agents stand in one another. Codex starts none that deep; whatever a session says,
/// the stack is not its limit.
const DEPTH: usize = 8;

/// The trajectories of a session, and the threads that have none: those in which nothing happened.
pub(crate) fn trajectories(session: &Session) -> (Vec<Trajectory<'_>>, Vec<LeftOut>) {
    let mut making = Making::of(session);
    let mut trajectories = Vec::new();
    // Those without a parent here, then those that a circle or the depth keeps out of their parent.
    let threads = 0..session.threads.len();
    let (roots, others): (Vec<_>, Vec<_>) = threads.partition(|number| making.roots[*number]);
    for number in roots.into_iter().chain(others) {
        trajectories.extend(making.trajectories(number, DEPTH));
    }
    making.left_out.sort_by_key(|thread| thread.thread_number);
    (trajectories, making.left_out)
}

/// Trajectories that are being made.
struct Making<'a> {
    session: &'a Session,
    /// Whether a thread has no parent in the session.
    roots: Vec<bool>,
    children: Vec<Vec<usize>>,
    done: HashSet<usize>,
    left_out: Vec<LeftOut>,
}

impl<'a> Making<'a> {
    fn of(session: &'a Session) -> Self {
        let threads = &session.threads;
        let family = Family::of(session);
        let mut roots = vec![true; threads.len()];
        let mut children = vec![Vec::new(); threads.len()];
        for (number, thread) in threads.iter().enumerate() {
            // Each that stands in another needs an id, and of those with the same id only one can.
            if let Some(parent) = family.parent_here(number)
                && let Some(id) = &thread.id
                && family.is_first(number, id)
            {
                children[parent].push(number);
                roots[number] = false;
            }
        }
        Making {
            session,
            roots,
            children,
            done: HashSet::new(),
            left_out: Vec::new(),
        }
    }

    /// The trajectory of a thread with those of its sub-agents in it; those alone if nothing happened in the thread.
    fn trajectories(&mut self, number: usize, depth: usize) -> Vec<Trajectory<'a>> {
        if !self.done.insert(number) {
            return Vec::new();
        }
        let session = self.session;
        let thread = &session.threads[number];
        let children = match depth {
            0 => Vec::new(),
            _ => std::mem::take(&mut self.children[number]),
        };
        let children = children.into_iter();
        let children: Vec<Trajectory<'a>> = children
            .flat_map(|child| self.trajectories(child, depth - 1))
            .collect();
        let embedded = children.iter().filter_map(|child| child.trajectory_id);
        let counts_after_items = source::counts_after_items(session);
        let steps = steps::steps(thread, counts_after_items, embedded.collect());
        if steps.is_empty() {
            self.left_out.push(LeftOut {
                thread_number: number,
                thread: thread.id.clone(),
                reason: "nothing happened in it, and a trajectory has at least one step",
            });
            return children;
        }
        let lineage = &thread.lineage;
        let models = thread.turns.iter();
        let mut models = models.filter_map(|turn| turn.settings.model.as_deref());
        vec![Trajectory {
            schema_version: VERSION,
            session_id: lineage.root.as_deref().or(thread.id.as_deref()),
            trajectory_id: thread.id.as_deref(),
            agent: Agent {
                name: "codex",
                // It must be said; harbor says so itself where Codex does not.
                version: thread.release.as_deref().unwrap_or("unknown"),
                model_name: models.next_back(),
                extra: members([
                    ("client", json!(thread.client)),
                    ("model_provider", json!(thread.model_provider)),
                    ("nickname", json!(lineage.nickname)),
                    ("path", json!(lineage.path)),
                ]),
            },
            final_metrics: Some(final_metrics(thread, steps.len())),
            steps,
            extra: members([
                ("name", json!(thread.name)),
                ("cwd", json!(thread.cwd)),
                ("git", json!(thread.git)),
                ("forked_from", json!(lineage.forked_from)),
                ("is_review", json!(lineage.is_review.then_some(true))),
            ]),
            subagent_trajectories: children,
        }]
    }
}

/// What a thread used. Its sub-agents have totals of their own.
fn final_metrics(thread: &Thread, steps: usize) -> FinalMetrics {
    let mut responses = thread.own_turns().flat_map(|turn| &turn.responses);
    let tokens = responses.next().map(|_| thread.tokens);
    FinalMetrics {
        total_prompt_tokens: tokens.map(|tokens| tokens.input),
        total_completion_tokens: tokens.map(|tokens| tokens.output),
        total_cached_tokens: tokens.map(|tokens| tokens.cached_input),
        total_steps: steps,
        extra: tokens.map(details).unwrap_or_default(),
    }
}
