//! Archives, compressed standard input, names of files, and what is skipped.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::inputs::{gzip, zstd};
use crate::support::{GOOD, bad, folder, golden, run, run_with};

/// Members of archives: their names and bytes.
pub(crate) type Members<'m> = &'m [(&'m str, Vec<u8>)];

pub(crate) fn tar(members: Members<'_>) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // The crate does not write names that lead out of a folder; others do.
        match name.contains("..") {
            true => {
                header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
                header.set_cksum();
                archive.append(&header, &bytes[..]).unwrap();
            }
            false => archive.append_data(&mut header, name, &bytes[..]).unwrap(),
        }
    }
    archive.into_inner().unwrap()
}

pub(crate) fn zip(members: Members<'_>) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn report(folder: &Path, args: &str) -> Value {
    let finished = run(folder, &format!("check --format json {args}"));
    serde_json::from_str(&finished.stdout).expect(&finished.stderr)
}

/// The members of all archives here.
fn members() -> Vec<(&'static str, Vec<u8>)> {
    // Longer than the header of a tar archive has room for.
    let long = "t/a-folder-with-a-name-that-is-rather-long/and-another-one-that-is-rather-long-as-well/\
                and-a-third-one/c.ndjson";
    vec![
        ("t/a.jsonl", bad().into_bytes()),
        ("t/b.jsonl.gz", gzip(GOOD)),
        (long, GOOD.into()),
        ("../out/d.jsonl", bad().into_bytes()),
        ("t/notes.txt", b"not read".to_vec()),
        ("t/about.json", b"{\n  \"name\": 1\n}\n".to_vec()),
        (
            "t/e.json",
            format!("[{}]", GOOD.trim().replace('\n', ",")).into_bytes(),
        ),
    ]
}

/// The same findings in any archive, and on one thread or several, at the same places as in files.
#[test]
fn members_are_inputs() {
    let folder = folder("archives");
    let members = members();
    let tar = tar(&members);
    let text = String::from_utf8_lossy(&tar).into_owned();
    assert!(text.contains("../out/d.jsonl"));
    let expected: Vec<Value> = members
        .iter()
        .filter(|(name, _)| !name.ends_with(".txt") && !name.contains("about"))
        .map(|(name, bytes)| {
            fs::write(folder.join("one"), bytes).unwrap();
            let mut input = report(&folder, "one")["inputs"][0].take();
            input["path"] = json!(name);
            input
        })
        .collect();
    assert_eq!(expected.len(), 5);
    fs::create_dir(folder.join("all")).unwrap();
    for (name, bytes) in [
        ("a.tar", tar.clone()),
        ("a.tar.gz", gzip_bytes(&tar)),
        ("a.tar.zst", zstd::encode_all(&tar[..], 3).unwrap()),
        ("a.zip", zip(&members)),
    ] {
        fs::write(folder.join("all").join(name), &bytes).unwrap();
        // Not by its name.
        fs::write(folder.join("archive"), &bytes).unwrap();
        let mut report = report(&folder, "archive");
        for input in report["inputs"].as_array_mut().unwrap() {
            let path = input["path"].as_str().unwrap();
            input["path"] = json!(path.strip_prefix("archive!").unwrap());
        }
        assert_eq!(report["inputs"], json!(expected), "{name}");
        assert_eq!(
            report["skipped"],
            json!([{"path": "archive!t/about.json", "reason": "no-transcript"}])
        );
    }
    let sequential = report(&folder, "-j 1 all");
    assert_eq!(sequential["inputs"].as_array().unwrap().len(), 20);
    assert_eq!(report(&folder, "-j 4 all"), sequential);
    // No name of a member leads anywhere.
    assert!(!folder.join("out").exists() && !folder.join("../out").exists());
}

fn gzip_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn archives_that_are_damaged_say_so() {
    let folder = folder("damaged-archives");
    let members = [
        ("a.jsonl", GOOD.as_bytes().to_vec()),
        ("b.jsonl", bad().into_bytes()),
    ];
    let packed = gzip_bytes(&tar(&members));
    fs::write(folder.join("cut.tar.gz"), &packed[..packed.len() / 2]).unwrap();
    let zip = zip(&members);
    fs::write(folder.join("cut.zip"), &zip[..zip.len() / 2]).unwrap();
    fs::write(folder.join("none.tar"), tar(&[("a.txt", b"x".to_vec())])).unwrap();
    fs::write(folder.join("empty.tar"), tar(&[])).unwrap();
    fs::write(folder.join("empty.tar.gz"), gzip_bytes(&tar(&[]))).unwrap();
    let mut no_list = zip.clone();
    let list = zip.windows(4).position(|bytes| bytes == b"PK\x01\x02");
    no_list[list.unwrap()] = b'X';
    fs::write(folder.join("no-list.zip"), no_list).unwrap();
    let whole = tar(&members);
    fs::write(folder.join("cut.tar"), &whole[..600]).unwrap();
    let inner = self::zip(&[("a.jsonl", zip.clone())]);
    fs::write(folder.join("nested.zip"), inner).unwrap();
    // By its name, beside what is read.
    let inner = [("a.jsonl", GOOD.into()), ("b.tar.gz", packed.clone())];
    fs::write(folder.join("beside.tar"), tar(&inner)).unwrap();
    for (name, reason) in [
        (
            "cut.tar.gz",
            "cut.tar.gz: the compressed data is damaged or cut off",
        ),
        (
            "cut.tar",
            "cannot read cut.tar: the archive is damaged or cut off",
        ),
        (
            "cut.zip",
            "cannot read cut.zip: the archive is damaged or cut off",
        ),
        (
            "no-list.zip",
            "cannot read no-list.zip: the archive is damaged or cut off",
        ),
        ("none.tar", "the archive holds no .jsonl"),
        ("empty.tar", "the archive holds no .jsonl"),
        ("empty.tar.gz", "the archive holds no .jsonl"),
        ("nested.zip", "an archive in an archive"),
        ("beside.tar", "an archive in an archive"),
    ] {
        let finished = run(&folder, &format!("check {name}"));
        assert_eq!(finished.code, 2, "{finished:?}");
        assert!(finished.stdout.contains(reason), "{finished:?}");
    }
}

/// A member that is not read as it is stored is named, and nothing is made of its bytes.
#[test]
fn members_of_other_kinds_are_named() {
    let folder = folder("kinds-of-members");
    let members = tar(&[("a.jsonl", GOOD.into()), ("b.jsonl", GOOD.into())]);
    let check = |bytes: &[u8]| {
        fs::write(folder.join("a.tar"), bytes).unwrap();
        run(&folder, "check a.tar")
    };
    let with = |edit: &dyn Fn(&mut tar::GnuHeader)| {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes().copy_from_slice(&members[..512]);
        edit(header.as_gnu_mut().unwrap());
        header.set_cksum();
        check(&[header.as_bytes(), &members[512..]].concat())
    };
    let after = |line: &str| {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::XHeader);
        header.set_size(line.len() as u64);
        header.set_cksum();
        let padding = vec![0; 512 - line.len()];
        check(&[header.as_bytes(), line.as_bytes(), &padding, &members].concat())
    };
    let sparse = "the archive has sparse members: unpack it yourself";
    for (finished, reason) in [
        (
            with(&|header| header.typeflag = *b"S"),
            format!("cannot read a.tar!a.jsonl: {sparse}"),
        ),
        (
            with(&|header| (header.typeflag, header.isextended) = (*b"S", [1])),
            format!("cannot read a.tar: {sparse}"),
        ),
        (
            after("22 GNU.sparse.major=1\n29 GNU.sparse.name=t/c.jsonl\n"),
            format!("cannot read a.tar!t/c.jsonl: {sparse}"),
        ),
        (
            with(&|header| header.typeflag = *b"M"),
            "cannot read a.tar!a.jsonl: the archive has members that begin in another".into(),
        ),
        (
            after("19 size=8589934592\n"),
            "cannot read a.tar: the archive has members with a size in an extended".into(),
        ),
    ] {
        assert_eq!(finished.code, 2, "{finished:?}");
        assert!(finished.stdout.contains(&reason), "{reason}: {finished:?}");
    }
    for kind in [b'7', 0] {
        let finished = with(&|header| {
            header.typeflag = [kind];
            header.magic = [0; 6];
            header.version = [0; 2];
        });
        assert!(
            finished.stdout.contains("2 inputs, 10 messages"),
            "{finished:?}"
        );
    }
}

