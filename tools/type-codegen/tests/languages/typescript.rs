//! The TypeScript types, under `tsc --strict`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use codex_wire_base::Release;
use codex_wire_schema::{BundleName, own};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use type_codegen::{Releases, formats, typescript};

use crate::install::{TYPESCRIPT, done};
use crate::mutants::mutants;
use crate::readme::blocks;
use crate::recorded::{Names, Recorded, Validators, What, kind, least, lines};
use crate::sessions::{self, written};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = TYPESCRIPT.check().err();
    let name = match &missing {
        Some(reason) => format!("typescript: {reason}"),
        None => "typescript".to_owned(),
    };
    let run = || check().map_err(Failed::from);
    let session = || sessions().map_err(Failed::from);
    let unbuilt = sessions::missing();
    let of_sessions = match &unbuilt {
        None => format!("{name}: sessions"),
        Some(reason) => format!("{name}: sessions: {reason}"),
    };
    vec![
        Trial::test(of_sessions, session).with_ignored_flag(missing.is_some() || unbuilt.is_some()),
        Trial::test(name, run).with_ignored_flag(missing.is_some()),
    ]
}

/// What the program writes satisfies the types of its formats, and what their schemas refuse does not.
fn sessions() -> Result<(), String> {
    let folder = TYPESCRIPT.folder().join("sessions");
    let mut sources = BTreeMap::new();
    let config = r#"{"extends": "../tsconfig.json", "include": ["sources"]}"#;
    sources.insert("tsconfig.json".to_owned(), config.to_owned());
    let base = fs::read_to_string(TYPESCRIPT.source().join("tsconfig.json")).expect("a source");
    sources.insert("../tsconfig.json".to_owned(), base);
    for own in formats::own().map_err(|error| error.to_string())? {
        let text = own.format.typescript(&own.origin);
        sources.insert(format!("sources/{}.d.ts", own.module), text);
    }
    let documents = written()?;
    let mut wrong = 0;
    for (module, document, schema) in [
        ("session", "Session", own::SESSION),
        ("usage", "Usage", own::USAGE),
    ] {
        let values: Vec<&Value> = documents
            .iter()
            .filter(|written| written.module == module)
            .map(|written| &written.value)
            .collect();
        let mut text = format!("import type {{ {document} }} from \"./{module}.js\";\n");
        let tried = match sampling::is_wide() {
            true => values.clone(),
            false => sampling::spread(values.iter().copied(), 80),
        };
        for value in tried {
            let _ = writeln!(text, "({}) satisfies {document};", literal(value));
        }
        let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
        let schema = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
        for value in shortest(&values) {
            for mutant in mutants(value).iter().filter(|one| !schema.is_valid(one)) {
                wrong += 1;
                let mutant = literal(mutant);
                let _ = writeln!(
                    text,
                    "// @ts-expect-error\n({mutant}) satisfies {document};"
                );
            }
        }
        sources.insert(format!("sources/written-{module}.ts"), text);
    }
    assert!(wrong > 500, "only {wrong} mutants");
    write_all(&folder, &sources);
    let mut node = Command::new("node");
    node.args([
        "--max-old-space-size=4096",
        "../node_modules/typescript/bin/tsc",
    ]);
    done(node.args(["--project", "."]).current_dir(&folder))
}

/// The shortest document with each kind of item, and the shortest of all.
fn shortest<'v>(documents: &[&'v Value]) -> Vec<&'v Value> {
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        let length = document.to_string().len();
        let turns = document["threads"].as_array().into_iter().flatten();
        // What is wrong is put into the first of each list.
        let items = turns.map(|thread| &thread["turns"][0]["items"][0]["type"]);
        let kinds_of = items.filter_map(|kind| Some(kind.as_str()?.to_owned()));
        for kind in kinds_of.take(1).chain([String::new()]) {
            let known = kinds.entry(kind).or_insert((length, index));
            *known = (*known).min((length, index));
        }
    }
    let found: BTreeSet<usize> = kinds.into_values().map(|(_, index)| index).collect();
    found.into_iter().map(|index| documents[index]).collect()
}

/// Every recorded line satisfies the type of its release, and wrong ones do not. The compiler runs
/// once: it would read the types again each time.
fn check() -> Result<(), String> {
    let folder = TYPESCRIPT.folder();
    let package = folder.join("node_modules").join(typescript::PACKAGE);
    write_all(&package, &typescript::files(Releases::All));
    let lines = lines();
    let mut sources = recorded(lines);
    sources.extend(of_any_release(lines));
    sources.extend(wrong(lines));
    for (name, to) in [
        ("program.ts", "sources/program.ts"),
        ("any.ts", "sources/any.ts"),
        ("tsconfig.json", "tsconfig.json"),
    ] {
        let text = fs::read_to_string(TYPESCRIPT.source().join(name)).expect("a source");
        sources.insert(to.to_owned(), text);
    }
    // The examples of the README compile as they are written.
    let mut switches = 0;
    for (index, block) in blocks("packages/types/README.md", "ts")?
        .into_iter()
        .enumerate()
    {
        for (case, text) in incomplete(&block).into_iter().enumerate() {
            switches += 1;
            sources.insert(format!("sources/readme-{index}-without-{case}.ts"), text);
        }
        sources.insert(format!("sources/readme-{index}.ts"), block);
    }
    assert_eq!(
        switches, 17,
        "a switch of the README without one of its cases"
    );
    // What an earlier run wrote.
    let _ = fs::remove_dir_all(folder.join("sources"));
    write_all(&folder, &sources);
    let mut node = Command::new("node");
    node.args([
        "--max-old-space-size=4096",
        "node_modules/typescript/bin/tsc",
    ]);
    done(node.args(["--project", "."]).current_dir(&folder))
}

