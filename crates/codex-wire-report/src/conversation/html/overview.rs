//! Gathers what stands above a conversation: the verdict, what is known of the session, its time, its tokens and its turns.

use std::fmt::Write as _;

use codex_wire_check::Outcome;
use codex_wire_session::{Item, Thread, Time, Tokens, Turn};

use super::escape::{beginning, one_line};
use crate::conversation::block::Block;
use crate::conversation::findings::Findings;
use crate::conversation::options::Topic;
use crate::drawing::{First, Noted, Picture, ending};
use crate::html::{self, class_of};
use crate::numbers::{counted, duration_text, grouped, levels};

/// How many turns and how many items are drawn: of more the longest.
const DRAWN: usize = 2000;

/// What was seen of a session.
#[derive(Debug)]
pub(super) struct Overview {
    picture: Picture,
    contents: First<Entry>,
    /// How many items of each topic were written.
    topics: [u64; Topic::ALL.len()],
    models: First<String>,
    clients: First<String>,
    first: Option<Time>,
    last: Option<Time>,
    tokens: Tokens,
    turn_count: u64,
}

/// An entry of the list of turns.
#[derive(Clone, Debug)]
struct Entry {
    thread: usize,
    name: String,
    id: String,
    tone: &'static str,
    prompt: String,
}

impl Overview {
    pub(super) fn new() -> Self {
        Overview {
            picture: Picture::new(DRAWN),
            contents: First::new(500),
            topics: [0; Topic::ALL.len()],
            models: First::new(8),
            clients: First::new(8),
            first: None,
            last: None,
            tokens: Tokens::default(),
            turn_count: 0,
        }
    }

    /// A thread, with the number it has in the input, and the id of its heading.
    pub(super) fn thread(
        &mut self,
        thread: &Thread,
        number: usize,
        id: Option<String>,
        mask: bool,
    ) {
        let name = thread
            .lineage
            .nickname
            .as_deref()
            .or(thread.name.as_deref());
        let name = name.filter(|_| !mask).map(|name| beginning(name, 24));
        self.picture.thread(number, name, id);
        if number >= self.picture.threads.kept.len() {
            return;
        }
        self.see(thread.created);
        for text in [&thread.release, &thread.client].into_iter().flatten() {
            let text = match Some(text) == thread.release.as_ref() {
                true => format!("Codex {text}"),
                false => text.clone(),
            };
            if !self.clients.kept.contains(&text) {
                self.clients.push(text);
            }
        }
    }

    /// An item that is written.
    pub(super) fn item(&mut self, thread: usize, item: &Item, block: &Block, id: &str) {
        self.see(item.started);
        self.see(item.completed);
        let mut title = block.label.to_owned();
        if !block.title.is_empty() {
            let _ = write!(title, ": {}", beginning(&block.title, 80));
        }
        let id = Some(id.to_owned());
        self.picture.item(thread, item, block.kind(), title, id);
    }

    /// A block that is written.
    pub(super) fn block(&mut self, block: &Block) {
        self.topics[block.topic as usize] += 1;
    }

    /// A turn whose heading is written: its thread, its number there, and the id of the heading.
    pub(super) fn turn_heading(&mut self, (thread, number): (usize, usize), id: &str) {
        self.contents.push(Entry {
            thread,
            name: format!("{}", number + 1),
            id: id.to_owned(),
            tone: "stopped",
            prompt: String::new(),
        });
    }

    /// A turn that has ended; the id of its heading if it has one.
    pub(super) fn turn(
        &mut self,
        thread: usize,
        number: usize,
        turn: &Turn,
        id: Option<String>,
        prompt: &str,
    ) {
        let Some(id) = id else {
            return;
        };
        self.turn_count += 1;
        self.see(turn.started);
        self.see(turn.ended);
        if let Some(model) = turn.settings.model.as_deref() {
            let model = one_line(model);
            if !self.models.kept.contains(&model) {
                self.models.push(model);
            }
        }
        self.picture.turn((thread, number), turn, Some(id.clone()));
        let entry = self
            .contents
            .kept
            .iter_mut()
            .rev()
            .find(|entry| entry.id == id);
        if let Some(entry) = entry {
            (entry.tone, _) = ending(turn);
            entry.prompt = beginning(prompt, 70);
        }
    }

    /// A thread to which nothing more comes.
    pub(super) fn thread_over(&mut self, tokens: Tokens) {
        self.tokens += tokens;
    }

