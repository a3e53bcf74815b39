//! Works on several jobs at once, and gives their results out in the order of the jobs.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::stop::Stop;

/// How many results may wait for an earlier one.
const AHEAD: usize = 1024;

/// How heavy the results that wait may be together. The unit is up to the caller.
const HEAVY: usize = 16 << 10;

/// Works on all jobs on that many threads, and calls `each` with the results in the order of the jobs. A
/// job may have any number of results, which it gives to its second argument.
/// `weight` says how much memory a result takes: no job is begun, and none goes on, while too much waits
/// for an earlier one. Once a stop is requested, no further job is begun.
///
/// # Errors
/// Those of `each`. The stop is then requested, for the jobs that run.
pub fn in_order<J: Sync, T: Send, E>(
    threads: NonZeroUsize,
    jobs: &[J],
    stop: &Stop,
    work: impl Fn(&J, &mut dyn FnMut(T)) + Sync,
    weight: impl Fn(&T) -> usize + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.get().min(jobs.len());
    if threads <= 1 {
        for job in jobs {
            if stop.is_requested() {
                break;
            }
            let mut given = Ok(());
            work(job, &mut |result| {
                if given.is_ok() {
                    given = each(result);
                    if given.is_err() {
                        stop.request();
                    }
                }
            });
            given?;
        }
        return Ok(());
    }
    let desk = Desk {
        state: Mutex::new(State {
            begun: 0,
            given_out: 0,
            running: threads,
            results: BTreeMap::new(),
            weight: 0,
            stopped: false,
        }),
        changed: Condvar::new(),
        stop,
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let _leave = Leave(&desk);
                while let Some(index) = desk.next_job(jobs.len()) {
                    work(&jobs[index], &mut |result| {
                        let weight = weight(&result);
                        desk.put(index, result, weight);
                    });
                    desk.end(index);
                }
            });
        }
        let _halt = Halt(&desk);
        while let Some(result) = desk.next_result() {
            if let Err(error) = each(result) {
                // Also where all jobs have ended by now: who asks later shall not begin others.
                stop.request();
                return Err(error);
            }
        }
        Ok(())
    })
}

/// Where jobs are taken, and results put.
struct Desk<'s, T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    stop: &'s Stop,
}

struct State<T> {
    /// How many jobs were begun: these are the first ones.
    begun: usize,
    /// How many jobs have ended of which all results were given out: these are the first ones.
    given_out: usize,
    /// How many threads still work.
    running: usize,
    /// The results that wait, by the number of their job.
    results: BTreeMap<usize, Results<T>>,
    /// The weight of these results.
    weight: usize,
    /// No further job is begun.
    stopped: bool,
}

/// The results of a job that were not given out yet.
struct Results<T> {
    /// With their weight.
    waiting: VecDeque<(T, usize)>,
    has_ended: bool,
}

impl<T> Default for Results<T> {
    fn default() -> Self {
        Results {
            waiting: VecDeque::new(),
            has_ended: false,
        }
    }
}