/// A `switch` that handles every known kind, each time without one of them: this must not compile.
fn incomplete(example: &str) -> Vec<String> {
    let lines: Vec<&str> = example.lines().collect();
    let starts = |index: usize, word: &str| lines[index].trim_start().starts_with(word);
    let mut out = Vec::new();
    for case in (0..lines.len()).filter(|index| starts(*index, "case ")) {
        // What it does goes with it, if no other case does the same.
        let alone = !starts(case - 1, "case ") && !starts(case + 1, "case ");
        let next = (case + 1..).find(|index| starts(*index, "case ") || starts(*index, "default"));
        let left_out = case..next.filter(|_| alone).unwrap_or(case + 1);
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            if left_out.contains(&index) {
                continue;
            }
            if line.contains("const later:") {
                text += "// @ts-expect-error\n";
            }
            text += line;
            text.push('\n');
        }
        out.push(text);
    }
    out
}

fn write_all(folder: &Path, files: &BTreeMap<String, String>) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        // What is not written again is not read again by the system.
        if fs::read_to_string(&path).is_ok_and(|found| found == *text) {
            continue;
        }
        fs::write(path, text).expect("a file");
    }
}

/// One file per protocol and release, with a statement per line.
fn recorded(lines: &BTreeSet<Recorded>) -> BTreeMap<String, String> {
    let mut files: BTreeMap<(BundleName, Release), String> = BTreeMap::new();
    let mut names = Names::default();
    let mut seen = BTreeSet::new();
    for line in lines {
        let value = line.value();
        if !seen.insert((
            line.bundle,
            line.release,
            line.what.clone(),
            value.to_string(),
        )) {
            continue;
        }
        let name = typed(&mut names, line);
        let file = files.entry((line.bundle, line.release)).or_default();
        let _ = writeln!(file, "({}) satisfies {name};", literal(&value));
    }
    for (bundle, least) in [
        (BundleName::Exec, least(1_500, 40)),
        (BundleName::AppServer, least(4_000, 300)),
        (BundleName::Rollout, least(5_000, 100)),
        (BundleName::Core, least(100, 50)),
        (BundleName::ExecLegacy, least(100, 20)),
        (BundleName::Hooks, least(50, 10)),
        (BundleName::Notify, least(10, 1)),
    ] {
        let files = files.iter().filter(|((name, _), _)| *name == bundle);
        let count: usize = files.map(|(_, text)| text.lines().count()).sum();
        assert!(count > least, "{bundle}: only {count} lines");
    }
    let files = files.into_iter();
    files
        .map(|((bundle, release), text)| {
            let import = import(bundle, release);
            (format!("sources/{bundle}-{release}.ts"), import + &text)
        })
        .collect()
}

/// One file per protocol: each line is of the type that all releases share.
fn of_any_release(lines: &BTreeSet<Recorded>) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<BundleName, BTreeSet<String>> = BTreeMap::new();
    let mut names = Names::default();
    for line in lines {
        let name = match line.bundle {
            // One type has the lines of all session files.
            BundleName::Rollout => "T.SessionLine".to_owned(),
            _ => typed(&mut names, line),
        };
        let statement = format!("({}) satisfies {name};", literal(&line.value()));
        texts.entry(line.bundle).or_default().insert(statement);
    }
    let texts = texts.into_iter().map(|(bundle, statements)| {
        let text: Vec<String> = sampling::spread(statements, 100);
        let import = format!(
            "import type * as T from \"{}/{bundle}/any\";\n",
            typescript::PACKAGE
        );
        (
            format!("sources/any-{bundle}.ts"),
            import + &text.join("\n"),
        )
    });
    texts.collect()
}

/// Mutants of one line of each kind, which have to fail, each on a line of its own.
fn wrong(lines: &BTreeSet<Recorded>) -> BTreeMap<String, String> {
    let mut kinds: BTreeMap<(BundleName, String), &Recorded> = BTreeMap::new();
    for line in lines {
        let kind = (line.bundle, kind(&line.what, &line.value()));
        let shortest = kinds.entry(kind).or_insert(line);
        if line.text.len() < shortest.text.len() {
            *shortest = line;
        }
    }
    let mut validators = Validators::default();
    let mut names = Names::default();
    let mut files: BTreeMap<(BundleName, Release), String> = BTreeMap::new();
    let mut count = 0;
    for line in kinds.into_values() {
        let name = typed(&mut names, line);
        for mutant in mutants(&line.value()) {
            if validators.accepts(line, mutant.clone()) {
                continue;
            }
            count += 1;
            let file = files.entry((line.bundle, line.release)).or_default();
            let wrong = literal(&mutant);
            let _ = writeln!(file, "// @ts-expect-error\n({wrong}) satisfies {name};");
        }
    }
    assert!(count > 3_000, "only {count} mutants");
    let files = files.into_iter();
    files
        .map(|((bundle, release), text)| {
            let import = import(bundle, release);
            (
                format!("sources/wrong-{bundle}-{release}.ts"),
                import + &text,
            )
        })
        .collect()
}

fn import(bundle: BundleName, release: Release) -> String {
    format!(
        "import type * as T from \"{}/{bundle}/{release}\";\n",
        typescript::PACKAGE
    )
}

/// A value as an expression on one line: two characters end lines of TypeScript, but not of JSON.
fn literal(value: &Value) -> String {
    let text = value.to_string();
    text.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The type of a line.
fn typed(names: &mut Names, line: &Recorded) -> String {
    match &line.what {
        What::Response(_, method) => format!("T.{}<\"{method}\">", names.of(line)),
        What::Message(_) => format!("T.{}", names.of(line)),
    }
}
