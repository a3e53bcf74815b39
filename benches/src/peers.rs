//! Other crates that read or validate lines, or only extract values from them.

use boon::{Compiler, SchemaIndex, Schemas};
use codex_codes::{JsonRpcMessage, Notification, ServerRequest, ThreadReadResponse};
use serde_json::Value;
use simd_json::Buffers;

use crate::contestant::{Contestant, read};
use crate::plain::tagged;

/// Events of `codex exec` as codex-codes reads them.
pub(crate) const CODEX_CODES_EXEC: Contestant = Contestant {
    name: "codex-codes 0.166",
    read: |line| read(serde_json::from_slice::<codex_codes::ThreadEvent>(line)),
};

/// Messages of the app-server as codex-codes reads them.
pub(crate) const CODEX_CODES_APP_SERVER: Contestant = Contestant {
    name: CODEX_CODES_EXEC.name,
    read: codex_codes_message,
};

/// The answer to `thread/read` as codex-codes reads it.
pub(crate) const CODEX_CODES_THREAD_READ: Contestant = Contestant {
    name: CODEX_CODES_EXEC.name,
    read: |line| match serde_json::from_slice(line) {
        Ok(JsonRpcMessage::Response(answer)) => {
            read(serde_json::from_value::<ThreadReadResponse>(answer.result))
        }
        _ => false,
    },
};

/// Events of `codex exec` as sonic-rs reads them into the plain derive.
pub(crate) const SONIC_DERIVE: Contestant = Contestant {
    name: "sonic-rs, derive",
    read: |line| read(sonic_rs::from_slice::<tagged::Event>(line)),
};

/// A line as a tree of sonic-rs.
pub(crate) const SONIC_VALUE: Contestant = Contestant {
    name: "sonic-rs Value",
    read: |line| read(sonic_rs::from_slice::<sonic_rs::Value>(line)),
};

/// The way that crate's own clients read a line.
fn codex_codes_message(line: &[u8]) -> bool {
    match serde_json::from_slice(line) {
        Ok(JsonRpcMessage::Notification(message)) => {
            read(Notification::from_envelope(&message.method, message.params))
        }
        Ok(JsonRpcMessage::Request(message)) => read(ServerRequest::from_envelope(
            &message.method,
            message.params,
        )),
        answer => read(answer),
    }
}

/// A schema, compiled by boon.
pub(crate) struct Boon {
    schemas: Schemas,
    root: SchemaIndex,
}

impl Boon {
    /// Compiles a schema, which is asked for by its own `$id`.
    pub(crate) fn new(schema: &Value) -> Self {
        let name = schema["$id"]
            .as_str()
            .unwrap_or("https://example.com/schema");
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler
            .add_resource(name, schema.clone())
            .expect("our own schemas have a name");
        let root = compiler
            .compile(name, &mut schemas)
            .expect("our own schemas compile");
        Boon { schemas, root }
    }

    /// Whether it accepts a value.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.root).is_ok()
    }
}

/// Reads lines with simd-json, which writes into its input: each line is copied first.
pub(crate) struct SimdJson {
    line: Vec<u8>,
    buffers: Buffers,
}

impl SimdJson {
    pub(crate) fn new() -> Self {
        SimdJson {
            line: Vec::new(),
            buffers: Buffers::new(1 << 16),
        }
    }

    /// Whether a line becomes a tape, its flat form.
    pub(crate) fn tape(&mut self, line: &[u8]) -> bool {
        self.copy(line);
        simd_json::to_tape_with_buffers(&mut self.line, &mut self.buffers).is_ok()
    }

    /// Whether a line becomes a tree that borrows its strings.
    pub(crate) fn tree(&mut self, line: &[u8]) -> bool {
        self.copy(line);
        simd_json::to_borrowed_value_with_buffers(&mut self.line, &mut self.buffers).is_ok()
    }

    fn copy(&mut self, line: &[u8]) {
        self.line.clear();
        self.line.extend_from_slice(line);
    }
}
