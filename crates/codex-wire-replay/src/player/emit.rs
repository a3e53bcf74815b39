//! Writes the lines of a step, with the names of this session.

use std::collections::{HashMap, VecDeque};

use codex_wire_base::Protocol;
use serde_json::Value;

use super::pending::Pending;
use super::state::{Rest, State};
use crate::conversation::{Emission, OnMiss, Reaction};
use crate::miss::{Miss, Nearest, RpcError};
use crate::names::{NameKind, trimmed};
use crate::rewrite::{pairs, rewritten};
use crate::track::{Output, OutputKind};

/// How many bytes of lines make a part of a step that comes in parts.
const PART: usize = 1 << 20;

impl State {
    /// The lines of a step, or the first part of them; `id` is that of the client's request, as JSON.
    pub(super) fn emit(&mut self, track: usize, step: usize, id: Option<&str>) -> Vec<Emission> {
        let rest = Rest {
            track,
            step,
            place: 0,
            id: id.map(str::to_owned),
        };
        // The names of other recordings are bound to those in all lines of the step.
        let others = self.tracks.iter().enumerate();
        let is_followed = others
            .filter(|(at, _)| *at != track)
            .any(|(_, playing)| playing.is_current);
        let is_whole = is_followed || !self.in_parts;
        self.emit_part(rest, if is_whole { usize::MAX } else { PART })
    }

    /// The next part of a step.
    pub(super) fn next_part(&mut self) -> Vec<Emission> {
        let rest = self.rest.take();
        rest.map_or_else(Vec::new, |rest| self.emit_part(rest, PART))
    }

    /// All that is left of a step.
    pub(super) fn rest(&mut self) -> Vec<Emission> {
        let rest = self.rest.take();
        rest.map_or_else(Vec::new, |rest| self.emit_part(rest, usize::MAX))
    }

    /// Lines of a step, until they have so many bytes.
    fn emit_part(&mut self, mut rest: Rest, most: usize) -> Vec<Emission> {
        let (track, step) = (rest.track, rest.step);
        let outputs = std::mem::take(&mut self.tracks[track].track.steps[step].outputs);
        let queue = self.queue(track, step);
        let mut emissions = Vec::new();
        let mut bytes = 0;
        while let Some(output) = outputs.get(rest.place).filter(|_| bytes < most) {
            let value = output.value();
            self.bind_made(track, &value);
            let own = match &output.kind {
                OutputKind::Response => rest.id.clone(),
                OutputKind::Late(request) => self.tracks[track].ids[*request].clone(),
                OutputKind::Request(recorded) => {
                    Some(self.ask(track, (step, rest.place), recorded, &value))
                }
                OutputKind::Other => None,
            };
            self.note_resolved(track, &value);
            let line = rewritten(&output.text, &self.tracks[track].names, own.as_deref());
            bytes += line.len();
            rest.place += 1;
            emissions.push(Emission {
                line,
                after_ms: output.after_ms,
                queue,
            });
        }
        let is_over = rest.place == outputs.len();
        self.tracks[track].track.steps[step].outputs = outputs;
        self.rest = (!is_over).then_some(rest);
        emissions
    }

    /// The queue of a step: that of its thread.
    fn queue(&mut self, track: usize, step: usize) -> usize {
        let playing = &self.tracks[track];
        let Some(thread) = &playing.track.steps[step].thread else {
            return 0;
        };
        let live = playing.names.live(NameKind::Thread, thread);
        let live = live.unwrap_or(thread).to_owned();
        let next = self.queues.len() + 1;
        *self.queues.entry(live).or_insert(next)
    }

    /// Binds the names that Codex makes to themselves, and its home to that of this session.
    fn bind_made(&mut self, track: usize, value: &Value) {
        let names = &mut self.tracks[track].names;
        let home = value.pointer("/result/codexHome").and_then(Value::as_str);
        if let (Some(recorded), Some(live)) = (home, &self.home) {
            names.bind(NameKind::Path, recorded, trimmed(live));
        }
        pairs(value, None, "", "", &mut |kind, name, _| {
            if !matches!(kind, NameKind::Path | NameKind::Time | NameKind::Request) {
                names.bind(kind, name, name);
            }
        });
    }

    /// Gives a request of Codex its id in this session.
    fn ask(
        &mut self,
        track: usize,
        place: (usize, usize),
        recorded: &str,
        value: &Value,
    ) -> String {
        let id = self.next_request.to_string();
        self.next_request += 1;
        self.tracks[track]
            .names
            .bind(NameKind::Request, recorded, &id);
        let member = |key: &str| value.pointer(key).and_then(Value::as_str);
        let turn = member("/params/turnId").map(str::to_owned);
        let pending = Pending {
            method: member("/method").unwrap_or("a request").to_owned(),
            asked: vec![(track, place.0, place.1)],
            turn,
            is_over: false,
        };
        self.pending.insert(id.clone(), pending);
        id
    }

