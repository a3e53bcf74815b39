//! What boon, a validator in Rust, says of messages. `.ci/generators` compares it with what validators in
//! other languages say.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use boon::{Compiler, SchemaIndex, Schemas};
use serde::Deserialize;
use serde_json::Value;

/// A line of `.ci/generators/cases.py`.
#[derive(Deserialize)]
struct Case {
    schema: String,
    message: Value,
}

/// What boon says of each case in a file: a line for each, with 0 or 1 by the schema of draft 2020-12 and
/// by that of draft-07. The cases name schemas below the folder `schemas`.
///
/// # Errors
/// When a file cannot be read, or boon does not compile a schema.
pub fn verdicts(schemas: &Path, cases: &Path) -> Result<String> {
    let mut known = Compiled::default();
    let mut out = String::new();
    let file = File::open(cases).with_context(|| format!("opening {}", cases.display()))?;
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let case: Case = serde_json::from_str(&line?)
            .with_context(|| format!("{}, line {}", cases.display(), index + 1))?;
        let older = case.schema.replace(".json", ".draft-07.json");
        let newer = known.accepts(&schemas.join(&case.schema), &case.message)?;
        let older = known.accepts(&schemas.join(older), &case.message)?;
        writeln!(out, "{} {}", u8::from(newer), u8::from(older))?;
    }
    Ok(out)
}

/// The schemas that were asked for, by their path.
#[derive(Default)]
struct Compiled(HashMap<String, (Schemas, SchemaIndex)>);

impl Compiled {
    fn accepts(&mut self, path: &Path, message: &Value) -> Result<bool> {
        let name = path.display().to_string();
        if !self.0.contains_key(&name) {
            self.0.insert(name.clone(), compile(path)?);
        }
        let (schemas, root) = &self.0[&name];
        Ok(schemas.validate(message, *root).is_ok())
    }
}

fn compile(path: &Path) -> Result<(Schemas, SchemaIndex)> {
    let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let schema: Value = serde_json::from_slice(&text)?;
    let id = schema["$id"].as_str().context("the schema has no `$id`")?;
    let id = id.to_owned();
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let failed = |error| anyhow!("{}: {error}", path.display());
    compiler.add_resource(&id, schema).map_err(failed)?;
    let root = compiler.compile(&id, &mut schemas).map_err(failed)?;
    Ok((schemas, root))
}
