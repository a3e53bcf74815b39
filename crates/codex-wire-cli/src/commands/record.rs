//! Implements `codex-wire record`: runs a real Codex on a stage, and keeps what it writes.

mod args;

use std::env;
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, anyhow, bail, ensure};
use codex_wire_base::{Protocol, Release};
use codex_wire_live::Error;
use codex_wire_live::record::{self, Key, Run, Source};
use codex_wire_live::stand_in::ScriptFile;
use codex_wire_record::Program;
use codex_wire_replay::script::Script;
use codex_wire_report::{Format, Settings, Styles};

use crate::live_report::{LiveReport, notices};
use crate::{exit_code, output, resolve_release, stdio};
pub(crate) use args::RecordArgs;

/// Runs the command.
pub(crate) fn run(args: &RecordArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let source = source(args)?;
    let program = program(args, color)?;
    let protocol = record::protocol(program.release, &args.args);
    let protocol = protocol.context("name a command after `--`: exec, app-server or proto")?;
    ensure!(
        args.prompts.is_empty() || protocol == Protocol::AppServer,
        "only `codex app-server` has prompts from --prompt; for others they are arguments after `--`"
    );
    let helper = env::current_exe().context("cannot find this program")?;
    let placeholders = args.scrub.then(|| super::scrub::key(None)).transpose()?;
    let run = Run::new(program, args.args.clone(), source, &helper)?
        .prompts(args.prompts.clone())
        .cwd(args.cwd.clone())
        .home(args.home.clone())
        .hooks(!args.no_hooks)
        .scrubbed(placeholders)
        .notices(notices(color));
    let stage = run.set_stage(&args.out).map_err(|error| match error {
        Error::Hooks(error) => anyhow!(error)
            .context("cannot make Codex trust the hooks; `--no-hooks` records without them"),
        error => error.into(),
    })?;
    let mut recording = match args.prompts.is_empty() {
        true => {
            let (own_in, own_out) = stdio::taken()?;
            stage.start(own_in, own_out)?
        }
        false => stage.talk()?,
    };
    let settings = Settings::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));
    let settings = settings.with_styles(Styles::coloured());
    let name = stage.transcript().display().to_string();
    let mut out = BufWriter::new(AutoStream::new(io::stderr(), color));
    let mut report = LiveReport::begin(&name, Format::Text, settings, color, &mut out);
    recording.by_ref().for_each(|found| report.findings(&found));
    let ended = recording.finish()?;
    let tapped = ended.tapped();
    report.finish(&tapped.inspected);
    if let Some(error) = &tapped.cut {
        let text =
            format!("cannot write standard output: {error}; the output of Codex is incomplete");
        output::complain(color, &text);
    }
    let (status, is_complete) = (tapped.status, tapped.inspected.is_complete);
    match ended.keep() {
        Err(error @ Error::Talk(_)) if !status.success() => {
            output::complain(color, &format!("{:#}", anyhow!(error)));
        }
        kept => kept?,
    }
    Ok(match is_complete {
        true => exit_code::of_status(status),
        false => ExitCode::from(exit_code::COULD_NOT_CHECK),
    })
}

/// Where the answers of the model come from.
fn source(args: &RecordArgs) -> anyhow::Result<Source> {
    Ok(match (&args.script, &args.proxy) {
        (Some(path), _) => Source::Script(script(path)?),
        (None, Some(url)) => Source::Endpoint {
            url: url.clone(),
            key: args.key_env.as_deref().map(key).transpose()?,
        },
        (None, None) => bail!("give --script or --proxy"),
    })
}

fn script(path: &Path) -> anyhow::Result<Script> {
    Ok(ScriptFile::read(path)?.into_script())
}

/// The key of the endpoint, from a variable of the environment.
fn key(variable: &str) -> anyhow::Result<Key> {
    let secret = env::var(variable).with_context(|| format!("--key-env {variable}"))?;
    Ok(Key {
        variable: variable.to_owned(),
        secret,
    })
}

/// The release to run. One that is written out is run itself, listed or not: it may be newer than all that are known.
fn release(text: &str, color: ColorChoice) -> anyhow::Result<Release> {
    match text.parse() {
        Ok(release) => Ok(release),
        Err(_) => resolve_release::of_any(text, color),
    }
}

/// The program of Codex: that of a path or of a release, else that of the user.
fn program(args: &RecordArgs, color: ColorChoice) -> anyhow::Result<Program> {
    use codex_wire_record::Error;

    let program = match (&args.codex, &args.release) {
        (Some(path), _) => Program::at(path),
        (None, Some(text)) => Program::of(release(text, color)?),
        (None, None) => Program::on_path(),
    };
    program.map_err(|error| match error {
        Error::NotOnPath => anyhow!("there is no `codex` in PATH: give --codex or --release"),
        Error::Missing { release, folder } => {
            let folder = folder.unwrap_or_else(|| "DIR".into());
            let folder = folder.display();
            anyhow!(
                "there is no Codex {release}. npm installs it where it is found:\n  \
                 npm install --no-save --prefix '{folder}' @openai/codex@{release}\n\
                 Or give the path of a program: --codex PATH."
            )
        }
        error => error.into(),
    })
}
