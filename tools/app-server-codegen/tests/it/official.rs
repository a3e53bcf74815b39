//! Model = official: what the model says of a release is what the documents of that release
//! say, exactly, before anything is corrected.

use std::collections::BTreeSet;

use app_server_codegen::archive::{Bundle, MessageFiles, Messages, Official, TypeScript};
use app_server_codegen::facts::{Place, differences};
use app_server_codegen::official::{CLASHES, read_knowing};
use app_server_codegen::{Error, Model, Snapshot};
use libtest_mimic::{Failed, Trial};

use crate::support::{MODEL, OFFICIALS, SNAPSHOTS, trial};

pub(crate) fn trials() -> Vec<Trial> {
    // A wide run compares all.
    let tried = sampling::spread(0..OFFICIALS.len(), 8);
    let releases = tried.into_iter().map(|at| {
        let name = format!("official::{}", OFFICIALS[at].release);
        trial(&name, move || {
            canonical(&OFFICIALS[at])?;
            equal(&SNAPSHOTS[at])
        })
    });
    let mut trials: Vec<Trial> = releases.collect();
    trials.push(trial("official::a-difference-is-noticed", noticed));
    trials.push(trial("official::clashes-are-all-there-are", clashes));
    trials
}

/// What is archived is in the form in which it would be archived again.
fn canonical(official: &Official) -> Result<(), Failed> {
    let (stable, experimental) = official.bundle.read()?;
    let bundle = Bundle::new(stable, experimental);
    let (stable, experimental) = official.messages.read()?;
    let again = |messages: Messages| {
        let paths = messages.files.keys();
        let contents = paths.filter_map(|path| Some((path.clone(), messages.content(path)?)));
        Messages::new(contents)
    };
    let messages = MessageFiles::new(again(stable), experimental.map(again));
    let (stable, experimental) = official.typescript.read()?;
    let typescript = TypeScript::new(stable, experimental);
    let release = official.release;
    let again = Official {
        release,
        bundle,
        messages,
        typescript,
    };
    match again == *official {
        true => Ok(()),
        false => Err("the archive has it in another form".into()),
    }
}

fn equal((stable, experimental): &(Snapshot, Option<Snapshot>)) -> Result<(), Failed> {
    // Where there is one document it speaks for both kinds of clients.
    for (document, is_experimental) in [
        (stable, false),
        (experimental.as_ref().unwrap_or(stable), true),
    ] {
        let places = unlike(&MODEL, document, is_experimental);
        if !places.is_empty() {
            let places: Vec<String> = places.iter().map(Place::to_string).collect();
            return Err(format!("differs at\n{}", places.join("\n")).into());
        }
    }
    Ok(())
}

/// Where the model says something else than a document.
fn unlike(model: &Model, document: &Snapshot, experimental: bool) -> Vec<Place> {
    let said = model.at(document.release, experimental);
    let found = differences(&document.facts(), &said.facts());
    // The facts are all a document says.
    assert_eq!(found.is_empty(), said == *document);
    found
        .into_iter()
        .map(|difference| difference.place)
        .collect()
}

fn noticed() -> Result<(), Failed> {
    let mut altered = SNAPSHOTS.last().ok_or("no releases")?.0.clone();
    altered.definitions.remove("Thread");
    let places: Vec<String> = unlike(&MODEL, &altered, false)
        .iter()
        .map(Place::to_string)
        .collect();
    let first: Vec<&str> = places.iter().take(2).map(String::as_str).collect();
    match first.as_slice() {
        ["Thread", "Thread.agentNickname"] => Ok(()),
        _ => Err(format!("{places:?}").into()),
    }
}

/// The names listed as meaning two things are those that do, in some document.
fn clashes() -> Result<(), Failed> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for official in OFFICIALS.iter() {
        let (stable, experimental) = official.bundle.read()?;
        for document in [Some(stable), experimental].into_iter().flatten() {
            loop {
                let known = found.iter().map(String::as_str).collect();
                match read_knowing(official.release, &document, &known) {
                    Ok(_) => break,
                    Err(Error::Clash { name, .. }) => found.insert(name),
                    Err(other) => return Err(other.into()),
                };
            }
        }
    }
    match found.iter().eq(CLASHES) {
        true => Ok(()),
        false => Err(format!("{found:#?}").into()),
    }
}
