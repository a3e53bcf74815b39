//! Groups of criterion as all benches here have them.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};

use crate::corpus::Corpus;

/// The group of a question about a corpus.
pub fn group<'c>(
    criterion: &'c mut Criterion,
    question: &str,
    corpus: &Corpus,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(format!("{question}/{}", corpus.name));
    group.sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::ElementsAndBytes {
        elements: corpus.lines().len() as u64,
        bytes: corpus.bytes(),
    });
    group
}