impl<T> Desk<'_, T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job, once it may begin.
    fn next_job(&self, jobs: usize) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if state.stopped || state.begun == jobs || self.stop.is_requested() {
                return None;
            }
            let next = state.begun;
            // The job whose result is wanted next always begins. So something always goes on.
            let has_room = state.weight < HEAVY && next < state.given_out + AHEAD;
            if has_room || next == state.given_out {
                state.begun += 1;
                return Some(next);
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put(&self, index: usize, result: T, weight: usize) {
        let mut state = self.lock();
        // The job whose results are wanted next goes on unless some of its own wait.
        while !state.stopped && state.weight >= HEAVY && !state.is_wanted(index) {
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.weight += weight;
        let results = state.results.entry(index).or_default();
        results.waiting.push_back((result, weight));
        self.changed.notify_all();
    }

    /// Says that a job has given all of its results.
    fn end(&self, index: usize) {
        self.lock().results.entry(index).or_default().has_ended = true;
        self.changed.notify_all();
    }

    /// The next result, or `None` if no job is left that could have one.
    fn next_result(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            let next = state.given_out;
            let results = state.results.entry(next).or_default();
            if let Some((result, weight)) = results.waiting.pop_front() {
                state.weight -= weight;
                self.changed.notify_all();
                return Some(result);
            }
            if results.has_ended {
                state.results.remove(&next);
                state.given_out += 1;
                self.changed.notify_all();
                continue;
            }
            if state.running == 0 {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> State<T> {
    /// Whether nothing can go on before this job has given a result.
    fn is_wanted(&self, index: usize) -> bool {
        let waits = self
            .results
            .get(&index)
            .is_some_and(|r| !r.waiting.is_empty());
        index == self.given_out && !waits
    }
}

/// Says that a thread no longer works, also when it panics.
struct Leave<'d, T>(&'d Desk<'d, T>);

impl<T> Drop for Leave<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        state.stopped |= thread::panicking();
        self.0.changed.notify_all();
    }
}

/// Stops the threads once nobody wants their results.
struct Halt<'d, T>(&'d Desk<'d, T>);

impl<T> Drop for Halt<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if state.running > 0 {
            state.stopped = true;
            self.0.stop.request();
        }
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    /// The first job takes longest, so that results wait.
    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..500).collect();
        for number in [1, 2, 3, 16, 1000] {
            let mut seen = Vec::new();
            let work = |job: &usize, give: &mut dyn FnMut(usize)| {
                thread::sleep(Duration::from_micros(500 - *job as u64));
                give(*job);
            };
            in_order(
                threads(number),
                &jobs,
                &Stop::new(),
                work,
                |_| 1,
                |result| {
                    seen.push(result);
                    Ok::<(), ()>(())
                },
            )
            .unwrap();
            assert_eq!(seen, jobs, "{number}");
        }
    }

    /// While the first job runs, few others do.
    #[test]
    fn what_waits_is_bounded() {
        let jobs: Vec<usize> = (0..4 * AHEAD).collect();
        for (weight, most) in [(1, AHEAD), (HEAVY / 8, 9)] {
            let done = AtomicUsize::new(0);
            let work = |job: &usize, give: &mut dyn FnMut(usize)| {
                if *job == 0 {
                    thread::sleep(Duration::from_millis(300));
                    return give(done.load(Ordering::SeqCst));
                }
                done.fetch_add(1, Ordering::SeqCst);
                give(0);
            };
            let mut first = None;
            in_order(
                threads(3),
                &jobs,
                &Stop::new(),
                work,
                |_| weight,
                |result| {
                    first.get_or_insert(result);
                    Ok::<(), ()>(())
                },
            )
            .unwrap();
            let first = first.unwrap();
            assert!(
                (most - 2..=most + 2).contains(&first),
                "{first}, not {most}"
            );
        }
    }

    /// Jobs with many results, as archives have them: in order, and no more wait than may.
    #[test]
    fn a_job_may_have_many_results() {
        let jobs: Vec<usize> = (0..20).collect();
        for number in [1, 2, 8] {
            let made = AtomicUsize::new(0);
            let work = |job: &usize, give: &mut dyn FnMut((usize, usize))| {
                for result in 0..100 * (job % 3) {
                    made.fetch_add(1, Ordering::SeqCst);
                    give((*job, result));
                }
            };
            let mut seen = Vec::new();
            let mut most = 0;
            let each = |result| {
                seen.push(result);
                most = most.max(made.load(Ordering::SeqCst) - seen.len());
                Ok::<(), ()>(())
            };
            let stop = Stop::new();
            in_order(threads(number), &jobs, &stop, work, |_| HEAVY / 10, each).unwrap();
            let expected: Vec<(usize, usize)> = jobs
                .iter()
                .flat_map(|job| (0..100 * (job % 3)).map(|result| (*job, result)))
                .collect();
            assert_eq!(seen, expected, "{number}");
            assert!(most <= 10 + 2 * number, "{most} waited");
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_not_waited_for() {
        let work = |job: &usize, _: &mut dyn FnMut(())| assert_ne!(*job, 7);
        let jobs: Vec<usize> = (0..100).collect();
        let stop = Stop::new();
        let each = |()| Ok::<(), ()>(());
        let _ = in_order(threads(2), &jobs, &stop, work, |()| 1, each);
    }

    /// Jobs that run learn that nobody wants their results.
    #[test]
    fn an_error_stops_the_jobs() {
        let jobs: Vec<usize> = (0..100).collect();
        for number in [1, 2] {
            let stop = Stop::new();
            let work = |job: &usize, give: &mut dyn FnMut(usize)| give(*job);
            let each = |result| if result < 3 { Ok(()) } else { Err(result) };
            let ended = in_order(threads(number), &jobs, &stop, work, |_| 1, each);
            assert_eq!((ended, stop.is_requested()), (Err(3), true), "{number}");
        }
    }
}
