//! How large the enums are that every message passes through.

use std::fmt::Write as _;
use std::mem::size_of;

use codex_wire::{app_server, core_protocol, exec, hooks, items, rollout};

macro_rules! sizes {
    ($out:ident: $($ty:ty),* $(,)?) => {
        $(let _ = writeln!($out, "{:>6}  {}", size_of::<$ty>(), stringify!($ty));)*
    };
}

/// A message is copied at each step that it takes; what is rare and large is behind a pointer.
#[test]
fn messages_are_small() {
    let mut out = String::new();
    sizes!(out:
        app_server::ClientMessage,
        app_server::ServerMessage,
        app_server::ClientRequestParams,
        app_server::ClientRequestResult,
        app_server::ServerRequestParams,
        app_server::ServerRequestResult,
        app_server::ServerNotificationParams,
        app_server::events::EventMsg,
        app_server::ThreadItem,
        app_server::ThreadItemDetails,
        app_server::Turn,
        app_server::Thread,
        app_server::ResponseItem,
        core_protocol::Event,
        core_protocol::EventMsg,
        core_protocol::Submission,
        exec::Event,
        exec::ThreadItem,
        hooks::HookInput,
        items::Item,
        rollout::RolloutLine,
        rollout::RolloutItem,
        rollout::EventMsg,
        rollout::ResponseItem,
    );
    for size in [
        size_of::<app_server::ClientMessage>(),
        size_of::<app_server::ServerMessage>(),
        size_of::<app_server::ClientRequestResult>(),
        size_of::<app_server::ServerRequestResult>(),
        size_of::<exec::Event>(),
    ] {
        assert!(size <= 512, "{size} bytes:\n{out}");
    }
    golden_files::assert_file(
        &crate::support::files::root().join("crates/codex-wire/tests/it/sizes.txt"),
        &out,
    );
}
