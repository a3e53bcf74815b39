//! Measures by turns, so that other load on the machine slows all ways alike.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long one contestant took in each round.
pub type Rounds = Vec<Duration>;

/// Lets the contestants run one after the other, `rounds` times, after one run to warm up.
pub fn by_turns(rounds: usize, contestants: &mut [Box<dyn FnMut() + '_>]) -> Vec<Rounds> {
    let start = Instant::now();
    by_turns_of(|| start.elapsed(), rounds, contestants)
}

/// The same by another clock.
pub fn by_turns_of(
    clock: impl Fn() -> Duration,
    rounds: usize,
    contestants: &mut [Box<dyn FnMut() + '_>],
) -> Vec<Rounds> {
    let mut times = vec![Rounds::new(); contestants.len()];
    for round in 0..=rounds {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let start = clock();
            contestant();
            if round > 0 {
                times.push(clock().saturating_sub(start));
            }
        }
    }
    times
}

/// How long this process has kept a processor busy.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or_default(),
        time.tv_nsec.try_into().unwrap_or_default(),
    )
}

/// The time of the day, where that cannot be asked.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    let now = std::time::UNIX_EPOCH.elapsed();
    now.unwrap_or_default()
}

/// The median over all rounds of how many times as long as `base` a contestant took.
pub fn ratio(times: &Rounds, base: &Rounds) -> f64 {
    let mut ratios: Vec<f64> = times
        .iter()
        .zip(base)
        .map(|(time, base)| time.as_secs_f64() / base.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// The shortest round: the one least disturbed.
pub fn best(times: &Rounds) -> Duration {
    times.iter().copied().min().unwrap_or_default()
}

/// What it was measured on.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map_or_else(
        || "unknown compiler".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    format!("Measured on: {model}, {cores} cores, {rustc}, release build for the default target.")
}
