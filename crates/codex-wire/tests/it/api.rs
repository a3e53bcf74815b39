//! Holds what each published crate has for others: `docs/api/CRATE.txt` lists its public items, so that a
//! change of them is seen in review. `UPDATE_EXPECT=1` writes the files.
//!
//! They are read from the sources, which takes seconds and needs no nightly compiler. What a macro makes is not
//! listed, nor are items that are hidden from the documentation.

use std::path::Path;

use crate::support::files;

mod items;
mod sources;
mod spacing;

use sources::Crate;

/// Modules that are named and not listed.
const GENERATED: &[&str] = &["codex_wire::app_server::types"];

/// Crates that others cannot use: a program, and the implementation of a derive.
const WITHOUT_API: &[&str] = &["codex-wire-cli", "codex-wire-derive"];

const HEAD: &str = "\
# The public items of CRATE, as they stand in its sources: written by `cargo test -p codex-wire --test it -- api` with
# UPDATE_EXPECT=1. A line that is gone or differs may break who uses the crate: docs/stability.md.
";

#[test]
fn the_lists_are_up_to_date() {
    let root = files::root();
    let folder = root.join("docs/api");
    let mut crates = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).expect("a folder of crates") {
        let name = entry.expect("a readable folder").file_name();
        let name = name.to_string_lossy().into_owned();
        if WITHOUT_API.contains(&name.as_str()) {
            continue;
        }
        let source = root.join("crates").join(&name).join("src/lib.rs");
        let list = items::list(&Crate::read(&name.replace('-', "_"), &source), GENERATED);
        let head = HEAD.replace("CRATE", &name);
        golden_files::assert_file(
            &folder.join(format!("{name}.txt")),
            &format!("{head}\n{list}"),
        );
        crates.push(format!("{name}.txt"));
    }
    assert!(crates.len() > 10, "{crates:?}");
    let listed = std::fs::read_dir(folder).expect("a folder of lists");
    for file in listed {
        let file = file.expect("a readable folder").file_name();
        let file = file.to_string_lossy().into_owned();
        assert!(crates.contains(&file), "docs/api/{file} is of no crate");
    }
}

/// What is public, and under which name.
#[test]
fn items_are_found() {
    let read = |path: &Path| {
        let text = match path.to_str() {
            Some("lib.rs") => {
                "mod hidden; pub mod open; pub use hidden::{Stored, other as renamed}; pub use far::Thing; \
                 #[doc(hidden)] pub fn secret() {} fn own() {}"
            }
            Some("hidden.rs") => {
                "#[derive(Debug)] pub struct Stored { pub a: u8, b: u8 } impl Stored { pub fn new(a: &str) -> Self { \
                 loop {} } fn own(&self) {} } impl Clone for Stored {} pub fn other() {} pub(crate) fn inner() {}"
            }
            Some("open.rs") => "pub enum E { A, B(u8), C { d: u8 } } pub trait T { fn t(&self); }",
            _ => return None,
        };
        Some(text.to_owned())
    };
    let list = items::list(&Crate::of("it", Path::new("lib.rs"), &read), &[]);
    let expected = "\
enum it::open::E
  A
  B(u8)
  C { d: u8 }
fn it::renamed: pub fn other()
struct it::Stored
  #[derive(Debug)]
  impl Clone
  private fields
  pub a: u8
  pub fn new(a: &str) -> Self
trait it::open::T
  fn t(&self);
use it::Thing: far::Thing
";
    assert_eq!(list, expected);
}
