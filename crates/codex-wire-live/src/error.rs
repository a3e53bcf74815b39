//! Why something cannot be done.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use codex_wire_base::{Protocol, Release};
use codex_wire_scrub::Survivor;

/// Any error.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why programs cannot be connected, played or watched. What a checker finds in what they write is not an
/// error, nor what goes wrong on one of several connections: a [`Notice`](crate::Notice) says that.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be written because there is no folder to hold it.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// Its path.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program cannot be started.
    #[error("cannot start {program}")]
    Start {
        /// Its path.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The system refuses something.
    #[error("cannot {what}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// An address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// No server answers at an address.
    #[error("cannot connect to {address}")]
    Connect {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// An address is not one of a socket.
    #[error("expected `ws://IP:PORT`, `unix://PATH` or `unix://`")]
    NoSocketAddress,
    /// An address is of another machine.
    #[error("{0} is not on loopback")]
    NotLoopback(IpAddr),
    /// The place of Codex's own socket is unknown.
    #[error("unix:// without a path needs CODEX_HOME")]
    NoHome,
    /// Another program listens at a path. The words are those of Codex.
    #[error("app-server control socket is already in use at {}", .0.display())]
    SocketInUse(PathBuf),
    /// A file is in the place of a socket. The words are those of Codex.
    #[error("app-server control socket path exists and is not a socket: {}", .0.display())]
    NotASocket(PathBuf),
    /// Who stands between clients and an app-server would be its own client.
    #[error("it cannot listen at the address that it connects to")]
    OwnClient,
    /// The arguments of Codex name no command that speaks a protocol.
    #[error("the arguments of Codex name no command: exec, app-server or proto")]
    NoCommand,
    /// A path has to be text, and is not.
    #[error("the path {} is not text", .0.display())]
    NotText(PathBuf),
    /// A folder for a recording has something in it.
    #[error("{} is not empty: a recording has a folder of its own", .0.display())]
    NotEmpty(PathBuf),
    /// A folder in which Codex is to work, or a stand-in is to be, is none.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A folder for a home that is kept has something else in it.
    #[error("{} is not empty, and not a home of an earlier recording", .0.display())]
    NotAHome(PathBuf),
    /// Codex does not say which hooks it trusts.
    #[error("cannot make Codex trust the hooks")]
    Hooks(#[source] io::Error),
    /// The client of our own got no answer.
    #[error("the talk with Codex failed")]
    Talk(#[source] io::Error),
    /// Something private survived in what is kept.
    #[error("{} was not scrubbed: {survivor}", path.display())]
    NotScrubbed {
        /// Its path.
        path: PathBuf,
        /// What survived.
        survivor: Survivor,
    },
    /// An input cannot be read.
    #[error(transparent)]
    Unreadable(#[from] codex_wire_inputs::Unreadable),
    /// A recording cannot be opened.
    #[error("cannot read {name}")]
    Input {
        /// Its name.
        name: String,
        /// Why.
        source: codex_wire_inputs::Error,
    },
    /// A recording is to come from standard input.
    #[error("a recording cannot come from standard input, which is the client's: name a file")]
    StandardInput,
    /// There is no recording.
    #[error("there is no recording in {}", paths(.0))]
    NoRecording(Vec<PathBuf>),
    /// A recording cannot be played.
    #[error("cannot play {name}")]
    Recording {
        /// Its name.
        name: String,
        /// Why.
        source: BoxError,
    },
    /// Recordings cannot be played together.
    #[error("cannot play")]
    Play(#[source] codex_wire_replay::Error),
    /// A release cannot say what a recording says.
    #[error("{name} cannot be played as {release}")]
    AsRelease {
        /// The name of the recording.
        name: String,
        /// The release.
        release: Release,
        /// What it cannot say.
        source: codex_wire_replay::Error,
    },
    /// A script is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Script {
        /// Its path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, in characters, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A release does not have the command as which a script is played.
    #[error("a script is played as `{what}` of {first} and later releases, not of {release}")]
    OlderThanCommand {
        /// The command.
        what: &'static str,
        /// The first release that has it.
        first: Release,
        /// The release.
        release: Release,
    },
    /// A release no longer has `codex proto`.
    #[error("a script is played as `codex proto` up to {latest}, not of {release}")]
    NewerThanProto {
        /// The last release that has it.
        latest: Release,
        /// The release.
        release: Release,
    },
    /// What is played gets a fault for which it has no place.
    #[error(transparent)]
    Faults(codex_wire_replay::Error),
    /// A script cannot be played, or gets a fault for which it has no place.
    #[error("{}", path.display())]
    OfScript {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: codex_wire_replay::Error,
    },
    /// A fault of bytes is to be played on a socket.
    #[error("{0} needs standard input and output: a socket carries whole messages")]
    FaultOfBytes(String),
    /// A script can be played as several protocols, and none is named.
    #[error("a script is played as exec, app-server or core")]
    NoProtocol,
    /// Clients connect to the app-server only.
    #[error("only the app-server listens, and this is {0}")]
    NotListening(Protocol),
    /// No recording says which release it is.
    #[error("no recording says which release it is")]
    NoRelease,
    /// The settings of an installed stand-in name no release.
    #[error("`release` is missing in codex-replay.toml")]
    NoReleaseSet,
    /// A program is in the place of a stand-in.
    #[error("{} is not a stand-in; refusing to replace it", .0.display())]
    NotAStandIn(PathBuf),
    /// A client asks Codex for something that is not played.
    #[error("{0} is not played")]
    NotPlayed(String),
    /// The files of types of a release are not known.
    #[error("no release {release} was asked for what `codex app-server {command}` writes")]
    NoTypeFiles {
        /// The release.
        release: Release,
        /// The command.
        command: &'static str,
    },
    /// A client starts another command of Codex than was recorded.
    #[error("the client started codex {started}, but the recordings are {recorded}")]
    OtherCommand {
        /// What the client started.
        started: &'static str,
        /// What was recorded.
        recorded: String,
    },
    /// No run of `codex exec` is the one that a client asks for.
    #[error(transparent)]
    NoRun(#[from] NoRun),
    /// A text is not what it should be.
    #[error("{0}")]
    Invalid(&'static str),
    /// A setting has another value than it can have.
    #[error("`{key}`")]
    Setting {
        /// The setting.
        key: String,
        /// What is wrong.
        source: BoxError,
    },
    /// There is no such setting.
    #[error("`{0}` is not a setting, or has another type")]
    UnknownSetting(String),
    /// A file is not TOML.
    #[error("cannot read {}", path.display())]
    NotToml {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: BoxError,
    },
    /// Something is wrong in a file.
    #[error("in {}", path.display())]
    InFile {
        /// Its path.
        path: PathBuf,
        /// What.
        source: Box<Error>,
    },
    /// Something is wrong in a variable of the environment.
    #[error("{name}")]
    InVariable {
        /// Its name.
        name: String,
        /// What.
        source: Box<Error>,
    },
    /// A recording of a scenario has no release.
    #[error(
        "{0} does not say which release it is: record it with `codex-wire tap --record`, or put `manifest.json` beside it, \
         as docs/replay.md has it"
    )]
    ReleaseNotSaid(String),
    /// No scenario has a name that is asked for.
    #[error("no scenario is named {}; there are {}", globs.join(" or "), names.join(", "))]
    NoScenario {
        /// The patterns of names that are asked for.
        globs: Vec<String>,
        /// The names that there are.
        names: Vec<String>,
    },
    /// A client cannot be run.
    #[error("cannot run {name}")]
    Run {
        /// Its program.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// A stop was requested before everything was tried.
    #[error("interrupted: not everything was tried")]
    Interrupted,
    /// A checker cannot be made.
    #[error(transparent)]
    Check(#[from] codex_wire_check::Error),
}

/// Why no run of `codex exec` is the one that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoRun {
    /// No run of a script has begun the thread that is resumed.
    #[error("no run of the script has begun the thread {0}")]
    NotBegun(String),
    /// Of two recordings nothing says which is played.
    #[error(
        "no client chooses between {0} and {1}: give one recording of `codex exec`, or install a stand-in of all"
    )]
    Either(String, String),
    /// No recording has the prompt, but these have others.
    #[error("no recording has this prompt; those that there are have: {}", .0.join(", "))]
    Prompt(Vec<String>),
    /// No recording starts a thread.
    #[error("no recording starts a thread with a prompt")]
    Start,
    /// No recording is of this command of `codex exec`.
    #[error("no recording is of `codex exec {0}`")]
    Command(String),
    /// No recording resumes the thread.
    #[error("no recording resumes the thread {0}")]
    Thread(String),
    /// The recordings that resume the thread were played before.
    #[error(
        "all recordings of the thread {thread} were played: {}; record the next turn with `codex exec resume`, \
         and give all recordings", recordings.join(", ")
    )]
    AllPlayed {
        /// The id of the thread.
        thread: String,
        /// The names of the recordings.
        recordings: Vec<String>,
    },
}

impl Error {
    /// An error of writing at a path.
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    }

    /// An error of reading at a path.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Error::Read { path, source }
    }

    /// An error of playing a recording.
    pub(crate) fn play<E: Into<BoxError>>(name: &str) -> impl FnOnce(E) -> Self + use<E> {
        let name = name.to_owned();
        move |source| Error::Recording {
            name,
            source: source.into(),
        }
    }

    /// An error of the system.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Error::System { what, source }
    }
}

fn paths(paths: &[PathBuf]) -> String {
    let shown = paths.iter().map(|path| path.display().to_string());
    shown.collect::<Vec<_>>().join(", ")
}