    /// Requests of Codex are over when it says so, or when their turn ends.
    fn note_resolved(&mut self, track: usize, value: &Value) {
        let method = value.get("method").and_then(Value::as_str);
        match method {
            Some("serverRequest/resolved") => {
                let id = value.pointer("/params/requestId").map(ToString::to_string);
                let id = id.and_then(|id| {
                    let live = self.tracks[track].names.live(NameKind::Request, &id);
                    live.map(str::to_owned)
                });
                if let Some(pending) = id.and_then(|id| self.pending.get_mut(&id)) {
                    pending.is_over = true;
                }
            }
            Some("turn/completed") => {
                let turn = value.pointer("/params/turn/id").and_then(Value::as_str);
                for pending in self.pending.values_mut() {
                    pending.is_over |= pending.turn.is_some() && pending.turn.as_deref() == turn;
                }
            }
            _ => {}
        }
    }

    /// Binds the names in the lines of a step of another recording to those in the lines that were
    /// played. Lines are paired by what they are, in order.
    pub(super) fn align(&mut self, lead: (usize, usize), other: (usize, usize)) {
        let led = std::mem::take(&mut self.tracks[lead.0].track.steps[lead.1].outputs);
        let outputs = std::mem::take(&mut self.tracks[other.0].track.steps[other.1].outputs);
        let names = self.tracks[lead.0].names.clone();
        let mut of_sort: HashMap<Sort, VecDeque<usize>> = HashMap::new();
        for (at, output) in led.iter().enumerate() {
            let sort = sort_of(output, &output.value());
            of_sort.entry(sort).or_default().push_back(at);
        }
        for (place, output) in outputs.iter().enumerate() {
            let value = output.value();
            let same = of_sort.get_mut(&sort_of(output, &value));
            let Some(at) = same.and_then(VecDeque::pop_front) else {
                continue;
            };
            let led_value = led[at].value();
            let own = &mut self.tracks[other.0].names;
            pairs(&value, Some(&led_value), "", "", &mut |kind, name, same| {
                let Some(same) = same.filter(|_| kind != NameKind::Time) else {
                    return;
                };
                let live = names.string(Some(kind), same);
                own.bind(kind, name, live.as_deref().unwrap_or(same));
            });
            if let (OutputKind::Request(recorded), OutputKind::Request(same)) =
                (&output.kind, &led[at].kind)
                && let Some(live) = names.live(NameKind::Request, same)
            {
                own.bind(NameKind::Request, recorded, live);
                if let Some(pending) = self.pending.get_mut(live) {
                    pending.asked.push((other.0, other.1, place));
                }
            }
        }
        self.tracks[lead.0].track.steps[lead.1].outputs = led;
        self.tracks[other.0].track.steps[other.1].outputs = outputs;
    }

    /// The reaction to a request that no recording answers.
    pub(super) fn refused(
        &self,
        id: &str,
        method: &str,
        error: impl Into<RpcError>,
        nearest: Vec<Nearest>,
    ) -> Reaction {
        let error = error.into();
        let message = Value::from(error.message.as_str());
        let line = match self.protocol {
            Protocol::Core => {
                format!("{{\"id\":{id},\"msg\":{{\"type\":\"error\",\"message\":{message}}}}}")
            }
            _ => format!(
                "{{\"error\":{{\"code\":{},\"message\":{message}}},\"id\":{id}}}",
                error.code
            ),
        };
        Reaction {
            emissions: vec![Emission {
                line,
                after_ms: 0,
                queue: 0,
            }],
            miss: Some(Miss {
                what: method.to_owned(),
                is_of_script: false,
                is_answered: false,
                error: Some(error.message),
                nearest: nearest.into_iter().next(),
            }),
            remark: None,
            ends: self.on_miss == OnMiss::Fail,
        }
    }
}

/// What a line is: its method, the type of its item or event, and whether it is a response.
type Sort = (Option<String>, Option<String>, bool);

fn sort_of(output: &Output, value: &Value) -> Sort {
    let text = |pointer: &str| value.pointer(pointer)?.as_str().map(str::to_owned);
    let item = text("/params/item/type").or_else(|| text("/msg/type"));
    let is_response = matches!(output.kind, OutputKind::Response | OutputKind::Late(_));
    (text("/method"), item, is_response)
}
