//! Tests of the client: with servers in this process, and with recordings and scripts of every release.

#[cfg(unix)]
mod exec;
mod failures;
mod hooks;
mod recordings;
mod scripts;
mod support;
mod tasks;
mod turns;
mod unsupported;
mod websocket;
