//! Every known and exact schema as a prefilter, on every recorded line: what a validator accepts the
//! prefilter accepts, and nothing else.

use crate::support::{Both, Line, lines, schemas};

#[test]
fn nothing_in_our_schemas_is_unknown() {
    for protocol in ["exec", "core", "app-server"] {
        for schema in schemas(protocol) {
            for (_, prefilter) in &schema.prefilters {
                assert_eq!(prefilter.gaps(), [""; 0], "{}", schema.name);
            }
        }
    }
}

/// Which lines each schema accepts, by validator and by prefilter. Of the lines so many percent
/// have to be accepted by some schema: clients err on purpose, and of the app-server only the
/// newest schemas are tried.
fn agree(protocol: &str, percent: usize) {
    let lines = lines(protocol);
    let lines: Vec<Line<'_>> = lines.iter().map(|line| Line::read(line)).collect();
    let schemas = schemas(protocol);
    let mut accepted = vec![false; lines.len()];
    for schema in &schemas {
        for (line, accepted) in lines.iter().zip(&mut accepted) {
            *accepted |= agree_on(schema, line);
        }
    }
    let accepted = accepted.iter().filter(|accepted| **accepted).count();
    assert!(
        accepted * 100 >= lines.len() * percent,
        "{protocol}: only {accepted} of {} lines are accepted by any schema",
        lines.len()
    );
}

fn agree_on(schema: &Both, line: &Line<'_>) -> bool {
    let accepted = schema.accepts(line);
    if !accepted && schema.is_valid(line) {
        panic!(
            "{} accepts a line of which the prefilter is {:?}: {line}",
            schema.name,
            schema.verdict(line)
        );
    }
    accepted
}

#[test]
fn recorded_lines_of_exec() {
    agree("exec", 100);
}

#[test]
fn recorded_lines_of_core() {
    agree("core", 95);
}

#[test]
fn recorded_lines_of_the_app_server() {
    agree("app-server", 50);
}
