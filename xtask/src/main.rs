//! The `cargo xtask` program: each command calls one function of the library.
//!
//! It must not know how a chore is done, only its name and its result.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use codex_wire::{Protocol, Release};
use xtask::app_server::{self, Step, binaries};
use xtask::generate::{self, GENERATORS};
use xtask::{coverage, fixtures, instructions, regressions, rehearse, repository, transcripts};

/// Chores of this repository.
#[derive(Parser)]
enum Chore {
    /// The recorded and synthetic transcripts.
    #[command(subcommand)]
    Fixtures(Fixtures),
    /// Recordings of both directions.
    #[command(subcommand)]
    Transcripts(Transcripts),
    /// Folds what an installed Codex says of the app-server into the model, and makes the model's
    /// text, the types and the list of releases anew. Folds a release out as well.
    Sync {
        /// The program; without one everything is made anew from what is known.
        #[arg(long, value_name = "PATH")]
        codex: Option<PathBuf>,
        /// Takes a release out of what is known instead.
        #[arg(long, value_name = "VERSION", conflicts_with = "codex")]
        forget: Option<Release>,
        /// Says what is new and writes nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// The programs that tests ask.
    #[command(subcommand)]
    Binaries(Binaries),
    /// Records what releases say to a scripted model and a small client, offline.
    Rehearse {
        /// The releases; fetched where they are not there.
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
        /// Only scenes with this in `PROTOCOL/VERSION/NAME`; may be given more than once.
        #[arg(long, value_name = "TEXT")]
        only: Vec<String>,
        /// Where the recordings go, by protocol and release.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Makes all generated files anew: types, schemas, pages, golden files.
    Generate {
        /// Only these; may be given more than once. Without it all, in the order they depend on each
        /// other.
        #[arg(long, value_name = "NAME")]
        #[arg(value_parser = PossibleValuesParser::new(GENERATORS.iter().map(|known| known.name)))]
        only: Vec<String>,
        /// Writes nothing, and fails if a file is not what it should be.
        #[arg(long)]
        check: bool,
    },
    /// Counts how many instructions it takes to judge a byte, of what is right and of what is made
    /// to hurt, and compares that with the figures
    /// that are kept. Needs valgrind; without it says so and does nothing.
    Instructions {
        /// Keeps the figures instead of comparing them.
        #[arg(long)]
        write: bool,
    },
    /// Compares two tables of `instructions`: prints, as Markdown, which figures rose by more than a
    /// hundredth, and nothing if none did.
    Regressions {
        /// The table of the commit a change starts from.
        #[arg(long, value_name = "FILE")]
        before: PathBuf,
        /// The table of the change.
        #[arg(long, value_name = "FILE")]
        after: PathBuf,
    },
    /// Prints what the fixtures cover of the protocols; `generate --only coverage` writes it.
    Coverage,
}

#[derive(Subcommand)]
enum Transcripts {
    /// Converts recordings of both directions into the transcript format.
    Convert {
        /// A folder of recordings with their manifest.
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
        /// The protocol they speak.
        #[arg(long)]
        protocol: Protocol,
        /// Where the transcripts go, by release and scenario.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
}

#[derive(Subcommand)]
enum Binaries {
    /// Prints the newest release in the npm registry if the model does not know it, else nothing.
    Newest,
    /// Gets releases of Codex from the npm registry into the cache.
    Fetch {
        /// The releases.
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
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
        Chore::Transcripts(Transcripts::Convert { from, protocol, to }) => {
            let count = transcripts::convert_folder(protocol, &from, &to)?;
            println!("{count} converted");
        }
        Chore::Sync {
            codex,
            forget,
            dry_run,
        } => {
            let step = match (codex, forget) {
                (Some(codex), _) => Step::Learn(app_server::bundle(&codex)?),
                (None, Some(release)) => Step::Forget(release),
                (None, None) => Step::Nothing,
            };
            print!("{}", app_server::sync(step, dry_run)?);
        }
        Chore::Binaries(Binaries::Newest) => {
            let newest = binaries::newest()?;
            if newest > Protocol::AppServer.timeline().latest() {
                println!("{newest}");
            }
        }
        Chore::Binaries(Binaries::Fetch { versions }) => {
            for version in versions {
                println!("{}", binaries::fetch(&version)?.display());
            }
        }
        Chore::Rehearse { versions, only, to } => {
            for version in versions {
                print!("{}", rehearse::record(&version, &only, &to)?);
            }
        }
        Chore::Generate { only, check } => {
            let generators = generate::selected(&only)?;
            generate::generate(&repository(), &generators, check, |line| println!("{line}"))?;
        }
        Chore::Instructions { write } => return count(write),
        Chore::Regressions { before, after } => {
            let read = |path: PathBuf| -> Result<String> {
                std::fs::read_to_string(&path).with_context(|| path.display().to_string())
            };
            print!("{}", regressions::report(&read(before)?, &read(after)?));
        }
        Chore::Coverage => {
            let (pages, problems) = coverage::coverage(&repository())?;
            for page in pages {
                print!("{}", page.text);
            }
            return Ok(verdict(&problems));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn count(write: bool) -> Result<ExitCode> {
    if !instructions::can_count() {
        println!("valgrind is not installed: no instructions are counted");
        return Ok(ExitCode::SUCCESS);
    }
    let root = repository();
    let (now, hostile) = (instructions::count(&root)?, instructions::hostile(&root)?);
    let path = root.join(instructions::FILE);
    let table = instructions::table(&now) + &instructions::hostile_table(&hostile);
    print!("{table}");
    let mut problems = instructions::excesses(&hostile);
    if write {
        std::fs::write(path, table)?;
    } else {
        let kept = instructions::read(&std::fs::read_to_string(path)?);
        problems.extend(instructions::problems(&kept, &now));
    }
    Ok(verdict(&problems))
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
