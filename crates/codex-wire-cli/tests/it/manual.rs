//! Completions of shells and manual pages.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use crate::support::{folder, run};

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = run(Path::new("."), "--help").stdout;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let indented = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> = indented
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() > 12, "{names:?}");
    names
}

#[test]
fn completions_know_every_command() {
    let folder = folder("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let finished = run(&folder, &format!("completions {shell}"));
        assert_eq!((finished.code, &*finished.stderr), (0, ""), "{shell}");
        for command in commands() {
            assert!(finished.stdout.contains(&command), "{shell}: {command}");
        }
        assert!(finished.stdout.contains("skip-unknown"), "{shell}");
        // A command that is not for people.
        assert!(!finished.stdout.contains("mock-tools"), "{shell}");
    }
    assert_eq!(run(&folder, "completions tcsh").code, 2);
}

#[test]
fn bash_completes_what_follows_a_command() {
    let folder = folder("completions-bash");
    let finished = run(&folder, "completions bash");
    fs::write(folder.join("script"), finished.stdout).unwrap();
    for (typed, expected) in [
        ("che", "check"),
        ("hooks te", "test"),
        ("convert --to ot", "otlp"),
        ("check --format sar", "sarif"),
        ("help hooks te", "test"),
        ("usage --whe", "--where"),
    ] {
        let ask = format!(
            "source ./script; COMP_WORDS=(codex-wire {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _codex__wire codex-wire \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        let answer = match bash.args(["-c", &ask]).current_dir(&folder).output() {
            // Not every machine has bash.
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            answer => answer.unwrap(),
        };
        let shown = String::from_utf8(answer.stdout).unwrap();
        assert_eq!(shown.trim(), expected, "{typed}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder("man");
    let finished = run(&folder, "man --out pages/man1");
    assert_eq!((finished.code, &*finished.stderr), (0, ""));
    let main = fs::read_to_string(folder.join("pages/man1/codex-wire.1")).unwrap();
    for command in commands() {
        let name = format!("codex\\-wire\\-{}", command.replace('-', "\\-"));
        assert!(main.contains(&name), "{command}");
        let page = folder.join(format!("pages/man1/codex-wire-{command}.1"));
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(".SH NAME"), "{command}");
        assert!(page.contains("SYNOPSIS"), "{command}");
    }
    // A command that is not for people has none.
    assert!(!folder.join("pages/man1/codex-wire-mock-tools.1").exists());
    fs::write(folder.join("file"), "").unwrap();
    assert_eq!(run(&folder, "man --out file").code, 2);
}
