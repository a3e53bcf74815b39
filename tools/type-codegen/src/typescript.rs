//! TypeScript: the npm package `codex-wire-types`, declaration files without a runtime.
//!
//! One file has one protocol in the releases that speak it alike; the map of exports leads from any
//! release of any protocol to its file.

mod any;
mod declarations;
mod module;

use std::collections::BTreeSet;

use codex_wire_base::{Release, ReleaseRange};
use codex_wire_schema::BundleName;
use serde_json::{Map, Value, json};

use crate::model::Model;
use crate::project::Project;
use crate::{Files, Releases, merged, models};
use declarations::Span;

/// The name of the package.
pub const PACKAGE: &str = "codex-wire-types";

/// Writes the declaration files and `package.json`.
pub fn files(releases: Releases) -> Files {
    let mut files = Files::new();
    let mut exports = Map::new();
    let all: BTreeSet<Release> = BundleName::ALL
        .into_iter()
        .flat_map(BundleName::releases)
        .collect();
    for name in BundleName::ALL {
        let models: Vec<Model> = models(name, releases).collect();
        let modules = modules(&models);
        let newest = modules.len().saturating_sub(1);
        let starts: Vec<Release> = modules.iter().map(|(range, _)| range.since).collect();
        for (index, (range, body)) in modules.into_iter().enumerate() {
            let path = match index == newest {
                true => format!("{name}.d.ts"),
                false => format!("{name}/{}.d.ts", range.since),
            };
            let target = json!({"types": format!("./{path}")});
            if index == newest {
                exports.insert(format!("./{name}"), target.clone());
            }
            // A release that only other protocols list has the types of the one before.
            let next = starts.get(index + 1);
            let served = all.range(range.since..).filter(|release| match next {
                Some(next) => *release < next,
                None => **release <= range.until,
            });
            for release in served {
                exports.insert(format!("./{name}/{release}"), target.clone());
            }
            files.insert(path, module::head(name, range, Span::One) + &body);
        }
        if releases == Releases::All {
            let model = any::narrowable(Model::merged(models));
            let path = format!("{name}/any.d.ts");
            exports.insert(
                format!("./{name}/any"),
                json!({"types": format!("./{path}")}),
            );
            let body = module::body(&declarations::declarations(&model, Span::Any));
            files.insert(path, module::head(name, model.releases, Span::Any) + &body);
        }
    }
    exports.insert("./schemas/*".into(), json!("./schemas/*"));
    exports.insert("./package.json".into(), json!("./package.json"));
    let text = format!("{:#}\n", manifest(exports));
    files.insert("package.json".into(), text);
    files
}

/// The body of each file of a protocol, oldest first.
fn modules(models: &[Model]) -> Vec<(ReleaseRange, String)> {
    merged(models.iter().map(|model| {
        let declarations = declarations::declarations(model, Span::One);
        (model.releases, module::body(&declarations))
    }))
}

fn manifest(exports: Map<String, Value>) -> Value {
    let project = Project::read();
    json!({
        "name": PACKAGE,
        "version": project.version(),
        "description": "Types of the protocols of OpenAI's Codex, for every release: codex exec --json, codex app-server, session files, hooks",
        "keywords": ["codex", "openai", "types", "app-server", "json-schema"],
        "license": "MIT OR Apache-2.0",
        "homepage": project.url(),
        "repository": {"type": "git", "url": format!("git+{}.git", project.url()), "directory": "packages/types"},
        "sideEffects": false,
        "files": ["*.d.ts", "*/*.d.ts", "schemas", "LICENSE-*"],
        "exports": exports,
    })
}
