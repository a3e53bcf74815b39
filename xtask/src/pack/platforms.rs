//! The platforms that have a program, and the programs that are packed.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::fixtures;

/// A platform that has a program, from `packages/platforms.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Platform {
    /// Its name, as in `linux-x64`: system and processor as node calls them.
    pub name: String,
    /// The system, as node calls it.
    pub os: String,
    /// The processor, as node calls it.
    pub cpu: String,
    /// What rustc calls it.
    pub target: String,
    /// The name of the program there.
    pub program: String,
}

/// The platforms that have a program.
///
/// # Errors
/// If their list cannot be read.
pub fn platforms(root: &Path) -> Result<Vec<Platform>> {
    fixtures::read_json(&root.join("packages/platforms.json"))
}

/// The program for a platform.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The name of the platform, such as `linux-x64`.
    pub platform: String,
    /// Where the program is.
    pub path: PathBuf,
}

impl Binary {
    /// Its platform.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn of<'p>(&self, platforms: &'p [Platform]) -> Result<&'p Platform> {
        let known = platforms.iter().find(|known| known.name == self.platform);
        let Some(platform) = known else {
            let names: Vec<&str> = platforms.iter().map(|known| &*known.name).collect();
            bail!("{}: not one of {}", self.platform, names.join(", "));
        };
        Ok(platform)
    }
}

impl FromStr for Binary {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (platform, path) = text.split_once('=').context("it is not PLATFORM=PATH")?;
        Ok(Self {
            platform: platform.to_owned(),
            path: path.into(),
        })
    }
}
