//! Shows what happens while programs run: their findings as they are found, and notices.

use std::io::{self, Write};

use anstream::ColorChoice;
use codex_wire_check::Finding;
use codex_wire_live::tap::Inspected;
use codex_wire_live::{Notice, Notices};
use codex_wire_report::{Format, Report, Settings, Totals};

use crate::output;

/// A report that is written while programs run. They matter more: if it cannot be written, the user is told.
pub(crate) struct LiveReport<'w> {
    name: String,
    color: ColorChoice,
    /// Nothing once it cannot be written.
    report: Option<Report<'w>>,
}

impl<'w> LiveReport<'w> {
    /// Begins a report about traffic of this name.
    pub(crate) fn begin(
        name: &str,
        format: Format,
        settings: Settings,
        color: ColorChoice,
        out: &'w mut dyn Write,
    ) -> Self {
        let begun = Report::begin(format, settings, out);
        LiveReport {
            name: name.to_owned(),
            color,
            report: written(begun, color),
        }
    }

    /// Writes findings.
    pub(crate) fn findings(&mut self, findings: &[Finding]) {
        if let Some(report) = &mut self.report {
            let done = report.findings(&self.name, findings);
            if written(done, self.color).is_none() {
                self.report = None;
            }
        }
    }

    /// Writes the rest. Returns the totals if everything was written.
    pub(crate) fn finish(self, inspected: &Inspected) -> Option<Totals> {
        let mut report = self.report?;
        let done = report
            .findings(&self.name, &inspected.rest)
            .and_then(|()| report.outcome(&inspected.outcome))
            .and_then(|()| report.finish());
        written(done, self.color)
    }
}

/// What was written, unless there was an error, which the user is told.
fn written<T>(done: io::Result<T>, color: ColorChoice) -> Option<T> {
    done.map_err(|error| output::complain(color, &format!("cannot write the report: {error}")))
        .ok()
}

/// Shows notices to the user.
pub(crate) fn notices(color: ColorChoice) -> Notices {
    Notices::new(move |notice| {
        let text = match notice {
            Notice::Release(stands_for) => {
                return output::remark(color, &stands_for.to_string());
            }
            Notice::LineCut {
                path,
                length,
                limit,
            } => format!(
                "a line has {length} bytes, more than the {limit} of --max-line-bytes; {} has only its \
                 beginning",
                path.display()
            ),
            notice => notice.to_string(),
        };
        output::complain(color, &text);
    })
}
