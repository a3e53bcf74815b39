//! What a session file says that a database of its home says too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

use codex_wire_base::lines::{Line, Lines, without_mark};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::options::Limits;

/// What a session file says that a database of its home says too.
#[derive(Debug)]
pub struct HomeFile {
    /// The last part of its path, without the ending of a compressed one.
    pub(super) name: String,
    pub(super) is_archived: bool,
    /// The id by which a projection knows it: that of its thread, or of a segment.
    pub(super) id: String,
    pub(super) header: Header,
    /// What was in force in its last turn.
    pub(super) settings: Settings,
    /// The last total that it counts.
    pub(super) total: Option<i64>,
    /// What the user said.
    pub(super) messages: Vec<String>,
    /// The byte behind each line that has an end, and its ordinal.
    pub(super) ends: Vec<(i64, Option<i64>)>,
    /// Its turns by id.
    pub(super) turns: BTreeMap<String, TurnLines>,
    /// Its items by the ids of turn and item.
    pub(super) items: BTreeMap<(String, String), ItemLines>,
    /// Whether a line could not be read, so that it may have more than is known.
    pub(super) is_partial: bool,
}

/// The header of a session file.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) id: String,
    pub(super) cwd: Option<String>,
    pub(super) cli_version: Option<String>,
    pub(super) model_provider: Option<String>,
    pub(super) history_mode: Option<String>,
    /// Where the history begins, if that is in another file.
    pub(super) history_base: Option<serde::de::IgnoredAny>,
    pub(super) source: Option<Value>,
    pub(super) originator: Option<Value>,
    pub(super) thread_source: Option<Value>,
    pub(super) agent_nickname: Option<Value>,
    pub(super) agent_role: Option<Value>,
    pub(super) agent_path: Option<Value>,
}

impl Header {
    /// The thread that started this one as a sub-agent.
    pub(super) fn parent(&self) -> Option<&str> {
        let parent = "/subagent/thread_spawn/parent_thread_id";
        self.source.as_ref()?.pointer(parent)?.as_str()
    }
}

/// What was in force in a turn.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Settings {
    pub(super) model: Option<Value>,
    pub(super) effort: Option<Value>,
    pub(super) approval_policy: Option<Value>,
}

/// Where a turn stands.
#[derive(Debug)]
pub(super) struct TurnLines {
    /// The first line that says that it begins or ends.
    pub(super) ordinal: Option<i64>,
    pub(super) byte: i64,
    pub(super) end: Option<TurnEnd>,
}

/// The line that ends a turn.
#[derive(Debug)]
pub(super) struct TurnEnd {
    pub(super) ordinal: Option<i64>,
    /// The byte behind it.
    pub(super) byte: i64,
    pub(super) is_interruption: bool,
}

/// Where an item stands.
#[derive(Debug)]
pub(super) struct ItemLines {
    pub(super) first: Option<i64>,
    pub(super) last: Option<i64>,
    pub(super) kind: String,
    /// The byte behind the first line.
    pub(super) byte: i64,
}

#[derive(Deserialize)]
struct HomeLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    ordinal: Option<i64>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
struct OfTurn {
    turn_id: String,
}

#[derive(Deserialize)]
struct OfItem<'a> {
    turn_id: String,
    #[serde(borrow)]
    item: &'a RawValue,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Said {
    content: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

#[derive(Deserialize)]
struct Count {
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    total_token_usage: Total,
}

#[derive(Deserialize)]
struct Total {
    total_tokens: i64,
}

