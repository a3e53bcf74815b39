//! The pages of protocols: of families of message sets, of message sets, definitions and messages.

use std::collections::HashSet;

use codex_wire_base::MessageSet;
use codex_wire_schema::find::{Part, PartKind};
use codex_wire_schema::ir::{Kind, Schema};
use codex_wire_schema::{Family, Profile, Stability, release_ranges};
use serde::Serialize;

use crate::address;
use crate::breaks::{Break, Breaks};
use crate::changes::Histories;
use crate::clients::Clients;
use crate::examples::{self, Shown};
use crate::history::History;
use crate::languages::{Declarations, Declared};
use crate::markdown;
use crate::model::{FamilyModel, Model};
use crate::pages::{Head, Pages};
use crate::ranges::{Bar, Chip, chips, for_script, in_words, line, list, of_set};
use crate::rows::{Answer, Row, answers, ranges_of, row};
use crate::spelling::{Piece, holds};
use crate::tree::{self, Leaf};
use crate::users::Users;
use crate::{Error, Sources};

const SECTION: &str = "protocol";

/// Writes all of them.
pub(crate) fn write(
    pages: &mut Pages,
    model: &Model,
    sources: &Sources,
    histories: &Histories,
    clients: &Clients,
) -> Result<(), Error> {
    let each = model.families.iter().map(overview);
    let content = minijinja::context! { families => each.collect::<Vec<_>>() };
    let head = Head {
        path: "protocol/index.html".to_owned(),
        title: "Protocols".to_owned(),
        about:
            "Every message, type, member and value of the protocols of Codex, with its releases."
                .to_owned(),
        section: SECTION,
    };
    pages.page(head, "protocols.html", content)?;
    for family in &model.families {
        let known = Known {
            declarations: Declarations::of(family.family, sources),
            history: History::of(family),
            breaks: Breaks::of(family, histories),
            users: Users::of(family, clients),
        };
        family_page(pages, family)?;
        for owner in 0..family.index.names.len() {
            owner_page(pages, family, owner, &known)?;
        }
        for name in family.messages.keys() {
            message_page(pages, family, name, &known)?;
        }
    }
    Ok(())
}

/// What is known of the parts of a family beside their schemas.
struct Known<'c> {
    declarations: Declarations,
    history: History,
    breaks: Breaks,
    users: Users<'c>,
}

/// A family in a list.
#[derive(Serialize)]
pub(crate) struct Overview {
    pub(crate) page: String,
    name: &'static str,
    about: &'static str,
    first: String,
    last: String,
    messages: usize,
    types: usize,
    members: usize,
}

/// The row of a family in a list.
pub(crate) fn overview(model: &FamilyModel) -> Overview {
    let count = |kind| {
        let parts = model.index.parts.iter();
        parts.filter(|part| part.kind == kind).count()
    };
    let end = |release: Option<&codex_wire_base::Release>| {
        release.map(ToString::to_string).unwrap_or_default()
    };
    Overview {
        page: address::family(model.family),
        name: title_of(model.family),
        about: about(model.family),
        first: end(model.releases.first()),
        last: end(model.releases.last()),
        messages: model.messages.len(),
        types: count(PartKind::Type),
        members: count(PartKind::Member),
    }
}

/// The name of a family.
pub(crate) fn title_of(family: Family) -> &'static str {
    match family {
        Family::AppServer => "app-server",
        Family::Core => "core and exec-legacy",
        family => family.as_str(),
    }
}

fn about(family: Family) -> &'static str {
    match family {
        Family::Exec => "The lines of codex exec --json.",
        Family::Core => "The queues of codex proto, and codex exec --json before 0.42.0.",
        Family::AppServer => "The JSON-RPC of codex app-server, both directions.",
        Family::Hooks => "What hooks read and print.",
        Family::Notify => "What the notify program gets.",
        _ => "The lines of session files, rollout-*.jsonl.",
    }
}

