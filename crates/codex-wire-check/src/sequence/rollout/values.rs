//! Checks values of a session file that are texts to the schema: times, versions, paths, arguments and roles.

use codex_wire_prefilter::View;

use super::evidence::{FILES, kept};
use super::line::{Kind, RolloutLine};
use crate::phrasing::Word;
use crate::rule::{Exception, Status};
use crate::rule_macros::rules;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

/// Roles of messages that the Responses API takes.
const ROLES: [&str; 4] = ["user", "assistant", "developer", "system"];

/// What is wrong with the values of a line.
pub(super) fn line(line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
    if line.time.is_some_and(|time| !is_time(time)) {
        out.push(TimeOfOtherForm.at("/timestamp"));
    }
    match line.kind {
        Kind::Header => header(line, out),
        Kind::Context => paths(line, out),
        Kind::Call if line.tag == "function_call" => {
            let arguments = line.text("arguments");
            if arguments
                .is_some_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_err())
            {
                out.push(ArgumentsNotJson.at(line.pointer("arguments")));
            }
        }
        Kind::OtherMessage if line.tag == "message" => {
            if let Some(role) = line.text("role").filter(|role| !ROLES.contains(role)) {
                let role = Word::of(role);
                out.push(OtherRole { role }.at(line.pointer("role")));
            }
        }
        _ => {}
    }
}

fn header(line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
    // In an early file, this is the time of the line, which has no other.
    if !line.at.is_empty() && line.text("timestamp").is_some_and(|time| !is_time(time)) {
        out.push(TimeOfOtherForm.at(line.pointer("timestamp")));
    }
    let version = line.text("cli_version");
    if version.is_some_and(|version| !is_version(version)) {
        out.push(NoVersion.at(line.pointer("cli_version")));
    }
    paths(line, out);
}

/// Folders, in the header and in the context of a turn.
fn paths(line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
    let is_relative = |path: View<'_>| path.as_str().is_some_and(|path| !is_absolute(path));
    if line.payload.get("cwd").is_some_and(is_relative) {
        out.push(RelativePath.at(line.pointer("cwd")));
    }
    let roots = line.payload.get("workspace_roots").into_iter();
    for (index, root) in roots.flat_map(View::elements).enumerate() {
        if is_relative(root) {
            out.push(RelativePath.at(line.pointer(&format!("workspace_roots/{index}"))));
        }
    }
}

/// Whether it is of the form in which Codex writes all times: `2026-11-22T15:08:51.182Z`.
fn is_time(text: &str) -> bool {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let Ok(time) = <&[u8; 24]>::try_from(text.as_bytes()) else {
        return false;
    };
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    // Two digits are there.
    let number = |from: usize| (time[from] - b'0') * 10 + (time[from + 1] - b'0');
    let is_within = |from: usize, least: u8, most: u8| (least..=most).contains(&number(from));
    time.iter().zip(FORM).all(fits)
        && is_within(5, 1, 12)
        && is_within(8, 1, 31)
        && is_within(11, 0, 23)
        && is_within(14, 0, 59)
        // A leap second.
        && is_within(17, 0, 60)
}

/// Whether it is a version as Cargo has it: `0.169.0`, `0.170.0-alpha.3`.
fn is_version(text: &str) -> bool {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let rest = &text[numbers.len()..];
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && (rest.is_empty() || rest.len() > 1)
        && rest
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-+.".contains(&b))
}

/// Whether a path is absolute on some system.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    let has_drive = drive.len() > 2
        && drive[0].is_ascii_alphabetic()
        && drive[1] == b':'
        && matches!(drive[2], b'\\' | b'/');
    path.starts_with('/') || path.starts_with(r"\\") || has_drive
}

rules! {
    ROLLOUT_TIME_FORM {
        summary: "times of a session file are of the form `2026-11-22T15:08:51.182Z`",
        id: "sequence/rollout-time-form",
        about: FILES,
        explanation: "Codex writes `timestamp` of lines and of the header in UTC, with milliseconds. So \
            times can be compared as texts, and readers do. Here another program wrote the line.",
        evidence: kept!("All of their times are of this form."),
    } => {
        TimeOfOtherForm: "the time is not of the form `2026-11-22T15:08:51.182Z`",
    }
    ROLLOUT_VERSION {
        summary: "`cli_version` of a session file is a version of three numbers",
        id: "sequence/rollout-version",
        about: FILES,
        explanation: "Codex writes the version of its crate, such as `0.169.0` or `0.170.0-alpha.3`; one \
            that is built from its repository writes `0.0.0`. Readers choose by it how to read the file.",
        evidence: kept!("Each names its release."),
    } => {
        NoVersion: "`cli_version` is not a version such as `0.169.0`",
    }
    ROLLOUT_PATH {
        summary: "`cwd` and `workspace_roots` of a session file are absolute paths",
        id: "sequence/rollout-path",
        about: FILES,
        explanation: "Codex makes them absolute before the session starts. Programs that find the \
            sessions of a project compare `cwd` with its folder. Absolute are paths of Unix and of \
            Windows: `/home/me/project`, `C:\\project`, `\\\\server\\project`.",
        evidence: kept!("All of their paths are absolute."),
    } => {
        RelativePath: "the path is relative",
    }
    ROLLOUT_ARGUMENTS {
        summary: "`arguments` of a function call are JSON",
        id: "sequence/rollout-arguments",
        about: FILES,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Warning,
            "Codex copies the arguments from the model service. A model may write broken JSON, \
                which is not an error of Codex; no such model was recorded",
        )],
        explanation: "The arguments are a text that holds a JSON object. Readers parse it to show what was \
            called. Here the model made a mistake, or a program cut the text.",
        evidence: kept!("All of their arguments are JSON objects."),
    } => {
        ArgumentsNotJson: "`arguments` are not JSON",
    }
    ROLLOUT_ROLE {
        summary: "a message has the role `user`, `assistant`, `developer` or `system`",
        id: "sequence/rollout-role",
        about: FILES,
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Warning,
            "Codex writes down messages that a client adds to a thread, whatever their role; none \
                with another role was recorded",
        )],
        explanation: "The Responses API has these roles. Readers show a message by its role, and may drop \
            one with a role that they do not know.",
        evidence: kept!("Their 4,400 messages are of `user`, `assistant` and `developer`."),
    } => {
        OtherRole { role: Word }: "no model has the role `{role}`",
    }
}
