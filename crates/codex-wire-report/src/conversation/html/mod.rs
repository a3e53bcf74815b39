//! Writes blocks as HTML: a page for people who were not there, which fetches nothing and runs nothing.
//!
//! The page is written while the input is read, so memory does not grow with it. What is known only at the end, such as
//! the verdict, is written last; the style sheet puts it first.

mod document;
mod escape;
mod overview;
mod parts;
mod prose;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use codex_wire_check::Outcome;
use codex_wire_session::{Item, ItemOf, Thread, Tokens, Turn, TurnOf};

use super::block::{Block, Texts, Tone};
use super::options::ConversationOptions;
pub use document::{begin_html, end_html};
use escape::one_line;
use overview::Overview;
use parts::Place;

/// How many blocks a browser lays out at a time.
const GROUP: usize = 50;

/// HTML.
pub(super) struct Html<'o> {
    options: &'o ConversationOptions,
    name: String,
    /// What the ids of this input begin with.
    prefix: String,
    is_begun: bool,
    /// How many blocks are in the open group; `None` outside of sections.
    group: Option<usize>,
    /// How many blocks have an id of this kind.
    ids: HashMap<&'static str, u64>,
    /// The highest turn of each thread that has a heading with an id.
    headed: HashMap<usize, usize>,
    /// Turns with such a heading that have not ended, by thread.
    running: HashSet<(usize, usize)>,
    overview: Overview,
}

/// Where a block comes from.
pub(super) enum Origin<'a> {
    Item(ItemOf<'a>, &'a Item),
    /// Of a thread.
    Outside(usize, &'a Item),
    /// Of a line, if it is of one.
    Remark(Option<u64>),
}