/// A message set with its messages.
#[derive(Serialize)]
struct SetRow {
    name: &'static str,
    page: String,
    writer: &'static str,
    when: String,
    ranges: String,
    messages: Vec<Named>,
}

/// A name in a list.
#[derive(Default, Serialize)]
struct Named {
    name: String,
    page: String,
    when: String,
    ranges: String,
    about: String,
}

fn family_page(pages: &mut Pages, model: &FamilyModel) -> Result<(), Error> {
    let sets: Vec<SetRow> = model
        .index
        .message_sets
        .iter()
        .map(|message_set| SetRow {
            name: message_set.as_str(),
            page: address::message_set(*message_set),
            writer: writer(*message_set),
            when: in_words(&[of_set(*message_set)], *message_set),
            ranges: for_script(&[of_set(*message_set)]),
            messages: messages_of(model, *message_set),
        })
        .collect();
    let types: Vec<Named> = model
        .index
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Type)
        .map(|part| Named {
            name: part.name.to_owned(),
            page: address::definition(model.family, part.name),
            about: markdown::first_sentence(part.about),
            ..Named::default()
        })
        .collect();
    let title = title_of(model.family);
    let head = Head {
        path: address::family(model.family),
        title: title.to_owned(),
        about: about(model.family).to_owned(),
        section: SECTION,
    };
    let content = minijinja::context! {
        name => title,
        about => about(model.family),
        sets => sets,
        types => types,
        releases => list(&model.releases),
        changes => changes_page(model.family),
    };
    pages.page(head, "family.html", content)
}

fn messages_of(model: &FamilyModel, message_set: MessageSet) -> Vec<Named> {
    let own = model.index.parts.iter();
    let own = own.filter(|part| part.kind == PartKind::Message && part.message_set == message_set);
    let mut named: Vec<Named> = own
        .map(|part| {
            let ranges = ranges_of(part.availability, message_set);
            Named {
                name: part.name.to_owned(),
                page: address::message(model.family, part.name),
                when: in_words(&ranges, message_set),
                ranges: for_script(&ranges),
                about: markdown::first_sentence(part.about),
            }
        })
        .collect();
    named.sort_by(|a, b| a.name.cmp(&b.name));
    named
}

fn owner_page(
    pages: &mut Pages,
    model: &FamilyModel,
    owner: usize,
    known: &Known<'_>,
) -> Result<(), Error> {
    let parts = &model.parts_of[owner];
    let name = model.index.names[owner];
    let message_set = model.message_set(owner);
    if parts.is_empty() && message_set.is_none() {
        return Ok(());
    }
    let own: Option<&Part> = parts
        .iter()
        .map(|at| &model.index.parts[*at])
        .find(|part| part.kind == PartKind::Type);
    let schema: Option<&'static Schema> = match message_set {
        Some(message_set) => Some(codex_wire_schema::annotated(message_set).root()),
        None => own.and_then(|part| part.schema),
    };
    let rows: Vec<Row> = parts
        .iter()
        .filter(|at| model.index.parts[**at].kind != PartKind::Type)
        .map(|at| {
            let mut row = row(model, *at);
            if model.index.parts[*at].kind == PartKind::Message {
                row.holds = vec![Piece {
                    text: row.name.clone(),
                    page: address::message(model.family, model.index.parts[*at].name),
                }];
            }
            row
        })
        .collect();
    let tag = schema
        .and_then(Schema::tagged)
        .map(|union| union.tag.to_string());
    let users: Vec<Named> = model.used_by[owner.min(model.used_by.len() - 1)]
        .iter()
        .map(|user| Named {
            name: model.index.names[*user].to_owned(),
            page: model.page_of(*user),
            ..Named::default()
        })
        .collect();
    let set = message_set.or(own.map(|part| part.message_set));
    let head = Head {
        path: model.page_of(owner),
        title: format!("{name} ({})", title_of(model.family)),
        about: own
            .map(|part| markdown::first_sentence(part.about))
            .unwrap_or_default(),
        section: SECTION,
    };
    let described = schema.and_then(|schema| schema.description.as_deref());
    let content = minijinja::context! {
        name => name,
        family => title_of(model.family),
        family_page => address::family(model.family),
        is_set => message_set.is_some(),
        about => markdown::text(described.unwrap_or_default()),
        holds => schema.map(|schema| match &schema.kind {
            Kind::Object(_) => Vec::new(),
            _ => holds(model, schema),
        }).unwrap_or_default(),
        tag => tag.unwrap_or_default(),
        rows => rows,
        users => users,
        writer => set.map(writer).unwrap_or_default(),
        set => set.map(MessageSet::as_str).unwrap_or_default(),
        set_page => set.map(address::message_set).unwrap_or_default(),
        schemas => set.map(schemas).unwrap_or_default(),
        when => message_set.map(|set| in_words(&[of_set(set)], set)).unwrap_or_default(),
        history => known.history.named(name),
        breaks => known.breaks.of_definition(name),
        clients => known.users.of_owner(owner),
        each_release => message_set.map(each_release).unwrap_or_default(),
        declared => known.declarations.named(name),
        releases => list(&model.releases),
    };
    pages.page(head, "owner.html", content)
}

