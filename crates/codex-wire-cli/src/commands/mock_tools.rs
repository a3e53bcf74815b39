//! Implements `codex-wire mock-tools`, which `codex-wire record` lets Codex start: as a hook, as the
//! program that is told of the end of a turn, and as a tool server.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::Context;
use clap::{Args, Subcommand};
use codex_wire_record::tools::{self, ToolCall};
use serde_json::Value;

use crate::output;

/// Help Codex on the stage of `record`
#[derive(Debug, Args)]
pub(crate) struct MockToolsArgs {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Add a line to a file
    Collect {
        /// The file
        file: PathBuf,

        /// The line; standard input if it is not given
        line: Option<String>,
    },
    /// Serve the tools of a file
    Serve {
        /// The file
        file: PathBuf,
    },
}

/// Does the task.
pub(crate) fn run(args: &MockToolsArgs) -> anyhow::Result<ExitCode> {
    match &args.task {
        Task::Collect { file, line } => {
            if let Err(error) = collect(file, line.as_deref()) {
                output::complain(ColorChoice::Never, &format!("{error:#}"));
                // Codex takes a hook that exits with 2 for one that blocks.
                return Ok(ExitCode::FAILURE);
            }
        }
        Task::Serve { file } => serve(file)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn collect(file: &Path, line: Option<&str>) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    match line {
        Some(line) => bytes.extend_from_slice(line.as_bytes()),
        None => {
            io::stdin().lock().read_to_end(&mut bytes)?;
        }
    }
    tools::collect(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
}

fn serve(file: &Path) -> anyhow::Result<()> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let calls: Vec<Value> = serde_json::from_slice(&text)?;
    let calls: Vec<ToolCall> = calls.iter().filter_map(ToolCall::of_json).collect();
    Ok(tools::serve(
        calls,
        io::stdin().lock(),
        io::stdout().lock(),
    )?)
}
