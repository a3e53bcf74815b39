//! Fixtures, and what the checker says of one that is played.

use std::collections::BTreeMap;
use std::fs;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Finding, Options, Profile, Severity, Writer as Side};
use codex_wire_replay::{About, ExecPlay, Lines, RecordedLine, Recording, Writer, manifest};

use crate::client::{Client, Double, fixtures};

/// The folders of fixtures, with what their recordings speak.
pub(crate) const FOLDERS: &[(&str, MessageSet)] = &[
    ("exec", MessageSet::Exec),
    ("exec-legacy", MessageSet::ExecLegacy),
    ("core", MessageSet::CoreEvents),
    ("app-server", MessageSet::AppServerServerNotifications),
];

/// All recordings of a folder, with their releases known.
pub(crate) fn recordings(folder: &str) -> Vec<Recording> {
    let root = fixtures().join(folder);
    let known: BTreeMap<String, About> = match fs::read(root.join("manifest.json")) {
        Ok(bytes) => manifest(&bytes).unwrap().into_iter().collect(),
        Err(_) => BTreeMap::new(),
    };
    let mut out = Vec::new();
    for release in fs::read_dir(&root).unwrap() {
        let release = release.unwrap().path();
        if !release.is_dir() {
            continue;
        }
        for file in fs::read_dir(&release).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            let name = name.replace('\\', "/");
            let about = known.get(&name).cloned().unwrap_or_default();
            let bytes = fs::read(&path).unwrap();
            let recording = Recording::read(&format!("{folder}/{name}"), bytes, about);
            out.push(recording.unwrap());
        }
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() > 50, "{} recordings of {folder}", out.len());
    out
}

/// Checkers of exactly what a release writes.
#[derive(Default)]
pub(crate) struct Checkers(BTreeMap<(Protocol, Release), Checker>);

impl Checkers {
    fn of(&mut self, recording: &Recording) -> &Checker {
        let release = recording.about.release.unwrap();
        let list = match recording.protocol.release_list().floor(release) {
            Some(listed) => listed,
            None => release,
        };
        let key = (recording.protocol, list);
        self.0.entry(key).or_insert_with(|| {
            let mut options = Options::exact(recording.protocol, list);
            options.profile = Profile::Exact;
            Checker::new(options).unwrap()
        })
    }

    /// What is wrong with what is written if the recording is played to a client that does what the
    /// recorded one did.
    pub(crate) fn findings(&mut self, recording: &Recording) -> Vec<Finding> {
        let checker = self.of(recording);
        let mut findings = match recording.protocol {
            Protocol::Exec => {
                let transcript = run(recording);
                checker
                    .check(&recording.name, transcript.as_bytes())
                    .findings
            }
            _ => played(recording, checker),
        };
        findings.retain(|finding| {
            finding.severity > Severity::Note && finding.writer != Some(Side::Client)
        });
        findings
    }
}

/// What a run writes, with its exit status.
fn run(recording: &Recording) -> String {
    let play = ExecPlay::new(recording);
    let lines = (1..)
        .zip(play.lines())
        .map(|(number, (_, line))| RecordedLine {
            writer: Writer::Codex,
            connection: 0,
            ms: None,
            number,
            text: String::from_utf8_lossy(&line).trim_end_matches('\n').into(),
        });
    let lines = Lines::Transcript(lines.collect());
    Recording {
        lines,
        ..recording.clone()
    }
    .to_transcript()
}

/// Plays a conversation, each connection by itself.
fn played(recording: &Recording, checker: &Checker) -> Vec<Finding> {
    let mut connections: Vec<u32> = recording.lines().iter().map(|l| l.connection).collect();
    connections.sort_unstable();
    connections.dedup();
    let [connection] = connections[..] else {
        let transcript = recording.to_transcript();
        return checker
            .check(&recording.name, transcript.as_bytes())
            .findings;
    };
    let mut client = Client::new(std::slice::from_ref(recording), checker);
    let double = Double::new(recording, connection);
    double.run(&mut client);
    let heard = client.heard.len();
    let recorded = double.lines(Writer::Codex).len();
    let name = recording.name.clone();
    assert!(
        heard * 10 >= recorded * 9,
        "{name}: {heard} lines instead of {recorded}: {:?}",
        client.missed.first()
    );
    client.leave()
}

/// Numbers from a seed.
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }
}
