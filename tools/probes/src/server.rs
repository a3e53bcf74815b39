//! Asks a server that nobody greeted: it reads a request, says that it is not initialized, and does nothing.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_wire_base::Release;
use codex_wire_record::{Client, Home};
use serde_json::{Value, json};

use crate::answer::{Answer, expected};
use crate::question::Question;
use crate::walk::STRANGER;

/// Longer than an answer takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many requests may wait for their answers. Newer releases refuse more than a hundred or so.
const WINDOW: usize = 32;

/// A loopback port where nothing listens: the model is never asked.
const NO_PORT: u16 = 9;

/// A program of a release, and a folder that its home is made in.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The release.
    pub release: Release,
    /// The program.
    pub program: &'a Path,
    /// A folder, which is emptied.
    pub stage: &'a Path,
}

impl Subject<'_> {
    /// Starts a server with a home of its own.
    ///
    /// # Errors
    /// When a folder cannot be written, or the program not started.
    pub fn serve(&self) -> io::Result<Client> {
        let home = Home::new(self.stage, self.release, NO_PORT)?;
        let mut command = Command::new(self.program);
        command.arg("app-server").stderr(Stdio::null());
        Client::start(home.furnish(&mut command))
    }

    /// Asks a server that nobody greets. The answers are in the order of the questions.
    ///
    /// # Errors
    /// When the program cannot be started, or says nothing for a minute.
    pub fn ask(&self, questions: &[Question]) -> io::Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(questions.len());
        while let Some(left) = questions
            .get(answers.len()..)
            .filter(|left| !left.is_empty())
        {
            let got = self.ask_one_server(left)?;
            let is_all = got.len() == left.len();
            answers.extend(got);
            if !is_all {
                // The process ended at the question that comes next.
                answers.push(Answer::Ended);
            }
        }
        Ok(answers)
    }

    /// The methods that a server knows: it lists them when it is asked for one that does not exist.
    ///
    /// # Errors
    /// When the program cannot be started, or says nothing for a minute.
    pub fn methods(&self) -> io::Result<Vec<String>> {
        let mut client = self.serve()?;
        let response = client.request(STRANGER, json!({}), PATIENCE)?;
        let message = response["error"]["message"].as_str().unwrap_or_default();
        Ok(expected(message))
    }

    /// Asks until the process ends.
    fn ask_one_server(&self, questions: &[Question]) -> io::Result<Vec<Answer>> {
        let mut client = self.serve()?;
        let mut answers: Vec<Answer> = Vec::with_capacity(questions.len());
        let mut sent = 0;
        while answers.len() < questions.len() {
            while sent < questions.len() && sent < answers.len() + WINDOW {
                // A process that has ended shows below.
                let _ = client.send(&questions[sent].line(sent as u64));
                sent += 1;
            }
            match response(&mut client, answers.len() as u64) {
                Ok(response) => {
                    let method = &questions[answers.len()].slot.method;
                    answers.push(Answer::of(method, &response));
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        Ok(answers)
    }
}

/// The next response, which answers the request with this id.
fn response(client: &mut Client, id: u64) -> io::Result<Value> {
    loop {
        let message = client.next(PATIENCE)?;
        if message["id"] == id && message.get("method").is_none() {
            return Ok(message);
        }
    }
}
