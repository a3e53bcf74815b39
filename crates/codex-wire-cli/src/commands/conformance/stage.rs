//! Runs the client against an installed stand-in, and keeps what it shows.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use codex_wire_replay::faults::{FaultKind, Injection};
use serde_json::Value;
use tempfile::TempDir;
use toml::{Table, Value as Toml};

use super::scenarios::Scenario;

/// The variables in which clients look for the program.
const VARIABLES: &[&str] = &[
    "CODEX_PATH",
    "CODEX_BIN",
    "CODEX_CLI_PATH",
    "CODEX_EXECUTABLE",
];

/// How often the client is looked after.
const PERIOD: Duration = Duration::from_millis(4);

/// How long the stand-in may take to end after the client.
const GRACE: Duration = Duration::from_millis(1000);

/// How much of the client's standard output is compared.
const LONGEST: u64 = 64 << 20;

/// A folder with a stand-in that plays one scenario.
pub(super) struct Stage {
    folder: TempDir,
    /// The settings without those of a run.
    settings: Table,
}

/// What a client showed in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// The exit status; `None` if a signal ended it.
    pub(super) status: Option<i32>,
    /// Whether it was ended because it took too long.
    pub(super) timed_out: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// The lines that it sent, in the order in which the stand-in read them.
    pub(super) sent: Vec<String>,
    /// Requests of Codex that it did not answer: method and id.
    pub(super) open: Vec<String>,
    /// The exchanges, as transcripts.
    pub(super) exchange: Vec<u8>,
    /// What no recording answers.
    pub(super) misses: Vec<String>,
    /// The ids of the faults that were injected.
    pub(super) injected: BTreeSet<String>,
}

impl Stage {
    /// Installs a stand-in for a scenario.
    pub(super) fn new(scenario: &Scenario) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("codex-wire-").tempdir();
        let folder = folder.context("cannot make a folder")?;
        let recording = scenario.file(folder.path())?;
        let own = env::current_exe().context("cannot find this program")?;
        let flag = match scenario.is_told {
            true => "--as-release",
            false => "--release",
        };
        let installed = Command::new(own)
            .args(["replay", flag, &scenario.release.to_string(), "--install"])
            .arg(folder.path().join("bin"))
            .arg(recording)
            .output()
            .context("cannot install a stand-in")?;
        if !installed.status.success() {
            bail!("{}", String::from_utf8_lossy(&installed.stderr).trim());
        }
        let stage = Stage {
            folder,
            settings: Table::new(),
        };
        let text = fs::read_to_string(stage.file()).context("cannot read the settings")?;
        let settings = text.parse().context("cannot read the settings")?;
        Ok(Stage { settings, ..stage })
    }

    /// The program named `codex`.
    fn program(&self) -> PathBuf {
        let name = if cfg!(windows) { "codex.exe" } else { "codex" };
        self.folder.path().join("bin").join(name)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("bin").join("codex-replay.toml")
    }

    /// Runs the client, with a fault or without.
    pub(super) fn run(
        &self,
        client: &[String],
        faults: &[Injection],
        seed: u64,
        timeout: Duration,
    ) -> anyhow::Result<Shown> {
        let run = self.folder.path().join("run");
        let home = self.folder.path().join("home");
        for folder in [&run, &home] {
            if folder.exists() {
                fs::remove_dir_all(folder).with_context(|| cannot(folder))?;
            }
            fs::create_dir_all(folder).with_context(|| cannot(folder))?;
        }
        self.set(&run, faults, seed)?;
        let mut shown = Shown::default();
        let (out, err) = (run.join("stdout"), run.join("stderr"));
        let mut child = self.command(client, &home, &out, &err)?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for the client")? {
                break Some(status);
            }
            if begun.elapsed() >= timeout {
                shown.timed_out = true;
                break None;
            }
            thread::sleep(PERIOD);
        };
        shown.status = status.and_then(|status| status.code());
        let stays = faults
            .iter()
            .any(|i| i.fault.kind == FaultKind::IgnoresSigterm);
        if !shown.timed_out && !stays {
            self.await_end(&run);
        }
        end(&mut child);
        shown.stdout = read(&out)?;
        shown.stderr = read(&err)?;
        self.collect(&run, &mut shown)?;
        Ok(shown)
    }

    fn set(&self, run: &Path, faults: &[Injection], seed: u64) -> anyhow::Result<()> {
        let mut settings = self.settings.clone();
        let text = |name: &str| Toml::from(run.join(name).display().to_string());
        settings.insert("record".into(), text("exchange-{pid}.jsonl"));
        let report = run.join("report-{pid}.json").display().to_string();
        settings.insert(
            "report".into(),
            Toml::Array(vec![format!("json={report}").into()]),
        );
        settings.insert("fault-log".into(), text("faults.txt"));
        if let Ok(seed) = i64::try_from(seed) {
            settings.insert("seed".into(), seed.into());
        }
        let faults = faults.iter().map(|fault| Toml::from(fault.to_string()));
        settings.insert("fault".into(), Toml::Array(faults.collect()));
        fs::write(self.file(), settings.to_string()).context("cannot write the settings")
    }

    fn command(
        &self,
        client: &[String],
        home: &Path,
        out: &Path,
        err: &Path,
    ) -> anyhow::Result<Child> {
        let program = self.program();
        let shown = program.display().to_string();
        let mut words = client.iter().map(|word| word.replace("{codex}", &shown));
        let name = words.next().context("the command of the client is empty")?;
        let mut paths = vec![self.folder.path().join("bin")];
        paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path: OsString = env::join_paths(paths).context("PATH")?;
        let mut command = Command::new(&name);
        command
            .args(words)
            .env("PATH", path)
            .env("CODEX_HOME", home)
            .envs(VARIABLES.iter().map(|variable| (variable, &program)))
            .stdin(Stdio::null())
            .stdout(File::create(out)?)
            .stderr(File::create(err)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .spawn()
            .with_context(|| format!("cannot run {name}"))
    }

    /// Waits until the stand-in has written all it has to say.
    fn await_end(&self, run: &Path) {
        let begun = Instant::now();
        let is_over = || {
            let exchanges = files(run, "exchange-");
            let ended = |path: &PathBuf| fs::read(path).is_ok_and(|bytes| has_exit(&bytes));
            exchanges.iter().all(ended) && files(run, "report-").len() >= exchanges.len()
        };
        while !is_over() && begun.elapsed() < GRACE {
            thread::sleep(PERIOD);
        }
    }

    fn collect(&self, run: &Path, shown: &mut Shown) -> anyhow::Result<()> {
        for path in files(run, "exchange-") {
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            collect_exchange(&bytes, shown);
            shown.exchange.extend_from_slice(&bytes);
        }
        for path in files(run, "report-") {
            let report: Value = serde_json::from_slice(&fs::read(path)?).unwrap_or_default();
            misses(&report, &mut shown.misses);
        }
        let log = fs::read_to_string(run.join("faults.txt")).unwrap_or_default();
        shown.injected = log.lines().map(str::to_owned).collect();
        Ok(())
    }
}

