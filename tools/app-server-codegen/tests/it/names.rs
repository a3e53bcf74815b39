//! The names of types: upstream's own wherever upstream has one, and otherwise short ones that
//! say something.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use app_server_codegen::naming::{self, LONGEST};
use app_server_codegen::official::name_of;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::support::{OFFICIALS, PLAN, none, trial};

/// Upstream's definitions that are types of another name here, or none: what every JSON-RPC
/// message has is one generic type for both directions.
const ENVELOPE: [&str; 6] = [
    "JSONRPCError",
    "JSONRPCErrorError",
    "JSONRPCMessage",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
];

/// Types that are written by hand under upstream's name.
const BY_HAND: [&str; 5] = [
    "ClientNotification",
    "ClientRequest",
    "RequestId",
    "ServerNotification",
    "ServerRequest",
];

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("names::upstream-keeps-its-names", shared),
        trial("names::ours-are-short-and-do-not-count", ours),
        trial("names::what-is-wrong-is-noticed", noticed),
        trial("names::every-line-of-the-table-is-used", idle),
    ]
}

/// Upstream's names for definitions, in any release, and what the model calls them.
static UPSTREAM: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let mut out = BTreeSet::new();
    for official in OFFICIALS.iter() {
        let (stable, experimental) = official.bundle.read().unwrap();
        for document in [Some(stable), experimental].into_iter().flatten() {
            for (name, schema) in fields(&document["definitions"]) {
                if name == "v2" {
                    out.extend(fields(schema).map(|(name, _)| (name.clone(), name_of(name, true))));
                } else {
                    out.insert((name.clone(), name_of(name, false)));
                }
            }
        }
    }
    out
});

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn is_upstream(name: &str) -> bool {
    UPSTREAM
        .iter()
        .any(|(official, own)| official == name || own == name)
}

/// Every definition of upstream, in any release, is a type of the same name. Of a name that meant
/// two things at one time, the older is called `Core…`.
fn shared() -> Result<(), Failed> {
    let types: BTreeSet<&str> = PLAN.names().chain(BY_HAND).collect();
    let missing = UPSTREAM
        .iter()
        .filter(|(_, own)| !types.contains(own.as_str()) && !ENVELOPE.contains(&own.as_str()))
        .map(|(official, own)| format!("{official}: there is no `{own}`"));
    none(&missing.collect::<Vec<_>>())?;
    let renamed = UPSTREAM.iter().filter(|(official, own)| official != own);
    let plain = |own: &str| own.starts_with("Core") || own == "Nothing";
    let renamed = renamed
        // Rust has no `_` in names of types, and no lower case at their beginning.
        .filter(|(official, own)| {
            !plain(own) && app_server_codegen::names::pascal(official) != *own
        })
        .map(|(official, own)| format!("{official} is called {own}"));
    none(&renamed.collect::<Vec<_>>())
}

fn ours() -> Result<(), Failed> {
    let complaints: Vec<String> = PLAN.names().filter_map(fault).collect();
    none(&complaints)
}

/// What is wrong with a name, if it is ours.
fn fault(name: &str) -> Option<String> {
    if is_upstream(name) {
        return None;
    }
    if name.len() > LONGEST {
        return Some(format!("{name} has {} characters", name.len()));
    }
    let number = numbers(name).into_iter().find(|word| !means(word))?;
    Some(format!("{name}: what does `{number}` say?"))
}

/// The words of a name that end in digits: `V2` of `ToolsV2WebSearch`, `Until0_58`.
fn numbers(name: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut begin = 0;
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        let word_begins = c.is_ascii_uppercase();
        if word_begins {
            if before.is_ascii_digit() {
                out.push(&name[begin..at]);
            }
            begin = at;
        }
        before = c;
    }
    if before.is_ascii_digit() {
        out.push(&name[begin..]);
    }
    out
}

/// A number means something if it is a release, or stands in a name of upstream's.
fn means(word: &str) -> bool {
    let is_release = ["Until0_", "Since0_", "From0_", "To0_", "In0_"]
        .iter()
        .any(|begin| word.starts_with(begin));
    is_release || UPSTREAM.iter().any(|(official, _)| official.contains(word))
}

fn noticed() -> Result<(), Failed> {
    for name in [
        "GetConversationSummaryParamsForm1",
        "PatchChangeKind2",
        "CommandExecutionApprovalDecisionAcceptWithExecpolicyAmendment",
    ] {
        if fault(name).is_none() {
            return Err(format!("nothing is wrong with {name}").into());
        }
    }
    for name in ["FileChangeUntil0_58", "ToolsV2WebSearch", "ThreadStart"] {
        if let Some(fault) = fault(name) {
            return Err(fault.into());
        }
    }
    Ok(())
}

fn idle() -> Result<(), Failed> {
    none(&naming::table()?.idle(PLAN.names()))
}
