//! Works on several jobs at once, and gives their results out in the order of the jobs.

use std::collections::VecDeque;
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
/// The calling thread is one of them: between jobs, and whenever its job has a result, it calls `each` with what has come so
/// far. So no other thread has to be woken for a result, and results of other threads may wait until the job at hand ends. Those
/// of the first job never do.
///
/// # Limits
/// The job whose results come next always goes on. Of the 1,023 jobs behind it results may wait for it; later jobs do not begin.
/// Nor does any other job begin, or give a result, while what waits weighs 16,384 or more together. The unit is the caller's:
/// where each result weighs 1, so many of them may wait.
///
/// ```
/// use std::convert::Infallible;
/// use std::num::NonZeroUsize;
///
/// use codex_wire_inputs::{Stop, in_order};
///
/// let texts = ["one line\n", "two\nlines\n", ""];
/// let mut lines = Vec::new();
/// in_order(
///     NonZeroUsize::MIN.saturating_add(1),
///     &texts,
///     &Stop::new(),
///     |text, give| text.lines().for_each(|line| give(line)),
///     |line| line.len(),
///     |line| {
///         lines.push(line);
///         Ok::<(), Infallible>(())
///     },
/// )?;
/// assert_eq!(lines, ["one line", "two", "lines"]);
/// # Ok::<(), Infallible>(())
/// ```
///
/// # Errors
/// Those of `each`. The stop is then requested, for the jobs that run.
pub fn in_order<J: Sync, T: Send, E>(
    threads: NonZeroUsize,
    jobs: &[J],
    stop: &Stop,
    work: impl Fn(&J, &mut dyn FnMut(T)) + Sync,
    weight: impl Fn(&T) -> usize + Sync,
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    // Another thread for each but the one that is here.
    let others = threads.get().min(jobs.len()).saturating_sub(1);
    let desk = Desk {
        state: Mutex::new(State {
            begun: 0,
            given_out: 0,
            running: others,
            results: VecDeque::new(),
            weight: 0,
            stopped: false,
            is_awaited: false,
            waiting: 0,
        }),
        arrived: Condvar::new(),
        room: Condvar::new(),
        jobs: jobs.len(),
        stop,
    };
    // The first job is always of the calling thread. If it came to a later one first, what another thread has found in the
    // first one would wait until that ends, forever if it is an input whose writer waits for the report.
    let may_begin = !jobs.is_empty() && !stop.is_requested();
    let mut first = may_begin.then(|| desk.lock().begin()).flatten();
    thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| {
                let _leave = Leave(&desk);
                let mut ended = None;
                while let Some(index) = desk.next_job(ended) {
                    work(&jobs[index], &mut |result| {
                        let weight = weight(&result);
                        desk.put(index, result, weight);
                    });
                    ended = Some(index);
                }
            });
        }
        let _halt = Halt(&desk);
        let mut counter = Counter {
            desk: &desk,
            each,
            failed: None,
            taken: VecDeque::new(),
        };
        let mut ended = None;
        loop {
            match first.take().or_else(|| counter.next_job(ended.take())) {
                Some(index) => {
                    work(&jobs[index], &mut |result| {
                        let weight = weight(&result);
                        counter.give(index, result, weight);
                    });
                    ended = Some(index);
                }
                None => return counter.failed.map_or(Ok(()), Err),
            }
        }
    })
}

/// Where jobs are taken, and results put.
struct Desk<'s, T> {
    state: Mutex<State<T>>,
    /// The calling thread waits for something to give out, or to begin.
    arrived: Condvar,
    /// Other threads wait until less waits to be given out.
    room: Condvar,
    /// How many jobs there are.
    jobs: usize,
    stop: &'s Stop,
}

struct State<T> {
    /// How many jobs were begun: these are the first ones.
    begun: usize,
    /// How many jobs have ended of which all results were given out: these are the first ones.
    given_out: usize,
    /// How many of the other threads still work.
    running: usize,
    /// What is there of the jobs behind those that were given out.
    results: VecDeque<Results<T>>,
    /// The weight of the results that wait.
    weight: usize,
    /// No further job is begun.
    stopped: bool,
    /// Whether the calling thread waits.
    is_awaited: bool,
    /// How many other threads wait. Nobody is woken who does not.
    waiting: usize,
}

/// The results of a job that were not given out yet.
struct Results<T> {
    /// With their weight.
    waiting: VecDeque<(T, usize)>,
    has_ended: bool,
}

