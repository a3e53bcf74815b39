//! Puts faults of messages into a conversation.

use std::fmt;

use codex_wire_base::{Protocol, Release};

use super::effect::{Effect, Request};
use super::future::Future;
use super::injection::Faults;
use super::random::Random;
use super::talk::Talk;
use crate::conversation::{Conversation, Emission, Reaction};
use crate::error::Error;
use crate::message::{self, Message};

/// A conversation with faults.
pub struct Faulty {
    inner: Box<dyn Conversation>,
    effects: Vec<Box<dyn Effect>>,
    talk: Talk,
}

impl Faulty {
    /// A conversation with these faults, of a release; of the latest one if it is not known.
    ///
    /// # Errors
    /// When one of the faults makes no sense for the protocol.
    pub fn new(
        inner: Box<dyn Conversation>,
        faults: &Faults,
        release: Option<Release>,
    ) -> Result<Self, Error> {
        let protocol = inner.protocol();
        faults.fit(protocol)?;
        Ok(Faulty {
            inner,
            effects: faults.effects(),
            talk: Talk::new(Future::new(protocol, release, Random::new(faults.seed))),
        })
    }

    /// All of a reaction of which this is the first part: faults are about whole ones.
    fn whole(&mut self, mut emissions: Vec<Emission>) -> Vec<Emission> {
        loop {
            let mut more = self.inner.more();
            if more.is_empty() {
                return emissions;
            }
            emissions.append(&mut more);
        }
    }

    fn changed(&mut self, mut emissions: Vec<Emission>) -> Vec<Emission> {
        if self.inner.protocol() != Protocol::AppServer {
            return emissions;
        }
        self.talk.number_turns(&emissions);
        for effect in &mut self.effects {
            emissions = effect.reaction(emissions, &mut self.talk);
        }
        emissions
    }
}

impl Conversation for Faulty {
    fn protocol(&self) -> Protocol {
        self.inner.protocol()
    }

    fn start(&mut self) -> Vec<Emission> {
        let first = self.inner.start();
        let emissions = self.whole(first);
        self.changed(emissions)
    }

    fn line(&mut self, line: &str) -> Reaction {
        let message = message::of_client(self.inner.protocol(), line);
        if let Some(Message::Request { id, method, params }) = &message {
            self.talk.requested(id, method);
            let request = Request {
                id,
                method,
                params: params.as_ref(),
            };
            let mut effects = self.effects.iter_mut();
            if let Some(emissions) = effects.find_map(|effect| effect.request(&request)) {
                return Reaction {
                    emissions: self.changed(emissions),
                    ..Reaction::default()
                };
            }
        }
        let mut reaction = self.inner.line(line);
        reaction.emissions = self.whole(reaction.emissions);
        reaction.emissions = self.changed(reaction.emissions);
        reaction
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faulty").finish_non_exhaustive()
    }
}
