//! The page about scripts has the type of each key, as the schema has it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// What stands before the table, and behind it.
const BEGIN: &str =
    "<!-- The rows are written from the schema by `cargo xtask generate --only scripts`. -->\n";
const END: &str = "<!-- The end of the rows. -->\n";

#[test]
fn keys() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema =
        fs::read_to_string(root.join("crates/codex-wire-schema/src/own/script.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let path = root.join("docs/scripts.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the beginning of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let rows = rows(&schema);
    golden_files::assert_file(&path, &format!("{before}{BEGIN}{rows}{END}{after}"));
}

/// The keys of a script, then those of each step.
fn rows(schema: &Value) -> String {
    let mut out =
        String::from("\n| key | type | if left out | what it says |\n|---|---|---|---|\n");
    let table = Table { schema };
    table.members(&mut out, "", schema);
    let steps = schema["$defs"]["Step"]["oneOf"].as_array().unwrap();
    for step in steps {
        let step = table.resolve(step);
        // The key that a step is known by is the required one, and comes first.
        let name = step["required"][0].as_str().unwrap();
        // A step has one of them.
        let of_many = Value::Null;
        table.member(&mut out, "", (name, &step["properties"][name]), &of_many);
        for member in step["properties"].as_object().unwrap() {
            if member.0 != name {
                let of = format!("`{name}`: ");
                table.member(&mut out, &of, (member.0, member.1), step);
            }
        }
    }
    out.push('\n');
    out
}

struct Table<'s> {
    schema: &'s Value,
}

impl<'s> Table<'s> {
    /// What a reference refers to; otherwise the schema itself.
    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let name = schema["$ref"]
            .as_str()
            .and_then(|name| name.rsplit('/').next());
        name.map_or(schema, |name| &self.schema["$defs"][name])
    }

    fn members(&self, out: &mut String, of: &str, schema: &'s Value) {
        for (name, member) in schema["properties"].as_object().unwrap() {
            self.member(out, of, (name, member), schema);
        }
    }

    /// The row of a member of an object, and those of the members within.
    fn member(
        &self,
        out: &mut String,
        of: &str,
        (name, member): (&str, &'s Value),
        object: &Value,
    ) {
        let required = object["required"].as_array();
        let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
        let left_out = match (is_required, member.get("default")) {
            (true, _) => "it is required".to_owned(),
            (false, None | Some(Value::Null)) => String::new(),
            (false, Some(default)) => format!("`{default}`"),
        };
        let text = |schema: &Value| schema["description"].as_str().map(str::to_owned);
        let resolved = self.resolve(member);
        let what = text(member).or_else(|| text(resolved)).unwrap_or_default();
        let what = what.replace('\n', " ");
        let kind = self.kind(member);
        writeln!(out, "| {of}`{name}` | {kind} | {left_out} | {what} |").unwrap();
        let inner = match resolved["type"].as_str() {
            Some("array") => self.resolve(&resolved["items"]),
            _ => resolved,
        };
        // Steps have rows of their own.
        if inner.get("properties").is_some() && name != "turn" {
            self.members(out, &format!("{of}`{name}`, "), inner);
        }
    }

    /// A type, in the words of TOML.
    fn kind(&self, schema: &'s Value) -> String {
        let schema = self.resolve(schema);
        if let Some(value) = schema.get("const") {
            return format!("`{value}`");
        }
        if let Some(several) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let kinds: Vec<String> = several.iter().map(|one| self.kind(one)).collect();
            return kinds.join(" or ");
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => Vec::from_iter(kind.as_str()),
        };
        // TOML has no null: a key is left out.
        let kinds = kinds.into_iter().filter(|kind| *kind != "null");
        let words = kinds.map(|kind| match kind {
            "array" => match self.resolve(&schema["items"])["type"].as_str() {
                Some("string") => "array of strings",
                _ => "array of tables",
            },
            "object" => "table",
            kind => kind,
        });
        let words: Vec<&str> = words.collect();
        match words.is_empty() {
            true => "any".to_owned(),
            false => words.join(" or "),
        }
    }
}
