//! Implements `codex-wire hooks test`: runs hooks on recorded inputs, and says what Codex makes of each run.

mod args;
mod json;
mod text;

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context as _, anyhow, bail, ensure};
use codex_wire_base::{MessageSet, Release, ReleaseChoice};
use codex_wire_check::{ConfiguredHooks, HookHandler, HooksSource};
use codex_wire_live::hooks::{HookTrial, OwnInput, TestedHooks};
use codex_wire_report::{Format, Styles};
use serde_json::value::RawValue;

use self::args::TestArgs;
pub(crate) use self::args::{HooksArgs, HooksCommand};
use crate::{exit_code, output, resolve_release};

/// Runs the command.
pub(crate) fn run(args: &HooksArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let HooksCommand::Test(args) = &args.command;
    let tested = test(args, color)?;
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => json::write(&mut out, &tested)?,
        _ => text::write(&mut out, &tested, &Styles::coloured())?,
    }
    out.flush()?;
    let fails = |tested: &TestedHooks| tested.fails_open() + tested.breaks() + tested.errors() > 0;
    Ok(if tested.iter().any(fails) {
        ExitCode::from(exit_code::FINDINGS)
    } else if tested.iter().all(|tested| tested.runs() == 0) {
        ExitCode::from(exit_code::COULD_NOT_CHECK)
    } else {
        ExitCode::SUCCESS
    })
}

/// Tries all hooks as all releases that the user named.
fn test(args: &TestArgs, color: ColorChoice) -> anyhow::Result<Vec<TestedHooks>> {
    let list = MessageSet::HooksInput.release_list();
    let mut releases = Vec::new();
    for text in &args.releases {
        match resolve_release::choice_of_message_sets(&[MessageSet::HooksInput], text, color)? {
            ReleaseChoice::One(release) => releases.push(release),
            ReleaseChoice::Range(range) => {
                let each = list.releases().iter().filter(|one| range.contains(**one));
                releases.extend(each);
            }
        }
    }
    if args.releases.is_empty() {
        releases.push(list.latest());
    }
    ensure!(
        !releases.is_empty(),
        "no release of {} is listed",
        args.releases.join(", ")
    );
    let folder = match &args.cwd {
        Some(folder) => folder.clone(),
        None => env::current_dir().context("the current folder is gone")?,
    };
    let folder = fs::canonicalize(&folder)
        .with_context(|| format!("there is no folder {}", folder.display()))?;
    let inputs = args.inputs.iter().map(own_input);
    let trial = HookTrial::new(folder)
        .inputs(inputs.collect::<anyhow::Result<_>>()?)
        .guard(args.guard)
        .timeout(args.timeout);
    let mut all = Vec::new();
    for release in releases {
        match &args.event {
            Some(event) => {
                let command = command(&args.hooks)?;
                let handler = [HookHandler::new(event, &command)];
                all.push(TestedHooks::test(
                    &trial,
                    release,
                    command,
                    &handler,
                    Vec::new(),
                )?);
            }
            None => {
                for path in &args.hooks {
                    let ConfiguredHooks {
                        handlers, problems, ..
                    } = file(Path::new(path), release)?;
                    all.push(TestedHooks::test(
                        &trial, release, path, &handlers, problems,
                    )?);
                }
            }
        }
    }
    Ok(all)
}

/// The command of the user, for a shell. One word is a command line already.
fn command(words: &[String]) -> anyhow::Result<String> {
    match words {
        [line] => Ok(line.clone()),
        words => {
            let words = words.iter().map(String::as_str);
            shlex::try_join(words).context("the command has a NUL byte")
        }
    }
}

/// Reads a file of hooks as a release does.
fn file(path: &Path, release: Release) -> anyhow::Result<ConfiguredHooks> {
    let shown = path.display();
    let hint = "a program is tried with `--event EVENT`";
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| anyhow!("cannot read {shown}: {error}; {hint}"))?;
    if path.extension().is_none_or(|extension| extension != "toml") {
        serde_json::from_str::<&RawValue>(&text)
            .map_err(|error| anyhow!("{shown} is not JSON: {error}; {hint}"))?;
        return Ok(ConfiguredHooks::read(&text, HooksSource::File, release));
    }
    let table: toml::Table = text.parse().with_context(|| format!("in {shown}"))?;
    let hooks = table.get("hooks");
    let hooks = hooks.with_context(|| format!("{shown} has no table `hooks`"))?;
    let hooks = serde_json::to_string(hooks).with_context(|| format!("in {shown}"))?;
    Ok(ConfiguredHooks::read(&hooks, HooksSource::Config, release))
}

/// Reads an input of the user.
fn own_input(path: &PathBuf) -> anyhow::Result<OwnInput> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let input: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{name} is not JSON"))?;
    if !input["hook_event_name"].is_string() {
        bail!("{name} is not an input of a hook: `hook_event_name` is missing");
    }
    Ok(OwnInput { name, text })
}