impl<T> Desk<'_, T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job for another thread, once it may begin. The one before it has given all of its results.
    fn next_job(&self, ended: Option<usize>) -> Option<usize> {
        let mut state = self.lock();
        if let Some(index) = ended {
            state.end(index);
            self.call(&state, index);
        }
        loop {
            if state.stopped || state.begun == self.jobs || self.stop.is_requested() {
                return None;
            }
            if let Some(index) = state.begin() {
                return Some(index);
            }
            state = self.wait(state);
        }
    }

    /// Takes a result of another thread.
    fn put(&self, index: usize, result: T, weight: usize) {
        let mut state = self.lock();
        // The job whose results are wanted next goes on unless some of its own wait.
        while !state.stopped && state.weight >= HEAVY && !state.is_wanted(index) {
            state = self.wait(state);
        }
        state.put(index, result, weight);
        self.call(&state, index);
    }

    /// Another thread waits for room.
    fn wait<'m>(&self, mut state: MutexGuard<'m, State<T>>) -> MutexGuard<'m, State<T>> {
        state.waiting += 1;
        let woken = self.room.wait(state);
        let mut state = woken.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the calling thread if it waits for what has come of this job.
    fn call(&self, state: &State<T>, index: usize) {
        if state.is_awaited && index == state.given_out {
            self.arrived.notify_one();
        }
    }
}

impl<T> State<T> {
    /// Begins the next job if it may.
    fn begin(&mut self) -> Option<usize> {
        let next = self.begun;
        // The job whose result is wanted next always begins. So something always goes on.
        let has_room = self.weight < HEAVY && next < self.given_out + AHEAD;
        (has_room || next == self.given_out).then(|| {
            self.begun += 1;
            next
        })
    }

    fn of(&mut self, index: usize) -> &mut Results<T> {
        let at = index - self.given_out;
        while self.results.len() <= at {
            self.results.push_back(Results {
                waiting: VecDeque::new(),
                has_ended: false,
            });
        }
        &mut self.results[at]
    }

    fn put(&mut self, index: usize, result: T, weight: usize) {
        self.weight += weight;
        self.of(index).waiting.push_back((result, weight));
    }

    fn end(&mut self, index: usize) {
        self.of(index).has_ended = true;
    }

    /// Whether nothing can go on before this job has given a result.
    fn is_wanted(&self, index: usize) -> bool {
        let first = self.results.front();
        index == self.given_out && first.is_none_or(|first| first.waiting.is_empty())
    }

    /// Moves what can be given out into `out`. It counts as waiting until it was given out.
    fn take(&mut self, out: &mut VecDeque<(T, usize)>) {
        while let Some(first) = self.results.front_mut() {
            out.append(&mut first.waiting);
            if !first.has_ended {
                return;
            }
            self.results.pop_front();
            self.given_out += 1;
        }
    }
}

/// Where the calling thread gives results out.
struct Counter<'d, 's, T, F, E> {
    desk: &'d Desk<'s, T>,
    each: F,
    /// The error of `each`, which is not called again.
    failed: Option<E>,
    /// What is given out at once, with its weight.
    taken: VecDeque<(T, usize)>,
}

type Locked<'d, T> = MutexGuard<'d, State<T>>;

