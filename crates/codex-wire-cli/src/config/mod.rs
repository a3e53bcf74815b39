//! Finds and reads `codex-wire.toml`, and adds what it says to the arguments of `check`.

mod file;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use crate::flags::rule_levels::LevelFlags;
use crate::inputs::Exclude;
use codex_wire_check::Profile;
use codex_wire_inputs::relative::{absolute, relative_to};
use file::ConfigFile;

/// The name of the file.
const NAME: &str = "codex-wire.toml";

/// Where settings come from.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigFlags {
    /// Read settings from FILE instead of `codex-wire.toml`
    ///
    /// Without this flag, `codex-wire.toml` is looked for in the working directory and the folders above
    /// it. Flags win over what it says.
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,

    /// Do not read `codex-wire.toml`
    #[arg(long, conflicts_with = "config", help_heading = "Settings")]
    no_config: bool,
}

/// What a file says, with paths as they are reached from the working directory.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file.
    pub(crate) path: PathBuf,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) exclude: Vec<Exclude>,
    pub(crate) release: Option<String>,
    pub(crate) profile: Option<Profile>,
    pub(crate) levels: LevelFlags,
    pub(crate) baseline: Option<PathBuf>,
}

impl ConfigFlags {
    /// The file that these flags name, or that is found.
    ///
    /// # Errors
    /// If a file cannot be read, or says something that it cannot.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Config>> {
        if self.no_config {
            return Ok(None);
        }
        let here = env::current_dir().context("the working directory is unknown")?;
        let found = match &self.config {
            Some(path) => Some(path.clone()),
            None => find(&here)?.map(|path| relative_to(&here, &path)),
        };
        let Some(path) = found else {
            return Ok(None);
        };
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let config = Config::parse(&here, &path, &text);
        config
            .map(Some)
            .map_err(|error| anyhow!("{}: {error}", path.display()))
    }
}

/// The file in a folder, or in one above it.
fn find(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    for folder in folder.ancestors() {
        let path = folder.join(NAME);
        match fs::metadata(&path) {
            Ok(about) if about.is_file() => return Ok(Some(path)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A folder that may not be read has no settings for this one.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        }
    }
    Ok(None)
}

impl Config {
    fn parse(here: &Path, path: &Path, text: &str) -> Result<Self, toml::de::Error> {
        let file: ConfigFile = toml::from_str(text)?;
        let whole = absolute(here, path);
        let folder = whole.parent().unwrap_or(here);
        let reach = |path: &String| relative_to(here, &absolute(folder, Path::new(path)));
        let exclude = file.exclude.into_iter();
        let levels = file.levels.into_iter();
        Ok(Config {
            path: path.to_owned(),
            paths: file.paths.iter().map(reach).collect(),
            exclude: exclude.map(|pattern| pattern.0.within(folder)).collect(),
            release: file.release.map(|release| release.0),
            profile: file.profile.map(|profile| profile.0),
            levels: LevelFlags::of(levels.map(|(select, level)| (select.rules, level.severity()))),
            baseline: file.baseline.as_ref().map(reach),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::builder::TypedValueParser as _;
    use codex_wire_check::{Severity, rules};

    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        let here = Path::new("/w/sub");
        let config = Config::parse(here, Path::new("../codex-wire.toml"), text);
        config.map_err(|error| error.to_string())
    }

    #[test]
    fn paths_are_those_of_the_file() {
        let config = parse(
            "paths = [\"sub/a\", \"b\", \"/c\"]\nbaseline = \"known.toml\"\nexclude = [\"sub/old\", \"*.log\"]",
        );
        let config = config.unwrap();
        let paths: Vec<&Path> = config.paths.iter().map(PathBuf::as_path).collect();
        assert_eq!(paths, [Path::new("a"), Path::new("../b"), Path::new("/c")]);
        assert_eq!(config.baseline.as_deref(), Some(Path::new("../known.toml")));
        let [old, log] = &config.exclude[..] else {
            panic!("{:?}", config.exclude);
        };
        assert!(log.matches(Path::new("x"), Path::new("x/y.log")));
        let here = Path::new("/w/sub");
        assert!(old.matches_from(here, Path::new("old/a.jsonl")));
        assert!(!old.matches_from(here, Path::new("sub/old/a.jsonl")));
    }

    #[test]
    fn a_rule_wins_over_its_group() {
        let config = parse(
            "[levels]\n\"framing/crlf\" = \"deny\"\n\"framing/*\" = \"allow\"\n\"*\" = \"warn\"",
        );
        let levels = config.unwrap().levels.levels();
        assert_eq!(
            levels.get(rules::find("framing/crlf").unwrap()),
            Some(Some(Severity::Error))
        );
        assert_eq!(levels.get(rules::find("framing/bom").unwrap()), Some(None));
        assert_eq!(
            levels.get(rules::find("sequence/exec-item-id").unwrap()),
            Some(Some(Severity::Warning))
        );
    }

    #[test]
    fn errors_have_a_place() {
        for (text, line, part) in [
            (
                "paths = []\nreleases = \"0.1.0\"",
                "line 2",
                "unknown field `releases`",
            ),
            ("paths = \"a\"", "line 1", "expected a sequence"),
            (
                "\nprofile = \"strict\"",
                "line 2",
                "there is no profile `strict`",
            ),
            (
                "[levels]\n\"framing/clrf\" = \"deny\"",
                "line",
                "framing/crlf",
            ),
            ("[levels]\n\"*\" = \"error\"", "line 2", "deny"),
            ("exclude = [\n\"[\"]", "line", "unclosed"),
            ("paths = [", "line 1", ""),
            ("\nrelease = \"walrus\"", "line 2", "walrus"),
            ("release = \"0.50..0.40\"", "line 1", "without releases"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(line) && error.contains(part), "{error}");
        }
    }

    /// The published schema is that of the type.
    #[test]
    fn the_schema_is_published() {
        let mut schema = schemars::schema_for!(ConfigFile).to_value();
        schema["$id"] = format!("{}codex-wire.toml.json", codex_wire_schema::BASE).into();
        schema["title"] = "codex-wire.toml".into();
        // The names of profiles are those of the flag.
        let parser = crate::flags::values::profile();
        let names = parser.possible_values().into_iter().flatten();
        let names = names.map(|value| serde_json::Value::from(value.get_name()));
        let profile = &mut schema["properties"]["profile"];
        profile["enum"] = names.chain([serde_json::Value::Null]).collect();
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = folder.join("../codex-wire-schema/src/own/codex-wire.toml.json");
        golden_files::assert_file(&path, &text);
    }
}
