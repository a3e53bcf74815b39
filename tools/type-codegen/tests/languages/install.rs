//! Installs compilers from their registries, with the versions of their lock files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A compiler that can be installed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The files that pin it, in the folder of its name beside this crate's manifest.
    lock: &'static [&'static str],
    install: fn(&Path) -> Result<(), String>,
}

pub(crate) const TYPESCRIPT: Tool = Tool {
    name: "typescript",
    lock: &["package.json", "package-lock.json"],
    install: |folder| {
        let flags = "ci --ignore-scripts --no-audit --no-fund --fetch-retries=1";
        let mut npm = Command::new("npm");
        done(npm.args(flags.split(' ')).current_dir(folder))
    },
};

pub(crate) const GO: Tool = Tool {
    name: "go",
    lock: &["requirements.txt"],
    install: |folder| {
        let flags = "-m pip install --quiet --no-deps --require-hashes --only-binary :all: \
                     --retries 1 --root-user-action ignore --target site \
                     --requirement requirements.txt";
        let mut python = Command::new("python3");
        done(python.args(flags.split_whitespace()).current_dir(folder))
    },
};

const TOOLS: &[Tool] = &[TYPESCRIPT, GO];

/// A file that is written when everything is installed: what the installation depends on.
const STAMP: &str = "installed.txt";

impl Tool {
    /// Where it is installed.
    pub(crate) fn folder(self) -> PathBuf {
        workspace().join(".cache/types").join(self.name)
    }

    /// The folder with its lock file and the programs of the tests.
    pub(crate) fn source(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.name)
    }

    /// Whether it is installed as its lock file says; if not, why.
    pub(crate) fn check(self) -> Result<(), String> {
        match fs::read_to_string(self.folder().join(STAMP)) {
            Ok(found) if found == self.stamp()? => Ok(()),
            Ok(_) => Err("another version is installed".to_owned()),
            Err(_) => Err("it is not installed".to_owned()),
        }
    }

    fn stamp(self) -> Result<String, String> {
        let read = |name: &&str| fs::read_to_string(self.source().join(name));
        let texts: Result<Vec<String>, _> = self.lock.iter().map(read).collect();
        texts
            .map(|texts| texts.concat())
            .map_err(|error| error.to_string())
    }

    fn install(self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let folder = self.folder();
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        for name in self.lock {
            fs::copy(self.source().join(name), folder.join(name)).map_err(failed)?;
        }
        (self.install)(&folder)?;
        fs::write(folder.join(STAMP), self.stamp()?).map_err(failed)
    }
}

/// Installs all compilers, and says of each whether it is there.
#[allow(clippy::print_stdout, reason = "it is asked to say so")]
pub(crate) fn install_all() {
    for tool in TOOLS {
        match tool.check().or_else(|_| tool.install()) {
            Ok(()) => println!("{}: installed", tool.name),
            Err(reason) => println!("{}: unavailable: {reason}", tool.name),
        }
    }
}

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the workspace")
}

/// Runs a program that has to succeed.
pub(crate) fn done(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{name}: {}", String::from_utf8_lossy(&said)))
}
