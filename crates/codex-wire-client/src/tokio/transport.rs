//! Moves lines with tasks: one reads, one writes, one drains standard error, and one sees to it that Codex ends.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use crate::connection::End;
use crate::error::Error;
use crate::pieces::{LastWords, PIECE, Pieces};
use crate::transport::{LAST_WORDS, LINE_END, LINES, PATIENCE};

/// What comes from Codex.
#[derive(Debug)]
pub(crate) enum FromCodex {
    Line(Vec<u8>),
    End(End),
}

/// What comes from Codex, in order.
pub(crate) type Lines = mpsc::Receiver<FromCodex>;

/// A running Codex, or whoever is at the other end of a connection.
#[derive(Debug)]
pub(crate) struct Transport {
    open: Mutex<Open>,
    /// Of a process, which is not read to its end once nobody wants it.
    reader: Option<AbortHandle>,
    process: Process,
    /// How it ended, once all is over. There is no sender once no status can come.
    over: watch::Receiver<Option<ExitStatus>>,
}

/// What is taken away when the connection is closed.
#[derive(Debug)]
struct Open {
    /// Without it, the input of Codex ends.
    lines: Option<mpsc::UnboundedSender<String>>,
    /// Without it, Codex is to end.
    _stays: Option<oneshot::Sender<()>>,
}

/// What is known of the process at the other end, if it is one.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Its status, once it has exited. There is no sender if there is no process, or it is no longer waited for.
    exit: watch::Receiver<Option<ExitStatus>>,
    /// Whether its standard error has ended.
    drained: watch::Receiver<bool>,
    words: Arc<Mutex<LastWords>>,
}

impl Transport {
    /// Starts a program with pipes. What is sent to it has this end.
    pub(crate) fn spawn(
        command: Command,
        limit: usize,
        end: &'static str,
    ) -> Result<(Self, Lines), Error> {
        let program = command.get_program().to_string_lossy().into_owned();
        let start = |source| Error::Start {
            program: program.clone(),
            source,
        };
        Handle::try_current().map_err(|error| start(io::Error::other(error)))?;
        let mut command = tokio::process::Command::from(command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // If the runtime ends first.
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(start)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("the three are piped");
        };
        let words = Arc::new(Mutex::new(LastWords::default()));
        let (ended, drained) = watch::channel(false);
        tokio::spawn(drain(stderr, words.clone(), ended));
        Ok(Self::with(Some(child), words, drained, |lines, process| {
            (
                read(stdout, limit, lines.clone(), process.clone()),
                move |outgoing| write(stdin, outgoing, lines, process, end),
            )
        }))
    }

    /// Talks to whoever is at the other end of these two.
    pub(crate) fn connect(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
        limit: usize,
    ) -> (Self, Lines) {
        Self::between(|lines, process| {
            (
                read(reader, limit, lines.clone(), process.clone()),
                |outgoing| write(writer, outgoing, lines, process, LINE_END),
            )
        })
    }

    /// Talks to whoever is at the other end of what two tasks move.
    pub(crate) fn between<R, W, T>(
        tasks: impl FnOnce(mpsc::Sender<FromCodex>, Process) -> (R, W),
    ) -> (Self, Lines)
    where
        R: Future<Output = ()> + Send + 'static,
        W: FnOnce(mpsc::UnboundedReceiver<String>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        let (_, drained) = watch::channel(true);
        Self::with(None, Arc::default(), drained, tasks)
    }

    fn with<R, W, T>(
        child: Option<Child>,
        words: Arc<Mutex<LastWords>>,
        drained: watch::Receiver<bool>,
        tasks: impl FnOnce(mpsc::Sender<FromCodex>, Process) -> (R, W),
    ) -> (Self, Lines)
    where
        R: Future<Output = ()> + Send + 'static,
        W: FnOnce(mpsc::UnboundedReceiver<String>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        let (to_codex, outgoing) = mpsc::unbounded_channel();
        let (incoming, from_codex) = mpsc::channel(LINES);
        let (exited, exit) = watch::channel(None);
        let (stays, leaves) = oneshot::channel();
        let process = Process {
            exit: exit.clone(),
            drained,
            words,
        };
        let (read, write) = tasks(incoming, process.clone());
        let reader = tokio::spawn(read);
        let writer = tokio::spawn(write(outgoing));
        let (reader, over) = match child {
            Some(child) => {
                tokio::spawn(supervise(child, leaves, exited));
                (Some(reader.abort_handle()), exit)
            }
            None => {
                // Whoever waits for a status learns at once that there is none.
                drop(exited);
                let (hung_up, over) = watch::channel(None);
                tokio::spawn(hang_up([writer, reader], leaves, hung_up));
                (None, over)
            }
        };
        let open = Open {
            lines: Some(to_codex),
            _stays: Some(stays),
        };
        let transport = Transport {
            open: Mutex::new(open),
            reader,
            process,
            over,
        };
        (transport, from_codex)
    }

    /// Sends a line. That it did not arrive is said by what comes from Codex.
    pub(crate) fn send(&self, line: String) {
        if let Some(lines) = &self.open().lines {
            let _ = lines.send(line);
        }
    }

    /// Sends nothing more: the input of Codex ends.
    #[cfg(feature = "exec")]
    pub(crate) fn close_input(&self) {
        self.open().lines = None;
    }

