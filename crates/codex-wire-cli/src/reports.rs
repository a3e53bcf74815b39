//! Implements `--format` and `--report`: writes several reports of one run side by side.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, anyhow, bail};
use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome};
use codex_wire_live::stand_in::ReportFile;
use codex_wire_report::{Format, Report, Settings, Skipped, Statistics, Styles, Totals, Tracks};

use crate::atomic_file::AtomicFile;
use crate::output;

/// A report and the file it goes to: `junit=out.xml`.
#[derive(Clone, Debug)]
pub(crate) struct ReportTo {
    pub(crate) format: Format,
    pub(crate) path: PathBuf,
}

impl ReportTo {
    /// A report that the settings of a stand-in name.
    pub(crate) fn of_settings(report: &ReportFile) -> anyhow::Result<Self> {
        let format = report.format.parse::<Format>();
        Ok(ReportTo {
            format: format.map_err(|error| anyhow!("`report`: {error}"))?,
            path: report.path.clone(),
        })
    }

    /// The report as settings of a stand-in name it.
    pub(crate) fn to_settings(&self) -> ReportFile {
        ReportFile {
            format: self.format.as_str().to_owned(),
            path: self.path.clone(),
        }
    }

    /// Reads `FORMAT=FILE`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (format, path) = text
            .split_once('=')
            .ok_or("write it as FORMAT=FILE, such as junit=out.xml")?;
        let format = format.parse::<Format>().map_err(|e| e.to_string())?;
        match path {
            "" => Err("the name of the file is missing".to_owned()),
            "-" => Err(format!(
                "standard output is not a file; `--format {format}` writes there"
            )),
            path => Ok(ReportTo {
                format,
                path: path.into(),
            }),
        }
    }
}

/// Begins the files of these reports. No two reports may share a file, and none may replace a file
/// that is in use.
pub(crate) fn files(
    reports: &[ReportTo],
    in_use: &[&Path],
) -> anyhow::Result<Vec<(Format, AtomicFile)>> {
    let mut in_use: Vec<PathBuf> = in_use.iter().map(|path| absolute(path)).collect();
    let files = reports.iter();
    let files = files.map(|report| Ok((report.format, file(&report.path, &mut in_use)?)));
    files.collect()
}

/// Begins the file of one report, and adds it to those that are in use.
pub(crate) fn file(path: &Path, in_use: &mut Vec<PathBuf>) -> anyhow::Result<AtomicFile> {
    let own = absolute(path);
    // Several reports may go to `/dev/null` and other files that are not regular.
    if in_use.contains(&own) && (own.is_file() || !own.exists()) {
        bail!(
            "cannot write the report {}: the file is in use already",
            path.display()
        );
    }
    in_use.push(own);
    AtomicFile::begin(path)
}

/// Writes reports about what a client did: to files, and on standard error if that is wanted.
pub(crate) fn write(
    reports: &[ReportTo],
    shown: Option<Format>,
    color: ColorChoice,
    outcome: &Outcome,
) -> anyhow::Result<()> {
    let mut files = files(reports, &[])?;
    let mut stderr = AutoStream::new(io::stderr(), color);
    let mut nowhere = io::sink();
    let out: &mut dyn Write = match shown {
        Some(_) => &mut stderr,
        None => &mut nowhere,
    };
    let mut reports = Reports::begin(shown.unwrap_or(Format::Text), out, &mut files, false)?;
    reports.outcome(outcome)?;
    reports.finish()?;
    for (_, file) in files {
        file.keep()?;
    }
    Ok(())
}

/// The one absolute path of a file, whether it exists or not.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let existing = path.canonicalize();
    existing.unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| {
            let empty = folder.as_os_str().is_empty();
            let folder = if empty { Path::new(".") } else { folder };
            folder.canonicalize().ok()
        });
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}

/// The reports of one run.
pub(crate) struct Reports<'w> {
    /// The report on standard output, then those in files.
    reports: Vec<(String, Report<'w>)>,
}

impl<'w> Reports<'w> {
    /// Begins all reports.
    pub(crate) fn begin(
        format: Format,
        out: &'w mut dyn Write,
        files: &'w mut [(Format, AtomicFile)],
        quiet: bool,
    ) -> anyhow::Result<Self> {
        let plain = Settings::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));
        let mut coloured = plain.clone().with_styles(Styles::coloured());
        coloured.width = output::terminal_width();
        coloured.quiet = quiet;
        let name = "the report".to_owned();
        let first = Report::begin(format, coloured, out).with_context(|| cannot(&name))?;
        let mut reports = vec![(name, first)];
        for (format, file) in files {
            let name = file.path().display().to_string();
            let report = Report::begin(*format, plain.clone(), file);
            let report = report.with_context(|| cannot(&name))?;
            reports.push((name, report));
        }
        Ok(Reports { reports })
    }

    /// Writes findings of an input that is still growing, if the format allows it.
    pub(crate) fn findings(&mut self, path: &str, findings: &[Finding]) -> anyhow::Result<()> {
        self.each(|report| report.findings(path, findings))
    }

    /// Draws the session of the next input, if a format draws anything.
    pub(crate) fn tracks(&mut self, tracks: &Tracks) {
        for (_, report) in &mut self.reports {
            report.tracks(tracks);
        }
    }

    /// Writes one input.
    pub(crate) fn outcome(&mut self, outcome: &Outcome) -> anyhow::Result<()> {
        self.each(|report| report.outcome(outcome))
    }

    /// Writes the files that were not read.
    pub(crate) fn skipped(&mut self, files: &[Skipped]) -> anyhow::Result<()> {
        self.each(|report| report.skipped(files))
    }

    /// Writes the stale entries of the baseline.
    pub(crate) fn baseline(&mut self, path: &str, stale: &[Stale]) -> anyhow::Result<()> {
        self.each(|report| report.baseline(path, stale))
    }

    /// Adds statistics to the end of all reports.
    pub(crate) fn statistics(&mut self, statistics: &Statistics) {
        for (_, report) in &mut self.reports {
            report.statistics(statistics);
        }
    }

    /// Writes the totals.
    pub(crate) fn finish(self) -> anyhow::Result<Totals> {
        let mut totals = Totals::default();
        for (name, report) in self.reports {
            totals = report.finish().with_context(|| cannot(&name))?;
        }
        Ok(totals)
    }

    fn each(&mut self, write: impl Fn(&mut Report<'w>) -> io::Result<()>) -> anyhow::Result<()> {
        for (name, report) in &mut self.reports {
            write(report).with_context(|| cannot(name))?;
        }
        Ok(())
    }
}

fn cannot(name: &str) -> String {
    format!("cannot write {name}")
}