/// A name as one message set has it.
#[derive(Serialize)]
struct Section {
    set: &'static str,
    set_page: String,
    noun: &'static str,
    writer: &'static str,
    when: String,
    ranges: String,
    chips: Vec<Chip>,
    line: Vec<Bar>,
    steps: usize,
    about: String,
    definition: String,
    definition_page: String,
    leaves: Vec<Leaf>,
    later: usize,
    examples: Vec<Shown>,
    answers: Vec<Answer>,
    schemas: Vec<(String, String)>,
    declared: Vec<Declared>,
    /// Whether it is spoken today.
    is_current: bool,
}

fn message_page(
    pages: &mut Pages,
    model: &FamilyModel,
    name: &str,
    known: &Known<'_>,
) -> Result<(), Error> {
    let mut parts: Vec<&Part> = model.messages[name]
        .iter()
        .map(|at| &model.index.parts[*at])
        .collect();
    parts.sort_by_key(|part| {
        let is_answer = matches!(
            part.message_set,
            MessageSet::AppServerClientResponses | MessageSet::AppServerServerResponses
        );
        (is_answer, part.message_set)
    });
    let mut sections: Vec<Section> = parts
        .iter()
        .map(|part| section(model, part, &known.declarations))
        .collect();
    let mut taken = HashSet::new();
    for leaf in sections.iter_mut().flat_map(|section| &mut section.leaves) {
        if !taken.insert(leaf.anchor.clone()) {
            leaf.anchor.clear();
        }
    }
    let head = Head {
        path: address::message(model.family, name),
        title: format!("{name} ({})", title_of(model.family)),
        about: parts
            .first()
            .map(|part| markdown::first_sentence(part.about))
            .unwrap_or_default(),
        section: SECTION,
    };
    let content = minijinja::context! {
        name => name,
        family => title_of(model.family),
        family_page => address::family(model.family),
        sections => sections,
        breaks => of_message(&known.breaks, name),
        clients => known.users.of_message(name),
        releases => list(&model.releases),
    };
    pages.page(head, "message.html", content)
}

/// The newest of what broke in a message, and how much more there was.
fn of_message<'b>(breaks: &'b Breaks, name: &str) -> (&'b [Break], usize) {
    let all = breaks.of_message(name);
    let shown = all.len().min(MOST_BREAKS);
    (&all[..shown], all.len() - shown)
}

/// How many breaking changes a message is shown with; its types have all of them.
const MOST_BREAKS: usize = 12;

