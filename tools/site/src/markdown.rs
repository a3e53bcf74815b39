//! Markdown as HTML.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A page in Markdown, as HTML.
pub(crate) struct Rendered {
    pub(crate) title: String,
    pub(crate) html: String,
    /// The first paragraph, without marks.
    pub(crate) about: String,
}

/// Documentation of a part: a few paragraphs, without links.
pub(crate) fn text(source: &str) -> String {
    let mut out = String::new();
    let events = Parser::new(source).filter(|event| {
        !matches!(
            event,
            Event::Start(Tag::Link { .. } | Tag::Image { .. })
                | Event::End(TagEnd::Link | TagEnd::Image)
        )
    });
    html::push_html(&mut out, events.map(harmless));
    out
}

/// The first sentence of a documentation, without marks.
pub(crate) fn first_sentence(source: &str) -> String {
    let paragraph = source.split("\n\n").next().unwrap_or_default();
    let paragraph = paragraph.replace('\n', " ").replace('`', "");
    match paragraph.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => paragraph,
    }
}

/// A text without the marks of code.
pub(crate) fn bare(source: &str) -> String {
    source.replace('`', "")
}

/// What is written as HTML in a documentation of a type is text.
fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    }
}

/// What a page of the repository refers to.
pub(crate) struct References<'r> {
    /// Where a link leads.
    pub(crate) link: &'r dyn Fn(&str) -> String,
    /// Which page a name in code has.
    pub(crate) code: &'r dyn Fn(&str) -> Option<String>,
    /// What is shown of the transcript that a link of an example leads to.
    pub(crate) example: &'r dyn Fn(&str) -> Option<String>,
}

/// A page of the repository.
pub(crate) fn page(source: &str, references: &References<'_>) -> Rendered {
    let parser = Parser::new_ext(
        source,
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH,
    );
    let events: Vec<Event<'_>> = parser.collect();
    let mut walk = Walk::default();
    let mut out = Vec::new();
    let mut at = 0;
    while at < events.len() {
        at = walk.event(&events, at, &mut out, references);
    }
    walk.close_pair(&mut out);
    let mut html = String::new();
    html::push_html(&mut html, out.into_iter());
    // Tables of facts have no words in their first row, which Markdown asks for.
    for columns in 1..=4 {
        let cells = "<th></th>".repeat(columns);
        html = html.replace(&format!("<thead><tr>{cells}</tr></thead>"), "");
    }
    Rendered {
        title: walk.title,
        html,
        about: walk.about,
    }
}

#[derive(Default)]
struct Walk {
    title: String,
    about: String,
    slugs: Vec<String>,
    in_link: bool,
    /// Whether a correct and a wrong example are being written, beside each other.
    in_pair: bool,
    /// What is shown below the paragraph of an example.
    example: Option<String>,
}

