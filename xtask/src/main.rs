//! `cargo xtask`: see the library for what each chore does.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::{coverage, fixtures, repository};

/// Chores of this repository.
#[derive(Parser)]
enum Chore {
    /// The recorded and synthetic transcripts.
    #[command(subcommand)]
    Fixtures(Fixtures),
    /// What the fixtures cover of the protocol.
    Coverage {
        /// Writes the page instead of printing it.
        #[arg(long)]
        write: bool,
    },
}

#[derive(Subcommand)]
enum Fixtures {
    /// Copies the selected recordings and writes the manifest.
    Import {
        /// A folder of recordings with their manifests; may be given more than once.
        #[arg(long, value_name = "DIR", required = true)]
        from: Vec<PathBuf>,
    },
    /// Compares files and manifests.
    Check,
}

fn main() -> Result<ExitCode> {
    match Chore::parse() {
        Chore::Fixtures(Fixtures::Import { from }) => {
            println!("{}", fixtures::import(&repository(), &from)?);
        }
        Chore::Fixtures(Fixtures::Check) => {
            return Ok(verdict(&fixtures::check(&repository())?));
        }
        Chore::Coverage { write } => {
            let (page, problems) = coverage::coverage(&repository())?;
            if write {
                std::fs::write(repository().join(coverage::PAGE), page)?;
            } else {
                print!("{page}");
            }
            return Ok(verdict(&problems));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn verdict(problems: &[String]) -> ExitCode {
    for problem in problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
