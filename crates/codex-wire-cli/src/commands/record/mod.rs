//! Implements `codex-wire record`: runs a real Codex on a stage, and keeps what it writes.
//!
//! The stage is a folder that is removed at the end: a home of its own for Codex, a configuration that
//! connects it to one model and to nothing else, and a project. The model is a script on a loopback
//! port, or the endpoint of the user. The run itself is that of `tap`.

mod args;
mod keep;
mod plot;
mod program;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail, ensure};
use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Checker, Limits, Options};
use codex_wire_record::{Client, Configuration, Home, Model, Talk, converse};
use codex_wire_replay::script::Script;
use codex_wire_report::{Format, Settings, Styles};
use codex_wire_scrub::Scrubber;
use tempfile::TempDir;

use super::mask::Mask;
use super::tap::recorder::Recorder;
use super::tap::{Inspection, Wiretap, code_of, stdio};
pub(crate) use args::RecordArgs;
use keep::{HOOKS, Keep, NOTIFY};
use plot::Plot;
use program::Binary;

/// The file with what both sides wrote.
const RUN: &str = "run.jsonl";

/// The variables that Codex has from the user: which programs there are, and how texts are written.
const KEPT: [&str; 4] = ["PATH", "LANG", "SystemRoot", "PATHEXT"];

/// Runs the command.
pub(crate) fn run(args: &RecordArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let plot = match &args.script {
        Some(path) => Some(plot(path)?),
        None => None,
    };
    let protocol = protocol(&args.args)?;
    ensure!(
        args.prompts.is_empty() || protocol == Protocol::AppServer,
        "only `codex app-server` has prompts from --prompt; for others they are arguments after `--`"
    );
    let program = Binary::find(args.codex.as_deref(), args.release.as_deref())?;
    let folder = stage_folder().context("cannot make a folder for the stage")?;
    let stage = Stage::set(args, plot.as_ref(), &program, folder.path())?;
    let keep = Keep::begin(&args.out, scrubber(args)?, stage.mask.clone())?;
    let wiretap = wiretap(args, &stage, protocol, &keep, color)?;
    let mut command = Command::new(&program.path);
    stage.furnish(&mut command, args);
    let status = match args.prompts.is_empty() {
        true => {
            let (own_in, own_out) = stdio()?;
            wiretap.run(command.args(&args.args), own_in, own_out)?.0
        }
        false => talk(
            wiretap,
            command.args(&args.args),
            &stage,
            args,
            plot.as_ref(),
        )?,
    };
    keep.collect(&stage.home.codex_home(), folder.path(), color)?;
    Ok(ExitCode::from(code_of(status)))
}

/// A folder for the stage, which is removed at the end. It is in a cache if there is one: in a temporary
/// folder, Codex makes no links to itself, which it needs for its sandbox.
fn stage_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("stage-");
    if let Some(cache) = program::own_cache()
        && fs::create_dir_all(&cache).is_ok()
        && let Ok(folder) = builder.tempdir_in(cache)
    {
        return Ok(folder);
    }
    builder.tempdir()
}

fn plot(path: &Path) -> anyhow::Result<Plot> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let script = Script::parse(&text).with_context(|| name.to_string())?;
    Ok(Plot::new(script))
}

/// The protocol of the command that is run.
fn protocol(args: &[OsString]) -> anyhow::Result<Protocol> {
    let commands = args.iter().filter_map(|arg| match arg.to_str()? {
        "exec" | "e" => Some(Protocol::Exec),
        "app-server" => Some(Protocol::AppServer),
        "proto" => Some(Protocol::Core),
        _ => None,
    });
    let mut commands = commands;
    let Some(protocol) = commands.next() else {
        bail!("name a command after `--`: exec, app-server or proto");
    };
    Ok(protocol)
}

fn scrubber(args: &RecordArgs) -> anyhow::Result<Option<codex_wire_scrub::Key>> {
    match args.scrub {
        true => Ok(Some(super::scrub::key(None)?)),
        false => Ok(None),
    }
}

/// What is between us and Codex.
fn wiretap(
    args: &RecordArgs,
    stage: &Stage,
    protocol: Protocol,
    keep: &Keep,
    color: ColorChoice,
) -> anyhow::Result<Wiretap> {
    let release = stage.release;
    let mut options = Options::new();
    options.protocol = Some(protocol);
    // A release that the list does not have is checked as what it looks like.
    options.release = protocol.release_list().resolve(&release.to_string()).ok();
    let path = args.out.join(RUN);
    let scrubber = keep.key().map(|key| Scrubber::new(key, &[]));
    let recorder = Recorder::create(&path, scrubber)?.masked(stage.mask.clone());
    let settings = Settings::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));
    Ok(Wiretap {
        checker: Checker::new(options)?,
        inspection: Inspection {
            path: path.display().to_string(),
            protocol: Some(protocol),
            release: Some(release.to_string()),
            line_bytes: Limits::default().line_bytes,
            format: Format::Text,
            settings: settings.with_styles(Styles::coloured()),
            begun: Instant::now(),
            color,
        },
        recorder: Some(recorder),
        out: Box::new(io::BufWriter::new(AutoStream::new(io::stderr(), color))),
    })
}