impl Walk {
    /// Takes the event at `at`, or a whole heading, and returns the next.
    fn event<'e>(
        &mut self,
        events: &[Event<'e>],
        at: usize,
        out: &mut Vec<Event<'e>>,
        references: &References<'_>,
    ) -> usize {
        let link = references.link;
        match &events[at] {
            Event::Start(Tag::Heading { level, .. }) => {
                return self.heading(*level, events, at, out);
            }
            Event::Start(Tag::Paragraph) if self.about.is_empty() => {
                self.about = plain(&events[at..], TagEnd::Paragraph);
                out.push(events[at].clone());
            }
            event @ Event::Start(Tag::Link { dest_url, .. }) => {
                self.in_link = true;
                if self.in_pair {
                    self.example = (references.example)(dest_url);
                }
                out.push(leading_to(event, link(dest_url)));
            }
            Event::End(TagEnd::Link) => {
                self.in_link = false;
                out.push(events[at].clone());
            }
            event @ Event::Start(Tag::Image { dest_url, .. }) => {
                // Badges are of other hosts, and no page asks one.
                if dest_url.starts_with("http") {
                    let len = events[at..]
                        .iter()
                        .position(|event| *event == Event::End(TagEnd::Image));
                    let alt = plain(&events[at..], TagEnd::Image);
                    out.push(Event::Text(alt.into()));
                    return at + len.unwrap_or(0) + 1;
                }
                out.push(leading_to(event, link(dest_url)));
            }
            Event::End(TagEnd::Paragraph) => {
                out.push(events[at].clone());
                let example = self.example.take();
                out.extend(example.map(|html| Event::Html(html.into())));
            }
            Event::Code(text) => match (references.code)(text).filter(|_| !self.in_link) {
                Some(page) => {
                    let text = escape(text);
                    let inline = format!("<a href=\"{page}\"><code>{text}</code></a>");
                    out.push(Event::InlineHtml(inline.into()));
                }
                None => out.push(events[at].clone()),
            },
            event @ Event::Start(tag @ (Tag::CodeBlock(_) | Tag::Table(_))) => {
                let class = match tag {
                    Tag::Table(_) => "wide",
                    _ => "code",
                };
                // It may be wider than its page: the keyboard has to reach it.
                let start = format!("<div class=\"{class}\" tabindex=\"0\">");
                out.extend([Event::Html(start.into()), event.clone()]);
            }
            event @ Event::End(TagEnd::CodeBlock | TagEnd::Table) => {
                out.extend([event.clone(), Event::Html("</div>".into())]);
            }
            Event::Html(text) if text.starts_with("<!--") => {}
            Event::Html(text) if text.starts_with("<h1") => {}
            event => out.push(event.clone()),
        }
        at + 1
    }

    fn heading<'e>(
        &mut self,
        level: HeadingLevel,
        events: &[Event<'e>],
        at: usize,
        out: &mut Vec<Event<'e>>,
    ) -> usize {
        let end = TagEnd::Heading(level);
        let len = events[at..]
            .iter()
            .position(|event| *event == Event::End(end));
        let next = at + len.unwrap_or(0) + 1;
        let words = plain(&events[at..next], end);
        if level == HeadingLevel::H1 && self.title.is_empty() {
            self.title = words;
            return next;
        }
        match (level, words.as_str()) {
            (HeadingLevel::H2, "Correct example") => {
                self.close_pair(out);
                self.in_pair = true;
                out.push(Event::Html(
                    "<div class=\"pair\"><section class=\"passes\">".into(),
                ));
            }
            (HeadingLevel::H2, "Wrong example") if self.in_pair => {
                out.push(Event::Html("</section><section class=\"fails\">".into()));
            }
            (HeadingLevel::H2, _) => self.close_pair(out),
            _ => {}
        }
        let slug = self.slug(&words);
        let level = level as usize;
        out.push(Event::Html(
            format!("<h{level} id=\"{}\">", escape(&slug)).into(),
        ));
        out.extend(events[at + 1..next - 1].iter().cloned());
        out.push(Event::Html(format!("</h{level}>\n").into()));
        next
    }

    fn close_pair(&mut self, out: &mut Vec<Event<'_>>) {
        if std::mem::take(&mut self.in_pair) {
            out.push(Event::Html(CowStr::Borrowed("</section></div>\n")));
        }
    }

    /// The anchor of a heading, as GitHub makes it.
    fn slug(&mut self, words: &str) -> String {
        let kept = words
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect::<String>();
        let same = self.slugs.iter().filter(|slug| **slug == kept).count();
        self.slugs.push(kept.clone());
        match same {
            0 => kept,
            more => format!("{kept}-{more}"),
        }
    }
}

/// A link or a picture, with another target.
fn leading_to<'e>(event: &Event<'e>, target: String) -> Event<'e> {
    let mut event = event.clone();
    if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = &mut event {
        *dest_url = target.into();
    }
    event
}

/// The words up to the end of a tag.
fn plain(events: &[Event<'_>], end: TagEnd) -> String {
    let mut out = String::new();
    for event in events.iter().take_while(|event| **event != Event::End(end)) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

/// A text in HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
