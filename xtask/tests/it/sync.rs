//! `sync`: what it says of an installed Codex, and that it changes what has changed and nothing
//! else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use app_server_codegen::Model;
use app_server_codegen::archive::{Bundle, Official};
use app_server_codegen::repository::Tables;
use codex_wire::Release;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use similar::TextDiff;
use xtask::app_server::{Known, binaries, official};

static KNOWN: LazyLock<Known> = LazyLock::new(|| Known::load().unwrap());

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::load().unwrap());

/// The release whose program tests ask.
const PROGRAM: Release = Release::new(0, 169, 0);

pub(crate) fn trials() -> Vec<Trial> {
    let program = binaries::find("0.169.0");
    let asks = |name: &str, test: fn(&Path) -> Result<(), Failed>| {
        let program: PathBuf = program.clone().unwrap_or_default();
        let missing = !program.exists();
        Trial::test(format!("sync::{name}"), move || test(&program))
            .with_kind(if missing { "needs 0.169.0" } else { "" })
            .with_ignored_flag(missing)
    };
    vec![
        asks("an-installed-codex-says-what-is-known", known),
        asks("an-installed-codex-is-new-to-an-older-model", new),
        Trial::test(
            "sync::a-release-that-only-confirms-changes-the-timeline",
            confirms,
        ),
        Trial::test("sync::releases-come-in-any-order", any_order),
        Trial::test("sync::a-release-is-folded-out", folded_out),
        Trial::test("sync::every-sort-of-change-is-reported", reported),
        Trial::test("sync::what-the-tables-lack-is-reported-at-once", lacking),
        Trial::test("sync::what-is-no-codex-is-refused", refused),
    ]
}

/// The release that is known, once more: nothing is new, and its bundle is the archived one.
fn known(program: &Path) -> Result<(), Failed> {
    let mut known = KNOWN.clone();
    let said = known.learn(official(program)?, &TABLES)?;
    expect(&said, "0.169.0 against what was known of it: nothing new\n")?;
    same(&known)
}

/// The same to a model without it: exactly what changed since the release before.
fn new(program: &Path) -> Result<(), Failed> {
    let mut known = KNOWN.clone();
    known.forget(PROGRAM);
    let said = known.learn(official(program)?, &TABLES)?;
    golden("sync-0.169.0.txt", &said);
    same(&known)
}

fn same(known: &Known) -> Result<(), Failed> {
    if known.model != KNOWN.model {
        return Err("the model is another".into());
    }
    if known.officials != KNOWN.officials {
        return Err("the archive is another".into());
    }
    Ok(())
}

/// A later release with the documents of the newest.
fn confirms() -> Result<(), Failed> {
    let mut later = KNOWN.officials.last().ok_or("no releases")?.clone();
    let newest = later.release;
    later.release = Release::new(1, 0, 0);
    let mut known = KNOWN.clone();
    let said = known.learn(later, &TABLES)?;
    expect(&said, &format!("1.0.0 against {newest}: nothing new\n"))?;
    let changed = changed(&KNOWN.files(&TABLES)?, &known.files(&TABLES)?);
    let expected = [
        (
            "crates/codex-wire-base/src/release_list/app_server.rs",
            "Release::new(1, 0, 0),",
        ),
        ("tools/app-server-codegen/model/methods.model", "1.0.0"),
    ];
    let paths: Vec<&str> = changed.iter().map(|(path, _)| &**path).collect();
    expect(
        &paths.join("\n"),
        &expected.map(|(path, _)| path).join("\n"),
    )?;
    for ((_, lines), (_, added)) in changed.iter().zip(expected) {
        let side = |sign: char| -> String {
            let lines = lines.iter().filter_map(|line| line.strip_prefix(sign));
            lines.collect::<String>().replace(' ', "")
        };
        let with = side('+');
        let without = with.replacen(&added.replace(' ', ""), "", 1);
        if without == with || without != side('-') {
            return Err(lines.join("\n").into());
        }
    }
    Ok(())
}

