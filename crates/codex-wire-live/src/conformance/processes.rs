//! The processes of a run: ends what a client has left behind.

use std::path::Path;
use std::process::Child;

use crate::process::has_ended;

/// Whether the stand-in that records to this path, which ends with its number, is gone.
pub(crate) fn is_gone(record: &Path) -> bool {
    let stem = record.file_stem().unwrap_or_default().to_string_lossy();
    let number = stem.rsplit('-').next().and_then(|text| text.parse().ok());
    number.is_some_and(has_ended)
}

/// Ends the process group of a client.
pub(crate) fn end_group(child: &Child) {
    system::end_group(child);
}

/// Ends the processes that were started with this variable, or whose program is in the folder that it names. Only
/// Linux says which these are.
pub(crate) fn end_marked(variable: &str, folder: &Path) {
    system::end_marked(variable, folder);
}

#[cfg(unix)]
mod system {
    use std::path::Path;
    use std::process::Child;

    use rustix::process::{Pid, Signal, kill_process_group};

    pub(super) fn end_group(child: &Child) {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // A group that is gone needs no end.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn end_marked(_: &str, _: &Path) {}

    #[cfg(target_os = "linux")]
    pub(super) fn end_marked(variable: &str, folder: &Path) {
        use std::os::unix::ffi::OsStrExt;

        use crate::process::has_ended;

        let entry = [variable.as_bytes(), b"=", folder.as_os_str().as_bytes()].concat();
        // One that starts others while it is looked for is found the next time.
        for _ in 0..ROUNDS {
            let mut found = false;
            for number in numbers() {
                let process = Path::new("/proc").join(number.to_string());
                // Those of other users cannot be read; they are not ours.
                let environment = std::fs::read(process.join("environ")).unwrap_or_default();
                let is_marked = environment.split(|byte| *byte == 0).any(|own| own == entry);
                let program = std::fs::read_link(process.join("exe")).unwrap_or_default();
                if !(is_marked || program.starts_with(folder)) || has_ended(number) {
                    continue;
                }
                if let Some(pid) = i32::try_from(number).ok().and_then(Pid::from_raw) {
                    found = true;
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            }
            if !found {
                return;
            }
        }
    }

    /// How often processes are looked for.
    #[cfg(target_os = "linux")]
    const ROUNDS: usize = 8;

    #[cfg(target_os = "linux")]
    fn numbers() -> Vec<u32> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers
            .filter(|number| *number != std::process::id())
            .collect()
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;
    use std::process::Child;

    pub(super) fn end_group(_: &Child) {}

    pub(super) fn end_marked(_: &str, _: &Path) {}
}
