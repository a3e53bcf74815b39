//! Takes the pictures of the readme and the guides: of the site, and of the pages that the program writes.

use std::fs;

use codex_wire_check::{Checker, Options};
use codex_wire_report::conversation::{Form, begin_html, end_html};
use codex_wire_report::{Conversation, ConversationOptions, Format, Report, Settings};
use libtest_mimic::Failed;

use crate::{SITE, node, root};

/// What is checked for the report.
const CHECKED: [&str; 4] = [
    "fixtures/rules/rpc/id-in-use/fail.jsonl",
    "fixtures/rules/schema/unknown-value/fail.jsonl",
    "fixtures/rules/sequence/exec-item-id/fail.jsonl",
    "fixtures/exec/0.169.0/message.jsonl",
];

/// The session that is shown.
const SESSION: &str = "fixtures/rollout/0.169.0/extended/home/sessions/2026/11/23/rollout-2026-11-23T11-24-02-01a20826-1185-7102-a65d-080b19709220.jsonl";

/// Takes all of them.
pub(crate) fn take() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("report.html"), report()?)?;
    fs::write(folder.path().join("session.html"), session()?)?;
    let out = root().join("docs/img");
    node("pictures.mjs", &[SITE.path(), folder.path(), &out])
}

fn report() -> Result<Vec<u8>, Failed> {
    let checker = Checker::new(Options::new())?;
    let mut out = Vec::new();
    let settings = Settings::new("codex-wire", env!("CARGO_PKG_VERSION"));
    let mut report = Report::begin(Format::Html, settings, &mut out)?;
    for path in CHECKED {
        let bytes = fs::read(root().join(path))?;
        let name = path.trim_start_matches("fixtures/rules/");
        report.outcome(&checker.check(name, bytes.as_slice()))?;
    }
    report.finish()?;
    Ok(out)
}

fn session() -> Result<Vec<u8>, Failed> {
    let checker = Checker::new(Options::new())?;
    let mut options = ConversationOptions::new();
    options.form = Form::Html;
    let mut out = Vec::new();
    begin_html(&mut out, "run.jsonl")?;
    let bytes = fs::read(root().join(SESSION))?;
    let mut conversation = Conversation::new("run.jsonl", &options, &mut out);
    let outcome = checker.observe("run.jsonl", bytes.as_slice(), |step| {
        conversation.step(step)
    })?;
    conversation.finish(&outcome)?;
    end_html(&mut out)?;
    Ok(out)
}
