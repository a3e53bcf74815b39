//! Whether a process is there.

/// Whether a process has ended. On Linux also if whoever started it has not taken note of that yet.
#[cfg(unix)]
pub(crate) fn has_ended(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};

    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The state stands behind the name, which is in parentheses and may have any.
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        return matches!(state, Some('Z' | 'X'));
    }
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    // A process of another user is there, although it takes no signal from this one.
    pid.is_none_or(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

/// Other systems do not say.
#[cfg(not(unix))]
pub(crate) fn has_ended(_: u32) -> bool {
    false
}
