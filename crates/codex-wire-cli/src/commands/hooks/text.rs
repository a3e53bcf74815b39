//! Writes what came of hooks as text.

use std::io::{self, Write};
use std::time::Duration;

use codex_wire_check::{HookEffect, Severity};
use codex_wire_live::hooks::{HookEnd, HookInput, HookRun, TestedHooks};
use codex_wire_report::{Styles, escaped};

/// Writes all of it.
pub(super) fn write(out: &mut dyn Write, all: &[TestedHooks], styles: &Styles) -> io::Result<()> {
    for tested in all {
        let place = styles.place;
        writeln!(
            out,
            "{place}{}{place:#}, as {}",
            escaped(&tested.name),
            tested.release
        )?;
        for problem in &tested.problems {
            let style = styles.severity(problem.severity);
            let severity = problem.severity.as_str();
            let at = match problem.pointer.as_str() {
                "" => String::new(),
                pointer => format!("{}: ", escaped(pointer)),
            };
            writeln!(
                out,
                "  {style}{severity}{style:#} {at}{}",
                escaped(&problem.message)
            )?;
        }
        for tried in &tested.handlers {
            let handler = &tried.handler;
            let guard = if tried.is_guard { ", a guard" } else { "" };
            writeln!(
                out,
                "  {}: {}{guard}",
                handler.event,
                escaped(&handler.command)
            )?;
            if tried.runs.is_empty() {
                writeln!(out, "    none of the inputs is for it")?;
            }
            for run in &tried.runs {
                one(out, run, handler.timeout, styles)?;
            }
        }
    }
    summary(out, all, styles)
}

/// One run: what Codex makes of it, of which input, and why.
fn one(out: &mut dyn Write, run: &HookRun, timeout: Duration, styles: &Styles) -> io::Result<()> {
    let style = match (run.fails_open, run.effect) {
        (true, _) | (_, HookEffect::Breaks) => styles.error,
        (false, HookEffect::Blocks | HookEffect::Stops) => styles.good,
        _ => styles.note,
    };
    let word = match run.fails_open {
        true => "fails open".to_owned(),
        false => run.effect.as_str().replace('-', " "),
    };
    let input = match &run.input {
        HookInput::Recorded(example) => format!("{} of {}", example.kind, example.release),
        HookInput::Own(name) => escaped(name).into_owned(),
        HookInput::Later => "an input with a member of a later release".to_owned(),
        HookInput::Unreadable => "an input that cannot be read".to_owned(),
        _ => String::new(),
    };
    write!(out, "    {style}{word:<13}{style:#} {input}")?;
    if let Some(why) = why(run, timeout) {
        write!(out, ": {}", escaped(&why))?;
    }
    writeln!(out)
}

/// Why it is so, where that is not plain.
fn why(run: &HookRun, timeout: Duration) -> Option<String> {
    if let Some(finding) = run.reason() {
        let help = finding.help.as_deref();
        let then = help.map(|help| format!("; {help}")).unwrap_or_default();
        return Some(format!("{} ({}){then}", finding.message, finding.rule.id));
    }
    let warning = run
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Warning);
    match run.end {
        HookEnd::TimedOut => {
            let seconds = run.took.as_secs_f64();
            Some(match run.took < timeout {
                true => format!("it is not over after {seconds:.1} s, and is ended here"),
                false => format!("its time is up after {seconds:.1} s, and Codex goes on"),
            })
        }
        HookEnd::Signal => Some("a signal ends it, and Codex goes on".to_owned()),
        _ if run.effect == HookEffect::Breaks => {
            Some("the other input is none for the tool, and the model gets an error".to_owned())
        }
        _ if !run.fails_open => warning.map(|finding| finding.message.clone()),
        _ if run.effect.holds_up() => {
            Some("it runs beside the turn, and holds nothing up".to_owned())
        }
        _ => Some(format!("the guard {}", run.effect.as_str())),
    }
}

fn summary(out: &mut dyn Write, all: &[TestedHooks], styles: &Styles) -> io::Result<()> {
    let sum = |count: fn(&TestedHooks) -> usize| all.iter().map(count).sum::<usize>();
    let (runs, open, errors) = (
        sum(TestedHooks::runs),
        sum(TestedHooks::fails_open),
        sum(TestedHooks::errors),
    );
    let breaks = sum(TestedHooks::breaks);
    let style = match open + breaks + errors {
        0 if runs > 0 => styles.good,
        _ => styles.error,
    };
    let runs = match runs {
        0 => "nothing was tried".to_owned(),
        1 => format!("1 run: {open} of them fail open"),
        runs => format!("{runs} runs: {open} of them fail open"),
    };
    let breaks = match breaks {
        0 => String::new(),
        breaks => format!(", {breaks} break the tool"),
    };
    let errors = match errors {
        0 => String::new(),
        1 => ", 1 error in the file".to_owned(),
        errors => format!(", {errors} errors in the files"),
    };
    writeln!(out, "\n{style}{runs}{breaks}{errors}{style:#}")
}
