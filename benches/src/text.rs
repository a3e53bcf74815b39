//! Text as commands print it and models write it.

use crate::random::Random;

const WORDS: &[&str] = &[
    "reader",
    "cursor",
    "the",
    "line",
    "a",
    "release",
    "test",
    "is",
    "of",
    "member",
    "and",
    "checks",
    "each",
    "value",
    "with",
    "from",
    "schema",
    "it",
    "stream",
    "when",
    "config",
    "to",
    "thread",
    "fails",
    "über",
    "größer",
    "naïve",
    "日本語",
    "→",
    "✅",
    "шаг",
    "😀",
];

const NAMES: &[&str] = &[
    "parse",
    "line",
    "offset",
    "buffer",
    "next_event",
    "status",
    "exit_code",
    "items",
    "self",
    "result",
    "path",
    "reader",
    "config",
    "message",
];

const PATHS: &[&str] = &[
    "src/main.rs",
    "src/lib.rs",
    "src/reader/mod.rs",
    "tests/it/stream.rs",
    "docs/guide.md",
    "Cargo.toml",
    "crates/core/src/line_buffer.rs",
    "scripts/release.py",
    "web/app/index.tsx",
];

/// A few words.
pub(crate) fn words(random: &mut Random, count: usize) -> String {
    let mut out = String::new();
    for _ in 0..count {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(random.pick(WORDS));
    }
    out
}

/// A file of the project.
pub(crate) fn path(random: &mut Random) -> String {
    format!("/home/dev/project/{}", random.pick(PATHS))
}

/// What a command prints: about `size` bytes of source code, search hits, a diff, a listing, a
/// test run in colours or pretty JSON.
pub(crate) fn output(random: &mut Random, size: usize) -> String {
    let line = [source, hit, diff, listing, test_run, json][random.below(6)];
    let mut out = String::with_capacity(size + 160);
    while out.len() < size {
        line(random, &mut out);
    }
    out
}

fn source(random: &mut Random, out: &mut String) {
    let indent = "    ".repeat(random.below(4));
    let tabs = "\t".repeat(random.below(3));
    let (a, b, c) = (random.pick(NAMES), random.pick(NAMES), random.pick(NAMES));
    out.push_str(&match random.below(6) {
        0 => format!("{indent}let {a} = {b}.{c}(\"{}\")?;\n", words(random, 2)),
        1 => format!(
            "{tabs}if {a}.{b} != nil && {c} > {} {{\n",
            random.below(100)
        ),
        2 => format!("{indent}/// {}\n", words(random, 9)),
        3 => format!("{indent}}}\n\n"),
        4 => format!("{tabs}return fmt.Errorf(\"{a}: %w\", {b})\n"),
        _ => format!("{indent}pub fn {a}(&self, {b}: &str) -> Result<(), {c}::Error> {{\n"),
    });
}

fn hit(random: &mut Random, out: &mut String) {
    let path = random.pick(PATHS);
    let line = random.below(900) + 1;
    let (a, b) = (random.pick(NAMES), random.pick(NAMES));
    out.push_str(&format!(
        "{path}:{line}:        {a}.{b} = '{}';\n",
        words(random, 3)
    ));
}

fn diff(random: &mut Random, out: &mut String) {
    if random.permille(80) {
        out.push_str(&format!(
            "@@ -{0},7 +{0},9 @@ fn {1}()\n",
            random.below(900),
            random.pick(NAMES)
        ));
        return;
    }
    out.push(char::from([b' ', b' ', b' ', b'+', b'-'][random.below(5)]));
    source(random, out);
}

fn listing(random: &mut Random, out: &mut String) {
    out.push_str(&format!(
        "-rw-r--r--  1 dev dev {:>8} Mar {:>2} 17:{:02} {}\n",
        random.below(1 << 20),
        random.below(28) + 1,
        random.below(60),
        random.pick(PATHS)
    ));
}

fn test_run(random: &mut Random, out: &mut String) {
    let (a, b) = (random.pick(NAMES), random.pick(NAMES));
    out.push_str(&match random.below(8) {
        0 => format!(
            "\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m: unused variable: `{a}`\n   \u{1b}[34m-->\u{1b}[0m {}\n",
            random.pick(PATHS)
        ),
        1 => format!("test {a}::{b} ... \u{1b}[31mFAILED\u{1b}[0m\r\n"),
        _ => format!("test {a}::{b} ... \u{1b}[32mok\u{1b}[0m\n"),
    });
}

fn json(random: &mut Random, out: &mut String) {
    let indent = "  ".repeat(random.below(4) + 1);
    let name = random.pick(NAMES);
    out.push_str(&match random.below(3) {
        0 => format!("{indent}\"{name}\": {},\n", random.below(10_000)),
        1 => format!("{indent}\"{name}\": \"{}\",\n", words(random, 3)),
        _ => format!("{indent}\"{name}\": {{\n"),
    });
}
