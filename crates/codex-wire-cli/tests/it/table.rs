//! `codex-wire table` becomes the program beside it, or on the path.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::folder;

/// The program in a folder, and nothing else on the path.
fn installed(folder: &Path) -> Command {
    let program = folder.join("codex-wire");
    fs::hard_link(env!("CARGO_BIN_EXE_codex-wire"), &program).unwrap();
    let mut command = Command::new(program);
    command
        .env("PATH", "")
        .args(["table", "a b.jsonl", "--help", "--out", "x"]);
    command
}

#[test]
fn without_the_program_it_says_how_to_get_it() {
    let output = installed(&folder("table-none")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("cargo install --locked --git ")
            && said.contains(" codex-wire-table` builds it"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn the_program_beside_it_gets_its_arguments_and_gives_its_exit_code() {
    let folder = folder("table-beside");
    let table = folder.join("codex-wire-table");
    fs::write(&table, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&table, fs::Permissions::from_mode(0o755)).unwrap();
    let output = installed(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "a b.jsonl|--help|--out|x|"
    );
}
