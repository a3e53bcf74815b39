//! The seeds of the fuzzer, and each cut short at every byte.

use std::fs;
use std::path::Path;

use crate::support::{Line, schemas};

#[test]
fn seeds_and_their_beginnings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/prefilter");
    let schemas: Vec<_> = ["exec", "app-server", "rollout"]
        .iter()
        .flat_map(|protocol| schemas(protocol))
        .collect();
    let (mut seeds, mut accepted) = (0, 0);
    for entry in fs::read_dir(folder).expect("the seeds") {
        let seed = fs::read(entry.expect("an entry").path()).expect("a readable file");
        // The first byte chooses the schema; here each is tried.
        let line = seed[1..].trim_ascii_end();
        seeds += 1;
        let whole = Line::read(line);
        accepted += usize::from(schemas.iter().any(|schema| schema.accepts(&whole)));
        for end in 0..line.len() {
            let schema = &schemas[end % schemas.len()];
            let beginning = Line::read(&line[..end]);
            assert!(!schema.accepts(&beginning), "{}", schema.name);
        }
    }
    // Those of the core queues are for other schemas.
    assert!(accepted > 90 && accepted <= seeds, "{accepted} of {seeds}");
}
