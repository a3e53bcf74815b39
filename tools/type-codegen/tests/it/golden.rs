//! The packages in the repository are what is generated.

use type_codegen::{Releases, formats, go, typescript};

use crate::support::root;

#[test]
fn typescript() {
    let mut files = typescript::files(Releases::Newest);
    let folder = root().join("packages/types");
    let manifest = files.remove("package.json").expect("a manifest");
    golden_files::assert_file(&folder.join("package.json"), &manifest);
    golden_files::assert_folder(&folder, "ts", &files);
}

/// `go/wire` and the tests in `go` are written by hand.
#[test]
fn go() {
    let folder = root().join("go");
    for (path, text) in go::files().expect("schemas that can be read") {
        golden_files::assert_file(&folder.join(path), &text);
    }
}

/// The other modules with dataclasses have methods, and are written by hand.
#[test]
fn dataclasses() {
    for own in formats::own().expect("schemas that can be read") {
        if let "session" | "usage" | "client_log" | "faults" = own.module {
            let file = format!("packages/python/src/codex_wire/{}.py", own.module);
            golden_files::assert_file(&root().join(file), &own.format.python(&own.origin));
        }
    }
}
