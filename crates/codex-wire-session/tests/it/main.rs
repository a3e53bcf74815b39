//! Tests of the model, over all recordings of real binaries.

mod accounting;
mod compare;
mod gaps;
mod hostile;
mod published;
mod recordings;
mod rollout_commands;
mod rollout_messages;
mod rollout_tokens;
mod surfaces;
mod usage;
mod watch;