/// An archive whose members all are the bytes of one.
fn overlapping(members: u16) -> Vec<u8> {
    let one = zip(&[("00000.jsonl", GOOD.into())]);
    let find = |mark: &[u8]| {
        let mut places = one.windows(mark.len());
        places.rposition(|bytes| bytes == mark).unwrap()
    };
    let (list, end) = (find(b"PK\x01\x02"), find(b"PK\x05\x06"));
    let name = find(b"00000") - list;
    let mut all = one[..list].to_vec();
    for number in 0..members {
        let mut entry = one[list..end].to_vec();
        entry[name..name + 5].copy_from_slice(format!("{number:05}").as_bytes());
        all.extend(entry);
    }
    let length = (all.len() - list) as u32;
    let mut last = one[end..].to_vec();
    last[8..10].copy_from_slice(&members.to_le_bytes());
    last[10..12].copy_from_slice(&members.to_le_bytes());
    last[12..16].copy_from_slice(&length.to_le_bytes());
    all.extend(last);
    all
}

#[test]
fn members_do_not_overlap() {
    let folder = folder("overlapping-members");
    for (members, reason) in [(1, "conforms"), (2, "overlap"), (20_000, "overlap")] {
        fs::write(folder.join("a.zip"), overlapping(members)).unwrap();
        let finished = run(&folder, "check a.zip");
        assert!(finished.stdout.contains(reason), "{members}: {finished:?}");
        assert!(
            finished.stdout.contains("1 input"),
            "{members}: {finished:?}"
        );
    }
}

