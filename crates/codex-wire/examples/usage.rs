//! Tokens per day (UTC) and model, of all session files of a folder such as `~/.codex`:
//!
//! ```sh
//! cargo run --example usage --features rollout -- ~/.codex
//! ```
//!
//! Reads `sessions` and `archived_sessions`, plain files and compressed ones; where a file is there
//! both ways, the plain one. What a fork copied from another thread counts once, in that thread.
//! Lines and files that cannot be read are told on stderr, by their place; a last line that Codex
//! has not written to its end yet is none of them.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use codex_wire::rollout::session::{Session, Tokens};

/// Tokens by day and model.
type Days = BTreeMap<(String, String), Tokens>;

fn main() -> io::Result<()> {
    let mut problems = io::stderr().lock();
    let Some(folder) = env::args_os().nth(1) else {
        writeln!(problems, "usage: usage FOLDER")?;
        std::process::exit(2);
    };
    let days = usage(Path::new(&folder), &mut problems)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "day         input       cached      output      reasoning   total       model"
    )?;
    for ((day, model), tokens) in days {
        writeln!(
            out,
            "{day}  {:<10}  {:<10}  {:<10}  {:<10}  {:<10}  {model}",
            tokens.input, tokens.cached_input, tokens.output, tokens.reasoning_output, tokens.total,
        )?;
    }
    Ok(())
}

/// What the session files of a folder used.
fn usage(folder: &Path, problems: &mut impl Write) -> io::Result<Days> {
    let mut files = BTreeMap::new();
    for part in ["sessions", "archived_sessions"] {
        collect(&folder.join(part), &mut files)?;
    }
    let mut days = Days::new();
    let mut forks = Vec::new();
    for file in files.values() {
        let session = match text_of(file) {
            Ok(text) => Session::read(&text),
            Err(error) => {
                writeln!(problems, "{}: {error}", file.display())?;
                continue;
            }
        };
        for unread in session.unread.iter().filter(|unread| !unread.is_torn) {
            let place = file.display();
            writeln!(problems, "{place}:{}: {}", unread.line, unread.problem)?;
        }
        if session.lineage.copies_are_guessed {
            forks.push(session);
        } else {
            add(&session, &mut days);
        }
    }
    // Forks made before 0.100.0 need their parents, to tell what they copied.
    let mut parents = HashMap::new();
    for mut fork in forks {
        if let Some(id) = fork.lineage.forked_from.clone() {
            let parent = parents
                .entry(id)
                .or_insert_with_key(|id| thread(id, &files));
            if let Some(parent) = parent {
                fork.mark_copied_from(parent);
            }
        }
        add(&fork, &mut days);
    }
    Ok(days)
}

fn add(session: &Session, days: &mut Days) {
    for response in session.responses() {
        let model = response.model.as_deref().unwrap_or("unknown");
        let key = (response.day().to_owned(), model.to_owned());
        *days.entry(key).or_default() += response.tokens;
    }
}

/// The session of a thread; its id ends the name of its file.
fn thread(id: &str, files: &BTreeMap<PathBuf, PathBuf>) -> Option<Session> {
    let end = format!("-{id}.jsonl");
    let is_thread = |plain: &&PathBuf| plain.to_string_lossy().ends_with(&end);
    let file = &files[files.keys().find(is_thread)?];
    Some(Session::read(&text_of(file).ok()?))
}

/// The session files below a folder, by the names they have when they are not compressed; none if
/// there is no such folder.
fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if name.starts_with("rollout-") && name.ends_with(".jsonl") {
            files.insert(path.clone(), path);
        } else if name.starts_with("rollout-") && name.ends_with(".jsonl.zst") {
            files.entry(path.with_extension("")).or_insert(path);
        }
    }
    Ok(())
}

