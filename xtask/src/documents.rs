//! Makes the annotated documents that `codex-wire-schema` embeds, from the protocol types.

use std::io::{self, Write as _};
use std::path::PathBuf;

use codex_wire::{MessageSet, app_server, core_protocol, exec, hooks, notify, rollout, transcript};
use codex_wire_schema::{Family, write_documents};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::repository;

/// The file of a family of message sets, and the text it should hold.
pub fn document(family: Family) -> (PathBuf, String) {
    let name = format!("{}.deflate", family.as_str());
    let folder = repository().join("crates/codex-wire-schema/src/documents");
    (folder.join(name), write_documents(family, &annotated))
}

/// The bytes of a file with that text.
pub fn compressed(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The schema as the types give it: members without `null`, bounds on integers, every annotation
/// in place. `None` stands for the transcript format.
fn annotated(message_set: Option<MessageSet>) -> Value {
    match message_set {
        None => document_of::<transcript::Record>(),
        Some(MessageSet::Exec) => document_of::<exec::Event>(),
        Some(MessageSet::ExecLegacy) => document_of::<exec::legacy::LegacyLine>(),
        Some(MessageSet::CoreEvents) => document_of::<core_protocol::Event>(),
        Some(MessageSet::CoreSubmissions) => document_of::<core_protocol::Submission>(),
        Some(MessageSet::AppServerClientRequests) => document_of::<app_server::ClientRequest>(),
        Some(MessageSet::AppServerClientNotifications) => {
            document_of::<app_server::ClientNotification>()
        }
        Some(MessageSet::AppServerClientResponses) => document_of::<app_server::ClientResponse>(),
        Some(MessageSet::AppServerServerRequests) => document_of::<app_server::ServerRequest>(),
        Some(MessageSet::AppServerServerNotifications) => {
            document_of::<app_server::ServerNotification>()
        }
        Some(MessageSet::AppServerServerResponses) => document_of::<app_server::ServerResponse>(),
        Some(MessageSet::AppServerErrors) => {
            document_of::<app_server::ErrorResponse<app_server::ClientSide>>()
        }
        Some(MessageSet::AppServerItems) => document_of::<app_server::ThreadItem>(),
        Some(MessageSet::HooksInput) => document_of::<hooks::HookInput>(),
        Some(MessageSet::HooksOutput) => document_of::<hooks::HookOutput>(),
        Some(MessageSet::Notify) => document_of::<notify::UserNotification>(),
        Some(MessageSet::Rollout) => document_of::<rollout::RolloutLine>(),
        Some(MessageSet::RolloutEarly) => document_of::<rollout::EarlyLine>(),
        Some(other) => unreachable!("no types for {other}"),
    }
}

fn document_of<T: schemars::JsonSchema>() -> Value {
    let mut root = SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    bound_integers(&mut root);
    root
}

/// Replaces the formats other generators do not know by the bounds they stand for.
fn bound_integers(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(bounds) = object.get("format").and_then(bounds) {
                object.remove("format");
                for (key, bound) in bounds {
                    // A type may have a narrower bound of its own.
                    object.entry(key).or_insert(bound);
                }
            }
            object.values_mut().for_each(bound_integers);
        }
        Value::Array(array) => array.iter_mut().for_each(bound_integers),
        _ => {}
    }
}

fn bounds(format: &Value) -> Option<Map<String, Value>> {
    let bounds = match format.as_str()? {
        "uint8" => json!({"minimum": u8::MIN, "maximum": u8::MAX}),
        "uint16" => json!({"minimum": u16::MIN, "maximum": u16::MAX}),
        "uint32" => json!({"minimum": u32::MIN, "maximum": u32::MAX}),
        "uint64" => json!({"minimum": u64::MIN, "maximum": u64::MAX}),
        "int32" => json!({"minimum": i32::MIN, "maximum": i32::MAX}),
        "int64" => json!({"minimum": i64::MIN, "maximum": i64::MAX}),
        _ => return None,
    };
    match bounds {
        Value::Object(bounds) => Some(bounds),
        _ => None,
    }
}
