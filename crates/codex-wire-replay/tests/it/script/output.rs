//! Long outputs of commands. The numbers are those of real binaries that ran the same command.

use codex_wire_base::Release;
use codex_wire_replay::script::{ExecRun, Script, Settings, exec};
use serde_json::{Value, json};

use super::client::Client;
use super::support::lines;

/// A script that runs a command with this output, in parts.
fn script(parts: &[&str]) -> Script {
    let output = json!(parts);
    Script::parse(&format!("[[step]]\nrun = \"seq\"\noutput = {output}\n")).unwrap()
}

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

/// What `codex exec` keeps of an output.
fn of_exec(script: &Script, release: Release) -> String {
    let played = exec(script, release, &ExecRun::default(), &Settings::default()).unwrap();
    let values = lines(&played).into_iter();
    let values = values.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let mut items = values.filter(|value| value["type"] == "item.completed");
    let output = items.next().unwrap()["item"]["aggregated_output"].take();
    output.as_str().unwrap().to_owned()
}

/// What the app-server sends of an output, and what it keeps.
fn of_server(script: &Script, release: Release) -> (Vec<String>, String) {
    let mut client = Client::new(script, release, "accept").unwrap();
    client.turn("hi");
    let lines = client.lines.iter();
    let values: Vec<Value> = lines
        .map(|(_, line)| serde_json::from_str(line).unwrap())
        .collect();
    let deltas = values
        .iter()
        .filter(|value| value["method"] == "item/commandExecution/outputDelta");
    let deltas = deltas.map(|value| value["params"]["delta"].as_str().unwrap().to_owned());
    let mut items = values.iter().map(|value| &value["params"]["item"]);
    let kept = items.find_map(|item| {
        item["aggregatedOutput"]
            .as_str()
            .filter(|kept| !kept.is_empty())
    });
    (deltas.collect(), kept.unwrap().to_owned())
}

#[test]
fn a_long_output_is_cut_as_the_release_cuts_it() {
    // The output of `seq -w 1 750000`.
    let output: String = (1..=750_000).map(|n| format!("{n:06}\n")).collect();
    let script = script(&[&output]);
    let ends = "\n749999\n750000\n";
    for (version, bytes, last) in [
        ("0.42.0", 5_250_000, ends),
        ("0.63.0", 5_250_000, ends),
        ("0.80.0", 5_250_000, ends),
        ("0.87.0", 5_250_000, ends),
        ("0.89.0", 1_048_576, "\n149796\n1497"),
        ("0.95.0", 1_048_576, "\n149796\n1497"),
        ("0.96.0", 1_048_576, ends),
        ("0.98.0", 1_048_576, ends),
        ("0.125.0", 1_048_576, ends),
        ("0.144.6", 1_048_576, ends),
        ("0.145.0", 1_048_607, ends),
        ("0.169.0", 1_048_607, ends),
    ] {
        let kept = of_exec(&script, release(version));
        assert_eq!(kept.len(), bytes, "{version}");
        assert!(kept.starts_with("000001\n000002\n"), "{version}");
        assert!(kept.ends_with(last), "{version}");
    }
    let kept = of_exec(&script, release("0.169.0"));
    assert!(kept.contains("074898\n07\n... 4201424 bytes omitted ...\n2\n675103\n"));
}

#[test]
fn letters_at_the_cut_are_as_real_ones() {
    let output = format!("x{}y", "é".repeat(1_000_000));
    let script = script(&[&output]);
    let kept = of_server(&script, release("0.169.0")).1;
    assert_eq!(kept.len(), 1_048_610);
    assert!(kept.contains("é\u{fffd}\n... 951426 bytes omitted ...\n\u{fffd}é"));
    // The halves of two letters become one.
    let kept = of_server(&script, release("0.98.0")).1;
    assert_eq!((kept.len(), kept.chars().count()), (1_048_576, 524_289));
    assert!(!kept.contains('\u{fffd}'));
}

#[test]
fn a_long_part_is_sent_in_pieces() {
    let part = format!("x{}", "é".repeat(10_000));
    let script = script(&[&part, "end\n"]);
    let (deltas, kept) = of_server(&script, release("0.169.0"));
    assert_eq!(deltas.concat(), kept);
    let sizes: Vec<usize> = deltas.iter().map(String::len).collect();
    assert_eq!(sizes, [8191, 8192, 3618, 4]);
}
