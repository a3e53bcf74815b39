//! The stage on which Codex runs, and what is kept of it.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use codex_wire_check::{Checker, Finding, Options};
use codex_wire_record::{Client, Configuration, Home, Model, Talk, converse, own_cache};
use codex_wire_scrub::Scrubber;
use tempfile::TempDir;

use crate::error::Error;
use crate::mask::Mask;
use crate::record::keep::{HOOKS, Keep, NOTIFY};
use crate::record::plot::Plot;
use crate::record::run::{Run, Source};
use crate::recorder::Recorder;
use crate::tap::{Running, Tap, Tapped};

/// The file with what both sides wrote.
const RUN: &str = "run.jsonl";

/// The variables that Codex has from the user: which programs there are, and how texts are written.
const KEPT: [&str; 4] = ["PATH", "LANG", "SystemRoot", "PATHEXT"];

/// How long Codex may take to end after its client.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where Codex runs, with all that it needs.
pub struct Stage {
    run: Run,
    plot: Option<Plot>,
    checker: Checker,
    home: Home,
    /// The model, as long as it has to answer.
    _model: Option<Model>,
    mask: Mask,
    keep: Keep,
    out: PathBuf,
    folder: TempDir,
}

/// A run that is being recorded. The findings in its traffic are an iterator, which ends when Codex does.
///
/// The traffic waits when much is to be inspected: take the findings, or [`finish`](Recording::finish).
pub struct Recording<'s> {
    stage: &'s Stage,
    running: Running<'s>,
    client: Option<JoinHandle<io::Result<()>>>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Ended<'s> {
    stage: &'s Stage,
    tapped: Tapped,
    client: Option<JoinHandle<io::Result<()>>>,
}

impl Run {
    /// Sets the stage, and makes the folder of the recording, which must be empty, or not exist yet.
    ///
    /// # Errors
    /// If something cannot be written, or if Codex does not trust its hooks ([`Error::Hooks`]).
    pub fn set_stage(mut self, out: &Path) -> Result<Stage, Error> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(Error::NotAFolder(cwd.clone()));
        }
        // Said before anything of the home is written.
        if !is_vacant(out)? {
            return Err(Error::NotEmpty(out.to_owned()));
        }
        let folder = stage_folder().map_err(Error::system("make a folder for the stage"))?;
        let release = self.program.release;
        let (plot, key) = match &mut self.source {
            Source::Script(script) => (Some(Plot::new(script.clone())), None),
            Source::Endpoint { key, .. } => (None, key.as_ref()),
        };
        let mask = Mask::new(key.map(|key| key.secret.clone()));
        let model = match &plot {
            Some(plot) => {
                let dialogue = plot.dialogue().resuming(self.home.is_some());
                let model = Model::of_dialogue(dialogue);
                Some(model.map_err(Error::system("listen on a loopback port"))?)
            }
            None => None,
        };
        let home = self.build_home(plot.as_ref(), model.as_ref(), folder.path())?;
        let keep =
            Keep::begin(out, self.placeholders, mask.clone())?.without(&home.codex_home())?;
        let mut options = Options::new();
        options.protocol = Some(self.protocol);
        // A release that the list does not have is checked as what it looks like.
        let list = self.protocol.release_list();
        options.release = list.resolve(&release.to_string()).ok();
        Ok(Stage {
            run: self,
            plot,
            checker: Checker::new(options)?,
            home,
            _model: model,
            mask,
            keep,
            out: out.to_owned(),
            folder,
        })
    }

    fn build_home(
        &self,
        plot: Option<&Plot>,
        model: Option<&Model>,
        folder: &Path,
    ) -> Result<Home, Error> {
        let port = model.map_or(0, Model::port);
        let mut configuration = Configuration::new(self.program.release, port);
        if let Source::Endpoint { url, key } = &self.source {
            configuration.base_url.clone_from(url);
            configuration.key_variable = key.as_ref().map(|key| key.variable.clone());
        }
        configuration.notify = self.task("collect", &folder.join(NOTIFY));
        if let Some(plot) = plot {
            plot.configure(&mut configuration);
            for (index, (server, calls)) in plot.servers().into_iter().enumerate() {
                let file = folder.join(format!("tools-{index}.json"));
                let calls = serde_json::Value::Array(calls).to_string();
                fs::write(&file, calls).map_err(Error::write(&file))?;
                let command = self.task("serve", &file);
                configuration.servers.push((server, command));
            }
        }
        let cannot = Error::system("write the home of Codex");
        let mut home = match &self.home {
            Some(root) if !Home::is_at(root) && !is_vacant(root)? => {
                return Err(Error::NotAHome(root.clone()));
            }
            Some(root) => Home::kept(root, configuration),
            None => Home::configured(&folder.join("stage"), configuration),
        }
        .map_err(cannot)?;
        if let (Some(plot), None) = (plot, &self.cwd) {
            let project = home.project();
            plot.make_files(&project).map_err(Error::write(&project))?;
        }
        if self.has_hooks {
            let words = self.task("collect", &folder.join(HOOKS));
            let command = shlex::try_join(words.iter().map(String::as_str))
                .map_err(|_| Error::NotText(self.helper.clone().into()))?;
            home.add_hooks(&command)
                .and_then(|()| home.trust_hooks(&self.program.path))
                .map_err(Error::Hooks)?;
        }
        Ok(home)
    }

    /// The command of a task of the helper.
    fn task(&self, task: &str, file: &Path) -> Vec<String> {
        let words = [&self.helper, "mock-tools", task].map(str::to_owned);
        words
            .into_iter()
            .chain([file.display().to_string()])
            .collect()
    }
}

