//! The list of the generated types: a test over every type has to name each.
//!
//! `cargo xtask generate --only types` writes the list again. Where a type is gone and the list does not compile any more,
//! make it `vec![]` before.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use codex_wire::Release;
use codex_wire::shape::Shape;

use crate::app_server_samples::{Type, of};
use crate::support::files;

/// Every generated type that can be read by itself.
pub(crate) fn all() -> Vec<Type> {
    use codex_wire::app_server::types::{events::*, v1::*, *};
    include!("app_server_types.in")
}

/// The types as their source declares them.
fn declared() -> BTreeSet<String> {
    let folder = files::root().join("crates/codex-wire/src/app_server/types");
    let mut out = BTreeSet::new();
    for path in files::below(&folder, "rs") {
        let text = files::read(&path);
        for declaration in text.split("\n#[derive(").skip(1) {
            let head = declaration.split_once(" {\n").map_or("", |(head, _)| head);
            let body = declaration.split_once("\n}").map_or("", |(body, _)| body);
            let name = head.rsplit(' ').next().unwrap_or_default().to_owned();
            // Unions that stand within another type: read with it, and by its test.
            let embedded = body.ends_with("(UnknownCall),")
                || body.ends_with("(Unknown),") && !head.contains("tag = ");
            if head.contains("Wire") && !embedded {
                out.insert(name);
            }
        }
    }
    out
}

#[test]
fn the_list_is_complete() {
    let mut text = "vec![\n".to_owned();
    let declared = declared();
    assert!(declared.len() > 1200, "only {} types", declared.len());
    for name in declared {
        let _ = writeln!(text, "    of::<{name}>(),");
    }
    text.push_str("]\n");
    let path = files::root().join("crates/codex-wire/tests/it/app_server_types.in");
    golden_files::assert_file(&path, &text);
}

/// The releases that have a type, as its documentation says in its last words.
pub(crate) fn releases(shape: &Shape) -> Vec<Release> {
    let words = shape.docs.rsplit("\n\n").next().unwrap_or_default();
    let words = words
        .trim_end_matches(" Experimental.")
        .trim_end_matches('.');
    let release = |text: &str| text.parse::<Release>().ok();
    let (since, until) = match words.split_whitespace().collect::<Vec<_>>()[..] {
        ["Since", since] => (release(since), None),
        ["Until", until] => (None, release(until)),
        ["From", since, "to", until] => (release(since), release(until)),
        ["In", only, "only"] => (release(only), release(only)),
        _ => (None, None),
    };
    let all = codex_wire::Protocol::AppServer.release_list().releases();
    all.iter()
        .copied()
        .filter(|release| since.is_none_or(|since| since <= *release))
        .filter(|release| until.is_none_or(|until| *release <= until))
        .collect()
}

#[test]
fn lifetimes_are_found_in_the_documentation() {
    let counts: Vec<_> = all().iter().map(|ty| releases(ty.shape).len()).collect();
    assert!(counts.iter().all(|count| *count > 0));
    let whole = codex_wire::Protocol::AppServer
        .release_list()
        .releases()
        .len();
    let always = counts.iter().filter(|count| **count == whole).count();
    assert!((100..counts.len() / 2).contains(&always), "{always}");
}
