//! Runs the steps of a composite action as GitHub does: each as a script of bash, with the variables and
//! files that it gives to steps.
//!
//! Of expressions it knows what our actions use: `inputs.NAME`, `steps.ID.outputs.NAME`, and `!= ''`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use yaml_rust2::{Yaml, YamlLoader};

/// What an action did.
#[derive(Debug)]
pub(crate) struct Done {
    /// Whether all steps succeeded.
    pub(crate) is_success: bool,
    /// What the steps printed.
    pub(crate) log: String,
    /// The summary of the job.
    pub(crate) summary: String,
    /// The outputs of the action.
    pub(crate) outputs: BTreeMap<String, String>,
}

/// Reads a file of YAML.
pub(crate) fn read_yaml(path: &Path) -> Yaml {
    let text = fs::read_to_string(path).unwrap();
    YamlLoader::load_from_str(&text).unwrap().swap_remove(0)
}

/// A machine of GitHub, with a workspace.
pub(crate) struct Runner {
    /// The folder that steps run in.
    pub(crate) workspace: PathBuf,
    /// Where programs are looked for.
    pub(crate) path: String,
    /// Variables that all steps have.
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Runner {
    /// Runs an action with inputs.
    pub(crate) fn run(&self, action: &Yaml, given: &[(&str, &str)]) -> Done {
        let temp = self.workspace.join(".runner");
        fs::create_dir_all(&temp).unwrap();
        let mut values = BTreeMap::new();
        for (name, input) in action["inputs"].as_hash().unwrap() {
            let name = name.as_str().unwrap();
            let value = given.iter().find(|(known, _)| *known == name);
            let value = value.map(|(_, value)| *value).or(input["default"].as_str());
            let value = value.unwrap_or_else(|| panic!("the input {name} is required"));
            values.insert(format!("inputs.{name}"), value.to_owned());
        }
        for (name, _) in given {
            assert!(
                values.contains_key(&format!("inputs.{name}")),
                "no input {name}"
            );
        }
        let (mut log, mut is_success) = (String::new(), true);
        let summary = temp.join("summary.md");
        // Other steps of the job may have written to it.
        fs::write(&summary, "before\n").unwrap();
        let mut path = self.path.clone();
        for step in action["runs"]["steps"].as_vec().unwrap() {
            assert_eq!(step["shell"].as_str(), Some("bash"));
            if !is_success || !holds(step["if"].as_str(), &values) {
                continue;
            }
            let (outputs, paths) = (temp.join("output"), temp.join("path"));
            for file in [&outputs, &paths] {
                fs::write(file, "").unwrap();
            }
            let script = temp.join("script.sh");
            fs::write(&script, step["run"].as_str().unwrap()).unwrap();
            let mut command = Command::new("bash");
            command
                .args(["--noprofile", "--norc", "-eo", "pipefail"])
                .arg(&script);
            command.current_dir(&self.workspace);
            command.env("PATH", &path).env("RUNNER_TEMP", &temp);
            command
                .env("GITHUB_OUTPUT", &outputs)
                .env("GITHUB_PATH", &paths);
            command.env("GITHUB_STEP_SUMMARY", &summary);
            command.env("GITHUB_ACTIONS", "true");
            command.envs(self.variables.iter().cloned());
            for (name, value) in step["env"].as_hash().unwrap() {
                let value = filled_in(value.as_str().unwrap(), &values);
                command.env(name.as_str().unwrap(), value);
            }
            let output = command.output().unwrap();
            log += &String::from_utf8_lossy(&output.stdout);
            log += &String::from_utf8_lossy(&output.stderr);
            is_success = output.status.success();
            for added in fs::read_to_string(paths).unwrap().lines() {
                path = format!("{added}:{path}");
            }
            let id = step["id"].as_str().unwrap_or_default();
            for line in fs::read_to_string(outputs).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                values.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        let outputs = action["outputs"].as_hash().unwrap().iter();
        let outputs = outputs.map(|(name, output)| {
            let value = filled_in(output["value"].as_str().unwrap(), &values);
            (name.as_str().unwrap().to_owned(), value)
        });
        Done {
            is_success,
            log,
            summary: fs::read_to_string(summary).unwrap(),
            outputs: outputs.collect(),
        }
    }
}

/// A text whose expressions are replaced by their values.
fn filled_in(text: &str, values: &BTreeMap<String, String>) -> String {
    let expression = Regex::new(r"\$\{\{ *([^ ]+) *\}\}").unwrap();
    let value = |found: &regex::Captures| {
        let name = &found[1];
        match values.get(name) {
            Some(value) => value.clone(),
            // A step that did not run has no outputs.
            None if name.starts_with("steps.") => String::new(),
            None => panic!("{name} is unknown"),
        }
    };
    expression.replace_all(text, value).into_owned()
}

fn holds(condition: Option<&str>, values: &BTreeMap<String, String>) -> bool {
    condition.is_none_or(|condition| {
        let name = condition
            .strip_suffix(" != ''")
            .expect("a condition that is known here");
        match values.get(name) {
            Some(value) => !value.is_empty(),
            // A step may have no such output.
            None if name.starts_with("steps.") => false,
            None => panic!("{name} is unknown"),
        }
    })
}
