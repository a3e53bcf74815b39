//! The comparison can fail: a model that differs from the types in one place is reported there.

use app_server_codegen::Model;
use app_server_codegen::overlay::Overlay;
use app_server_codegen::results::Results;
use app_server_codegen::store;
use codex_wire_schema::Stability;
use libtest_mimic::{Failed, Trial};

use super::{CORRECTED, compare, shown};

/// One way to alter the model.
struct Alteration {
    name: &'static str,
    /// Lines of the model to take away.
    remove: &'static str,
    /// Lines to add.
    add: &'static str,
    /// What has to be reported, and nothing else.
    reported: &'static [&'static str],
}

const ALTERATIONS: &[Alteration] = &[
    Alteration {
        name: "a member less",
        remove: "object Thread @ 0.58.0..\n  createdAt: int64",
        add: "",
        reported: &["Thread.createdAt: the model says nothing, the types say `int64`"],
    },
    Alteration {
        name: "a member more",
        remove: "",
        add: "object Thread @ 0.58.0..\n  changedAt: int64",
        reported: &["Thread.changedAt: the model says `int64`, the types say nothing"],
    },
    Alteration {
        name: "a member that may be left out",
        remove: "object Thread @ 0.58.0..\n  createdAt: int64",
        add: "object Thread @ 0.58.0..\n  createdAt?: int64",
        reported: &["Thread.createdAt: the model says `optional int64`, the types say `int64`"],
    },
    Alteration {
        name: "a member that is never null",
        remove: "object Thread @ 0.58.0..\n  agentRole?: string | null @ 0.105.0..",
        add: "object Thread @ 0.58.0..\n  agentRole?: string @ 0.105.0..",
        reported: &[
            "Thread.agentRole: the model says `optional string`, the types say `optional string | null`",
        ],
    },
    Alteration {
        name: "a type",
        remove: "object Thread @ 0.58.0..\n  createdAt: int64",
        add: "object Thread @ 0.58.0..\n  createdAt: uint32",
        reported: &["Thread.createdAt: the model says `uint32`, the types say `int64`"],
    },
    Alteration {
        name: "a value less",
        remove: "external TurnStatus @ 0.58.0..\n  failed @ 0.65.0..",
        add: "",
        reported: &["TurnStatus \"failed\": the model says nothing, the types say it is there"],
    },
    Alteration {
        name: "a value more",
        remove: "",
        add: "external TurnStatus @ 0.58.0..\n  postponed",
        reported: &["TurnStatus \"postponed\": the model says it is there, the types say nothing"],
    },
    Alteration {
        name: "a list of values that takes others",
        remove: "",
        add: "external TurnStatus @ 0.58.0..\n  ...",
        reported: &["TurnStatus: the model says `open list`, the types say `list`"],
    },
    Alteration {
        name: "what a kind holds",
        remove: "external ReviewDecision @ 0.58.0..\n  denied: ReviewDecisionDenied @ 0.145.0..",
        add: "external ReviewDecision @ 0.58.0..\n  denied: string @ 0.145.0..",
        reported: &[
            "ReviewDecision {\"denied\"}: the model says `string`, the types say `ReviewDecisionDenied`",
            "ReviewDecisionDenied: the model says nothing, the types say `object`",
            "ReviewDecisionDenied.rejection: the model says nothing, the types say `string`",
        ],
    },
    Alteration {
        name: "a member of a variant",
        remove: "tagged ThreadItem by type @ 0.58.0..\n  agentMessage\n    text: string",
        add: "tagged ThreadItem by type @ 0.58.0..\n  agentMessage\n    text: string | null",
        reported: &[
            "ThreadItem::agentMessage.text: the model says `string | null`, the types say `string`",
        ],
    },
    Alteration {
        name: "a variant more",
        remove: "",
        add: "tagged ThreadItem by type @ 0.58.0..\n  postponed @ 0.169.0..\n    id: string",
        reported: &[
            "ThreadItem::postponed: the model says it is there, the types say nothing",
            "ThreadItem::postponed.completedAtMs: the model says `optional int64 | null`, the types say nothing",
            "ThreadItem::postponed.id: the model says `string`, the types say nothing",
            "ThreadItem::postponed.startedAtMs: the model says `optional int64 | null`, the types say nothing",
        ],
    },
    Alteration {
        name: "an alternative more",
        remove: "",
        add: "any-of RequestId @ 0.58.0..\n  boolean",
        reported: &["RequestId | boolean: the model says it is there, the types say nothing"],
    },
    Alteration {
        name: "a method less",
        remove: "server notification turn/started: TurnStartedNotification @ 0.58.0..",
        add: "",
        reported: &[
            "server notification turn/started: the model says nothing, the types say it is there",
            "server notification turn/started.params: the model says nothing, the types say `TurnStartedNotification`",
            "TurnStartedNotification: the model says nothing, the types say `object`",
            "TurnStartedNotification.threadId: the model says nothing, the types say `string`",
            "TurnStartedNotification.turn: the model says nothing, the types say `Turn`",
        ],
    },
    Alteration {
        name: "a method more",
        remove: "",
        add: "server notification turn/postponed: TurnStartedNotification @ 0.169.0..",
        reported: &[
            "server notification turn/postponed: the model says it is there, the types say nothing",
            "server notification turn/postponed.params: the model says `TurnStartedNotification`, the types say nothing",
        ],
    },
    Alteration {
        name: "params that may be left out",
        remove: "client request turn/interrupt: TurnInterruptParams @ 0.58.0..",
        add: "client request turn/interrupt?: TurnInterruptParams @ 0.58.0..",
        reported: &[
            "client request turn/interrupt.params: the model says `optional TurnInterruptParams`, the types say `TurnInterruptParams`",
        ],
    },
    Alteration {
        name: "a member of the envelope",
        remove: "server notification beside emittedAtMs?: int64 @ 0.145.0..",
        add: "server notification beside emittedAtMs: int64 @ 0.145.0..",
        reported: &[
            "every server notification.emittedAtMs: the model says `int64`, the types say `optional int64`",
        ],
    },
    Alteration {
        name: "an object that is closed",
        remove: "",
        add: "object Thread @ 0.58.0..\n  closed",
        reported: &["Thread: the model says `closed object`, the types say `object`"],
    },
];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |alteration: &'static Alteration| {
        let name = alteration.name.replace(' ', "-");
        Trial::test(format!("agreement::altered::{name}"), move || {
            reported(alteration)
        })
    };
    let mut trials: Vec<Trial> = ALTERATIONS.iter().map(trial).collect();
    trials.push(Trial::test("agreement::altered::stability", stability));
    trials.push(Trial::test("agreement::altered::result", result));
    trials
}

