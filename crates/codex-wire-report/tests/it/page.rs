//! The report as a page: it has the elements that it should have, whatever the input holds, and stays in bounds.

use codex_wire_check::{Excerpt, Outcome};
use codex_wire_report::{Format, Styles, is_terminal_control};

use crate::golden;
use crate::html::HOSTILE;
use crate::html_reader::{Page, elements, read};
use crate::samples::{
    as_expected, expected, render, render_all, stated, unknown_value, with_findings,
};

/// A page without its style sheet, which is the same on all pages.
fn body(page: &str) -> &str {
    page.split_once("</style>\n</head>\n").unwrap().1
}

fn page(outcomes: &[Outcome]) -> String {
    render(Format::Html, Styles::plain(), outcomes).0
}

/// Reads a page, and checks that its links lead somewhere and that nothing steers a reader.
pub(crate) fn checked(html: &str) -> Page {
    let page = read(html);
    for link in &page.links {
        let id = link["href"].strip_prefix('#').unwrap();
        assert!(page.ids.contains(id), "leads nowhere: {id}");
    }
    let steers = |c: char| c != '\n' && is_terminal_control(c);
    assert!(!page.text.contains(steers));
    page
}

#[test]
fn everything_as_a_page() {
    let (html, _) = render_all(Format::Html, true);
    checked(&html);
    golden::check("everything.html", body(&html));
}

/// Outcomes in which every text that comes from outside is this one.
fn of_text(text: &str) -> Vec<Outcome> {
    let mut finding = unknown_value();
    finding.message = text.to_owned();
    finding.help = Some(text.to_owned());
    finding.place.pointer = format!("/{text}");
    finding.excerpt = Some(Excerpt {
        text: format!("{text}{text}{text}"),
        start: text.len(),
        end: text.len() * 2,
    });
    let mut known = expected();
    known.expected = Some(text.to_owned());
    vec![
        with_findings(
            stated(&format!("a/{text}"), 3),
            vec![finding, unknown_value()],
            1,
        ),
        as_expected(stated(text, 3), vec![known]),
        Outcome::unreadable(text, text),
        Outcome::new(text),
        stated(text, 3),
    ]
}

#[test]
fn hostile_texts_change_no_element_of_a_report() {
    let plain = checked(&page(&of_text("a `b` c/d")));
    let mut shown = 0;
    for hostile in HOSTILE {
        let page = checked(&page(&of_text(hostile)));
        assert_eq!(elements(&page), elements(&plain), "{hostile:?}");
        assert_eq!(page.classes, plain.classes, "{hostile:?}");
        assert_eq!(page.ids, plain.ids, "{hostile:?}");
        shown += usize::from(page.text.contains(hostile));
    }
    // What has nothing to be taken out is shown as it is.
    assert!(shown >= 8, "{shown}");
}

#[test]
fn many_findings_and_inputs_stay_in_bounds() {
    let findings = (0..1200).map(|at| {
        let mut finding = unknown_value();
        finding.message = format!("finding {at}");
        finding
    });
    let mut many = vec![with_findings(
        stated("first.jsonl", 2000),
        findings.collect(),
        0,
    )];
    for at in 0..600 {
        let path = format!("{at}.jsonl");
        many.push(with_findings(stated(&path, 1), vec![unknown_value()], 0));
    }
    many.extend((0..600).map(|at| stated(&format!("good-{at}.jsonl"), 1)));
    let html = page(&many);
    let read = checked(&html);
    assert_eq!(html.matches("<details ").count(), 1800);
    assert_eq!(html.matches(" open><summary>").count(), 5);
    // A browser lays out fifty findings at a time.
    assert_eq!(html.matches("<div class=\"items\">").count(), 24 + 600);
    assert_eq!(html.matches("<li class=\"failed\">").count(), 500);
    let more = "101 more inputs with something to say are not listed";
    assert!(read.text.contains(more));
}
