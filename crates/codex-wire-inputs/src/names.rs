//! Knows by names which files of folders and archives may be transcripts.

/// What a file may be, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A transcript: `.jsonl` and `.ndjson`, plain or compressed.
    Transcript,
    /// A transcript, or something else: `.json` and `.log`, plain or compressed.
    Perhaps,
    /// An archive of transcripts.
    Archive,
    /// Nothing that is read.
    Other,
}

/// What to call the files that are read, where there are none.
pub(crate) const READ: &str =
    ".jsonl, .ndjson, .json or .log files, compressed or not, and no .tar or .zip files";

const ARCHIVES: [&str; 6] = [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".zip"];
const PACKED: [&str; 2] = [".gz", ".zst"];

/// What a file of that name may be. A name need not be valid UTF-8.
pub(crate) fn named(name: &[u8]) -> Named {
    let ends = |name: &[u8], ending: &str| name.ends_with(ending.as_bytes());
    if ARCHIVES.iter().any(|ending| ends(name, ending)) {
        return Named::Archive;
    }
    let packed = PACKED.iter().find(|ending| ends(name, ending));
    let plain = &name[..name.len() - packed.map_or(0, |ending| ending.len())];
    if ends(plain, ".jsonl") || ends(plain, ".ndjson") {
        Named::Transcript
    } else if ends(plain, ".json") || ends(plain, ".log") {
        Named::Perhaps
    } else {
        Named::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (name, expected) in [
            ("a.jsonl", Named::Transcript),
            ("a.ndjson.zst", Named::Transcript),
            ("a.json", Named::Perhaps),
            ("a.log.gz", Named::Perhaps),
            ("a.tar.gz", Named::Archive),
            ("a.zip", Named::Archive),
            ("a.gz", Named::Other),
            ("jsonl", Named::Other),
            ("a.txt", Named::Other),
        ] {
            assert_eq!(named(name.as_bytes()), expected, "{name}");
        }
    }
}
