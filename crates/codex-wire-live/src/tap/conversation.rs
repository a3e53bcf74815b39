//! Decides who takes part in the conversation: only Codex, or the client too.
//!
//! A client writes a prompt to `codex exec`, not messages. The first message of either side shows
//! which protocol it is. Until then the lines of the client are held back. If a recording is to name
//! the release, and it is unknown, the lines of both are held back until Codex has answered: the first
//! answer of an app-server names it.

use codex_wire_base::Protocol;
use codex_wire_check::Writer;
use codex_wire_check::stream::protocol_of;
use serde_json::Value;

/// How many bytes are held back. A client that writes more than this without a message
/// uses no protocol.
const HELD_LIMIT: usize = 1 << 20;

/// The size of a line that is held back, besides its bytes.
const OVERHEAD: usize = 128;

/// Who takes part in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parties {
    Unknown,
    Both,
    CodexOnly,
}

/// What is known of a conversation.
pub(crate) struct Conversation<L> {
    parties: Parties,
    protocol: Option<Protocol>,
    /// Whether the first answer of Codex is waited for.
    awaits_codex: bool,
    held: Vec<(Writer, L)>,
    held_bytes: usize,
}

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission<L> {
    /// It belongs to the conversation, after these lines that were held back.
    Take(Vec<L>),
    /// It is not known yet whether it belongs to the conversation.
    Hold,
    /// It does not belong to the conversation.
    Ignore,
}

impl<L> Conversation<L> {
    /// A conversation in this protocol, if it is known. `awaits_codex` says that nothing is taken before
    /// Codex has answered.
    pub(crate) fn new(protocol: Option<Protocol>, awaits_codex: bool) -> Self {
        Conversation {
            parties: protocol.map_or(Parties::Unknown, parties),
            protocol,
            awaits_codex,
            held: Vec::new(),
            held_bytes: 0,
        }
    }

    /// The protocol, as far as it is known.
    pub(crate) fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// Whether a line belongs to it.
    pub(crate) fn admit(&mut self, writer: Writer, line: &[u8]) -> Admission<L> {
        if self.parties == Parties::Unknown
            && let Some(protocol) = protocol_of(line)
            // In `exec` a client writes no messages, even if a line looks like one.
            && (writer == Writer::Codex || parties(protocol) == Parties::Both)
        {
            self.parties = parties(protocol);
            self.protocol = Some(protocol);
        }
        if self.awaits_codex {
            let is_answered = writer == Writer::Codex && self.is_answer(line);
            self.awaits_codex = !is_answered && self.held_bytes <= HELD_LIMIT;
        }
        match (self.parties, writer) {
            (Parties::Both, _) | (Parties::Unknown, Writer::Codex) if self.awaits_codex => {
                Admission::Hold
            }
            (Parties::Both, _) | (Parties::CodexOnly, Writer::Codex) => {
                Admission::Take(self.rest())
            }
            (Parties::Unknown, Writer::Codex) => Admission::Take(Vec::new()),
            (Parties::Unknown, Writer::Client) => Admission::Hold,
            (Parties::CodexOnly, Writer::Client) => Admission::Ignore,
        }
    }

    /// Whether nothing is awaited after a line of Codex. Other programs around Codex may write something before its first
    /// answer; only an app-server says there which release it is.
    fn is_answer(&self, line: &[u8]) -> bool {
        let message = || serde_json::from_slice::<Value>(line).ok();
        let is_one = |message: Value| message.get("result").or(message.get("error")).is_some();
        match self.protocol {
            None => false,
            Some(Protocol::AppServer) => message().is_some_and(is_one),
            Some(_) => true,
        }
    }

    /// What was held back and belongs to the conversation, also to one that ends before Codex has answered.
    pub(crate) fn rest(&mut self) -> Vec<L> {
        let has_client = self.parties == Parties::Both;
        let belongs = |writer: Writer| has_client || writer == Writer::Codex;
        let held = std::mem::take(&mut self.held).into_iter();
        held.filter_map(|(writer, line)| belongs(writer).then_some(line))
            .collect()
    }

    /// Holds back a line of this length.
    pub(crate) fn hold(&mut self, writer: Writer, line: L, length: usize) {
        self.held_bytes += length + OVERHEAD;
        self.held.push((writer, line));
        if self.held_bytes > HELD_LIMIT && self.parties == Parties::Unknown {
            self.parties = Parties::CodexOnly;
            self.held.retain(|(writer, _)| *writer == Writer::Codex);
        }
    }
}