#[test]
fn standard_input_may_be_compressed() {
    let folder = folder("packed-stdin");
    for packed in [gzip(GOOD), zstd(GOOD), GOOD.into()] {
        let finished = run_with(&folder, "check", &packed);
        assert!(
            finished.stdout.starts_with("1 input, 5 messages: conforms"),
            "{finished:?}"
        );
    }
    let archive = gzip_bytes(&tar(&[("a.jsonl", bad().into_bytes())]));
    let finished = run_with(&folder, "check", &archive);
    assert!(finished.stdout.contains("-!a.jsonl:5"), "{finished:?}");
    let finished = run_with(&folder, "check", &zip(&[("a.jsonl", GOOD.into())]));
    assert_eq!(finished.code, 2);
    assert!(finished.stdout.contains("name a file"), "{finished:?}");
}

/// A folder as people have them.
fn mixed(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    for (path, text) in [
        ("t/a.ndjson", GOOD.to_owned()),
        (
            "t/array.json",
            format!("[\n{}\n]\n", GOOD.trim().replace('\n', ",\n")),
        ),
        ("t/manifest.json", "{\n  \"files\": []\n}\n".to_owned()),
        ("t/old/b.jsonl", bad()),
        ("t/old/build.log", "compiling\ndone\n".to_owned()),
        (
            "t/other.jsonl",
            "{\"level\":\"info\"}\n{\"level\":\"warn\"}\n".to_owned(),
        ),
        ("t/run.log", format!("starting\n{GOOD}")),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn what_is_no_transcript_is_skipped_and_named() {
    let folder = mixed("mixed");
    golden("mixed.txt", &folder, "check --max-findings 0 t");
    golden(
        "mixed-skipped.txt",
        &folder,
        "check --skip-unknown --exclude old --exclude t/run.log t",
    );
    let skipped = |args: &str| {
        let report = report(&folder, args);
        let files = report["skipped"].as_array().unwrap().clone();
        let shown = files.iter().map(|file| {
            format!(
                "{} {}",
                file["path"].as_str().unwrap(),
                file["reason"].as_str().unwrap()
            )
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(
        skipped("t"),
        [
            "t/manifest.json no-transcript",
            "t/old/build.log no-transcript"
        ]
    );
    // The release that the user states makes no transcript of them.
    assert_eq!(skipped("--release 0.44.0 t").len(), 2);
    assert_eq!(
        skipped("--skip-unknown --exclude *.log t"),
        [
            "t/old/build.log excluded",
            "t/run.log excluded",
            "t/manifest.json no-transcript",
            "t/other.jsonl no-transcript",
        ]
    );
    // What the user names is read.
    let finished = run(&folder, "check --exclude *.json t/manifest.json");
    assert_eq!(finished.code, 2, "{finished:?}");
    let finished = run(&folder, "check --skip-unknown t/manifest.json");
    assert!(
        finished.stdout.contains("nothing was checked"),
        "{finished:?}"
    );
    let finished = run(&folder, "identify t");
    assert!(
        finished.stdout.contains("t/other.jsonl: not a transcript"),
        "{finished:?}"
    );
    assert!(!finished.stdout.contains("manifest"), "{finished:?}");
    assert!(finished.stderr.contains("t/manifest.json"), "{finished:?}");
    let finished = run(&folder, "show --skip-unknown t");
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(!finished.stdout.contains("other.jsonl"), "{finished:?}");
    let finished = run(&folder, "check --exclude [ t");
    assert_eq!(finished.code, 2, "{finished:?}");
}
