//! Packs the program for npm: `codex-wire`, and a package with the program for each platform, and the one that it runs for
//! tables beside it.
//!
//! npm installs the package of a platform only there, because it names the system and the processor.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use type_codegen::formats;
use type_codegen::project::Project;

use super::platforms::{Binary, Platform, platforms};
use super::tarball::Files;
use super::{VERSION, programs};
use crate::fixtures;

/// Packs `codex-wire` and a package for each of the binaries, from the repository at `root` into the
/// folder `out`. Returns the files: `codex-wire` comes last, because it must be published last.
///
/// # Errors
/// If a file cannot be read or written, or a platform is not known.
pub fn pack(root: &Path, binaries: &[Binary], out: &Path) -> Result<Vec<PathBuf>> {
    let project = Project::read();
    let platforms = platforms(root)?;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut packed = Vec::new();
    for binary in binaries {
        let platform = binary.of(&platforms)?;
        let files = of_platform(root, &project, platform, &binary.path)?;
        packed.push(write(out, &package_name(platform), &files)?);
    }
    let files = of_all(root, &project, &platforms)?;
    packed.push(write(out, "codex-wire", &files)?);
    Ok(packed)
}

/// The package that has the program of a platform. It needs no organisation on npm.
fn package_name(platform: &Platform) -> String {
    format!("codex-wire-{}", platform.name)
}

fn of_platform(
    root: &Path,
    project: &Project,
    platform: &Platform,
    program: &Path,
) -> Result<Files> {
    let name = package_name(platform);
    let Platform { os, cpu, .. } = platform;
    let mut manifest = json!({
        "name": &name,
        "description": format!("The program of codex-wire for {os} {cpu}"),
        "license": "MIT OR Apache-2.0",
        "os": [os],
        "cpu": [cpu],
        // Yarn keeps packages in archives, from which nothing can be run.
        "preferUnplugged": true,
    });
    describe(&mut manifest, project);
    let mut files = Files::default();
    files.add("package.json", pretty(&manifest)?);
    files.add(
        "README.md",
        format!(
            "# {name}\n\nThe program of [codex-wire]({}) for {os} {cpu}. Install `codex-wire`, which installs this where it is \
             needed.\n",
            project.url()
        ),
    );
    files.add_licenses(root)?;
    programs::add(&mut files, platform, program)?;
    Ok(files)
}

/// The package that everybody installs.
fn of_all(root: &Path, project: &Project, platforms: &[Platform]) -> Result<Files> {
    let folder = root.join("packages/npm");
    let mut manifest: Value = fixtures::read_json(&folder.join("package.json"))?;
    describe(&mut manifest, project);
    let programs: BTreeMap<String, &str> = platforms
        .iter()
        .map(|platform| (package_name(platform), VERSION))
        .collect();
    manifest["optionalDependencies"] = json!(programs);
    let mut files = Files::default();
    files.add("package.json", pretty(&manifest)?);
    files.add("README.md", fs::read(folder.join("README.md"))?);
    files.add_licenses(root)?;
    for name in ["bin", "lib"] {
        for file in fixtures::files(&folder.join(name))? {
            let path = format!("{name}/{file}");
            let bytes = fs::read(folder.join(&path)).with_context(|| path.clone())?;
            match name {
                "bin" => files.add_program(path, bytes),
                _ => files.add(path, bytes),
            }
        }
    }
    for own in formats::own()? {
        let path = format!("lib/{}.d.ts", own.module);
        files.add(path, own.format.typescript(&own.origin));
    }
    Ok(files)
}

/// Adds what is the same in all packages.
fn describe(manifest: &mut Value, project: &Project) {
    let url = project.url();
    manifest["version"] = json!(VERSION);
    manifest["homepage"] = json!(url);
    manifest["bugs"] = json!(format!("{url}/issues"));
    manifest["repository"] = json!({"type": "git", "url": format!("git+{url}.git")});
}

fn pretty(manifest: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(manifest)? + "\n")
}

fn write(out: &Path, name: &str, files: &Files) -> Result<PathBuf> {
    let path = out.join(format!("{name}-{VERSION}.tgz"));
    fs::write(&path, files.to_tgz("package")?).with_context(|| path.display().to_string())?;
    Ok(path)
}
