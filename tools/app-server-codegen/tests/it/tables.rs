//! The tables beside the model: they speak of what there is, and of all that they have to.

use std::collections::BTreeSet;

use app_server_codegen::accessors::Accessors;
use app_server_codegen::overlay::Overlay;
use app_server_codegen::results::Results;
use app_server_codegen::rust::{self, Sources};
use app_server_codegen::{Kind, Model};
use libtest_mimic::{Failed, Trial};

use crate::support::{CORRECTED, MODEL, PLAN, TABLES, WRITTEN, none, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("tables::every-definition-has-a-domain", placed),
        trial("tables::every-rule-of-a-domain-is-used", rules),
        trial("tables::every-method-and-item-has-a-sentence", sentences),
        trial("tables::no-sentence-is-about-nothing", dead),
        trial(
            "tables::what-is-always-written-is-never-absent",
            never_absent,
        ),
        trial("tables::every-entry-of-features-names-a-method", features),
        trial("tables::every-request-has-a-result", results),
        trial("tables::what-code-reads-is-there", read),
        trial("tables::what-code-reads-is-there-in-all-releases", stays),
        trial("tables::corrections-need-reason-and-evidence", reasons),
        trial("tables::corrections-fit-or-fail", corrections),
    ]
}

fn placed() -> Result<(), Failed> {
    let names = CORRECTED.definitions.keys();
    let homeless: Vec<String> = names
        .filter(|name| TABLES.domains.of(name).is_none())
        .cloned()
        .collect();
    none(&homeless)
}

fn rules() -> Result<(), Failed> {
    none(&TABLES.domains.idle(CORRECTED.definitions.keys()))
}

fn features() -> Result<(), Failed> {
    let methods = CORRECTED.methods.keys().map(|(_, method)| method.as_str());
    let idle = TABLES.features.idle(methods);
    none(&idle.into_iter().map(str::to_owned).collect::<Vec<_>>())
}

fn sentences() -> Result<(), Failed> {
    none(&TABLES.docs.missing(&CORRECTED))
}

fn dead() -> Result<(), Failed> {
    none(&TABLES.docs.unknown(&CORRECTED))
}

/// What is written in every message is `null` where there is nothing to say.
fn never_absent() -> Result<(), Failed> {
    let members = WRITTEN.members().map(|(member, _)| member);
    let said =
        members.filter_map(|(owner, name)| Some((owner, name, TABLES.docs.member(owner, name)?)));
    let wrong = said.filter(|(.., sentence)| sentence.contains("absent"));
    none(
        &wrong
            .map(|(owner, name, sentence)| format!("{owner}.{name}: {sentence}"))
            .collect::<Vec<_>>(),
    )
}

/// In every release that has the request exactly one definition answers it.
fn results() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (kind, method) in CORRECTED
        .methods
        .keys()
        .filter(|(kind, _)| kind.is_request())
    {
        let answers = TABLES.results.of(&CORRECTED, *kind, method)?;
        for (release, channels) in CORRECTED.method_availability(*kind, method).iter() {
            for (experimental, wanted) in [(false, channels.stable), (true, channels.experimental)]
            {
                let availabilities = answers.values();
                let count = availabilities
                    .filter(|availability| availability.holds(release, experimental))
                    .count();
                if count != usize::from(wanted) {
                    complaints.push(format!("{method} in {release}: {count} results"));
                }
            }
        }
    }
    none(&complaints)?;
    let nonsense = Results::parse("[client-requests]\n\"turn/start\" = \"Nonsense\"\n")?;
    match nonsense.of(&CORRECTED, Kind::ClientRequest, "turn/start") {
        Err(error) if error.to_string().contains("there is no `Nonsense`") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// Every accessor leads somewhere in the types of all releases, by each of its paths.
fn read() -> Result<(), Failed> {
    none(&rust::missing(&TABLES.accessors, &PLAN))?;
    let nonsense = Accessors::parse(
        "details = [\"Nonsense\"]\n\
         [media]\n\"UserInput::image\" = [\"url as Url\", \"words as File\"]\n\
         [TodoItem]\ntext = { is = \"string\", of = [\"text\", \"words\"] }\n\
         completed = { is = \"string\", of = [\"completed\"] }\n\
         [\"ThreadItem::nonsense\"]\nid = { is = \"string\", of = [\"id\"] }\n\
         [ThreadItem]\ncommand = { is = \"string\", of = [\"plan.command\"] }\n",
    )?;
    let expected = [
        "accessors.toml: there is no Nonsense",
        "accessors.toml: UserInput::image: no words is string",
        "accessors.toml: ThreadItem: no plan.command is string",
        "accessors.toml: there is no ThreadItem::nonsense",
        "accessors.toml: TodoItem: no completed is string",
        "accessors.toml: TodoItem: no words is string",
    ];
    match rust::missing(&nonsense, &PLAN) {
        found if found == expected => Ok(()),
        found => Err(found.join("\n").into()),
    }
}

/// Without the ten newest releases, types have the same accessors with the same results.
fn stays() -> Result<(), Failed> {
    let all = accessors(&MODEL)?;
    if all.len() < 30 {
        return Err(format!("only {all:?}").into());
    }
    let mut model = MODEL.clone();
    for release in MODEL.releases.iter().rev().take(10) {
        model.forget(*release);
    }
    let left = accessors(&model)?;
    let gone: Vec<String> = all.difference(&left).cloned().collect();
    none(&gone)
}

/// The accessors of a model, each with its type and its result.
fn accessors(model: &Model) -> Result<BTreeSet<String>, Failed> {
    let corrected = TABLES.overlay.of(model).apply(model)?;
    let sources = Sources {
        model: &corrected,
        written: &WRITTEN,
        domains: &TABLES.domains,
        features: &TABLES.features,
        docs: &TABLES.docs,
        results: &TABLES.results,
        accessors: &TABLES.accessors,
    };
    let files = rust::generate(&sources)?;
    let mut found = BTreeSet::new();
    let mut owner = "";
    for line in files["accessors.rs"].lines().map(str::trim) {
        if line.starts_with("impl ") {
            owner = line;
        } else if line.starts_with("pub(crate) fn ") {
            found.insert(format!("{owner} {line}"));
        }
    }
    Ok(found)
}

fn reasons() -> Result<(), Failed> {
    for text in [
        "[[entry]]\nreason = \"r\"\nevidence = \" \"\n",
        "[[entry]]\nreason = \"\"\nevidence = \"e\"\n",
        "[[entry]]\nreason = \"r\"\n",
    ] {
        if Overlay::parse(text).is_ok() {
            return Err(format!("accepted: {text}").into());
        }
    }
    Ok(())
}

/// A correction of what is not there is no correction.
fn corrections() -> Result<(), Failed> {
    for lines in [
        "remove = '''\nobject Thread @ 0.58.0..\n  nonsense: string\n'''",
        "remove = '''\nexternal Thread @ 0.58.0..\n  nonsense\n'''",
        "remove = '''\nclient request turn/nonsense: TurnStartParams @ 0.58.0..\n'''",
        "drop = [\"tagged Thread by type\"]",
    ] {
        let text = format!("[[entry]]\nreason = \"r\"\nevidence = \"e\"\n{lines}\n");
        if Overlay::parse(&text)?.apply(&MODEL).is_ok() {
            return Err(format!("accepted: {lines}").into());
        }
    }
    Ok(())
}
