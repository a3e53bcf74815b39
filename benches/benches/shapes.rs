//! How fast the shape of lines is judged, yes or no.

#![allow(missing_docs)]

use benches::corpus::Corpus;
use benches::shapes::{Shapes, WAYS};
use codex_wire::Surface;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn shapes(criterion: &mut Criterion) {
    let part = "the recorded transcripts are part of the repository";
    let notifications = Surface::AppServerServerNotifications;
    for (surface, corpus) in [
        (Surface::Exec, Corpus::generated()),
        (Surface::Exec, Corpus::recorded().expect(part)),
        (notifications, Corpus::app_server_generated()),
        (notifications, Corpus::app_server_recorded().expect(part)),
    ] {
        let shapes = Shapes::new(surface, &corpus);
        let corpus = shapes.of_surface(&corpus);
        let mut group = criterion.benchmark_group(format!("shape/{}", corpus.name));
        group.sample_size(10);
        group.sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::ElementsAndBytes {
            elements: corpus.lines().len() as u64,
            bytes: corpus.bytes(),
        });
        for (name, way) in WAYS {
            group.bench_function(*name, |bencher| bencher.iter(|| way(&shapes, &corpus)));
        }
        group.finish();
    }
}

criterion_group!(benches, shapes);
criterion_main!(benches);
