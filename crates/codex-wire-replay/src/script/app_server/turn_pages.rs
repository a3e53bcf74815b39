//! The turns of a thread by pages, the newest first: what `thread/turns/list` answers.
//!
//! Since 0.130.0 a client says how much of the items it wants, and gets a summary without that. A cursor names a turn: by
//! its id, or since 0.151.0 by its place. Asked: 0.125.0, 0.169.0; recorded: 0.133.0, 0.142.0, 0.157.0.

use serde_json::{Value, json};

use super::state::{AppServer, Thread};
use crate::compose::json::{Node, object};
use crate::miss::RpcError;

/// A place between turns: before the one that it names, or behind it.
struct Cursor {
    /// The place of the turn in the thread, from 0.
    turn: usize,
    /// Whether the turn comes, too.
    has_turn: bool,
}

impl AppServer {
    pub(super) fn turns_list(&mut self, id: &Value, params: Option<&Value>) {
        let given = params.unwrap_or(&Value::Null);
        let page = match self.thread_of(given) {
            Some(thread) => self.page(thread, given),
            None => Err(format!(
                "thread not loaded: {}",
                given["threadId"].as_str().unwrap_or_default()
            )),
        };
        match page {
            Ok(page) => self.respond_or_other(id, "thread/turns/list", params, &page),
            Err(message) => self.refuse(
                id,
                RpcError {
                    code: -32600,
                    message,
                },
            ),
        }
    }

    /// A page of the turns, or why there is none.
    fn page(&self, thread: &Thread, given: &Value) -> Result<Node, String> {
        if thread.turns == 0 {
            return Err(format!(
                "thread {} is not materialized yet; thread/turns/list is unavailable before first user message",
                thread.id
            ));
        }
        let turns = self.turns(thread);
        let cursor = given["cursor"].as_str();
        let cursor = cursor.map(|cursor| {
            self.cursor(thread, &turns, cursor)
                .ok_or_else(|| format!("invalid cursor: {cursor}"))
        });
        let cursor = cursor.transpose()?;
        let mut places: Vec<usize> = (0..turns.len()).collect();
        if given["sortDirection"] != "asc" {
            places.reverse();
        }
        if let Some(Cursor { turn, has_turn }) = cursor {
            let at = places.iter().position(|place| *place == turn);
            places.drain(..at.map_or(0, |at| at + usize::from(!has_turn)));
        }
        let limit = given["limit"].as_u64().map_or(usize::MAX, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX).max(1)
        });
        let has_more = places.len() > limit;
        places.truncate(limit);
        let view = match given["itemsView"].as_str() {
            _ if !self.observed.lists_turns_in_views() => "full",
            Some(view) => view,
            None => "summary",
        };
        let named = |place: Option<&usize>, has_turn| {
            let place = *place?;
            Some(self.cursor_of(thread, turns.get(place)?, place, has_turn))
        };
        let next = named(places.last().filter(|_| has_more), false);
        let back = named(places.first(), true);
        let data = places.iter().filter_map(|place| {
            let turn = turns.get(*place)?;
            Some(seen(turn.clone(), view))
        });
        Ok(object! {
            "data" => Node::List(data.collect()),
            "nextCursor" => next.map(Node::from),
            "backwardsCursor" => back.map(Node::from),
        })
    }

    /// The cursor of a turn at a place.
    fn cursor_of(&self, thread: &Thread, turn: &Node, place: usize, has_turn: bool) -> String {
        let cursor = match self.observed.keeps_items() {
            true => object! {
                "requestedThreadId" => &thread.id,
                "rolloutOrdinal" => place as u64 + 1,
                "includeAnchor" => has_turn,
                "scope" => object! { "kind" => "turns" },
            },
            false => object! {
                "turnId" => turn.get("id").and_then(Node::as_str).unwrap_or_default(),
                "includeAnchor" => has_turn,
            },
        };
        cursor.to_string()
    }

    /// What a cursor says, if it is one of this thread.
    fn cursor(&self, thread: &Thread, turns: &[Node], text: &str) -> Option<Cursor> {
        let cursor: Value = serde_json::from_str(text).ok()?;
        let turn = match self.observed.keeps_items() {
            true if cursor["requestedThreadId"] == json!(thread.id) => {
                let ordinal = usize::try_from(cursor["rolloutOrdinal"].as_u64()?).ok()?;
                ordinal.checked_sub(1).filter(|at| *at < turns.len())?
            }
            true => return None,
            false => {
                let wanted = cursor["turnId"].as_str();
                let is_it = |turn: &Node| turn.get("id").and_then(Node::as_str) == wanted;
                turns.iter().position(is_it)?
            }
        };
        Some(Cursor {
            turn,
            has_turn: cursor["includeAnchor"].as_bool()?,
        })
    }
}

/// A turn with as many of its items as a view has: a summary has what the user said and the last message.
fn seen(mut turn: Node, view: &str) -> Node {
    let items = match turn.get("items") {
        Some(Node::List(items)) => items.as_slice(),
        _ => &[],
    };
    let is = |item: &Node, kind| item.get("type").and_then(Node::as_str) == Some(kind);
    let last = items.iter().rposition(|item| is(item, "agentMessage"));
    let items: Vec<Node> = match view {
        "full" => return turn,
        "notLoaded" => Vec::new(),
        _ => {
            let items = items.iter().enumerate();
            let items = items.filter(|(at, item)| is(item, "userMessage") || Some(*at) == last);
            items.map(|(_, item)| item.clone()).collect()
        }
    };
    turn.set("itemsView", view);
    turn.set("items", items);
    turn
}
