//! What real programs answered where a rule is broken, or nearly: the questions stand in `probes.txt` beside the
//! transcripts of the rule, and the answers in `probes`.
//!
//! The file looks as those in `probes`, without the answers: what a question is about, what is sent, and what is put
//! in, each further in than the one before.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use codex_wire::Release;
use codex_wire_check::Rule;
use libtest_mimic::Failed;
use probes::{Log, Probes};

use super::folder;

/// Each log, with the releases that were asked.
type Logs = Vec<(Log, BTreeSet<Release>)>;

static LOGS: LazyLock<Result<Logs, String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let probes = Probes::load(&probes::folder::folder(&root)).map_err(|error| error.to_string())?;
    let app_server = probes.app_server;
    let asked = app_server.asked;
    Ok(vec![
        (probes.hooks.log, probes.hooks.asked),
        (probes.exec.log, probes.exec.asked),
        (app_server.reads, asked.clone()),
        (app_server.methods, asked.clone()),
        (app_server.experimental, asked.clone()),
        (app_server.examples, asked),
    ])
});

/// The questions with their answers, as `probes` writes them; `None` if the rule names none.
pub(super) fn answers(rule: &Rule) -> Result<Option<String>, Failed> {
    let Ok(questions) = fs::read_to_string(folder(rule).join("probes.txt")) else {
        return Ok(None);
    };
    let logs = LOGS.as_ref()?;
    let mut found: Vec<Log> = vec![Log::default(); logs.len()];
    let (mut about, mut sent) = ("", "");
    for line in questions.lines() {
        if let Some(put) = line.strip_prefix("    ") {
            let nobody = || format!("{rule}: nobody was asked {about} / {sent} / {put}");
            let has = |(log, _): &(Log, _)| log.find(about, sent, put).is_some();
            let place = logs.iter().position(has).ok_or_else(nobody)?;
            let answers = logs[place].0.find(about, sent, put).ok_or_else(nobody)?;
            for (answer, releases) in answers {
                for release in releases {
                    found[place].add(about, sent, put, answer, *release);
                }
            }
        } else if let Some(text) = line.strip_prefix("  ") {
            sent = text;
        } else {
            about = line;
        }
    }
    let texts = found.iter().zip(logs).map(|(found, (_, asked))| {
        let asked: Vec<Release> = asked.iter().copied().collect();
        found.text(&asked)
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    Ok(Some(texts.join("\n")))
}