impl<'o> Html<'o> {
    pub(super) fn new(name: &str, options: &'o ConversationOptions) -> Self {
        let prefix = match options.input {
            0 => String::new(),
            input => format!("s{}-", input + 1),
        };
        Html {
            options,
            name: one_line(name),
            prefix,
            is_begun: false,
            group: None,
            ids: HashMap::new(),
            headed: HashMap::new(),
            running: HashSet::new(),
            overview: Overview::new(),
        }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            return Ok(());
        }
        let Html { name, prefix, .. } = self;
        let (folder, name) = match name.rsplit_once('/') {
            Some((folder, name)) if !name.is_empty() => (folder, name),
            _ => ("", &**name),
        };
        let folder = match folder {
            "" => String::new(),
            folder => format!("<small>{folder}/</small>"),
        };
        writeln!(
            out,
            "<article class=\"session\"><h1>{folder}{name}</h1>\
             <p class=\"jump\"><a href=\"#{prefix}overview\">To the overview</a></p>\
             <div class=\"conversation\">"
        )
    }

    /// Begins rows of plain text, in which `<`, `>` and `&` have to be written as entities.
    pub(super) fn begin_plain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        self.close(out)?;
        writeln!(out, "<pre class=\"timeline\">")
    }

    pub(super) fn end_plain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</pre>")
    }

    /// Ends what is open.
    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.group.take() {
            Some(_) => writeln!(out, "</div></section>"),
            None => Ok(()),
        }
    }

    /// The heading of a thread. It goes on if it had one before.
    pub(super) fn thread(
        &mut self,
        out: &mut dyn Write,
        thread: (&Thread, usize),
        title: &str,
        facts: &[String],
        goes_on: bool,
    ) -> io::Result<()> {
        self.begin(out)?;
        self.close(out)?;
        let (thread, number) = thread;
        let id = format!("{}thread-{}", self.prefix, number + 1);
        let (class, anchor) = match goes_on {
            true => ("thread on", String::new()),
            false => ("thread", format!(" id=\"{id}\"")),
        };
        let known = (!goes_on).then_some(id);
        self.overview
            .thread(thread, number, known, self.options.mask);
        let title = one_line(title);
        write!(out, "<header class=\"{class}\"{anchor}><h2>{title}</h2>")?;
        if !facts.is_empty() {
            write!(out, "<p class=\"facts\">{}</p>", joined(facts))?;
        }
        writeln!(out, "</header>")
    }

    /// The heading of a turn.
    pub(super) fn turn(
        &mut self,
        out: &mut dyn Write,
        of: TurnOf<'_>,
        title: &str,
        facts: &[String],
    ) -> io::Result<()> {
        self.begin(out)?;
        self.close(out)?;
        let key = (of.thread_number, of.number);
        let is_new = self
            .headed
            .get(&key.0)
            .is_none_or(|highest| *highest < key.1);
        let (mut anchor, mut heading) = (String::new(), one_line(title));
        if is_new {
            self.headed.insert(key.0, key.1);
            self.running.insert(key);
            let id = self.turn_id(key);
            self.overview.turn_heading(key, &id);
            anchor = format!(" id=\"{id}\"");
            heading = format!("<a href=\"#{id}\">{heading}</a>");
        }
        let facts = joined(facts);
        writeln!(
            out,
            "<section class=\"turn\"{anchor}><h3>{heading} <small>{facts}</small></h3><div class=\"items\">"
        )?;
        self.group = Some(0);
        Ok(())
    }

    fn turn_id(&self, (thread, turn): (usize, usize)) -> String {
        let thread = match thread {
            0 => String::new(),
            thread => format!("t{}-", thread + 1),
        };
        format!("{}{thread}turn-{}", self.prefix, turn + 1)
    }

    /// How a turn or a thread ended.
    pub(super) fn end(
        &mut self,
        out: &mut dyn Write,
        tone: Tone,
        label: &str,
        facts: &[String],
    ) -> io::Result<()> {
        self.begin(out)?;
        let class = match tone {
            Tone::Plain => "good",
            tone => parts::tone(tone),
        };
        let facts = joined(facts);
        writeln!(
            out,
            "<p class=\"end {class}\"><b>{label}</b> <span>{facts}</span></p>"
        )
    }

    /// A block.
    pub(super) fn block(
        &mut self,
        out: &mut dyn Write,
        block: &Block,
        origin: &Origin<'_>,
    ) -> io::Result<()> {
        self.begin(out)?;
        match self.group {
            None => {
                writeln!(out, "<section class=\"turn\"><div class=\"items\">")?;
                self.group = Some(1);
            }
            Some(GROUP) => {
                writeln!(out, "</div><div class=\"items\">")?;
                self.group = Some(1);
            }
            Some(count) => self.group = Some(count + 1),
        }
        let place = self.place(origin);
        self.overview.block(block);
        match origin {
            Origin::Item(of, item) => {
                let thread = of.turn_of.thread_number;
                self.overview.item(thread, item, block, &place.id);
            }
            Origin::Outside(thread, item) => self.overview.item(*thread, item, block, &place.id),
            Origin::Remark(_) => {}
        }
        let html = parts::block(block, &place, self.options.full);
        out.write_all(html.as_bytes())
    }

    fn place(&mut self, origin: &Origin<'_>) -> Place {
        let (mut lines, mut time) = (None, None);
        if let Origin::Item(_, item) | Origin::Outside(_, item) = origin {
            lines = Some((item.lines.from, item.lines.to));
            let started = item.started.or(item.completed);
            time = started.map(|time| one_line(&(self.options.clock)(time)));
        }
        let id = match origin {
            Origin::Item(of, _) if !of.is_again => {
                let key = (of.turn_of.thread_number, of.turn_of.number);
                format!("{}-item-{}", self.turn_id(key), of.number + 1)
            }
            Origin::Item(..) => self.next_id("later"),
            Origin::Outside(..) => self.next_id("outside"),
            Origin::Remark(line) => {
                lines = line.map(|line| (line, line));
                self.next_id("remark")
            }
        };
        Place { id, lines, time }
    }

    fn next_id(&mut self, kind: &'static str) -> String {
        let count = self.ids.entry(kind).or_insert(0);
        *count += 1;
        format!("{}{kind}-{count}", self.prefix)
    }

    /// A turn has ended, and what there is to say of that was written.
    pub(super) fn turn_over(&mut self, of: TurnOf<'_>, turn: &Turn) {
        let key = (of.thread_number, of.number);
        let id = self.running.remove(&key).then(|| self.turn_id(key));
        let texts = Texts {
            mask: self.options.mask,
            full: false,
            folds: false,
        };
        let prompt = texts.text(turn.prompt().unwrap_or_default());
        self.overview.turn(key.0, key.1, turn, id, &prompt);
    }

    /// Nothing more comes to a thread.
    pub(super) fn thread_over(&mut self, tokens: Tokens) {
        self.overview.thread_over(tokens);
    }

    /// Ends what is written of the input.
    pub(super) fn finish(&mut self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        self.begin(out)?;
        self.close(out)?;
        writeln!(out, "</div>")?;
        let clock = self.options.clock;
        let overview = self.overview.html(outcome, &self.prefix, clock);
        out.write_all(overview.as_bytes())?;
        writeln!(out, "</article>")
    }
}

/// Facts in a row.
fn joined(facts: &[String]) -> String {
    let facts: Vec<String> = facts.iter().map(|fact| one_line(fact)).collect();
    facts.join(" · ")
}
