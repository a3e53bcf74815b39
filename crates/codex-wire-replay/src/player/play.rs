//! Plays a step that was found, in all recordings that are current.

use codex_wire_base::Protocol;
use serde_json::Value;

use super::state::{Found, State};
use crate::conversation::{Reaction, Remark};
use crate::track::{Sent, is_flow};

impl State {
    /// Plays a step that was found, and takes the same step in the other current recordings.
    pub(super) fn play(
        &mut self,
        found: &Found,
        sent: &Sent,
        content: Option<&Value>,
        id: Option<&str>,
    ) -> Reaction {
        let (track, step) = (found.track, found.step);
        let playing = &mut self.tracks[track];
        found.comparison.apply(&mut playing.names);
        playing.played[step] += 1;
        playing.ids[step] = id.map(str::to_owned);
        if playing.is_current {
            self.lead = track;
        }
        let recorded = &self.tracks[track].track.steps[step];
        let remark = (!found.comparison.is_exact()).then(|| Remark {
            what: self.what(sent),
            recording: self.tracks[track].track.name.clone(),
            line: recorded.number,
            differences: found.comparison.differences.clone(),
        });
        let emissions = self.emit(track, step, id);
        if self.tracks[track].is_current {
            self.follow((track, step), sent, content, id);
        }
        Reaction {
            emissions,
            remark,
            ..Reaction::default()
        }
    }

    /// Takes the step that was played in the other current recordings. Those without it are current no
    /// longer, unless nothing depends on it.
    pub(super) fn follow(
        &mut self,
        (track, step): (usize, usize),
        sent: &Sent,
        content: Option<&Value>,
        id: Option<&str>,
    ) {
        for other in 0..self.tracks.len() {
            if other == track || !self.tracks[other].is_current {
                continue;
            }
            match self.same_step(other, (track, step), sent, content) {
                Some(found) => {
                    let playing = &mut self.tracks[other];
                    found.comparison.apply(&mut playing.names);
                    playing.played[found.step] += 1;
                    playing.ids[found.step] = id.map(str::to_owned);
                    if let Some(id) = id {
                        self.bind_submission((other, found.step), id);
                    }
                    self.align((track, step), (other, found.step));
                }
                None => {
                    let decides = match sent {
                        Sent::Answer(_) => true,
                        Sent::Request(method) => self.protocol == Protocol::Core || is_flow(method),
                        Sent::Nothing | Sent::Notification(_) => false,
                    };
                    if decides {
                        self.tracks[other].is_current = false;
                    }
                }
            }
        }
    }

    /// In the user agent, the client names itself.
    pub(super) fn bind_agent(&mut self, params: Option<&Value>) {
        let info = |params: Option<&Value>, key: &str| -> Option<String> {
            let text = params?.get("clientInfo")?.get(key)?.as_str()?;
            Some(text.to_owned())
        };
        for playing in &mut self.tracks {
            let step = playing
                .track
                .steps
                .iter()
                .find(|step| step.method() == Some("initialize"));
            let recorded = step.and_then(|step| step.content.clone());
            let names = (info(recorded.as_ref(), "name"), info(params, "name"));
            let versions = (info(recorded.as_ref(), "version"), info(params, "version"));
            if let (Some(recorded), Some(live)) = names {
                playing
                    .names
                    .bind_agent(format!("{recorded}/"), format!("{live}/"));
                if let (Some(old), Some(new)) = versions {
                    let from = format!("({recorded}; {old})");
                    playing.names.bind_agent(from, format!("({live}; {new})"));
                }
            }
        }
    }
}