/// Runs an app-server with a client of our own.
fn talk(
    wiretap: Wiretap,
    command: &mut Command,
    stage: &Stage,
    args: &RecordArgs,
    plot: Option<&Plot>,
) -> anyhow::Result<std::process::ExitStatus> {
    let cannot = "cannot make a pipe";
    let (from_us, to_codex) = io::pipe().context(cannot)?;
    let (from_codex, to_us) = io::pipe().context(cannot)?;
    let turns = 0..args.prompts.len();
    let talk = Talk {
        release: stage.release,
        cwd: stage.cwd(args),
        prompts: args.prompts.clone(),
        is_asked: plot.is_some_and(Plot::asks_for_approval),
        interrupts: turns
            .map(|turn| plot.is_some_and(|plot| plot.hangs(turn)))
            .collect(),
        planning_model: plot
            .is_some_and(Plot::asks_the_user)
            .then(|| stage.home.configuration().model().to_owned()),
    };
    let client = thread::spawn(move || {
        let mut client = Client::of(from_codex, to_codex);
        let talked = converse(&mut client, &talk);
        // The end of our lines ends Codex, and the end of its lines this thread.
        let closed = client.close(std::time::Duration::from_secs(30));
        talked.and(closed.map(drop))
    });
    let (status, _) = wiretap.run(command, from_us, to_us)?;
    match client.join() {
        Ok(talked) => talked.context("the talk with Codex failed")?,
        Err(_) => bail!("the client failed"),
    }
    Ok(status)
}

/// Where Codex runs.
struct Stage {
    home: Home,
    release: Release,
    /// The model, as long as it has to answer.
    _model: Option<Model>,
    /// The variable with the key of the model, and the key.
    key: Option<(String, String)>,
    mask: Mask,
}

impl Stage {
    fn set(
        args: &RecordArgs,
        plot: Option<&Plot>,
        program: &Binary,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let model = match plot {
            Some(plot) => {
                let model = Model::of_dialogue(plot.dialogue());
                Some(model.context("cannot listen on a loopback port")?)
            }
            None => None,
        };
        let mut configuration =
            Configuration::new(program.release, model.as_ref().map_or(0, Model::port));
        if let Some(url) = &args.proxy {
            configuration.base_url = url.clone();
            configuration.key_variable = args.key_env.clone();
        }
        let hand = std::env::current_exe().context("cannot find this program")?;
        let hand = hand
            .to_str()
            .context("the path of this program is not text")?;
        let told = |task: &str, file: &Path| {
            [hand, "mock-tools", task]
                .map(str::to_owned)
                .into_iter()
                .chain([file.display().to_string()])
        };
        configuration.notify = told("collect", &folder.join(NOTIFY)).collect();
        if let Some(plot) = plot {
            plot.configure(&mut configuration);
            for (index, (server, calls)) in plot.servers().into_iter().enumerate() {
                let file = folder.join(format!("tools-{index}.json"));
                fs::write(&file, serde_json::Value::Array(calls).to_string())?;
                let command = told("serve", &file).collect();
                configuration.servers.push((server, command));
            }
        }
        let mut home = Home::configured(&folder.join("stage"), configuration)
            .context("cannot write the home of Codex")?;
        if let (Some(plot), None) = (plot, &args.cwd) {
            plot.make_files(&home.project())?;
        }
        if !args.no_hooks {
            let words: Vec<String> = told("collect", &folder.join(HOOKS)).collect();
            let command = shlex::try_join(words.iter().map(String::as_str))?;
            home.add_hooks(&command)?;
            home.trust_hooks(&program.path)
                .context("cannot make Codex trust the hooks; `--no-hooks` records without them")?;
        }
        let key = match &args.key_env {
            Some(name) => {
                let key = std::env::var(name);
                Some((
                    name.clone(),
                    key.with_context(|| format!("--key-env {name}"))?,
                ))
            }
            None => None,
        };
        Ok(Stage {
            home,
            release: program.release,
            _model: model,
            mask: Mask::new(key.iter().map(|(_, key)| key.clone())),
            key,
        })
    }

    /// The folder in which Codex works.
    fn cwd(&self, args: &RecordArgs) -> PathBuf {
        args.cwd.clone().unwrap_or_else(|| self.home.project())
    }

    /// Makes Codex run on the stage. Of our environment it has only what it cannot do without.
    fn furnish(&self, command: &mut Command, args: &RecordArgs) {
        self.home.furnish(command).current_dir(self.cwd(args));
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some((name, key)) = &self.key {
            command.env(name, key);
        }
    }
}