    fn see(&mut self, time: Option<Time>) {
        let Some(time) = time else {
            return;
        };
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    /// The overview as HTML.
    pub(super) fn html(
        &self,
        outcome: &Outcome,
        prefix: &str,
        clock: fn(Time) -> String,
    ) -> String {
        let mut out = format!("<section class=\"overview\" id=\"{prefix}overview\">");
        self.verdict(&mut out, outcome);
        self.facts(&mut out, outcome, clock);
        self.findings(&mut out, outcome);
        out.push_str(&self.picture.html(&Noted::default(), false));
        self.filters(&mut out);
        out.push_str("</section>\n");
        self.contents(&mut out, prefix);
        out
    }

    fn verdict(&self, out: &mut String, outcome: &Outcome) {
        let (class, word) = html::verdict_of(outcome);
        let _ = write!(out, "<p class=\"verdict {class}\"><b>{word}</b>");
        if let (Some(protocol), Some(releases)) = (outcome.protocol, &outcome.releases) {
            let _ = write!(out, " <span>{protocol} {releases}</span>");
        }
        for count in levels(&outcome.counts) {
            let _ = write!(out, " <span>{count}</span>");
        }
        out.push_str("</p>");
        if let Some(error) = &outcome.error {
            let _ = write!(out, "<p class=\"error\">{}</p>", one_line(error));
        }
    }

    fn facts(&self, out: &mut String, outcome: &Outcome, clock: fn(Time) -> String) {
        let mut facts: Vec<(&'static str, String)> = Vec::new();
        let list = |list: &First<String>| {
            let mut text = list.kept.join(", ");
            if list.more > 0 {
                let _ = write!(text, " and {} more", list.more);
            }
            text
        };
        if !self.models.kept.is_empty() {
            facts.push(("model", list(&self.models)));
        }
        if !self.clients.kept.is_empty() {
            let clients = self.clients.kept.iter().map(|client| one_line(client));
            facts.push(("written by", clients.collect::<Vec<_>>().join(", ")));
        }
        if let Some(first) = self.first {
            facts.push(("began", one_line(&clock(first))));
        }
        if let (Some(first), Some(last)) = (self.first, self.last)
            && last > first
        {
            facts.push(("span", span(last.since(first))));
        }
        let threads = self.picture.threads.kept.len() as u64 + self.picture.threads.more;
        if threads > 1 {
            facts.push(("threads", grouped(threads)));
        }
        if self.turn_count > 0 {
            facts.push(("turns", grouped(self.turn_count)));
        }
        facts.push(("messages", grouped(outcome.messages)));
        if !self.tokens.is_zero() {
            let Tokens {
                input,
                cached_input,
                output,
                reasoning_output,
                ..
            } = self.tokens;
            let part = |count: u64, what: &str| match count {
                0 => String::new(),
                count => format!(" <small>{} {what}</small>", grouped(count)),
            };
            let cached = part(cached_input, "cached");
            let reasoning = part(reasoning_output, "reasoning");
            facts.push(("tokens in", format!("{}{cached}", grouped(input))));
            facts.push(("tokens out", format!("{}{reasoning}", grouped(output))));
        }
        *out += &html::facts(facts);
    }

    fn findings(&self, out: &mut String, outcome: &Outcome) {
        let findings = Findings::of(outcome);
        if findings.rules.is_empty() {
            return;
        }
        let count = findings.count();
        let _ = write!(
            out,
            "<details class=\"findings\" open><summary>{count} of <code>codex-wire check</code></summary><ul>"
        );
        for (rule, spoken) in &findings.rules {
            let often = spoken.often();
            let message = one_line(spoken.message);
            let severity = spoken.severity;
            let class = class_of(severity);
            let _ = write!(
                out,
                "<li><b class=\"{class}\">{severity}</b> {message} <code>{rule}</code> {often}</li>"
            );
        }
        if let Some(more) = findings.more() {
            let _ = write!(out, "<li>{more}</li>");
        }
        out.push_str("</ul></details>");
    }

    /// What of the conversation can be hidden.
    fn filters(&self, out: &mut String) {
        let topics = Topic::ALL.into_iter().zip(self.topics);
        let topics: Vec<_> = topics.filter(|(_, count)| *count > 0).collect();
        if topics.len() < 2 {
            return;
        }
        out.push_str("<fieldset class=\"filters\"><legend>Show</legend>");
        for (topic, count) in topics {
            let count = grouped(count);
            let _ = write!(
                out,
                "<label class=\"{topic}\"><input type=\"checkbox\" class=\"f-{topic}\" checked>{topic} <small>{count}</small></label>"
            );
        }
        out.push_str("</fieldset>");
    }

    fn contents(&self, out: &mut String, prefix: &str) {
        if self.contents.kept.len() < 2 {
            return;
        }
        let _ = write!(
            out,
            "<nav class=\"contents\" aria-label=\"turns\"><p><a href=\"#{prefix}overview\">Overview</a></p><ol>"
        );
        let mut thread = 0;
        for entry in &self.contents.kept {
            if entry.thread != thread {
                thread = entry.thread;
                let name = self
                    .picture
                    .threads
                    .kept
                    .get(thread)
                    .map(|track| &*track.name);
                let name = name.map_or_else(|| format!("Thread {}", thread + 1), str::to_owned);
                let _ = write!(out, "<li class=\"thread\">{name}</li>");
            }
            let Entry {
                name,
                id,
                tone,
                prompt,
                ..
            } = entry;
            let _ = write!(
                out,
                "<li class=\"{tone}\"><a href=\"#{id}\"><b>{name}</b> {prompt}</a></li>"
            );
        }
        out.push_str("</ol>");
        if self.contents.more > 0 {
            let more = counted(self.contents.more, "more turn", "more turns");
            let _ = write!(out, "<p class=\"note\">{more} are not listed</p>");
        }
        out.push_str("</nav>\n");
    }
}

/// A time that may be long.
fn span(ms: u64) -> String {
    match ms {
        0..3_600_000 => duration_text(ms),
        3_600_000..86_400_000 => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
        ms => format!(
            "{} {} h",
            counted(ms / 86_400_000, "day", "days"),
            ms / 3_600_000 % 24
        ),
    }
}
