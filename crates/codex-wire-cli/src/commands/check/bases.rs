//! Finds the session file in which the history of another one begins, among the inputs.

use std::collections::HashMap;
use std::io::{BufRead, Cursor, Read as _};
use std::path::Path;
use std::sync::OnceLock;

use codex_wire_check::{Checker, HistoryBase, Limits, LineEnds, Outcome};

use crate::inputs::{Opened, Source};
use crate::progress::Progress;

/// The session files among the inputs, by the id in their names. Only those in which the history of
/// another one begins are read for it, each once.
pub(super) struct Bases<'l> {
    files: HashMap<String, Vec<File<'l>>>,
    limits: Limits,
}

struct File<'l> {
    source: &'l Source,
    /// Nothing if it cannot be read as a session file.
    ends: OnceLock<Option<LineEnds>>,
}

impl<'l> Bases<'l> {
    /// Finds the session files, if there are several.
    pub(super) fn find<E>(inputs: &'l [Result<Source, E>], limits: Limits) -> Option<Self> {
        let mut files = HashMap::<String, Vec<File<'l>>>::new();
        let mut count = 0;
        for source in inputs.iter().flatten() {
            let (Source::Named(path) | Source::Listed(path)) = source else {
                continue;
            };
            let Some(id) = id_of(path) else {
                continue;
            };
            count += 1;
            let ends = OnceLock::new();
            let file = File { source, ends };
            files.entry(id).or_default().push(file);
        }
        (count > 1).then_some(Bases { files, limits })
    }

    /// Checks an input, and where its history begins if it is a session file.
    pub(super) fn check(
        &self,
        checker: &Checker,
        source: &Source,
        Opened {
            name, mut input, ..
        }: Opened<'_>,
        check: &mut dyn FnMut(&str, Box<dyn BufRead + '_>) -> Outcome,
    ) -> Outcome {
        let mut first = Vec::new();
        let limit = self.limits.line_bytes as u64;
        let read = input.by_ref().take(limit).read_until(b'\n', &mut first);
        if let Err(error) = read {
            return Outcome::unreadable(name, error.to_string());
        }
        let base = HistoryBase::of(&first);
        let mut outcome = check(&name, Box::new(Cursor::new(first).chain(input)));
        if let Some(base) = base {
            let files = self.files.get(base.thread_id()).into_iter().flatten();
            // A segment belongs to the same thread as its base.
            let others = files.filter(|file| file.source != source);
            let ends = others.filter_map(|file| file.ends(self.limits));
            checker.compare_with_base(&mut outcome, &base, ends);
        }
        outcome
    }
}

impl File<'_> {
    fn ends(&self, limits: Limits) -> Option<&LineEnds> {
        let read = || {
            let progress = Progress::new();
            let opened = self.source.open(&progress).ok()?;
            LineEnds::read(opened.input, limits).ok().flatten()
        };
        self.ends.get_or_init(read).as_ref()
    }
}

/// The id of the thread in the name of a session file: `rollout-2026-11-22T15-02-17-` and 36 characters.
fn id_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let id = name.strip_prefix("rollout-")?.get(20..56)?;
    Some(id.to_owned())
}