    /// Reads and sends nothing more: Codex ends.
    pub(crate) fn close(&self) {
        *self.open() = Open {
            lines: None,
            _stays: None,
        };
        if let Some(reader) = &self.reader {
            reader.abort();
        }
    }

    /// Waits until Codex has ended, or both sides have disconnected: its status, if it is a process.
    pub(crate) async fn ended(&self) -> Option<ExitStatus> {
        status(&self.over).await
    }

    /// What is known of the process.
    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.close();
    }
}

impl Process {
    /// Why nothing comes any more, if its output has ended: its status, if it exits in time, and its last words.
    pub(crate) async fn ended(&self) -> End {
        let status = timeout(PATIENCE, status(&self.exit)).await.ok().flatten();
        End::Ended(status, self.last_words().await)
    }

    /// Why nothing comes any more, as far as that is known now.
    pub(crate) fn gone(&self) -> End {
        End::Ended(*self.exit.borrow(), self.words().text())
    }

    pub(crate) async fn unreadable(&self, error: &io::Error) -> End {
        End::Unreadable(error.to_string(), self.last_words().await)
    }

    pub(crate) async fn unwritable(&self, error: &io::Error) -> End {
        End::Unwritable(error.to_string(), self.last_words().await)
    }

    /// What it wrote last may still be on its way; a process that it left behind can hold it open.
    async fn last_words(&self) -> String {
        let mut drained = self.drained.clone();
        let _ = timeout(LAST_WORDS, drained.wait_for(|drained| *drained)).await;
        self.words().text()
    }

    fn words(&self) -> MutexGuard<'_, LastWords> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until a process has exited. Once it is to end, it has a while for it, and is then killed.
async fn supervise(
    mut child: Child,
    leaves: oneshot::Receiver<()>,
    exited: watch::Sender<Option<ExitStatus>>,
) {
    let status = match first(child.wait(), leaves).await {
        Ok(status) => status,
        Err(_) => match timeout(PATIENCE, child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                // It may have ended just now.
                let _ = child.start_kill();
                child.wait().await
            }
        },
    };
    exited.send_replace(status.ok());
}

/// Once the connection is to end, the last lines are written, and the other side disconnects too: there is a while for it.
async fn hang_up(
    tasks: [JoinHandle<()>; 2],
    leaves: oneshot::Receiver<()>,
    // Whoever waits for the end learns of it when this is dropped.
    _hung_up: watch::Sender<Option<ExitStatus>>,
) {
    let _ = leaves.await;
    let handles = tasks.each_ref().map(JoinHandle::abort_handle);
    let _ = timeout(PATIENCE, async {
        for task in tasks {
            let _ = task.await;
        }
    })
    .await;
    handles.iter().for_each(AbortHandle::abort);
}

/// The status, once it is there, or nothing once none can come.
async fn status(status: &watch::Receiver<Option<ExitStatus>>) -> Option<ExitStatus> {
    let mut status = status.clone();
    match status.wait_for(Option::is_some).await {
        Ok(status) => *status,
        Err(_) => None,
    }
}

/// Whichever comes first.
async fn first<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> Result<A, B> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(|context| match a.as_mut().poll(context) {
        Poll::Ready(a) => Poll::Ready(Ok(a)),
        Poll::Pending => b.as_mut().poll(context).map(Err),
    })
    .await
}

async fn drain(
    mut stderr: impl AsyncRead + Unpin,
    words: Arc<Mutex<LastWords>>,
    ended: watch::Sender<bool>,
) {
    let mut piece = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.push(&piece[..count]);
    }
    ended.send_replace(true);
}

/// Writes lines until there are no more, each with this end.
async fn write(
    writer: impl AsyncWrite,
    mut outgoing: mpsc::UnboundedReceiver<String>,
    lines: mpsc::Sender<FromCodex>,
    process: Process,
    end: &str,
) {
    let mut writer = pin!(writer);
    while let Some(mut line) = outgoing.recv().await {
        line.push_str(end);
        let written = match writer.write_all(line.as_bytes()).await {
            Ok(()) => writer.flush().await,
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {}
            // Codex is gone, which its output says with more words.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return,
            Err(error) => {
                let end = process.unwritable(&error).await;
                let _ = lines.send(FromCodex::End(end)).await;
                return;
            }
        }
    }
    let _ = writer.shutdown().await;
}

/// Reads lines until there are no more, or nobody wants them.
async fn read(
    reader: impl AsyncRead,
    limit: usize,
    lines: mpsc::Sender<FromCodex>,
    process: Process,
) {
    let mut reader = pin!(reader);
    let mut pieces = Pieces::new(limit);
    let mut piece = vec![0; PIECE];
    let end = loop {
        let (whole, read) = match reader.read(&mut piece).await {
            Ok(0) => {
                if let Some(line) = pieces.last() {
                    let _ = lines.send(FromCodex::Line(line)).await;
                }
                break process.ended().await;
            }
            Ok(count) => pieces.feed(&piece[..count]),
            Err(error) => break process.unreadable(&error).await,
        };
        for line in whole {
            if lines.send(FromCodex::Line(line)).await.is_err() {
                return;
            }
        }
        if let Err(error) = read {
            break process.unreadable(&error).await;
        }
    };
    let _ = lines.send(FromCodex::End(end)).await;
}
