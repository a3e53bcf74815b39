//! How fast transcripts are checked: with codex-wire-check, and with the schema alone.

#![allow(missing_docs)]

use benches::checking::Checks;
use benches::corpus::Corpus;
use benches::groups::group;
use codex_wire::Protocol;
use criterion::{Criterion, criterion_group, criterion_main};

fn check(criterion: &mut Criterion) {
    let recorded = Corpus::recorded().expect("the recorded transcripts are part of the repository");
    for (protocol, corpus) in [
        (Protocol::Exec, Corpus::generated()),
        (Protocol::Exec, recorded),
        (Protocol::AppServer, Corpus::app_server_generated()),
        (Protocol::AppServer, Corpus::thread_read()),
    ] {
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
