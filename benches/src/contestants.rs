//! The ways to read a line that are compared.

use serde::Deserialize;
use serde::de::IgnoredAny;

use codex_wire::app_server::ServerMessage;
use codex_wire::app_server::methods::client_requests::ThreadRead;

use crate::contestant::read;
#[cfg(feature = "peers")]
use crate::peers;
use crate::plain::{flat, tagged};
use crate::{plain_app_server, plain_core, plain_rollout, views};

pub use crate::contestant::Contestant;

/// Those that read the same messages.
#[derive(Clone, Copy, Debug)]
pub struct Contest {
    /// This project's types.
    pub ours: Contestant,
    /// The plain derive: what the types must not be slower than.
    pub plain: Contestant,
    /// All others, some of which turn lines down.
    pub others: &'static [Contestant],
}

impl Contest {
    /// All of them, ours first.
    pub fn all(&self) -> impl Iterator<Item = &Contestant> {
        [&self.ours, &self.plain].into_iter().chain(self.others)
    }
}

const SERDE_JSON_VALUE: Contestant = Contestant {
    name: "serde_json Value",
    read: |line| read(serde_json::from_slice::<serde_json::Value>(line)),
};

const SERDE_JSON_IGNORED: Contestant = Contestant {
    name: "serde_json IgnoredAny",
    read: |line| read(ignore(line)),
};

/// Contestants that read `codex exec --json`. The plain derive reads every line.
pub const EXEC: Contest = Contest {
    ours: Contestant {
        name: "codex-wire",
        read: |line| read(codex_wire::from_slice::<codex_wire::exec::Event>(line)),
    },
    plain: Contestant {
        name: "serde derive, tagged",
        read: |line| read(serde_json::from_slice::<tagged::Event>(line)),
    },
    others: &[
        Contestant {
            name: "serde derive, flatten",
            read: |line| read(serde_json::from_slice::<flat::Event>(line)),
        },
        #[cfg(feature = "peers")]
        peers::CODEX_CODES_EXEC,
        #[cfg(feature = "peers")]
        peers::SONIC_DERIVE,
        #[cfg(feature = "peers")]
        peers::SONIC_VALUE,
        views::EXEC,
        views::EXEC_TEXTS,
        SERDE_JSON_VALUE,
        SERDE_JSON_IGNORED,
    ],
};

/// Contestants that read the events of `codex proto`. The plain derive turns early forms down.
pub const CORE: Contest = Contest {
    ours: Contestant {
        name: "codex-wire",
        read: |line| {
            read(codex_wire::from_slice::<codex_wire::core_protocol::Event>(
                line,
            ))
        },
    },
    plain: Contestant {
        name: "serde derive, tagged",
        read: |line| read(serde_json::from_slice::<plain_core::Event>(line)),
    },
    others: &[SERDE_JSON_VALUE, SERDE_JSON_IGNORED],
};

/// Contestants that read session files. The plain derive is what counters of tokens and viewers have:
/// the payload stays a value.
pub const ROLLOUT: Contest = Contest {
    ours: Contestant {
        name: "codex-wire",
        read: |line| {
            read(codex_wire::from_slice::<codex_wire::rollout::RolloutLine>(
                line,
            ))
        },
    },
    plain: Contestant {
        name: "serde derive, payload as a value",
        read: |line| read(serde_json::from_slice::<plain_rollout::Line>(line)),
    },
    others: &[SERDE_JSON_VALUE, SERDE_JSON_IGNORED],
};

/// Contestants that read what `codex app-server` writes. Answers stay as they came, for no line shows what
/// they answer. The plain derive has the notifications of a turn.
pub const APP_SERVER: Contest = Contest {
    ours: Contestant {
        name: "codex-wire",
        read: |line| read(codex_wire::from_slice::<ServerMessage>(line)),
    },
    plain: Contestant {
        name: "serde derive, tagged",
        read: |line| {
            read(serde_json::from_slice::<plain_app_server::Notification>(
                line,
            ))
        },
    },
    others: &[
        #[cfg(feature = "peers")]
        peers::CODEX_CODES_APP_SERVER,
        views::APP_SERVER,
        views::APP_SERVER_TEXTS,
        SERDE_JSON_VALUE,
        SERDE_JSON_IGNORED,
    ],
};