impl HomeFile {
    /// Reads a session file. `path` is its path in the home, of which name and folder count. `None` if it does not begin
    /// with the header of a thread.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(path: &str, input: impl BufRead, limits: Limits) -> io::Result<Option<Self>> {
        let mut lines = Lines::new(input, limits.line_bytes);
        let Some(first) = lines.next()? else {
            return Ok(None);
        };
        let header = serde_json::from_slice::<HomeLine<'_>>(json(&first))
            .ok()
            .filter(|line| line.kind.as_deref() == Some("session_meta"))
            .and_then(|line| serde_json::from_str::<Header>(line.payload?.get()).ok());
        let Some(header) = header else {
            return Ok(None);
        };
        let mut folders = path.split(['/', '\\']);
        let name = name_in(path);
        let mut file = HomeFile {
            name: name.to_owned(),
            is_archived: folders.any(|folder| folder == "archived_sessions"),
            id: id_in(name).unwrap_or(&header.id).to_owned(),
            header,
            settings: Settings::default(),
            total: None,
            messages: Vec::new(),
            ends: Vec::new(),
            turns: BTreeMap::new(),
            items: BTreeMap::new(),
            is_partial: false,
        };
        let mut next = Some(first);
        while let Some(line) = next {
            let read = match line.is_cut_off() {
                true => None,
                false => serde_json::from_slice::<HomeLine<'_>>(json(&line)).ok(),
            };
            let start = signed(line.offset);
            let end = start.saturating_add(signed(line.length)).saturating_add(1);
            let ordinal = read.as_ref().and_then(|line| line.ordinal);
            if line.ended {
                file.ends.push((end, ordinal));
            }
            match read {
                Some(line) if line.kind.as_deref() == Some("event_msg") => {
                    let known = line.payload.and_then(|payload| {
                        let payload = payload.get();
                        file.event(payload, line.ordinal, (start, end)).ok()
                    });
                    file.is_partial |= known.is_none();
                }
                Some(line) if line.kind.as_deref() == Some("turn_context") => {
                    let known = line
                        .payload
                        .map(|payload| serde_json::from_str(payload.get()));
                    match known {
                        Some(Ok(settings)) => file.settings = settings,
                        _ => file.is_partial = true,
                    }
                }
                // Blank lines say nothing; a line that is being written is none yet.
                None if line.ended && !line.bytes.trim_ascii().is_empty() => file.is_partial = true,
                _ => {}
            }
            next = lines.next()?;
        }
        Ok(Some(file))
    }

    fn event(
        &mut self,
        payload: &str,
        ordinal: Option<i64>,
        (start, end): (i64, i64),
    ) -> serde_json::Result<()> {
        let event: Event<'_> = serde_json::from_str(payload)?;
        match &*event.kind {
            "token_count" => {
                let count: Count = serde_json::from_str(payload)?;
                let total = count.info.map(|info| info.total_token_usage.total_tokens);
                self.total = total.or(self.total);
            }
            "user_message" => {
                let said: Message = serde_json::from_str(payload)?;
                self.messages.push(said.message);
            }
            "task_started" | "turn_started" | "task_complete" | "turn_complete"
            | "turn_aborted" => {
                // Older releases do not say which turn.
                let Ok(OfTurn { turn_id }) = serde_json::from_str(payload) else {
                    return Ok(());
                };
                let turn = self.turns.entry(turn_id).or_insert(TurnLines {
                    ordinal,
                    byte: start,
                    end: None,
                });
                if !event.kind.ends_with("_started") {
                    turn.end = Some(TurnEnd {
                        ordinal,
                        byte: end,
                        is_interruption: event.kind == "turn_aborted",
                    });
                }
            }
            "item_completed" => {
                let OfItem { turn_id, item } = serde_json::from_str(payload)?;
                let Item { id, kind } = serde_json::from_str(item.get())?;
                if kind == "UserMessage" {
                    let said: Said = serde_json::from_str(item.get())?;
                    let texts = said.content.into_iter().filter_map(|part| part.text);
                    self.messages.push(texts.collect());
                }
                let lines = self.items.entry((turn_id, id)).or_insert(ItemLines {
                    first: ordinal,
                    last: ordinal,
                    kind,
                    byte: end,
                });
                lines.last = ordinal;
            }
            _ => {}
        }
        Ok(())
    }
}

/// A line without the byte order mark that may begin a file. A finding where the file is checked names it.
fn json<'a>(line: &Line<'a>) -> &'a [u8] {
    match line.offset {
        0 => without_mark(line.bytes),
        _ => line.bytes,
    }
}

/// The name of a session file, without the ending of a compressed one.
pub(super) fn name_in(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".zst").unwrap_or(name)
}

/// The id at the end of the name of a session file: of the thread, or of the segment.
pub(super) fn id_in(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".jsonl")?;
    let id = stem.get(stem.len().checked_sub(36)?..)?;
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    id.bytes().all(is_part).then_some(id)
}

/// A database has no numbers beyond these.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
