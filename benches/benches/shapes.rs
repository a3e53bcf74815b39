//! Measures how fast lines are validated, yes or no.

#![allow(missing_docs)]

use benches::corpus::Corpus;
use benches::groups::group;
use benches::shapes::{Shapes, VALIDATORS, WAYS, Way, contests, contests_with_faults};
use criterion::{Criterion, criterion_group, criterion_main};

fn compare(
    criterion: &mut Criterion,
    question: &str,
    shapes: &Shapes,
    corpus: &Corpus,
    ways: &[Way],
) {
    let mut group = group(criterion, question, corpus);
    for (name, way) in ways {
        group.bench_function(*name, |bencher| bencher.iter(|| way(shapes, corpus)));
    }
    group.finish();
}

fn shapes(criterion: &mut Criterion) {
    let contests = contests().expect("the recorded transcripts are part of the repository");
    for (message_set, corpus) in contests {
        let shapes = Shapes::new(message_set, &corpus);
        let corpus = shapes.of_message_set(&corpus);
        compare(criterion, "shape", &shapes, &corpus, WAYS);
    }
}

/// Where one line of ten is wrong.
fn validates(criterion: &mut Criterion) {
    for (message_set, corpus) in contests_with_faults() {
        let shapes = Shapes::new(message_set, &corpus);
        compare(criterion, "validate", &shapes, &corpus, VALIDATORS);
    }
}

criterion_group!(benches, shapes, validates);
criterion_main!(benches);
