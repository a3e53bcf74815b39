//! The arguments of `codex-wire record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

const EXAMPLES: &str = "\
Examples:
  codex-wire record --out run --script script.toml -- exec --json --skip-git-repo-check 'Fix it.'
      Run `codex exec` with the model of a script.
  codex-wire record --out run --script script.toml --prompt 'Fix it.' -- app-server
      Run `codex app-server` with a client that sends a prompt and accepts every request.
  codex-wire record --out first --home home --script script.toml -- exec --json --skip-git-repo-check 'Fix it.'
  codex-wire record --out next --home home --script script.toml -- exec --json --skip-git-repo-check resume --last 'And now?'
      Record two turns of a thread, each in its own run.
  codex-wire record --out run --script script.toml --release 0.125.0 -- app-server
      Run a certain release. Your client is on standard input and output.
  codex-wire record --out run --proxy https://models.example/v1 --key-env MODEL_KEY -- exec --json Hi
      Let Codex talk to your own model.

The folder DIR gets
  run.jsonl     what Codex and its client wrote, as a transcript: for check, show, replay
  sessions/     the rollouts: what Codex keeps of its threads
  hooks.jsonl   what each hook received, one line each (from 0.114.0)
  notify.jsonl  what the `notify` program received when a turn ended
with the same ids in all of them.

Exit codes:
  0, 1, …  as Codex exits; 128 plus the number of the signal if one ends it
  2        Codex cannot be started, or something cannot be written";

/// Run a real Codex offline with a scripted model, and keep everything it writes
///
/// Codex gets a home of its own and no key. Its configuration turns off analytics, plugins, remote models
/// and update checks, and a proxy address where nothing listens keeps every other request on this machine. Its
/// model is a script (see docs/scripts.md), or your own endpoint. The commands of the script run
/// on this machine, with the sandbox that the arguments of Codex ask for.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("model").required(true).args(["script", "proxy"]))]
pub(crate) struct RecordArgs {
    /// The arguments of Codex, such as `exec --json PROMPT`
    #[arg(value_name = "ARGUMENTS", required = true, last = true)]
    pub(crate) args: Vec<OsString>,

    /// The folder for the recording; it must be empty, or not exist yet
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// The script of the model
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,

    /// The endpoint of a model with the Responses API; Codex talks to it itself
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,

    /// The variable of the environment with the key for `--proxy`
    ///
    /// Codex sends the key. It is not recorded: where it would be, there are asterisks.
    #[arg(long, value_name = "NAME", requires = "proxy")]
    pub(crate) key_env: Option<String>,

    /// The program of Codex; if neither it nor a release is given, the `codex` of PATH
    #[arg(long, value_name = "PATH")]
    pub(crate) codex: Option<PathBuf>,

    /// The release to run, such as 0.125.0, 0.125 or latest: from the cache, or the `codex` of PATH if it is that release
    ///
    /// Nothing is downloaded. If the release is not there, the error has the command that installs it.
    /// The cache is the folder of CODEX_WIRE_CACHE, or `codex-wire` in your folder for caches.
    #[arg(long, short, conflicts_with = "codex")]
    pub(crate) release: Option<String>,

    /// A prompt for `codex app-server`; can be given several times
    ///
    /// A client starts a thread, and a turn with each prompt. It accepts every request, and
    /// interrupts a turn that hangs. Without prompts, standard input and output are those of Codex.
    #[arg(long = "prompt", value_name = "TEXT")]
    pub(crate) prompts: Vec<String>,

    /// The folder in which Codex works; an empty one if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Keep the home of Codex here, with its sessions: the next recording with this folder can resume them
    ///
    /// The folder must be empty, not exist yet, or be of an earlier recording. A thread goes on with the next turn of
    /// the script.
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Run no hooks: they add `hook/started` and `hook/completed` to an app-server
    #[arg(long)]
    pub(crate) no_hooks: bool,

    /// Replace private data in all files of the recording, as `scrub` does
    #[arg(long)]
    pub(crate) scrub: bool,
}
