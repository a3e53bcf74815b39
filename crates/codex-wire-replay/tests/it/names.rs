//! The table of members that hold names has every member of the documents that looks like one.

use std::collections::BTreeSet;

use codex_wire_base::Protocol;
use codex_wire_replay::names::{NOT_NAMES, listed};
use codex_wire_schema::annotated;
use codex_wire_schema::ir::{Kind, Schema};

/// Whether the name of a member looks like that of an id, a path or a time.
fn looks_like_a_name(member: &str) -> bool {
    let endings = [
        "Id", "Ids", "_id", "_ids", "Path", "Paths", "_path", "_paths", "path", "cwd", "cwds",
        "Root", "Roots", "_roots", "Home", "_home", "Dir", "At", "AtMs",
    ];
    endings.iter().any(|ending| member.ends_with(ending))
}

/// Whether a schema is a string or a number, or a list of them.
fn is_plain(schema: &Schema) -> bool {
    match &schema.kind {
        Kind::String | Kind::NotEmpty | Kind::Integer { .. } | Kind::Number => true,
        Kind::Array(element) => is_plain(element),
        _ => false,
    }
}

/// The members of all releases of the app-server that look like names.
fn members() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for message_set in Protocol::AppServer.message_sets() {
        for (_, schema) in annotated(*message_set).schemas() {
            schema.visit(&mut |schema| {
                for member in schema
                    .object()
                    .into_iter()
                    .flat_map(|object| &object.members)
                {
                    if looks_like_a_name(&member.name) && is_plain(&member.schema) {
                        found.insert(member.name.to_string());
                    }
                }
            });
        }
    }
    found
}

#[test]
fn the_table_has_every_member_that_looks_like_a_name() {
    let members = members();
    assert!(members.len() > 100, "{} members", members.len());
    let missing: Vec<&String> = members
        .iter()
        .filter(|member| !listed(member) && !NOT_NAMES.contains(&member.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "list these in src/names/table.rs, as names or as none: {missing:?}"
    );
    for name in NOT_NAMES {
        assert!(!listed(name), "{name} is listed as a name and as none");
        assert!(members.contains(*name), "no release has {name}");
    }
}
