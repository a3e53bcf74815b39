//! What Codex leaves in its home: session files, and what notifications received.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::home::Home;

/// The file to which payloads of notifications are written.
const NOTIFY: &str = "notify.jsonl";

/// The file with what the model returned.
pub(crate) const BILL: &str = "model.jsonl";

/// What is kept of the home of Codex: folders of session files, and the lists beside them.
const KEPT: [&str; 4] = [
    "sessions",
    "archived_sessions",
    "history.jsonl",
    "session_index.jsonl",
];

/// How long notifications may take that Codex does not wait for.
const QUIET: Duration = Duration::from_millis(200);

/// The last argument is the payload. It is one line.
const SCRIPT: &str = "for last; do :; done\nprintf '%s\\n' \"$last\" >> ";

/// A file that Codex left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Left {
    /// `notify.jsonl`, `model.jsonl`, or the path below the home of Codex behind `home/`.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What a Codex left that ran in a home below `root`: its session files, the lists beside them, and the
/// payloads of notifications if [`Home::add_notify`] was called; and, of a scene that is
/// [billed](crate::Scene::billed), what the model returned. Sorted by path.
///
/// # Errors
/// When a file cannot be read.
pub fn left(root: &Path) -> io::Result<Vec<Left>> {
    thread::sleep(QUIET);
    let home = root.join("codex-home");
    let mut paths = Vec::new();
    for name in KEPT {
        files(&home.join(name), &mut paths)?;
    }
    let mut out = Vec::new();
    for path in paths {
        let below = path.strip_prefix(&home).unwrap_or(&path);
        out.push(Left {
            path: format!("home/{}", below.to_string_lossy().replace('\\', "/")),
            bytes: fs::read(&path)?,
        });
    }
    for name in [NOTIFY, BILL] {
        let path = root.join(name);
        if path.is_file() {
            out.push(Left {
                path: name.to_owned(),
                bytes: fs::read(path)?,
            });
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

impl Home {
    /// Makes Codex tell the end of each turn to a program that keeps what it is told.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add_notify(&mut self) -> io::Result<()> {
        let (script, to) = (self.root().join("notify.sh"), self.root().join(NOTIFY));
        fs::write(&script, format!("{SCRIPT}'{}'\n", to.display()))?;
        let command = vec!["/bin/sh".to_owned(), script.display().to_string()];
        self.reconfigure(|configuration| configuration.notify = command)
    }

    /// Makes the project a repository of git, with one commit and a change that is not committed.
    ///
    /// # Errors
    /// When git cannot be run.
    pub fn add_repository(&mut self) -> io::Result<()> {
        for args in [
            &["init", "--quiet", "--initial-branch", "main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--message", "First"],
        ] {
            let mut command = Command::new("git");
            self.furnish(&mut command);
            let who = ["-c", "user.name=user", "-c", "user.email=user@example.org"];
            let status = command.args(who).args(args).status()?;
            if !status.success() {
                return Err(io::Error::other(format!("git {} fails", args.join(" "))));
            }
        }
        fs::write(self.project().join("notes.txt"), "not committed\n")
    }

    /// Makes all session files look as if they were last written so many days ago.
    pub(crate) fn age_sessions(&self, days: u64) -> io::Result<()> {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let mut paths = Vec::new();
        files(&self.codex_home().join("sessions"), &mut paths)?;
        for path in paths {
            fs::File::options()
                .append(true)
                .open(path)?
                .set_modified(then)?;
        }
        Ok(())
    }

    /// The session file that was begun last, by its name, which begins with the time.
    pub(crate) fn newest_session(&self) -> io::Result<Option<PathBuf>> {
        let mut paths = Vec::new();
        files(&self.codex_home().join("sessions"), &mut paths)?;
        paths.sort();
        Ok(paths.pop())
    }

    /// The id of the thread whose session file was begun last: the end of the name of the file.
    pub(crate) fn thread(&self) -> io::Result<Option<String>> {
        const ID: usize = "00000000-0000-0000-0000-000000000000".len();
        let path = self.newest_session()?;
        let name = path.as_deref().and_then(Path::file_stem);
        let name = name.map(|name| name.to_string_lossy().into_owned());
        Ok(name.and_then(|name| Some(name.get(name.len().checked_sub(ID)?..)?.to_owned())))
    }
}

/// The files at a path or below it.
fn files(path: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        out.push(path.to_owned());
    } else if path.is_dir() {
        for entry in fs::read_dir(path)? {
            files(&entry?.path(), out)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use codex_wire_base::Release;

    use super::*;

    #[test]
    fn what_is_left_has_the_names_that_codex_gave() {
        let root = std::env::temp_dir().join(format!("codex-wire-left-{}", std::process::id()));
        let mut home = Home::new(&root, Release::new(0, 169, 0), 7).unwrap();
        home.add_notify().unwrap();
        let day = home.codex_home().join("sessions/2026/11/22");
        fs::create_dir_all(&day).unwrap();
        let id = "01a203ca-075c-7481-be80-cd7bc0c1a31d";
        for name in ["15-00-00-older", &format!("15-05-01-{id}")] {
            fs::write(day.join(format!("rollout-2026-11-22T{name}.jsonl")), "{}\n").unwrap();
        }
        fs::write(home.codex_home().join("state_1.sqlite"), "").unwrap();
        let notify = home.configuration().notify.clone();
        let status = Command::new(&notify[0])
            .args(&notify[1..])
            .args(["first", "{\"type\":\"it's\"}"])
            .status();
        assert!(status.unwrap().success());
        assert_eq!(home.thread().unwrap().as_deref(), Some(id));
        let left = left(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        let paths: Vec<&str> = left.iter().map(|left| &*left.path).collect();
        assert_eq!(
            paths,
            [
                "home/sessions/2026/11/22/rollout-2026-11-22T15-00-00-older.jsonl",
                &format!("home/sessions/2026/11/22/rollout-2026-11-22T15-05-01-{id}.jsonl"),
                "notify.jsonl"
            ]
        );
        assert_eq!(left[2].bytes, b"{\"type\":\"it's\"}\n");
    }
}