fn text_of(file: &Path) -> io::Result<Vec<u8>> {
    let is_compressed = file.extension().is_some_and(|extension| extension == "zst");
    let other = if is_compressed {
        file.with_extension("")
    } else {
        let mut name = file.as_os_str().to_owned();
        name.push(".zst");
        PathBuf::from(name)
    };
    match fs::read(file) {
        // Codex has compressed it, or unpacked it, since the folder was read.
        Err(error) if error.kind() == io::ErrorKind::NotFound && other.exists() => text_of(&other),
        Ok(bytes) if is_compressed => zstd::decode_all(&*bytes),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use codex_wire::Release;
    use serde_json::Value;

    use super::*;

    /// Input, cached, output, reasoning and all tokens.
    type Counts = [u64; 5];

    fn plus(one: Counts, other: Counts) -> Counts {
        std::array::from_fn(|at| one[at] + other[at])
    }

    fn counts(usage: &Value) -> Option<Counts> {
        let members = [
            "input_tokens",
            "cached_input_tokens",
            "output_tokens",
            "reasoning_output_tokens",
            "total_tokens",
        ];
        usage
            .is_object()
            .then(|| members.map(|member| usage[member].as_u64().unwrap_or(0)))
    }

    fn json(text: &[u8]) -> Vec<Value> {
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).expect("JSON"))
            .collect()
    }

    /// The last total that Codex wrote into these lines.
    fn last_total(lines: &[Value]) -> Option<Counts> {
        let totals = lines.iter().rev().filter_map(|line| {
            let payload = &line["payload"];
            counts(&payload["thread_token_usage"])
                .or_else(|| counts(&payload["info"]["total_token_usage"]))
        });
        totals.into_iter().next()
    }

    /// What processes of releases whose totals begin at zero with each of them wrote, in sum. Each
    /// begins with a count that is null. A review repeats the counts of another file.
    fn total_of_processes(lines: &[Value]) -> Counts {
        let mut sum = Counts::default();
        let mut process = Vec::new();
        let mut is_review = false;
        for line in lines {
            let payload = &line["payload"];
            is_review |= payload["type"] == "entered_review_mode";
            is_review &= payload["type"] != "exited_review_mode";
            if is_review {
                continue;
            }
            if payload["type"] == "token_count" && payload["info"].is_null() {
                sum = plus(sum, last_total(&process).unwrap_or_default());
                process.clear();
            }
            process.push(line.clone());
        }
        plus(sum, last_total(&process).unwrap_or_default())
    }

    /// The total at which a file begins: that of the lines it copied, or of the file it goes on from.
    fn first_total(lines: &[Value], home: &[Vec<u8>]) -> Counts {
        let meta = &lines[0]["payload"];
        let files_of = |id: &Value| {
            let is_it = |text: &&Vec<u8>| json(text)[0]["payload"]["id"] == *id;
            home.iter().filter(is_it).collect::<Vec<_>>()
        };
        let base = &meta["history_base"];
        if let Some(end) = base["end_byte_offset"].as_u64() {
            let end = usize::try_from(end).expect("an offset");
            let ends_there = |text: &&Vec<u8>| {
                let before = text.get(..end).map(json).unwrap_or_default();
                let ordinal = before.last().and_then(|line| line["ordinal"].as_u64());
                ordinal.map(|ordinal| ordinal + 1) == base["end_ordinal_exclusive"].as_u64()
            };
            let text = files_of(&base["thread_id"])
                .into_iter()
                .find(ends_there)
                .expect("the base");
            let before = json(&text[..end]);
            return last_total(&before).unwrap_or_else(|| first_total(&before, home));
        }
        if lines
            .get(1)
            .is_none_or(|line| line["type"] != "session_meta")
        {
            return Counts::default();
        }
        let parents = files_of(&lines[1]["payload"]["id"]);
        let parent = json(parents.first().expect("the parent"));
        // A later release may write what it copies in its own way, and leaves out what it cannot read.
        let sign = |line: &Value| {
            let payload = &line["payload"];
            let members = ["type", "role", "call_id", "message"];
            let signs = members.map(|member| payload[member].to_string());
            let total = counts(&payload["info"]["total_token_usage"]);
            (line["type"].to_string(), signs, total)
        };
        let mut copied = 0;
        for theirs in &parent {
            let own = lines.get(copied + 1);
            copied += usize::from(own.is_some_and(|own| sign(own) == sign(theirs)));
        }
        last_total(&lines[1..=copied]).unwrap_or_default()
    }

    /// What the files of a folder used, by the totals that Codex wrote.
    fn written(home: &Path, release: Release) -> Counts {
        let mut files = BTreeMap::new();
        for part in ["sessions", "archived_sessions"] {
            collect(&home.join(part), &mut files).expect("a readable folder");
        }
        let read = |file: &PathBuf| text_of(file).expect("a recording");
        let texts: Vec<Vec<u8>> = files.values().map(read).collect();
        let mut sum = Counts::default();
        for text in &texts {
            let lines = json(text);
            let total = if release < Release::new(0, 80, 0) {
                total_of_processes(&lines)
            } else {
                last_total(&lines).unwrap_or_default()
            };
            let first = first_total(&lines, &texts);
            let own: Counts = std::array::from_fn(|at| total[at].saturating_sub(first[at]));
            sum = plus(sum, own);
        }
        sum
    }

    fn folders(path: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(path).expect("recordings");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_dir()).collect()
    }

    fn fixtures() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
    }

    fn quiet(home: &Path) -> Days {
        let mut problems = Vec::new();
        let days = usage(home, &mut problems).expect("a readable folder");
        assert_eq!(String::from_utf8_lossy(&problems), "", "{}", home.display());
        days
    }

    fn sum(days: &Days) -> Counts {
        days.values().fold(Counts::default(), |sum, tokens| {
            let more = [
                tokens.input,
                tokens.cached_input,
                tokens.output,
                tokens.reasoning_output,
                tokens.total,
            ];
            plus(sum, more)
        })
    }

    #[test]
    fn each_home_used_what_codex_wrote() {
        let mut compared = BTreeMap::<Release, usize>::new();
        for kind in ["rollout", "rollout-cross"] {
            for folder in folders(&fixtures().join(kind)) {
                let name = folder.file_name().and_then(|name| name.to_str());
                let release: Release = name.expect("a name").parse().expect("a release");
                for run in folders(&folder) {
                    let home = run.join("home");
                    let written = written(&home, release);
                    assert_eq!(sum(&quiet(&home)), written, "{}", home.display());
                    *compared.entry(release).or_default() += usize::from(written[4] > 0);
                }
            }
        }
        // Files have counts since 0.34.0; one release was only recorded when it was interrupted.
        let releases = compared.values().filter(|runs| **runs > 0);
        assert!(releases.count() >= 25, "{compared:?}");
        assert!(compared.values().sum::<usize>() > 250, "{compared:?}");
    }

    /// Days and models are those of the lines: each run took some seconds of one day.
    #[test]
    fn days_and_models_are_those_of_the_files() {
        let days = quiet(&fixtures().join("rollout/0.98.0/collab/home"));
        let keys: Vec<(&str, &str)> = days
            .keys()
            .map(|(day, model)| (day.as_str(), model.as_str()))
            .collect();
        let file = fixtures().join("rollout/0.98.0/collab/home");
        let mut files = BTreeMap::new();
        collect(&file, &mut files).expect("a readable folder");
        let mut expected = std::collections::BTreeSet::new();
        for file in files.values() {
            for line in json(&text_of(file).expect("a recording")) {
                if let Some(model) = line["payload"]["model"].as_str() {
                    let day = line["timestamp"].as_str().expect("a time")[..10].to_owned();
                    expected.insert((day, model.to_owned()));
                }
            }
        }
        let expected: Vec<(&str, &str)> = expected
            .iter()
            .map(|(day, model)| (day.as_str(), model.as_str()))
            .collect();
        assert_eq!(keys, expected);
    }

    const META: &str = r#"{"timestamp":"2026-11-22T15:00:00.000Z","type":"session_meta","payload":{"id":"a","timestamp":"2026-11-22T15:00:00.000Z","cwd":"/w","originator":"o","cli_version":"0.169.0","source":"exec"}}"#;

    fn count(total: u64) -> String {
        format!(
            r#"{{"timestamp":"2026-11-22T23:59:59.999Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total},"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":{total}}},"last_token_usage":{{"input_tokens":{total},"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":{total}}},"model_context_window":null}},"rate_limits":null}}}}"#
        )
    }

    fn put(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
        let bytes = match is_compressed {
            true => zstd::encode_all(text.as_bytes(), 0).expect("zstd"),
            false => text.as_bytes().to_vec(),
        };
        fs::write(path, bytes).expect("a file");
    }

    #[test]
    fn plain_files_go_before_compressed_ones() {
        let home = tempfile::tempdir().expect("a folder");
        let file = |total| format!("{META}\n{}\n", count(total));
        put(home.path(), "sessions/2026/11/22/rollout-a.jsonl", &file(1));
        put(
            home.path(),
            "sessions/2026/11/22/rollout-a.jsonl.zst",
            &file(10),
        );
        put(
            home.path(),
            "archived_sessions/rollout-b.jsonl.zst",
            &file(100),
        );
        put(home.path(), "sessions/2026/11/22/other.jsonl", &file(1000));
        put(home.path(), "elsewhere/rollout-c.jsonl", &file(10_000));
        assert_eq!(sum(&quiet(home.path())), [101, 0, 0, 0, 101]);
    }

    #[test]
    fn what_cannot_be_read_is_told_by_its_place() {
        let home = tempfile::tempdir().expect("a folder");
        let text = format!("{META}\nnot JSON\n{}\n{{\"timestamp\":\"2026-", count(7));
        put(home.path(), "sessions/rollout-a.jsonl", &text);
        fs::write(home.path().join("sessions/rollout-b.jsonl.zst"), "not zstd").expect("a file");
        let mut problems = Vec::new();
        let days = usage(home.path(), &mut problems).expect("a readable folder");
        assert_eq!(sum(&days), [7, 0, 0, 0, 7]);
        let problems = String::from_utf8(problems).expect("text");
        let problems: Vec<&str> = problems.lines().collect();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("rollout-a.jsonl:2: "), "{problems:?}");
        assert!(
            problems[1].contains("rollout-b.jsonl.zst: "),
            "{problems:?}"
        );
    }
}
