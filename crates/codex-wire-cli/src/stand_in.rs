//! The program under the name `codex`: plays what was installed beside it.
//!
//! It knows by its name that it is to play. Its arguments are those of Codex, so no flag of `codex-wire`
//! reaches it.

use std::env;
use std::path::Path;
use std::process::{self, ExitCode};
use std::thread;

use anstream::ColorChoice;
use anyhow::Context;
use codex_wire_live::stand_in::{Environment, FAILED, Host, Installation, Settings, Tether};

use crate::live_report::notices;
use crate::reports::{self, ReportTo};
use crate::{interrupt, output, stdio};

/// Plays if this program is named `codex`; otherwise returns nothing.
pub(crate) fn run_if_installed() -> Option<ExitCode> {
    let own = env::current_exe().ok()?;
    if !Installation::is_at(&own) {
        return None;
    }
    let folder = own.parent().unwrap_or(Path::new("."));
    let status = match run(folder) {
        Ok(status) => status,
        Err(error) => {
            output::complain(ColorChoice::Auto, &format!("{error:#}"));
            FAILED
        }
    };
    Some(ExitCode::from(status))
}

fn run(folder: &Path) -> anyhow::Result<u8> {
    let (color, environment) = (ColorChoice::Auto, Environment::of_process());
    let settings = Settings::of_installed(folder, &environment, &notices(color))?;
    let tether = Tether::of(&settings);
    #[expect(
        clippy::exit,
        reason = "what is played may wait for something that never comes"
    )]
    // Nobody waits for it: it ends with the process, or ends it.
    thread::spawn(move || {
        tether.wait();
        process::exit(FAILED.into());
    });
    let reports = settings.reports.iter().map(ReportTo::of_settings);
    let reports = reports.collect::<anyhow::Result<Vec<_>>>()?;
    let task = Installation::new(settings).task(env::args_os().skip(1))?;
    if task.listens() {
        interrupt::watch().context("cannot handle signals")?;
    }
    let host = Host::new(stdio::streams()?, environment, interrupt::stop())
        .notices(notices(color))
        .as_process(true)
        .checking(!reports.is_empty());
    let played = task.run(host)?;
    if let Some(outcome) = &played.outcome {
        reports::write(&reports, None, color, outcome)?;
    }
    Ok(played.status)
}