fn reported(alteration: &Alteration) -> Result<(), Failed> {
    let Alteration {
        remove,
        add,
        reported,
        ..
    } = alteration;
    let model = altered(remove, add)?;
    let found = found(&model, &CORRECTED.1.results, Stability::Experimental)?;
    expect(&found, reported)
}

/// The corrected model, with lines taken away and added.
fn altered(remove: &str, add: &str) -> Result<Model, Failed> {
    let text = format!(
        "[[entry]]\nreason = \"r\"\nevidence = \"e\"\nremove = '''\n{remove}\n'''\nadd = '''\n{add}\n'''\n"
    );
    Ok(Overlay::parse(&text)?.apply(&CORRECTED.0)?)
}

fn found(model: &Model, results: &Results, stability: Stability) -> Result<Vec<String>, Failed> {
    let release = *model.releases.last().ok_or("no releases")?;
    let (_, found) = compare(model, results, release, stability)?;
    Ok(found.iter().map(shown).collect())
}

fn expect(found: &[String], reported: &[&str]) -> Result<(), Failed> {
    if found == reported {
        return Ok(());
    }
    Err(format!("reported was\n{}\n", found.join("\n")).into())
}

/// What only the experimental API has is not in the stable one.
fn stability() -> Result<(), Failed> {
    let line = "object Thread @ 0.58.0..\n  environments?: [ThreadEnvironment] | null";
    let model = altered(
        &format!("{line} @ exp 0.154.0.."),
        &format!("{line} @ 0.154.0.."),
    )?;
    let results = &CORRECTED.1.results;
    expect(&found(&model, results, Stability::Experimental)?, &[])?;
    let found = found(&model, results, Stability::Stable)?;
    let expected = "Thread.environments: the model says `optional [ThreadEnvironment] | null`, the types say nothing";
    match found.iter().any(|line| line == expected) {
        true => Ok(()),
        false => Err(format!("reported was\n{}\n", found.join("\n")).into()),
    }
}

fn result() -> Result<(), Failed> {
    let text = std::fs::read_to_string(store::folder().join("results.toml"))?;
    let text = text.replacen(
        "[client-requests]\n",
        "[client-requests]\n\"turn/interrupt\" = \"ThreadArchiveResponse\"\n",
        1,
    );
    let results = Results::parse(&text)?;
    expect(
        &found(&CORRECTED.0, &results, Stability::Experimental)?,
        &[
            "client request turn/interrupt result: the model says `ThreadArchiveResponse`, the types say `TurnInterruptResponse`",
            "TurnInterruptResponse: the model says nothing, the types say `object`",
        ],
    )
}
