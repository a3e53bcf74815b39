//! Sessions for other tools.

use std::io::{BufRead, Write};

use anstream::ColorChoice;
use anyhow::Context as _;
use codex_wire_check::Converted;
use codex_wire_export::{Export, Format, LeftOut, Options, export};
use codex_wire_session::{Reader, Session};

use crate::output;
use crate::telemetry::Collector;

/// Makes documents of sessions.
pub(super) struct Sessions {
    reader: Reader,
    format: Format,
    options: Options,
    collector: Option<Collector>,
    color: ColorChoice,
}

impl Sessions {
    pub(super) fn new(
        format: Format,
        content: bool,
        collector: Option<Collector>,
        color: ColorChoice,
    ) -> Self {
        let mut options = Options::new();
        options.content = content;
        Sessions {
            reader: Reader::new(),
            format,
            options,
            collector,
            color,
        }
    }

    /// Whether documents are sent and not written.
    pub(super) fn sends(&self) -> bool {
        self.collector.is_some()
    }

    /// Writes the documents of an input, one in each line.
    pub(super) fn write(
        &self,
        name: &str,
        input: impl BufRead,
        out: &mut dyn Write,
    ) -> anyhow::Result<Converted> {
        let session = self.read(name, input)?;
        for document in self.export(&session).documents {
            serde_json::to_writer(&mut *out, &document).context("cannot write")?;
            out.write_all(b"\n").context("cannot write")?;
        }
        Ok(Converted::Written)
    }

    /// Sends the documents of an input to the collector.
    pub(super) fn send(&self, name: &str, input: impl BufRead) -> anyhow::Result<Converted> {
        let session = self.read(name, input)?;
        for document in self.export(&session).documents {
            let body = serde_json::to_vec(&document).context("cannot write traces")?;
            if let Some(collector) = &self.collector {
                collector.send(&body)?;
            }
        }
        Ok(Converted::Written)
    }

    /// The session of an input.
    fn read(&self, name: &str, input: impl BufRead) -> anyhow::Result<Session> {
        let session = self.reader.read(name, input)?;
        // No document has these lines.
        output::remark_unread(self.color, name, &session);
        Ok(session)
    }

    fn export<'a>(&self, session: &'a Session) -> Export<'a> {
        let exported = export(session, self.format, self.options);
        for LeftOut {
            thread,
            thread_number,
            reason,
            ..
        } in &exported.left_out
        {
            let thread = match thread {
                Some(id) => id.clone(),
                None => format!("number {}", thread_number + 1),
            };
            let source = &session.source;
            output::remark(
                self.color,
                &format!("{source}: left out thread {thread}: {reason}"),
            );
        }
        exported
    }
}