impl<'d, T, E, F: FnMut(T) -> Result<(), E>> Counter<'d, '_, T, F, E> {
    /// The next job for the calling thread, once it may begin. `None` if all jobs have ended and were given out, or `each` has
    /// failed.
    fn next_job(&mut self, ended: Option<usize>) -> Option<usize> {
        let desk = self.desk;
        let mut state = desk.lock();
        if let Some(index) = ended {
            state.end(index);
        }
        loop {
            let is_last = state.running == 0;
            state = self.give_out(state);
            if self.failed.is_some() {
                return None;
            }
            let is_over = state.stopped || state.begun == desk.jobs || desk.stop.is_requested();
            if !is_over && let Some(index) = state.begin() {
                return Some(index);
            }
            if is_last {
                return None;
            }
            // What the last thread has left behind is not given out yet.
            if state.running > 0 {
                state = self.wait(state);
            }
        }
    }

    /// Gives out a result of the calling thread, or puts it to those that wait for an earlier one.
    fn give(&mut self, index: usize, result: T, weight: usize) {
        let desk = self.desk;
        let mut state = desk.lock();
        loop {
            state = self.give_out(state);
            if self.failed.is_some() {
                return;
            }
            if state.given_out == index {
                drop(state);
                return self.call(result);
            }
            // Nobody comes any more where a thread has panicked.
            if state.weight < HEAVY || state.running == 0 {
                return state.put(index, result, weight);
            }
            state = self.wait(state);
        }
    }

    /// Gives out what has come, as long as something comes.
    fn give_out(&mut self, mut state: Locked<'d, T>) -> Locked<'d, T> {
        loop {
            let before = state.given_out;
            state.take(&mut self.taken);
            // Others may begin jobs.
            if state.waiting > 0 && state.given_out > before {
                self.desk.room.notify_all();
            }
            if self.taken.is_empty() || self.failed.is_some() {
                return state;
            }
            drop(state);
            let mut weight = 0;
            while let Some((result, of_result)) = self.taken.pop_front() {
                weight += of_result;
                self.call(result);
            }
            state = self.desk.lock();
            state.weight -= weight;
            if state.waiting > 0 {
                self.desk.room.notify_all();
            }
        }
    }

    fn call(&mut self, result: T) {
        if self.failed.is_none()
            && let Err(error) = (self.each)(result)
        {
            self.failed = Some(error);
            // Also where all jobs have ended by now: who asks later shall not begin others.
            self.desk.stop.request();
        }
    }

    fn wait(&self, mut state: Locked<'d, T>) -> Locked<'d, T> {
        state.is_awaited = true;
        let woken = self.desk.arrived.wait(state);
        let mut state = woken.unwrap_or_else(PoisonError::into_inner);
        state.is_awaited = false;
        state
    }
}

/// Says that a thread no longer works, also when it panics.
struct Leave<'d, T>(&'d Desk<'d, T>);

impl<T> Drop for Leave<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        state.stopped |= thread::panicking();
        self.0.arrived.notify_one();
        self.0.room.notify_all();
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
        self.0.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::ThreadId;
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

    /// Two jobs run at once on two threads, of which one is that of the caller.
    #[test]
    fn the_calling_thread_works() {
        let both = Barrier::new(2);
        let mut by = Vec::new();
        in_order(
            threads(2),
            &[(), ()],
            &Stop::new(),
            |(), give: &mut dyn FnMut(ThreadId)| {
                both.wait();
                give(thread::current().id());
            },
            |_| 1,
            |thread| {
                by.push(thread);
                Ok::<(), ()>(())
            },
        )
        .unwrap();
        assert_eq!(by.len(), 2);
        assert!(by.contains(&thread::current().id()));
    }

    /// The first result does not wait for the end of another job, which may be an input that somebody still writes.
    #[test]
    fn the_first_result_waits_for_no_other_job() {
        for _ in 0..50 {
            let (is_given, given) = (Mutex::new(false), Condvar::new());
            let both = Barrier::new(2);
            let work = |job: &usize, give: &mut dyn FnMut(usize)| {
                both.wait();
                if *job == 1 {
                    let most = Duration::from_secs(5);
                    let waited =
                        given.wait_timeout_while(is_given.lock().unwrap(), most, |is| !*is);
                    assert!(*waited.unwrap().0, "the first result is kept");
                }
                give(*job);
            };
            let each = |_| {
                *is_given.lock().unwrap() = true;
                given.notify_all();
                Ok::<(), ()>(())
            };
            in_order(threads(2), &[0, 1], &Stop::new(), work, |_| 1, each).unwrap();
        }
    }

    /// Whether it is another thread that panics, or the one of the caller.
    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_not_waited_for() {
        panics(|is_caller| !is_caller);
    }

    #[test]
    #[should_panic(expected = "out of luck")]
    fn a_panic_of_the_caller_is_not_waited_for() {
        panics(|is_caller| is_caller);
    }

    fn panics(does: impl Fn(bool) -> bool + Sync) {
        let (both, caller) = (Barrier::new(2), thread::current().id());
        let work = |job: &usize, give: &mut dyn FnMut(usize)| {
            if *job < 2 {
                both.wait();
                assert!(!does(thread::current().id() == caller), "out of luck");
            }
            give(*job);
        };
        let jobs: Vec<usize> = (0..3 * AHEAD).collect();
        let each = |_| Ok::<(), ()>(());
        let _ = in_order(threads(2), &jobs, &Stop::new(), work, |_| 1, each);
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
