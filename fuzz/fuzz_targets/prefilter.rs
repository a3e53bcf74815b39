//! Whatever line a prefilter accepts, a validator of the same schema accepts too, with any
//! instructions; all instructions say the same; and a view shows what serde_json reads. The first
//! byte chooses the schema.

#![no_main]

use std::sync::LazyLock;

use codex_wire_prefilter::{Keys, Tape, Prefilter, Scanner, Verdict, View};
use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

#[path = "../../crates/codex-wire-prefilter/tests/it/tree.rs"]
mod tree;

/// One schema of each message set, the newest; of some both profiles.
const SCHEMAS: &[&str] = &[
    include_str!("../../schemas/exec/latest.exact.json"),
    include_str!("../../schemas/exec/latest.open.json"),
    include_str!("../../schemas/exec/0.44.0.exact.json"),
    include_str!("../../schemas/exec-legacy/latest.exact.json"),
    include_str!("../../schemas/core-events/latest.exact.json"),
    include_str!("../../schemas/app-server/server-notifications/latest.exact.experimental.json"),
    include_str!("../../schemas/app-server/server-notifications/latest.open.stable.json"),
    include_str!("../../schemas/app-server/server-requests/latest.exact.experimental.json"),
    include_str!("../../schemas/app-server/server-responses/latest.exact.experimental.json"),
    include_str!("../../schemas/app-server/client-requests/latest.open.experimental.json"),
    include_str!("../../schemas/app-server/client-responses/latest.exact.experimental.json"),
    include_str!("../../schemas/rollout/latest.exact.json"),
    include_str!("../../schemas/hooks-output/latest.exact.json"),
];

struct Both {
    prefilters: Vec<Prefilter>,
    validator: Validator,
}

static BOTH: LazyLock<Vec<Both>> = LazyLock::new(|| {
    let both = |text: &&str| {
        let schema: Value = serde_json::from_str(text).expect("JSON");
        let compile = |scanner| {
            let prefilter = Prefilter::compile_for(&schema, scanner).expect("a prefilter");
            prefilter.projecting(tree::PATHS)
        };
        Both {
            prefilters: Scanner::all().into_iter().map(compile).collect(),
            validator: jsonschema::options()
                .should_validate_formats(false)
                .build(&schema)
                .expect("a schema"),
        }
    };
    SCHEMAS.iter().map(both).collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((choice, line)) = data.split_first() else {
        return;
    };
    let both = &BOTH[usize::from(*choice) % BOTH.len()];
    let verdicts: Vec<Verdict> = both.prefilters.iter().map(|p| p.check(line)).collect();
    assert!(
        verdicts.iter().all(|verdict| *verdict == verdicts[0]),
        "{verdicts:?}"
    );
    let Ok(text) = std::str::from_utf8(line) else {
        return;
    };
    let mut tape = Tape::new();
    if matches!(verdicts[0], Verdict::Accepted { .. }) {
        let value: Value = serde_json::from_slice(line).expect("an accepted line is JSON");
        assert!(both.validator.is_valid(&value), "the validator refuses it");
        for prefilter in &both.prefilters {
            let view = prefilter.view(text, &mut tape);
            tree::hold(view.expect("it was accepted").0, &value);
            tree::hold_paths(prefilter, text, &value);
        }
    }
    tree::walk(View::of(text, &mut tape, Keys::Last), 8);
});