/// Contestants that read the answer to `thread/read`, as what it is.
pub const THREAD_READ: Contest = Contest {
    ours: Contestant {
        name: "codex-wire",
        read: |line| match codex_wire::from_slice(line) {
            Ok(ServerMessage::Response(answer)) => read(answer.result::<ThreadRead>()),
            _ => false,
        },
    },
    plain: Contestant {
        name: "serde derive, tagged",
        read: |line| read(serde_json::from_slice::<plain_app_server::ThreadReadAnswer>(line)),
    },
    others: &[
        #[cfg(feature = "peers")]
        peers::CODEX_CODES_THREAD_READ,
        SERDE_JSON_VALUE,
        SERDE_JSON_IGNORED,
    ],
};

fn ignore(line: &[u8]) -> serde_json::Result<IgnoredAny> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let ignored = IgnoredAny::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(ignored)
}

#[cfg(test)]
mod tests {
    use codex_wire::app_server::ServerNotificationParams;
    use codex_wire::core_protocol::{Event, EventMsg};

    use super::*;
    use crate::corpus::Corpus;

    /// How many lines of which kind a contestant turns down.
    fn turned_down(contestant: &Contestant, corpus: &Corpus) -> Vec<String> {
        let refused = corpus.lines().filter(|line| !(contestant.read)(line));
        let mut kinds: Vec<String> = refused
            .map(|line| {
                let event: Event = codex_wire::from_slice(line).unwrap();
                event.msg.tag().to_owned()
            })
            .collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    #[test]
    fn core_events_are_read_by_all() {
        for corpus in [Corpus::core_generated(), Corpus::core_recorded().unwrap()] {
            for contestant in CORE.all().filter(|one| one.name != CORE.plain.name) {
                let read = contestant.run(&corpus);
                assert_eq!(read, corpus.lines().len(), "{}", contestant.name);
            }
            let unknown = corpus.lines().find(|line| {
                let event: Event = codex_wire::from_slice(line).unwrap();
                matches!(event.msg, EventMsg::Unknown(_))
            });
            assert_eq!(unknown, None, "{}", corpus.name);
        }
    }

    #[test]
    fn generated_messages_of_the_app_server_are_read_by_all() {
        let answers = Corpus::thread_read().answers();
        assert_eq!(answers.lines().len(), 1);
        for (contest, corpus) in [
            (APP_SERVER, Corpus::app_server_generated()),
            (THREAD_READ, answers),
        ] {
            for contestant in contest.all() {
                let read = contestant.run(&corpus);
                assert_eq!(read, corpus.lines().len(), "{}", contestant.name);
            }
        }
    }

    #[test]
    fn recorded_messages_of_the_app_server_are_read_and_known() {
        let recorded = Corpus::app_server_recorded().unwrap();
        assert_eq!(APP_SERVER.ours.run(&recorded), recorded.lines().len());
        let unknown = recorded.lines().find(|line| {
            matches!(
                codex_wire::from_slice(line).unwrap(),
                ServerMessage::Notification(message)
                    if matches!(message.params, ServerNotificationParams::Unknown(_))
            )
        });
        assert_eq!(unknown.map(String::from_utf8_lossy), None);
        // It has the notifications of a turn and turns all else down.
        assert!(APP_SERVER.plain.run(&recorded) * 4 > recorded.lines().len());
    }

    /// It turns down nothing but the kinds that had another form.
    #[test]
    fn the_plain_derive_reads_the_newest_form_of_core_events() {
        let recorded = Corpus::core_recorded().unwrap();
        assert_eq!(
            turned_down(&CORE.plain, &recorded),
            [
                "apply_patch_approval_request",
                "exec_command_begin",
                "exec_command_output_delta",
                "patch_apply_begin",
            ]
        );
        let mut newest = recorded;
        newest
            .transcripts
            .retain(|(release, _)| release.to_string() == "0.42.0");
        let newest = Corpus::of("newest", newest.transcripts);
        assert!(newest.lines().len() > 500);
        for corpus in [newest, Corpus::core_generated()] {
            assert_eq!(turned_down(&CORE.plain, &corpus), Vec::<String>::new());
        }
    }
}
