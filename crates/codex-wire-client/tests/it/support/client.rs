//! One client for tests: the blocking one, or the one for tasks, with the same words. Most of what is tried is tried with both.

use std::sync::LazyLock;
use std::time::Duration;

use codex_wire::Release;
use codex_wire::app_server::{ClientRequestParams, ClientSide, Request, Thread, ThreadStartParams};
use codex_wire_client::{
    Client as Blocking, Completed, Error, Incoming, TurnEvent, tokio as tasks,
};
use futures_core::Stream;
use tokio::runtime::{Builder, Runtime};

/// How the client of a test waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Threads,
    Tasks,
}

pub(crate) const WAYS: [Way; 2] = [Way::Threads, Way::Tasks];

/// The runtime of all tests.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime")
    });
    &RUNTIME
}

#[derive(Clone, Debug)]
pub(crate) enum Client {
    Threads(Blocking),
    Tasks(tasks::Client),
}

#[derive(Debug)]
pub(crate) enum Turn {
    Threads(codex_wire_client::TurnHandle),
    Tasks(tasks::TurnHandle),
}

impl Client {
    pub(crate) fn release(&self) -> Option<Release> {
        match self {
            Client::Threads(client) => client.release(),
            Client::Tasks(client) => client.release(),
        }
    }

    pub(crate) fn request<M>(&self, params: M::Params) -> Result<M::Result, Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        match self {
            Client::Threads(client) => client.request::<M>(params),
            Client::Tasks(client) => runtime().block_on(client.request::<M>(params)),
        }
    }

    pub(crate) fn start_thread(&self, params: ThreadStartParams) -> Result<Thread, Error> {
        match self {
            Client::Threads(client) => client.start_thread(params),
            Client::Tasks(client) => runtime().block_on(client.start_thread(params)),
        }
    }

    pub(crate) fn start_turn(&self, thread_id: &str, prompt: &str) -> Result<Turn, Error> {
        Ok(match self {
            Client::Threads(client) => Turn::Threads(client.start_turn(thread_id, prompt)?),
            Client::Tasks(client) => {
                Turn::Tasks(runtime().block_on(client.start_turn(thread_id, prompt))?)
            }
        })
    }

    pub(crate) fn incoming(&self, timeout: Duration) -> Result<Incoming, Error> {
        match self {
            Client::Threads(client) => client.incoming(timeout),
            Client::Tasks(client) => runtime().block_on(client.incoming(timeout)),
        }
    }

    /// Lets go of it, and waits until Codex has ended.
    pub(crate) fn end(self) {
        match self {
            Client::Threads(client) => drop(client),
            Client::Tasks(client) => {
                runtime().block_on(client.close());
            }
        }
    }
}

impl Turn {
    pub(crate) fn finish(self) -> Result<Completed, Error> {
        match self {
            Turn::Threads(turn) => turn.finish(),
            Turn::Tasks(turn) => runtime().block_on(turn.finish()),
        }
    }

    pub(crate) fn next_within(&mut self, timeout: Duration) -> Result<Option<TurnEvent>, Error> {
        match self {
            Turn::Threads(turn) => turn.next_within(timeout),
            Turn::Tasks(turn) => runtime().block_on(turn.next_within(timeout)),
        }
    }

    pub(crate) fn interrupt(&self) -> Result<(), Error> {
        match self {
            Turn::Threads(turn) => turn.interrupt(),
            Turn::Tasks(turn) => runtime().block_on(turn.interrupt()),
        }
    }
}

impl Iterator for Turn {
    type Item = Result<TurnEvent, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Turn::Threads(turn) => turn.next(),
            Turn::Tasks(turn) => runtime().block_on(next(turn)),
        }
    }
}

/// What a stream gives next.
pub(crate) async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|context| std::pin::Pin::new(&mut *stream).poll_next(context)).await
}