fn parties(protocol: Protocol) -> Parties {
    match protocol {
        Protocol::Exec => Parties::CodexOnly,
        _ => Parties::Both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXEC: &[u8] = br#"{"type":"turn.started"}"#;
    const CORE: &[u8] = br#"{"id":"1","op":{"type":"interrupt"}}"#;
    const SERVER: &[u8] = br#"{"id":1,"method":"thread/list","params":{}}"#;

    fn admit(talk: &mut Conversation<u8>, writer: Writer, line: &[u8]) -> Admission<u8> {
        let admission = talk.admit(writer, line);
        if admission == Admission::Hold {
            talk.hold(writer, line[0], line.len());
        }
        admission
    }

    #[test]
    fn a_prompt_is_no_message() {
        let mut talk = Conversation::new(None, false);
        assert_eq!(admit(&mut talk, Writer::Client, b"fix it"), Admission::Hold);
        assert_eq!(admit(&mut talk, Writer::Client, EXEC), Admission::Hold);
        assert_eq!(
            admit(&mut talk, Writer::Codex, EXEC),
            Admission::Take(vec![])
        );
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Ignore);
        assert_eq!(talk.protocol(), Some(Protocol::Exec));
    }

    #[test]
    fn first_lines_of_a_client_are_not_lost() {
        for (line, protocol) in [(CORE, Protocol::Core), (SERVER, Protocol::AppServer)] {
            let mut talk = Conversation::new(None, false);
            assert_eq!(admit(&mut talk, Writer::Client, b"junk"), Admission::Hold);
            assert_eq!(
                admit(&mut talk, Writer::Codex, b"a warning"),
                Admission::Take(vec![])
            );
            assert_eq!(
                admit(&mut talk, Writer::Client, line),
                Admission::Take(vec![b'j'])
            );
            assert_eq!(talk.protocol(), Some(protocol));
        }
    }

    #[test]
    fn a_stated_protocol_decides() {
        let mut talk = Conversation::new(Some(Protocol::Exec), false);
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Ignore);
        let mut talk = Conversation::new(Some(Protocol::AppServer), false);
        assert_eq!(
            admit(&mut talk, Writer::Client, b"junk"),
            Admission::Take(vec![])
        );
    }

    #[test]
    fn a_client_waits_until_codex_has_said_which_release_it_is() {
        let mut talk = Conversation::new(None, true);
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Hold);
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Hold);
        // A program around Codex may write something before.
        assert_eq!(
            admit(&mut talk, Writer::Codex, b"a warning"),
            Admission::Hold
        );
        assert_eq!(
            admit(&mut talk, Writer::Codex, br#"{"id":1,"result":{}}"#),
            Admission::Take(vec![b'{', b'{', b'a'])
        );
        assert_eq!(
            admit(&mut talk, Writer::Client, SERVER),
            Admission::Take(vec![])
        );
        // Nor is it known before the first message what is spoken.
        let mut talk = Conversation::new(None, true);
        assert_eq!(
            admit(&mut talk, Writer::Codex, b"a warning"),
            Admission::Hold
        );
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Hold);
        let answer = admit(&mut talk, Writer::Codex, br#"{"id":1,"result":{}}"#);
        assert_eq!(answer, Admission::Take(vec![b'a', b'{']));
        // What Codex alone writes has no answer, and a prompt does not belong to it.
        let mut talk = Conversation::new(None, true);
        assert_eq!(
            admit(&mut talk, Writer::Codex, b"a warning"),
            Admission::Hold
        );
        assert_eq!(admit(&mut talk, Writer::Client, b"fix it"), Admission::Hold);
        assert_eq!(
            admit(&mut talk, Writer::Codex, EXEC),
            Admission::Take(vec![b'a'])
        );
        let mut talk = Conversation::new(None, true);
        assert_eq!(
            admit(&mut talk, Writer::Codex, b"a warning"),
            Admission::Hold
        );
        assert_eq!(talk.rest(), b"a");
        // It waits neither forever nor with everything.
        let mut talk = Conversation::new(Some(Protocol::AppServer), true);
        let line = vec![b'x'; HELD_LIMIT];
        assert_eq!(admit(&mut talk, Writer::Client, &line), Admission::Hold);
        assert_eq!(
            admit(&mut talk, Writer::Client, b"y"),
            Admission::Take(vec![b'x'])
        );
        let mut talk = Conversation::new(Some(Protocol::AppServer), true);
        assert_eq!(admit(&mut talk, Writer::Client, b"z"), Admission::Hold);
        assert_eq!(talk.rest(), b"z");
    }

    #[test]
    fn not_everything_is_held() {
        let mut talk = Conversation::new(None, false);
        for _ in 0..3 {
            let _ = admit(&mut talk, Writer::Client, &vec![b'x'; HELD_LIMIT / 2]);
        }
        assert!(talk.held.is_empty());
        assert_eq!(admit(&mut talk, Writer::Client, SERVER), Admission::Ignore);
    }

    #[test]
    fn blank_lines_are_not_held_for_nothing() {
        let mut talk = Conversation::new(None, false);
        for _ in 0..HELD_LIMIT {
            if talk.admit(Writer::Client, b"") == Admission::Hold {
                talk.hold(Writer::Client, 0_u8, 0);
            }
            assert!(talk.held.len() <= HELD_LIMIT / OVERHEAD);
        }
        assert_eq!(talk.admit(Writer::Client, b""), Admission::Ignore);
    }
}
