//! The `cargo xtask` program: each command calls one function of the library.
//!
//! It must not know how a chore works, only its name and its result.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use codex_wire::{MessageSet, Protocol, Release};
use playground::build::Error as BuildError;
use site::folder::{self as site_folder, Schemas as SiteSchemas};
use xtask::app_server::{self, Step, binaries};
use xtask::generate::{self, GENERATORS};
use xtask::hooks::{self, HookStep};
use xtask::pack::platforms::Binary;
use xtask::pack::{archives, npm, python, types};
use xtask::{
    accounting, arguments, behaviour, databases, fixtures, instructions, probe, record, refold,
    regressions, repository, rollouts, schemas, verdicts,
};

/// Chores of this repository.
#[derive(Parser)]
enum Chore {
    /// The recorded and synthetic transcripts.
    #[command(subcommand)]
    Fixtures(Fixtures),
    /// Adds the app-server schema of an installed Codex to the model, and rewrites the model's text,
    /// the types and the list of releases. Adds its schemas of hooks to their archive, records its session
    /// files, and prints what they changed. Can also remove a release.
    Sync {
        /// The program; without it, everything is rewritten from the model.
        #[arg(long, value_name = "PATH")]
        codex: Option<PathBuf>,
        /// Remove this release from the model instead.
        #[arg(long, value_name = "VERSION", conflicts_with = "codex")]
        forget: Option<Release>,
        /// Print what is new, and write nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Tries the day of a release: folds the newest ones out of the model, one after the other, and in again, in
    /// a copy in which each state is compiled. Takes some minutes.
    Refold {
        /// How many.
        #[arg(default_value_t = 10)]
        releases: usize,
    },
    /// Asks releases of Codex again for their schemas and types of TypeScript of the app-server, and
    /// archives them. `sync` then rewrites what follows from the archive.
    Archive {
        /// The releases; missing ones are fetched, and removed afterwards. By default all that the model
        /// knows.
        #[arg(value_name = "VERSION")]
        versions: Vec<Release>,
    },
    /// The releases of Codex that tests run.
    #[command(subcommand)]
    Binaries(Binaries),
    /// Records sessions of Codex releases with a scripted model and a small client, offline: the streams,
    /// and the session files of the same runs.
    Record {
        /// The releases; missing ones are fetched.
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
        /// Only scenes with this text in `PROTOCOL/VERSION/NAME`; can be given several times.
        #[arg(long, value_name = "TEXT")]
        only: Vec<String>,
        /// The folder for the recordings, by protocol and release; whole runs are below `rollout`.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Plays the same scenes with releases of Codex, several times each, offline, and writes down what they do: order
    /// and presence of messages, statuses, exit codes. `diff --behaviour` and the pages of changes compare it.
    Behaviour {
        /// The releases; missing ones are fetched, and removed again. Without one, those between recorded releases
        /// that differ, until neighbours differ.
        #[arg(value_name = "VERSION")]
        versions: Vec<Release>,
        /// Only scenes with this text in `PROTOCOL/NAME`; can be given several times.
        #[arg(long = "scene", value_name = "TEXT")]
        scenes: Vec<String>,
        /// How many runs there should be of each scene by each release; those that are there count.
        #[arg(long, value_name = "NUMBER", default_value_t = 3)]
        runs: u64,
        /// Forget first what these releases did.
        #[arg(long, requires = "versions")]
        again: bool,
    },
    /// Records sessions of which it is known what the model returned, offline, for programs that count tokens, in
    /// `fixtures/accounting`.
    Accounting {
        /// The releases; missing ones are fetched.
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<Release>,
    },
    /// Asks releases of Codex which flags and commands they take, offline, and writes that down for the
    /// stand-in of `codex-wire replay`.
    Arguments {
        /// The releases; missing ones are fetched. By default those that are written down.
        #[arg(value_name = "VERSION")]
        versions: Vec<Release>,
    },
    /// Lets releases of Codex take a turn, offline, and writes down which databases, tables and columns they leave, in
    /// `xtask/data/databases.txt`.
    Databases {
        /// The releases; missing ones are fetched, and removed again.
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<Release>,
    },
    /// Asks releases of Codex what they read and what they refuse, offline, and writes down what they answer,
    /// in `probes`.
    Probe {
        /// The releases; missing ones are fetched, and removed again. By default those that were not asked.
        #[arg(value_name = "VERSION")]
        versions: Vec<Release>,
        /// Only these protocols; can be given several times.
        #[arg(long, value_name = "PROTOCOL")]
        only: Vec<probe::Part>,
        /// The program of the one release that is given.
        #[arg(long, value_name = "PATH")]
        program: Option<PathBuf>,
        /// Ask nothing: print where our schemas and what was answered disagree.
        #[arg(long, conflicts_with_all = ["only", "program"])]
        compare: bool,
        /// The network is gone already.
        #[arg(long, hide = true, requires = "program")]
        offline: bool,
    },
    /// Rewrites all generated files: types, schemas, pages, golden files.
    Generate {
        /// Only these; can be given several times. By default all, in the order of their dependencies.
        #[arg(long, value_name = "NAME")]
        #[arg(value_parser = PossibleValuesParser::new(GENERATORS.iter().map(|known| known.name)))]
        only: Vec<String>,
        /// Write nothing, and fail if a file is not up to date.
        #[arg(long)]
        check: bool,
    },
    /// Counts the instructions that a check takes per byte, for recordings and for hostile input, and
    /// compares them with the committed figures. Needs valgrind; without it, does nothing.
    Instructions {
        /// Write the figures instead of comparing them.
        #[arg(long)]
        write: bool,
    },
    /// Compares two tables of `instructions`. Prints the figures that rose by more than a hundredth, as
    /// Markdown.
    Regressions {
        /// The table before the change.
        #[arg(long, value_name = "FILE")]
        before: PathBuf,
        /// The table after the change.
        #[arg(long, value_name = "FILE")]
        after: PathBuf,
    },
    /// Packs what is published for other languages and systems.
    #[command(subcommand)]
    Pack(Pack),
    /// Works with the published schemas.
    #[command(subcommand)]
    Schemas(Schemas),
    /// Compiles the checker for browsers, the module of the site's playground. Needs the target
    /// wasm32-unknown-unknown, or a compiler with the sources of its standard library.
    Playground,
    /// Writes the site: pages about protocols, changes and guides, which work from the folder, and the schemas of all
    /// releases at the paths that their ids name.
    Site {
        /// The folder; a site that is in it is replaced. By default `target/site`.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Only the schemas that the repository keeps.
        #[arg(long)]
        few_schemas: bool,
    },
}

#[derive(Subcommand)]
enum Schemas {
    /// Packs the schemas of all releases into one archive, a `.tar.gz`.
    Archive {
        /// The archive.
        #[arg(value_name = "FILE")]
        to: PathBuf,
        /// Only this message set; can be given several times.
        #[arg(long, value_name = "NAME")]
        only: Vec<MessageSet>,
    },
    /// Prints what boon says of the messages in a file of cases, by both drafts; for `.ci/generators`.
    Verdicts {
        /// The cases of `.ci/generators/cases.py`.
        #[arg(value_name = "FILE")]
        cases: PathBuf,
    },
}

#[derive(Subcommand)]
enum Pack {
    /// The program for a release on GitHub: an archive for each platform, and the formula of Homebrew.
    Archives {
        /// The folder for the files.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// A platform of `packages/platforms.json` and its program; can be given several times.
        #[arg(long = "binary", value_name = "PLATFORM=PATH")]
        binaries: Vec<Binary>,
    },
    /// The program for npm: `codex-wire`, and a package for each platform.
    Npm {
        /// The folder for the packages.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// A platform of `packages/platforms.json` and its program; can be given several times.
        #[arg(long = "binary", value_name = "PLATFORM=PATH")]
        binaries: Vec<Binary>,
    },
    /// The distribution for Python: wheels and sources. Needs the tools that `--tools` installs.
    Python {
        /// The folder for the files.
        #[arg(long, value_name = "DIR", required_unless_present = "tools")]
        out: Option<PathBuf>,
        /// A platform of `packages/platforms.json` and its program; can be given several times.
        #[arg(long = "binary", value_name = "PLATFORM=PATH")]
        binaries: Vec<Binary>,
        /// First install what packing and its tests need into `.cache/python`, from the registry.
        #[arg(long)]
        tools: bool,
    },
    /// The npm package with TypeScript types of all releases, and with the published schemas.
    Types {
        /// The folder for the package.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

#[derive(Subcommand)]
enum Binaries {
    /// Prints the releases for Linux in the npm registry that the model does not know, oldest first.
    Unknown,
    /// Downloads releases of Codex from the npm registry into the cache.
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
        /// A folder of recordings with their manifests; can be given several times.
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
        Chore::Sync {
            codex,
            forget,
            dry_run,
        } => {
            let mut installed = None;
            let (step, of_hooks) = match (codex, forget) {
                (Some(codex), _) => {
                    let official = app_server::official(&codex)?;
                    let schemas = hooks::of_program(official.release, &codex)?;
                    installed = Some((official.release, codex));
                    (Step::Learn(official), HookStep::Learn(schemas))
                }
                (None, Some(release)) => (Step::Forget(release), HookStep::Forget(release)),
                (None, None) => (Step::Nothing, HookStep::Nothing),
            };
            print!("{}", app_server::sync(step, dry_run)?);
            print!("{}", hooks::sync(of_hooks, dry_run)?);
            if let Some((release, codex)) = installed {
                print!(
                    "{}",
                    rollouts::sync(&repository(), release, &codex, dry_run)?
                );
            }
        }
        Chore::Refold { releases } => {
            let wrong = refold::refold(&repository(), releases, |line| println!("{line}"))?;
            return Ok(verdict(&wrong));
        }
        Chore::Archive { versions } => {
            app_server::ask_again(&versions, |line| println!("{line}"))?;
        }
        Chore::Binaries(Binaries::Unknown) => {
            for release in binaries::unknown(Protocol::AppServer.release_list().releases())? {
                println!("{release}");
            }
        }
        Chore::Binaries(Binaries::Fetch { versions }) => {
            for version in versions {
                println!("{}", binaries::fetch(&version)?.display());
            }
        }
        Chore::Record { versions, only, to } => {
            for version in versions {
                print!("{}", record::record(&version, &only, &to)?);
            }
        }
        Chore::Behaviour {
            versions,
            scenes,
            runs,
            again,
        } => {
            let played = behaviour::Played {
                scenes,
                runs,
                again,
            };
            let tell = |line: &str| println!("{line}");
            match &versions[..] {
                [] => behaviour::halve(&repository(), &played, tell)?,
                versions => behaviour::play(&repository(), versions, &played, tell)?,
            }
        }
        Chore::Accounting { versions } => {
            for release in versions {
                for complaint in accounting::play(&repository(), release)? {
                    println!("{complaint}");
                }
                println!("{release}: recorded");
            }
        }
        Chore::Arguments { versions } => {
            arguments::record(&repository(), &versions, |line| println!("{line}"))?;
        }
        Chore::Databases { versions } => {
            databases::record(&repository(), &versions, |line| println!("{line}"))?;
        }
        Chore::Probe { compare: true, .. } => {
            print!("{}", probe::compare(&repository())?);
        }
        Chore::Probe {
            versions,
            only,
            program,
            compare: false,
            offline,
        } => {
            let parts = if only.is_empty() {
                probe::Part::ALL
            } else {
                &only
            };
            let root = repository();
            let tell = |line: &str| println!("{line}");
            match (program, &versions[..]) {
                (None, _) => probe::releases(&root, &versions, parts, tell)?,
                (Some(program), [release]) if offline => {
                    probe::here(&root, *release, &program, parts, tell)?;
                }
                (Some(program), [release]) => {
                    probe::program(&root, *release, &program, parts, tell)?;
                }
                (Some(_), _) => bail!("give one VERSION with --program"),
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
        Chore::Pack(Pack::Archives { out, binaries }) => {
            for path in archives::pack(&repository(), &binaries, &out)? {
                println!("{}", path.display());
            }
        }
        Chore::Pack(Pack::Npm { out, binaries }) => {
            for path in npm::pack(&repository(), &binaries, &out)? {
                println!("{}", path.display());
            }
        }
        Chore::Pack(Pack::Python {
            out,
            binaries,
            tools,
        }) => {
            if tools {
                println!("{}", python::install_tools(&repository())?.display());
            }
            if let Some(out) = out {
                for path in python::pack(&repository(), &binaries, &out)? {
                    println!("{}", path.display());
                }
            }
        }
        Chore::Pack(Pack::Types { out }) => {
            println!("{}", types::pack(&repository(), &out)?.display());
        }
        Chore::Schemas(Schemas::Verdicts { cases }) => {
            print!(
                "{}",
                verdicts::verdicts(&repository().join("schemas"), &cases)?
            );
        }
        Chore::Schemas(Schemas::Archive { to, only }) => {
            let message_sets = if only.is_empty() {
                MessageSet::ALL
            } else {
                &only
            };
            let packed = schemas::pack_file(&to, message_sets)?;
            println!(
                "{} files, {} bytes before compression",
                packed.files, packed.bytes
            );
        }
        Chore::Playground => {
            let module = playground::build::build(&repository())?;
            println!("{}", module.display());
        }
        Chore::Site { out, few_schemas } => {
            let out = out.unwrap_or_else(|| repository().join("target/site"));
            let schemas = match few_schemas {
                true => SiteSchemas::Few,
                false => SiteSchemas::All,
            };
            let playground = match playground::build::build(&repository()) {
                Ok(module) => Some(site::Playground {
                    module: std::fs::read(&module).with_context(|| module.display().to_string())?,
                    style: playground::style_source(),
                }),
                // Whoever has no compiler for it makes all other pages.
                Err(error @ (BuildError::NoCompiler | BuildError::NoLinker)) => {
                    eprintln!("without the playground: {error}");
                    None
                }
                Err(error) => return Err(error.into()),
            };
            let written = site_folder::write(&repository(), &out, schemas, playground)?;
            println!(
                "{} files, {} bytes, in {}",
                written.files,
                written.bytes,
                out.display()
            );
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
    let now = match write {
        true => instructions::count(&root)?,
        false => instructions::count_ours(&root)?,
    };
    let hostile = instructions::hostile(&root)?;
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
