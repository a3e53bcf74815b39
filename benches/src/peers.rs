//! Other crates that validate lines, or only extract values from them.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;
use simd_json::Buffers;

/// A schema, compiled by boon.
pub(crate) struct Boon {
    schemas: Schemas,
    root: SchemaIndex,
}

impl Boon {
    /// Compiles a schema. Its own `$id` is a URN, so it is asked for by that.
    pub(crate) fn new(schema: &Value) -> Self {
        let name = schema["$id"].as_str().unwrap_or("urn:codex-wire:schema");
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