fn section(model: &FamilyModel, part: &Part, declarations: &Declarations) -> Section {
    let message_set = part.message_set;
    let definition = part.definition.unwrap_or_default();
    let ranges = ranges_of(part.availability, message_set);
    let leaves = tree::of_message(model, message_set, definition, part.availability);
    // Of a message of the app-server, params and result are what a program has types for.
    let mut declared = declarations.named(definition);
    for member in ["params", "result"] {
        let schema = model.document.schema(definition);
        let held = schema.and_then(|schema| schema.member(member));
        if let Some(name) = held.and_then(|member| member.schema.reference()) {
            declared.extend(declarations.named(name));
        }
    }
    Section {
        set: message_set.as_str(),
        set_page: address::message_set(message_set),
        noun: noun(message_set),
        writer: writer(message_set),
        when: in_words(&ranges, message_set),
        ranges: for_script(&ranges),
        chips: chips(part.availability, None, message_set),
        line: line(part.availability, &model.releases),
        steps: model.releases.len(),
        about: markdown::text(part.about),
        definition: definition.to_owned(),
        definition_page: model.page_of_definition(definition).unwrap_or_default(),
        later: leaves.iter().filter(|leaf| leaf.is_not_always).count(),
        leaves,
        examples: examples::of_message(model, message_set, part.name),
        answers: answers(part),
        schemas: schemas(message_set),
        declared,
        is_current: message_set.is_current(),
    }
}

/// The schemas of a message set that the repository keeps, with their names.
fn schemas(message_set: MessageSet) -> Vec<(String, String)> {
    let folder = folder_of(message_set);
    let half = match message_set.has_stabilities() {
        true => ".experimental",
        false => "",
    };
    [
        ("open", format!("latest.open{half}")),
        ("exact", format!("latest.exact{half}")),
        ("all releases", "all-releases".to_owned()),
    ]
    .map(|(words, file)| (words.to_owned(), format!("{folder}/{file}.json")))
    .into()
}

/// The schemas of releases that speak alike.
#[derive(Serialize)]
struct OfReleases {
    releases: String,
    ranges: String,
    schemas: Vec<(String, String)>,
}

/// The schemas of each release of a message set, newest first. The site has them where it has all schemas.
fn each_release(message_set: MessageSet) -> Vec<OfReleases> {
    let folder = folder_of(message_set);
    let halves: &[Stability] = match message_set.has_stabilities() {
        true => &[Stability::Experimental, Stability::Stable],
        false => &[Stability::Experimental],
    };
    let each = release_ranges(message_set).iter().rev().map(|range| {
        let mut schemas = Vec::new();
        for half in halves {
            for profile in Profile::PUBLISHED {
                let (suffix, words) = match message_set.has_stabilities() {
                    true => (format!(".{half}"), format!("{profile}, {half}")),
                    false => (String::new(), profile.to_string()),
                };
                let since = range.since;
                schemas.push((words, format!("{folder}/{since}.{profile}{suffix}.json")));
            }
        }
        OfReleases {
            releases: range.to_string(),
            ranges: format!("{}..{}", range.since, range.until),
            schemas,
        }
    });
    each.collect()
}

/// The folder with the schemas of a message set.
fn folder_of(message_set: MessageSet) -> String {
    let name = message_set.as_str();
    match name.strip_prefix("app-server-") {
        Some(rest) => format!("schemas/app-server/{rest}"),
        None => format!("schemas/{name}"),
    }
}

/// Who writes the messages of a set.
pub(crate) fn writer(message_set: MessageSet) -> &'static str {
    match message_set {
        MessageSet::AppServerErrors => "both sides",
        MessageSet::HooksOutput => "the hook",
        set if set.is_written() => "Codex",
        _ => "the client",
    }
}

fn noun(message_set: MessageSet) -> &'static str {
    match message_set {
        MessageSet::AppServerClientRequests | MessageSet::AppServerServerRequests => "request",
        MessageSet::AppServerClientResponses | MessageSet::AppServerServerResponses => "response",
        MessageSet::AppServerClientNotifications | MessageSet::AppServerServerNotifications => {
            "notification"
        }
        _ => "message",
    }
}

fn changes_page(family: Family) -> String {
    format!("changes/index.html#{}", family.as_str())
}
