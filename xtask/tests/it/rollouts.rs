//! What `sync` says of the session files of an installed Codex.

use std::path::{Path, PathBuf};

use codex_wire::Release;
use libtest_mimic::{Failed, Trial};
use xtask::app_server::binaries;
use xtask::repository;
use xtask::rollouts::{FILE, Members, Recorded, record, report};

pub(crate) fn trials() -> Vec<Trial> {
    let program: PathBuf = binaries::find("0.169.0").unwrap_or_default();
    let missing = !program.exists();
    vec![
        Trial::test(
            "rollouts::an-installed-codex-leaves-what-is-known",
            move || installed(&program),
        )
        .with_kind(if missing { "needs 0.169.0" } else { "" })
        .with_ignored_flag(missing),
        Trial::test("rollouts::what-is-new-or-not-recorded-is-said", said),
    ]
}

/// The release whose program is asked.
const PROGRAM: Release = Release::new(0, 169, 0);

fn known() -> Members {
    let text = std::fs::read_to_string(repository().join(FILE)).unwrap();
    Members::parse(&text).unwrap()
}

/// Some scenes with the release that is known leave nothing new; to a release that lacks a member they
/// do.
fn installed(program: &Path) -> Result<(), Failed> {
    let recorded = record(PROGRAM, program, "exec/patch")?;
    let new = |known: &Members| -> Vec<String> {
        let mut changes = recorded.members.changes_since(known);
        // Other scenes are not played.
        changes.retain(|change| change.starts_with("new"));
        changes
    };
    if recorded.files != 2 || !recorded.failed.is_empty() || !new(&known()).is_empty() {
        return Err(format!("{recorded:?}: {:?}", new(&known())).into());
    }
    let text: String = known()
        .text()
        .lines()
        .filter(|line| !line.contains("account_scoped") && !line.contains("<FileChange>"))
        .map(|line| format!("{line}\n"))
        .collect();
    let expected = [
        "new      event_msg:item_completed.item<FileChange>: object",
        "new      session_meta.account_scoped: boolean",
    ];
    match new(&Members::parse(&text)?) {
        new if new == expected => Ok(()),
        new => Err(format!("{new:#?}").into()),
    }
}

fn said() -> Result<(), Failed> {
    let line = r#"{"timestamp":"t","type":"novelty","payload":{"a":1}}"#;
    let mut members = Members::new(Release::new(0, 170, 0));
    members.add_file(line.as_bytes())?;
    let mut recorded = Recorded {
        members,
        files: 1,
        failed: vec!["rollout/goal: it does not end".to_owned()],
    };
    let known = Members::parse("release 0.169.0\nline.timestamp: string\nworld_state: object\n")?;
    let expected = "session files: 0.170.0 against 0.169.0, in 1 files\n  \
                    new      novelty: object\n  \
                    gone     world_state: object\n\
                    describe what is new in crates/codex-wire/src/rollout; what is gone may be missing \
                    because a scene failed\n\
                    needs a recording: rollout/goal: it does not end\n";
    let found = report(&recorded, &known);
    if found != expected {
        return Err(found.into());
    }
    recorded.files = 0;
    let found = report(&recorded, &known);
    let expected = "session files: 0.170.0 against 0.169.0: none was recorded\n\
                    needs a recording: rollout/goal: it does not end\n";
    match found == expected {
        true => Ok(()),
        false => Err(found.into()),
    }
}
