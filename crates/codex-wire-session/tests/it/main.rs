//! Tests of the model, over all recordings of real binaries.

mod accounting;
mod appended;
mod compare;
mod gaps;
mod hostile;
mod lines;
mod published;
mod recordings;
mod rollbacks;
mod rollout_commands;
mod rollout_messages;
mod rollout_tokens;
mod streams;
mod surfaces;
mod usage;
mod watch;
