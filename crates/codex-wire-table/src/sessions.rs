//! Rows of threads and turns.

use codex_wire_session::{Body, Lineage, Status, Thread, Tokens, Turn, TurnOf};

use crate::items::{self, Position};
use crate::rows::{Place, Rows};
use crate::tables::{ThreadRow, TurnRow, UsageRow};

/// Adds the rows of a turn.
pub(crate) fn add_turn(rows: &mut Rows, place: &Place<'_>, of: TurnOf<'_>, turn: &Turn) {
    let thread = of.thread.id.as_deref();
    let thread_number = of.thread_number as u64;
    let turn_number = of.number as u64;
    let (mut commands, mut tool_calls, mut failed_calls) = (0, 0, 0);
    for (item_number, item) in (0..).zip(&turn.items) {
        let at = Position {
            thread,
            thread_number,
            turn_number: Some(turn_number),
            item_number,
            is_copied: turn.is_copied,
        };
        items::add(rows, place, at, item);
        commands += u64::from(matches!(item.body, Body::Command(_)));
        if let Some((_, status)) = item.body.tool() {
            tool_calls += 1;
            failed_calls += u64::from(status == Some(Status::Failed));
        }
    }
    add_usage(rows, place, of, turn);
    let settings = &turn.settings;
    let tokens = (!turn.responses.is_empty()).then(|| turn.tokens());
    let error = turn.error.as_ref();
    rows.add(
        place,
        &TurnRow {
            thread,
            thread_number: Some(thread_number),
            turn: turn.id.as_deref(),
            turn_number: Some(turn_number),
            root_turn: turn.root.as_deref(),
            first_line: Some(turn.lines.from),
            last_line: Some(turn.lines.to),
            started_at: turn.started,
            ended_at: turn.ended,
            duration_ms: turn.took_ms(),
            status: Some(turn.status.as_str()),
            error_kind: error.and_then(|error| error.kind.as_deref()),
            error: error.map(|error| &*error.message),
            model: settings.model.as_deref(),
            effort: settings.effort.as_deref(),
            cwd: settings.cwd.as_deref().or(of.thread.cwd.as_deref()),
            approval_policy: settings.approval_policy.as_deref(),
            sandbox_policy: settings.sandbox_policy.as_deref(),
            mode: settings.mode.as_deref(),
            release: of.thread.release.as_deref(),
            items: Some(turn.items.len() as u64),
            commands: Some(commands),
            tool_calls: Some(tool_calls),
            failed_calls: Some(failed_calls),
            responses: Some(turn.responses.len() as u64),
            retries: Some(turn.retries.into()),
            is_copied: Some(turn.is_copied),
            is_rolled_back: Some(turn.is_rolled_back),
            is_cumulative: Some(turn.responses.iter().any(|response| response.is_cumulative)),
            input_tokens: tokens.map(|tokens| tokens.input),
            cached_input_tokens: tokens.map(|tokens| tokens.cached_input),
            cache_write_input_tokens: tokens.map(|tokens| tokens.cache_write_input),
            output_tokens: tokens.map(|tokens| tokens.output),
            reasoning_output_tokens: tokens.map(|tokens| tokens.reasoning_output),
            total_tokens: tokens.map(|tokens| tokens.total),
            prompt: turn.prompt(),
            answer: turn.answer(),
        },
    );
}

fn add_usage(rows: &mut Rows, place: &Place<'_>, of: TurnOf<'_>, turn: &Turn) {
    for response in &turn.responses {
        let Tokens {
            input,
            cached_input,
            cache_write_input,
            output,
            reasoning_output,
            total,
            ..
        } = response.tokens;
        rows.add(
            place,
            &UsageRow {
                thread: of.thread.id.as_deref(),
                thread_number: Some(of.thread_number as u64),
                turn_number: Some(of.number as u64),
                root: of.thread.root(),
                line: Some(response.line),
                counted_at: response.at.or(turn.started),
                model: response.model.as_deref().or(turn.settings.model.as_deref()),
                cwd: turn.settings.cwd.as_deref().or(of.thread.cwd.as_deref()),
                is_copied: Some(turn.is_copied),
                is_cumulative: Some(response.is_cumulative),
                input_tokens: Some(input),
                cached_input_tokens: Some(cached_input),
                cache_write_input_tokens: Some(cache_write_input),
                output_tokens: Some(output),
                reasoning_output_tokens: Some(reasoning_output),
                total_tokens: Some(total),
            },
        );
    }
}

/// What is known of a thread only when its turns are written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told {
    pub(crate) turns: u64,
    /// Whether tokens were counted.
    pub(crate) is_counted: bool,
    pub(crate) rolled_back_from: Option<u64>,
}

/// Adds the rows of a thread whose turns were added.
pub(crate) fn add_thread(
    rows: &mut Rows,
    place: &Place<'_>,
    number: u64,
    thread: &Thread,
    told: Told,
) {
    for (item_number, item) in (0..).zip(&thread.outside) {
        let at = Position {
            thread: thread.id.as_deref(),
            thread_number: number,
            turn_number: None,
            item_number,
            is_copied: false,
        };
        items::add(rows, place, at, item);
    }
    let Lineage {
        forked_from,
        parent,
        is_sub_agent,
        is_review,
        nickname,
        path,
        continues,
        copies_are_guessed,
        ..
    } = &thread.lineage;
    let git = thread.git.as_ref();
    let tokens = told.is_counted.then_some(thread.tokens);
    rows.add(
        place,
        &ThreadRow {
            thread: thread.id.as_deref(),
            thread_number: Some(number),
            name: thread.name.as_deref(),
            created_at: thread.created,
            release: thread.release.as_deref(),
            client: thread.client.as_deref(),
            model_provider: thread.model_provider.as_deref(),
            cwd: thread.cwd.as_deref(),
            git_commit: git.and_then(|git| git.commit.as_deref()),
            git_branch: git.and_then(|git| git.branch.as_deref()),
            git_origin: git.and_then(|git| git.origin.as_deref()),
            root: thread.root(),
            forked_from: forked_from.as_deref(),
            parent: parent.as_deref(),
            is_sub_agent: Some(*is_sub_agent),
            is_review: Some(*is_review),
            nickname: nickname.as_deref(),
            agent_path: path.as_deref(),
            continues: continues.as_ref().map(|continues| &*continues.thread),
            copies_are_guessed: Some(*copies_are_guessed),
            rolled_back_from: told.rolled_back_from,
            turns: Some(told.turns),
            input_tokens: tokens.map(|tokens| tokens.input),
            cached_input_tokens: tokens.map(|tokens| tokens.cached_input),
            cache_write_input_tokens: tokens.map(|tokens| tokens.cache_write_input),
            output_tokens: tokens.map(|tokens| tokens.output),
            reasoning_output_tokens: tokens.map(|tokens| tokens.reasoning_output),
            total_tokens: tokens.map(|tokens| tokens.total),
            reported_total_tokens: thread.reported.map(|tokens| tokens.total),
            context_window: thread.context_window,
        },
    );
}