/// The lines that differ between two sets of files.
fn changed(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<(String, Vec<String>)> {
    assert!(before.keys().eq(after.keys()), "other files");
    let mut out = Vec::new();
    for (path, old) in before.iter().filter(|(path, old)| after[*path] != **old) {
        let diff = TextDiff::from_lines(old.as_str(), after[path].as_str());
        let changes = diff
            .iter_all_changes()
            .filter(|c| c.tag() != similar::ChangeTag::Equal);
        let lines = changes.map(|change| format!("{}{}", change.tag(), change.value().trim_end()));
        out.push((path.clone(), lines.collect()));
    }
    out
}

/// The first release, one in the middle and the last, taken out and learnt in another order.
fn any_order() -> Result<(), Failed> {
    let all = &KNOWN.officials;
    let some = [0, all.len() / 2, all.len() - 1].map(|at| all[at].clone());
    let mut known = KNOWN.clone();
    some.iter()
        .for_each(|official| known.forget(official.release));
    let [first, middle, last] = some;
    for official in [middle, last, first.clone()] {
        let release = official.release;
        let said = known.learn(official, &TABLES)?;
        if release == first.release {
            expect(&said, "0.58.0 is the oldest release\n")?;
        } else if !said.starts_with(&format!("{release} against ")) {
            return Err(said.into());
        }
    }
    same(&known)
}

/// The newest release is folded out: no file is left that speaks of it, and folded in again
/// everything is as it was.
fn folded_out() -> Result<(), Failed> {
    let mut known = KNOWN.clone();
    let [.., before, newest] = &KNOWN.officials[..] else {
        return Err("fewer than two releases".into());
    };
    let (left, before, release) = (KNOWN.officials.len() - 1, before.release, newest.release);
    let said = known.unlearn(release)?;
    expect(
        &said,
        &format!("{release} is folded out; {left} releases are left, the newest is {before}\n"),
    )?;
    let dotted = release.to_string();
    let spellings = [dotted.clone(), dotted.replace('.', ", ")];
    for (path, text) in known.files(&TABLES)? {
        if let Some(spelled) = spellings.iter().find(|spelled| text.contains(*spelled)) {
            return Err(format!("{path} says {spelled}").into());
        }
    }
    let error = known.unlearn(release).err().ok_or("folded out twice")?;
    expect(
        &error.to_string(),
        &format!("{release} is not among the releases that are known"),
    )?;
    known.learn(newest.clone(), &TABLES)?;
    same(&known)?;
    // As CONTRIBUTING.md has it.
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["sync", "--forget", &*dotted, "--dry-run"])
        .output()?;
    let printed = String::from_utf8(output.stdout)?;
    let begins = format!("{said}would change the archive of official schemas\nwould change ");
    match output.status.success() && printed.starts_with(&begins) {
        true => Ok(()),
        false => Err(format!("{printed}{}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// A small protocol of two releases.
fn reported() -> Result<(), Failed> {
    let object = |members: Value, required: Value| json!({"type": "object", "properties": members, "required": required});
    let text = json!({"type": "string"});
    let request = |method: &str, params: &str| {
        let params = json!({"$ref": format!("#/definitions/v2/{params}")});
        object(
            json!({"method": {"enum": [method]}, "params": params}),
            json!(["method", "params"]),
        )
    };
    let empty = object(json!({}), json!([]));
    let document = |requests: Vec<Value>, v2: Value| json!({"definitions": {"ClientRequest": {"oneOf": requests}, "v2": v2}});
    let older = document(
        vec![
            request("thread/archive", "ThreadArchiveParams"),
            request("thread/compact", "ThreadCompactParams"),
        ],
        json!({
            "ThreadArchiveParams": object(json!({"threadId": text}), json!(["threadId"])),
            "ThreadArchiveResponse": empty,
            "ThreadCompactParams": empty,
            "ThreadCompactResponse": empty,
            "TurnStatus": {"enum": ["completed", "failed"], "type": "string"},
        }),
    );
    let newer = |extra: bool| {
        let mut params = json!({"threadId": {"type": ["string", "null"]}, "reason": text});
        if extra {
            params["purge"] = json!({"type": "boolean"});
        }
        document(
            vec![
                request("thread/archive", "ThreadArchiveParams"),
                request("thread/delete", "ThreadDeleteParams"),
            ],
            json!({
                "ThreadArchiveParams": object(params, json!(["threadId"])),
                "ThreadArchiveResponse": empty,
                "ThreadDeleteParams": object(json!({"threadId": text}), json!(["threadId"])),
                "ThreadDeleteResponse": empty,
                "TurnStatus": {"enum": ["completed", "running"], "type": "string"},
                "Walrus": empty,
            }),
        )
    };
    let mut known = Known {
        officials: Vec::new(),
        model: Model::default(),
    };
    let official = |minor, stable, experimental| {
        Official::bundle(Release::new(0, minor, 0), Bundle::new(stable, experimental))
    };
    known.learn(official(100, older, None), &TABLES)?;
    let said = known.learn(official(101, newer(false), Some(newer(true))), &TABLES)?;
    golden("sync-small.txt", &said);
    Ok(())
}

/// A definition, a request and a correction that the tables do not speak of.
fn lacking() -> Result<(), Failed> {
    let newest = KNOWN.officials.last().ok_or("no releases")?;
    let (mut stable, mut experimental) = newest.bundle.read()?;
    for document in [Some(&mut stable), experimental.as_mut()]
        .into_iter()
        .flatten()
    {
        let definitions = &mut document["definitions"];
        definitions["v2"]["Walrus"] = json!({"type": "object"});
        let requests = definitions["ClientRequest"]["oneOf"].as_array_mut();
        requests.ok_or("no requests")?.push(json!({
            "type": "object",
            "properties": {"method": {"enum": ["walrus/feed"]}},
            "required": ["method"],
        }));
    }
    let mut known = KNOWN.clone();
    known.fold(Official::bundle(
        Release::new(1, 0, 0),
        Bundle::new(stable, experimental),
    ))?;
    let error = known.files(&TABLES).err().ok_or("the tables fit")?;
    expect(
        &error.to_string(),
        "the tables in tools/app-server-codegen do not fit:\n\
         model/domains.toml places `Walrus` in no domain\n\
         model/results.toml: nothing says what answers `walrus/feed`",
    )
}

fn refused() -> Result<(), Failed> {
    let missing = Path::new("/nonexistent/codex");
    let error = official(missing).err().ok_or("nothing says something")?;
    expect(&error.to_string(), "\"/nonexistent/codex\" \"--version\"")?;
    let error = official(Path::new("rustfmt"))
        .err()
        .ok_or("rustfmt is not Codex")?;
    match error.to_string().ends_with("names no release") {
        true => Ok(()),
        false => Err(error.to_string().into()),
    }
}

fn expect(actual: &str, expected: &str) -> Result<(), Failed> {
    if actual == expected {
        return Ok(());
    }
    let diff = TextDiff::from_lines(expected, actual);
    Err(diff.unified_diff().to_string().into())
}

/// Compares with a golden file.
fn golden(name: &str, actual: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    golden_files::assert_file(&folder.join(name), actual);
}
