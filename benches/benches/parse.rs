//! Measures how fast lines become values, by corpus and by size of line.

#![allow(missing_docs)]

use benches::contestants::{APP_SERVER, CORE, Contest, Contestant, EXEC, ROLLOUT, THREAD_READ};
use benches::corpus::Corpus;
use benches::groups::group;
use criterion::{Criterion, criterion_group, criterion_main};

fn compare(criterion: &mut Criterion, question: &str, corpus: &Corpus, contestants: &[Contestant]) {
    let mut group = group(criterion, question, corpus);
    for contestant in contestants {
        group.bench_function(contestant.name, |bencher| {
            bencher.iter(|| contestant.run(corpus));
        });
    }
    group.finish();
}

/// Those that read every line of the corpus.
fn readers_of_all(contest: &Contest, corpus: &Corpus) -> Vec<Contestant> {
    contest
        .all()
        .filter(|contestant| contestant.run(corpus) == corpus.lines().len())
        .copied()
        .collect()
}

fn parse(criterion: &mut Criterion) {
    let generated = Corpus::generated();
    let recorded = Corpus::recorded().expect("the recorded transcripts are part of the repository");

    // How fast are whole streams read?
    for corpus in [&generated, &recorded] {
        compare(criterion, "stream", corpus, &readers_of_all(&EXEC, corpus));
    }
    // What costs the frame of a line, and what its text?
    for corpus in [
        generated.only("up to 1 KB", |line| line.len() <= 1000),
        generated.only("2 to 200 KB", |line| (2000..200_000).contains(&line.len())),
        generated.only("1 MB", |line| line.len() > 1_000_000),
    ] {
        compare(criterion, "line", &corpus, &readers_of_all(&EXEC, &corpus));
    }
    those_turned_down(criterion, &EXEC, &[&generated, &recorded]);
}

fn parse_core(criterion: &mut Criterion) {
    let generated = Corpus::core_generated();
    let recorded =
        Corpus::core_recorded().expect("the recorded transcripts are part of the repository");
    for corpus in [&generated, &recorded] {
        compare(criterion, "stream", corpus, &readers_of_all(&CORE, corpus));
    }
    those_turned_down(criterion, &CORE, &[&generated, &recorded]);
}

fn parse_app_server(criterion: &mut Criterion) {
    let generated = Corpus::app_server_generated();
    let recorded =
        Corpus::app_server_recorded().expect("the recorded transcripts are part of the repository");
    for corpus in [&generated, &recorded] {
        let readers = readers_of_all(&APP_SERVER, corpus);
        compare(criterion, "stream", corpus, &readers);
    }
    let answer = Corpus::thread_read().answers();
    let readers = readers_of_all(&THREAD_READ, &answer);
    compare(criterion, "line", &answer, &readers);
    those_turned_down(criterion, &APP_SERVER, &[&generated, &recorded]);
}

fn parse_rollout(criterion: &mut Criterion) {
    let generated = Corpus::session_file();
    let readers = readers_of_all(&ROLLOUT, &generated);
    compare(criterion, "stream", &generated, &readers);
}

/// How fast are the lines that a reader turns others of down for?
fn those_turned_down(criterion: &mut Criterion, contest: &Contest, corpora: &[&Corpus]) {
    for contestant in contest.all() {
        for corpus in corpora {
            if contestant.run(corpus) < corpus.lines().len() {
                let lines = corpus.only(corpus.name, contestant.read);
                let question = format!("lines of {}", contestant.name);
                compare(criterion, &question, &lines, &[contest.ours, *contestant]);
            }
        }
    }
}

criterion_group!(benches, parse, parse_core, parse_app_server, parse_rollout);
criterion_main!(benches);
