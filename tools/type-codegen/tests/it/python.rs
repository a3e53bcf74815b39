//! The Python modules in the repository are what is generated.

use crate::support::root;

#[test]
fn modules_are_what_is_generated() {
    let files = type_codegen::python::files();
    let folder = root().join("packages/python/src/codex_wire/types");
    for (name, text) in &files {
        golden_files::assert_file(&folder.join(name), text);
    }
}