impl Stage {
    /// The path of the transcript: what both sides write.
    pub fn transcript(&self) -> PathBuf {
        self.out.join(RUN)
    }

    /// Starts Codex. Its client is on `input` and `output`.
    ///
    /// # Errors
    /// If Codex cannot be started, or the transcript not be written.
    pub fn start(
        &self,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Result<Recording<'_>, Error> {
        let path = self.transcript();
        let scrubber = self.run.placeholders.map(|key| Scrubber::new(key, &[]));
        let recorder = Recorder::open(&path)?
            .scrubbed(scrubber)
            .masked(self.mask.clone());
        let tap = Tap::new(&self.checker, path.display().to_string())
            .protocol(Some(self.run.protocol))
            .release(Some(self.run.program.release.to_string()))
            .recorder(Some(recorder))
            .notices(self.run.notices.clone())
            .passing_signals();
        let mut command = Command::new(&self.run.program.path);
        self.furnish(&mut command);
        let running = tap.run(command.args(&self.run.arguments), input, output)?;
        Ok(Recording {
            stage: self,
            running,
            client: None,
        })
    }

    /// Starts Codex, with a client of our own that sends the prompts of the run.
    ///
    /// # Errors
    /// If Codex cannot be started, or the transcript not be written.
    pub fn talk(&self) -> Result<Recording<'_>, Error> {
        let (from_us, to_codex) = io::pipe().map_err(Error::system("make a pipe"))?;
        let (from_codex, to_us) = io::pipe().map_err(Error::system("make a pipe"))?;
        let plot = self.plot.as_ref();
        let turns = 0..self.run.prompts.len();
        let (release, prompts) = (self.run.program.release, self.run.prompts.clone());
        let mut talk = Talk::new(release, self.cwd(), prompts);
        talk.is_asked = plot.is_some_and(Plot::asks_for_approval);
        let hangs = |turn| plot.is_some_and(|plot| plot.hangs(turn));
        talk.interrupts = turns.map(hangs).collect();
        talk.planning_model = plot
            .is_some_and(Plot::asks_the_user)
            .then(|| self.home.configuration().model().to_owned());
        let client = thread::spawn(move || {
            let mut client = Client::of(from_codex, to_codex);
            let talked = converse(&mut client, &talk);
            // The end of our lines ends Codex, and the end of its lines this thread.
            let closed = client.close(PATIENCE);
            talked.and(closed.map(drop))
        });
        let recording = self.start(from_us, to_us)?;
        Ok(Recording {
            client: Some(client),
            ..recording
        })
    }

    /// The folder in which Codex works.
    fn cwd(&self) -> PathBuf {
        self.run.cwd.clone().unwrap_or_else(|| self.home.project())
    }

    /// Makes Codex run on the stage. Of our environment it has only what it cannot do without.
    fn furnish(&self, command: &mut Command) {
        self.home.furnish(command).current_dir(self.cwd());
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Source::Endpoint { key: Some(key), .. } = &self.run.source {
            command.env(&key.variable, &key.secret);
        }
    }
}

impl<'s> Recording<'s> {
    /// Waits for the end of Codex.
    ///
    /// # Errors
    /// If the system does not say how it ended.
    pub fn finish(self) -> Result<Ended<'s>, Error> {
        Ok(Ended {
            tapped: self.running.finish()?,
            stage: self.stage,
            client: self.client,
        })
    }
}

impl Ended<'_> {
    /// How Codex exited, and what was found in its traffic.
    pub fn tapped(&self) -> &Tapped {
        &self.tapped
    }

    /// Keeps what Codex left: its session files, and what hooks and the `notify` program received.
    ///
    /// # Errors
    /// If something cannot be kept, or if the client of our own failed ([`Error::Talk`]), when everything is kept.
    pub fn keep(self) -> Result<(), Error> {
        let talked = self.client.map_or(Ok(()), |client| {
            let talked = client.join();
            talked.unwrap_or_else(|panicked| panic::resume_unwind(panicked))
        });
        let Stage {
            home,
            folder,
            keep,
            run,
            ..
        } = self.stage;
        keep.collect(&home.codex_home(), folder.path(), &run.notices)?;
        talked.map_err(Error::Talk)
    }
}

impl Iterator for Recording<'_> {
    type Item = Vec<Finding>;

    /// Waits for the next findings.
    fn next(&mut self) -> Option<Vec<Finding>> {
        self.running.next()
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Stage");
        out.field("run", &self.run).finish_non_exhaustive()
    }
}

impl fmt::Debug for Recording<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Recording");
        out.field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// Whether there is nothing at a path, or an empty folder.
fn is_vacant(path: &Path) -> Result<bool, Error> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::read(path)(error)),
    }
}

/// A folder for the stage, which is removed at the end. It is in a cache if there is one: in a temporary
/// folder, Codex makes no links to itself, which it needs for its sandbox.
fn stage_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("stage-");
    if let Some(cache) = own_cache()
        && fs::create_dir_all(&cache).is_ok()
        && let Ok(folder) = builder.tempdir_in(cache)
    {
        return Ok(folder);
    }
    builder.tempdir()
}
