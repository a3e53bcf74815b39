//! What Codex always writes although its schema lets it be left out: what TypeScript says of each
//! such member.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use app_server_codegen::Availability;
use app_server_codegen::written::{LeftOut, Place, Stated, Written, stated};
use codex_wire::Release;
use libtest_mimic::{Failed, Trial};

use crate::support::{CORRECTED, OFFICIALS, TABLES, WRITTEN, none, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("written::members-of-agent-messages", agent_messages),
        trial("written::what-is-read-alone-is-not-meant", read),
        trial("written::recordings-are-believed-first", left_out),
        trial("written::an-entry-about-nothing-is-refused", refused),
        trial("written::what-typescript-says-nothing-of", undescribed),
    ]
}

static STATED: LazyLock<BTreeMap<Place, BTreeMap<Stated, Availability>>> =
    LazyLock::new(|| stated(&OFFICIALS, &CORRECTED, &TABLES.results).unwrap());

fn agent_messages() -> Result<(), Failed> {
    let release = |minor| Release::new(0, minor, 0);
    for (name, first, before) in [
        ("phase", release(105), release(104)),
        ("memoryCitation", release(116), release(115)),
        ("delivery", release(149), Release::new(0, 148, 0)),
        ("questions", release(153), release(152)),
    ] {
        let written = WRITTEN.member("ThreadItem::agentMessage", name);
        let written = written.ok_or(name)?;
        let holds = |release| written.holds(release, true);
        if !holds(first) || !holds(release(169)) || holds(before) {
            return Err(format!("{name}: {}", written.text(&CORRECTED.releases)).into());
        }
    }
    match WRITTEN.member("ThreadItem::mcpToolCall", "mcpAppResourceUri") {
        Some(_) => Err("TypeScript has a question mark there".into()),
        None => Ok(()),
    }
}

fn read() -> Result<(), Failed> {
    let read: Vec<String> = WRITTEN
        .members()
        .filter(|((owner, _), _)| owner == "ThreadStartParams" || owner == "TurnStartParams")
        .map(|((owner, name), _)| format!("{owner}.{name}"))
        .collect();
    none(&read)
}

/// What an entry names, TypeScript requires in each of the releases, and nothing else has it.
fn left_out() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (place, releases) in TABLES.left_out.members(&CORRECTED.releases)? {
        let required = STATED
            .get(&place)
            .and_then(|all| all.get(&Stated::Required));
        for (release, _) in releases.iter() {
            if !required.is_some_and(|required| required.holds(release, true)) {
                complaints.push(format!("{place:?} in {release}: not required"));
            }
            if WRITTEN
                .member(&place.0, &place.1)
                .is_some_and(|written| written.holds(release, true))
            {
                complaints.push(format!("{place:?} in {release}: still required"));
            }
        }
    }
    none(&complaints)
}

fn refused() -> Result<(), Failed> {
    for (table, wanted) in [
        (
            "members = [\"Turn.id @ 0.58.0..\"]\nevidence = \"e\"",
            "`Turn.id` is not required there",
        ),
        (
            "members = [\"Thread.name @ 0.58.0..0.59.0\"]\nevidence = \"e\"",
            "not required there",
        ),
        (
            "members = [\"Thread.name\"]\nevidence = \"e\"",
            "names no releases",
        ),
        (
            "members = [\"Thread @ 0.58.0..\"]\nevidence = \"e\"",
            "names no member",
        ),
        ("members = []\nevidence = \" \"", "without evidence"),
        ("members = []", "missing field"),
    ] {
        let made = LeftOut::parse(&format!("[[entry]]\n{table}"))
            .and_then(|table| Written::of(&OFFICIALS, &CORRECTED, &TABLES.results, &table));
        match made {
            Err(error) if error.to_string().contains(wanted) => {}
            other => return Err(format!("{table}: {other:?}").into()),
        }
    }
    Ok(())
}

/// Members that may be left out and that TypeScript does not have under these names.
const UNDESCRIBED: &[&str] = &[
    "AccountSessionsSwitchResponseBySessions.activeSessionId",
    "CoreHookRunSummary.completed_at",
    "CoreHookRunSummary.duration_ms",
    "CoreHookRunSummary.status_message",
    "InternalChatMessageMetadataPassthrough.content_item_kinds",
    "InternalChatMessageMetadataPassthrough.content_item_metadata",
    "InternalChatMessageMetadataPassthrough.create_time",
    "ResourceContentByBlob._meta",
    "ResourceContentByBlob.mimeType",
    "ResourceContentByText._meta",
    "ResourceContentByText.mimeType",
    "ResponseItem::custom_tool_call.id",
    "ResponseItem::function_call.id",
    "ResponseItem::local_shell_call.id",
    "ResponseItem::message.id",
    "ResponseItem::reasoning.id",
    "ResponseItem::tool_search_call.id",
    "ResponseItem::web_search_call.id",
    "ResponsesApiWebSearchAction::find_in_page.pattern",
    "ResponsesApiWebSearchAction::find_in_page.url",
    "ResponsesApiWebSearchAction::open_page.url",
    "ResponsesApiWebSearchAction::search.queries",
    "ResponsesApiWebSearchAction::search.query",
    "WebSearchAction::findInPage.pattern",
    "WebSearchAction::findInPage.url",
    "WebSearchAction::openPage.url",
];

fn undescribed() -> Result<(), Failed> {
    let silent = STATED
        .iter()
        .filter(|(_, all)| all.contains_key(&Stated::Nothing));
    let places: Vec<String> = silent
        .map(|((owner, name), _)| format!("{owner}.{name}"))
        .collect();
    match places == UNDESCRIBED {
        true => Ok(()),
        false => Err(format!("{places:#?}").into()),
    }
}
