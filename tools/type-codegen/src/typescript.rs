//! TypeScript: the npm package `codex-wire-types`, declaration files without a runtime.
//!
//! One file has one protocol in the releases that speak it alike; the map of exports leads from any
//! release of any protocol to its file.

mod any;
mod declarations;
mod module;
mod shared;

use std::collections::BTreeSet;

use codex_wire_base::Release;
use codex_wire_schema::BundleName;
use serde_json::{Map, Value, json};

use crate::model::Model;
use crate::project::Project;
use crate::{Files, Releases, merged, models};
use declarations::Span;
use shared::{Module, Shared};

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
        // What is read most stands in one file.
        let shared = Shared::of(&modules[..newest]);
        for file in shared.files.iter().filter(|file| !file.is_own) {
            let path = format!("{name}/{}.d.ts", file.name);
            files.insert(path, module::shared(name, file, &shared));
        }
        for (index, module) in modules.iter().enumerate() {
            let range = module.range;
            let (path, text) = if index == newest {
                let text = module::whole(name, range, Span::One, &module.declarations);
                (format!("{name}.d.ts"), text)
            } else {
                let text = module::release(name, index, module, &shared);
                (format!("{name}/{}.d.ts", range.since), text)
            };
            let target = json!({"types": format!("./{path}")});
            if index == newest {
                exports.insert(format!("./{name}"), target.clone());
            }
            // A release that only other protocols list has the types of the one before.
            let next = modules.get(index + 1);
            let served = all.range(range.since..).filter(|release| match next {
                Some(next) => **release < next.range.since,
                None => **release <= range.until,
            });
            for release in served {
                exports.insert(format!("./{name}/{release}"), target.clone());
            }
            files.insert(path, text);
        }
        if releases == Releases::All {
            let model = any::narrowable(Model::merged(models));
            let path = format!("{name}/any.d.ts");
            exports.insert(
                format!("./{name}/any"),
                json!({"types": format!("./{path}")}),
            );
            let declarations = declarations::declarations(&model, Span::Any);
            let text = module::whole(name, model.releases, Span::Any, &declarations);
            files.insert(path, text);
        }
    }
    if releases == Releases::All {
        files.insert(format!("{}.d.ts", module::UNKNOWN), module::unknown());
    }
    exports.insert("./schemas/*".into(), json!("./schemas/*"));
    exports.insert("./package.json".into(), json!("./package.json"));
    let text = format!("{:#}\n", manifest(exports));
    files.insert("package.json".into(), text);
    files
}

/// What the releases of a protocol declare, oldest first.
fn modules(models: &[Model]) -> Vec<Module> {
    let written = models.iter().map(|model| {
        let declarations = declarations::declarations(model, Span::One);
        (model.releases, declarations)
    });
    let modules = merged(written).into_iter();
    modules
        .map(|(range, declarations)| Module {
            range,
            declarations,
        })
        .collect()
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