/// Ends the client and everything that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // A group that is gone needs no end.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The files of a run whose names begin so, oldest first.
fn files(run: &Path, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
    let mut files: Vec<_> = own
        .map(|entry| {
            (
                entry.metadata().and_then(|m| m.created()).ok(),
                entry.path(),
            )
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

fn has_exit(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"{\"kind\":\"exit\"").is_some()
}

fn read(path: &Path) -> anyhow::Result<String> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Notes what the client sent, and which requests of Codex it left open.
fn collect_exchange(bytes: &[u8], shown: &mut Shown) {
    let mut open: Vec<(String, String)> = Vec::new();
    for record in bytes.split(|byte| *byte == b'\n') {
        let Ok(record) = serde_json::from_slice::<Value>(record) else {
            continue;
        };
        let Some(line) = record["line"].as_str() else {
            continue;
        };
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let id = message.get("id").map(ToString::to_string);
        let method = message["method"].as_str();
        if record["from"] == "client" {
            shown.sent.push(line.to_owned());
            if method.is_none() {
                open.retain(|(own, _)| Some(own) != id.as_ref());
            }
            continue;
        }
        match (method, id) {
            (Some(method), Some(id)) => open.push((id, method.to_owned())),
            (Some("serverRequest/resolved"), None) => {
                let id = message["params"]["requestId"].to_string();
                open.retain(|(own, _)| *own != id);
            }
            _ => {}
        }
    }
    shown.open.extend(
        open.into_iter()
            .map(|(id, method)| format!("{method} (id {id})")),
    );
}

/// What the report of the stand-in says about missing recordings.
fn misses(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if members
                .get("rule")
                .is_some_and(|rule| *rule == "replay/no-recording")
                && let Some(message) = members.get("message").and_then(Value::as_str)
            {
                out.push(message.to_owned());
            }
            members.values().for_each(|value| misses(value, out));
        }
        Value::Array(elements) => elements.iter().for_each(|value| misses(value, out)),
        _ => {}
    }
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
