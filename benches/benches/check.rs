//! Measures how fast transcripts are checked: with codex-wire-check, and with the schema alone.

#![allow(missing_docs)]

use benches::checking::{Checks, corpora};
use benches::groups::group;
use criterion::{Criterion, criterion_group, criterion_main};

fn check(criterion: &mut Criterion) {
    let corpora = corpora().expect("the recorded transcripts are part of the repository");
    for (protocol, corpus) in corpora {
        let checks = Checks::new(protocol, &corpus);
        let mut group = group(criterion, "check", &corpus);
        group.bench_function("codex-wire-check", |bencher| {
            bencher.iter(|| checks.checker(&corpus));
        });
        group.bench_function("serde_json Value and jsonschema", |bencher| {
            bencher.iter(|| checks.schema(&corpus));
        });
        group.finish();
    }
}

criterion_group!(benches, check);
criterion_main!(benches);
