//! Decides which Rust types there are and what they contain.
//!
//! This file plans the methods and the unions of methods. The other files plan definitions, their
//! kinds and their members.

mod cycles;
mod definitions;
mod forms;
mod members;
mod phrasing;

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;

use self::cycles::box_cycles;
use self::phrasing::{paragraphs, sentence};
use crate::availability::Availability;
use crate::model::{Form, FormBody, Model, Versions, whole};
use crate::names::pascal;
use crate::rust::Sources;
use crate::rust::items::{Item, ItemBody, Variant};
use crate::rust::ranges::{Spans, everything};
use crate::types::{Signature, Type};
use crate::{Error, Kind, naming};

/// Definitions whose types are written by hand: the envelope.
const BY_HAND: [&str; 7] = [
    "JSONRPCError",
    "JSONRPCErrorError",
    "JSONRPCMessage",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "RequestId",
];

/// What the definition of a method with its params ends in.
const MESSAGE: &str = "Message";

/// What the definition of a method with its result ends in.
const ANSWER: &str = "Answer";

/// The types of the protocol, by where they go.
pub struct Plan {
    /// The types of each domain.
    pub domains: BTreeMap<String, Vec<Item>>,
    /// The unions of methods of each kind.
    pub unions: BTreeMap<Kind, Vec<Item>>,
    /// The methods.
    pub methods: Vec<Method>,
}

/// A method, for its marker type.
#[derive(Clone, Debug)]
pub struct Method {
    /// Who sends it.
    pub kind: Kind,
    /// The name on the wire.
    pub name: String,
    /// The name in Rust.
    pub ident: String,
    /// The type of its params.
    pub params: String,
    /// The type of its result.
    pub result: Option<String>,
    /// The documentation.
    pub docs: String,
}

impl Plan {
    /// Decides.
    ///
    /// # Errors
    /// When a table names something the model does not have.
    pub fn new(sources: &Sources<'_>) -> Result<Plan, Error> {
        let mut builder = Builder {
            sources,
            model: sources.model,
            whole: everything(&sources.model.releases),
            uses: BTreeMap::new(),
            items: BTreeMap::new(),
        };
        builder.plan()
    }

    /// The types, by where they go.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.domains.values().chain(self.unions.values()).flatten()
    }

    /// The names of all types, and of the definitions that schemas have beside them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items().flat_map(|item| {
            let variants: &[Variant] = match &item.body {
                ItemBody::ExternallyTagged { variants } | ItemBody::Methods { variants, .. } => {
                    variants
                }
                _ => &[],
            };
            let definitions = variants.iter().map(|variant| variant.definition.as_str());
            std::iter::once(item.name.as_str()).chain(definitions)
        })
    }
}

struct Builder<'a> {
    sources: &'a Sources<'a>,
    model: &'a Model,
    /// The availability of the protocol.
    whole: Availability,
    /// What a definition is for: params, result or payload of which methods.
    uses: BTreeMap<String, Vec<String>>,
    items: BTreeMap<String, Vec<Item>>,
}

/// Where a type without a name stands: what it will be called after, and its module.
#[derive(Clone)]
struct Place<'a> {
    name: String,
    domain: &'a str,
}
impl<'a> Builder<'a> {
    fn plan(&mut self) -> Result<Plan, Error> {
        let mut unions = BTreeMap::new();
        let mut methods = Vec::new();
        for kind in Kind::ALL {
            unions.insert(kind, self.union(kind, &mut methods)?);
        }
        for name in self.model.definitions.keys() {
            self.definition(name)?;
        }
        let mut plan = Plan {
            domains: std::mem::take(&mut self.items),
            unions,
            methods,
        };
        box_cycles(&mut plan);
        self.check(&plan)?;
        Ok(plan)
    }

    fn release_list(&self) -> &'a [Release] {
        &self.model.releases
    }

    fn union(&mut self, kind: Kind, methods: &mut Vec<Method>) -> Result<Vec<Item>, Error> {
        let model = self.model;
        let mut params = Vec::new();
        let mut results = Vec::new();
        let mut extra = Vec::new();
        for ((of, method), versions) in &model.methods {
            if *of != kind {
                continue;
            }
            let availability = whole(versions.values());
            let ident = pascal(method);
            let docs = self.method_docs(kind, method, &availability);
            let ranges = Spans::within(&availability, &self.whole, self.release_list());
            for signature in versions.keys().flatten() {
                self.used(
                    &signature.value,
                    match kind.is_request() {
                        true => format!("Parameters of `{method}`."),
                        false => format!("What `{method}` carries."),
                    },
                );
            }
            let content = self.content(&ident, versions, &availability, &mut extra)?;
            let params_type = match &content.value {
                None => "()".to_owned(),
                Some(value) if content.optional.is_some() || content.nullable.is_some() => {
                    format!("Maybe<{value}>")
                }
                Some(value) => value.clone(),
            };
            params.push(Variant {
                ident: ident.clone(),
                tag: method.clone(),
                definition: self.own(&format!("{ident}{MESSAGE}"))?,
                docs: Some(docs.clone()),
                ranges: ranges.clone(),
                ..content
            });
            let mut result_type = None;
            if kind.is_request() {
                let answers = self.sources.results.of(model, kind, method)?;
                for answer in answers.keys() {
                    self.used(answer, format!("The answer to `{method}`."));
                }
                let arms: Vec<(Type, Availability)> = answers.into_iter().collect();
                let place = Place {
                    name: self.own(&format!("{ident}Result"))?,
                    domain: "",
                };
                let (value, made) = self.versions(&place, &arms, &availability)?;
                extra.extend(made);
                result_type = Some(value.clone());
                results.push(Variant {
                    ident: ident.clone(),
                    tag: method.clone(),
                    definition: self.own(&format!("{ident}{ANSWER}"))?,
                    value: Some(value),
                    docs: Some(paragraphs(
                        &format!("The answer to `{method}`."),
                        &sentence(&ranges),
                    )),
                    ranges,
                    optional: None,
                    nullable: None,
                });
            }
            methods.push(Method {
                kind,
                name: method.clone(),
                ident,
                params: params_type,
                result: result_type,
                docs,
            });
        }
        let sender = match kind {
            Kind::ClientRequest => "A request of the client: a method with its params.",
            Kind::ClientNotification => "A notification of the client: a method with its params.",
            Kind::ServerRequest => "A request of Codex: a method with its params.",
            Kind::ServerNotification => "A notification of Codex: a method with its params.",
        };
        let mut items = vec![Item {
            name: format!("{}Params", kind.union()),
            docs: sender.to_owned(),
            body: ItemBody::Methods {
                content: "params",
                suffix: MESSAGE,
                variants: params,
            },
        }];
        if kind.is_request() {
            let docs = match kind {
                Kind::ClientRequest => "What Codex answers to a request of the client.",
                _ => "What the client answers to a request of Codex.",
            };
            items.push(Item {
                name: format!("{}Result", kind.union()),
                docs: format!(
                    "{docs} The method is that of the request; it does not stand in the response."
                ),
                body: ItemBody::Methods {
                    content: "result",
                    suffix: ANSWER,
                    variants: results,
                },
            });
        }
        items.extend(extra);
        Ok(items)
    }

    /// The params of a method, as the content of its variant.
    fn content(
        &mut self,
        ident: &str,
        versions: &Versions<Option<Signature>>,
        availability: &Availability,
        extra: &mut Vec<Item>,
    ) -> Result<Variant, Error> {
        let mut arms = Vec::new();
        let mut optional = Availability::default();
        let mut nullable = Availability::default();
        for (signature, available) in versions {
            let Some(signature) = signature else {
                optional.extend(available);
                continue;
            };
            if signature.optional {
                optional.extend(available);
            }
            let is_null = self.is_null(&signature.value);
            if signature.nullable || is_null {
                nullable.extend(available);
            }
            if !is_null {
                arms.push((signature.value.clone(), available.clone()));
            }
        }
        let place = Place {
            name: self.own(&format!("{ident}Params"))?,
            domain: "",
        };
        let none = versions.keys().all(Option::is_none);
        let value = if none {
            None
        } else if arms.is_empty() {
            Some("NoParams".to_owned())
        } else {
            let (value, made) = self.versions(&place, &arms, availability)?;
            extra.extend(made);
            Some(value)
        };
        let part = |some: &Availability| Spans::part(some, availability, self.release_list());
        Ok(Variant {
            ident: String::new(),
            tag: String::new(),
            definition: String::new(),
            value,
            docs: None,
            ranges: Spans::default(),
            optional: if none { None } else { part(&optional) },
            nullable: part(&nullable),
        })
    }

    fn is_null(&self, value: &Type) -> bool {
        match value {
            Type::Null => true,
            Type::Reference(name) => self.alias(name) == Some(&Type::Null),
            _ => false,
        }
    }

    fn used(&mut self, value: &Type, sentence: String) {
        if let Type::Reference(name) = value {
            self.uses.entry(name.clone()).or_default().push(sentence);
        }
    }

    /// A name of ours, which no definition has. Whether it is short enough shows when it is used.
    fn own(&self, name: &str) -> Result<String, Error> {
        let names = naming::table()?;
        let name = names.short(name);
        Ok(match self.model.definitions.contains_key(&name) {
            true => names.short(&format!("{name}Value")),
            false => name,
        })
    }

    /// Every name of ours is short enough, and none stands for two types or definitions.
    fn check(&self, plan: &Plan) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        for name in plan.names() {
            if name.len() > naming::LONGEST && !self.model.definitions.contains_key(name) {
                return Err(naming::long(name));
            }
            if !seen.insert(name) {
                return Err(naming::unnamed(name, "a second type of this name"));
            }
        }
        Ok(())
    }

    /// The definition a name for one type stands for.
    fn alias(&self, name: &str) -> Option<&'a Type> {
        match self.model.definitions.get(name)?.as_slice() {
            [
                Form {
                    body: FormBody::AnyOf(arms),
                    ..
                },
            ] if arms.len() == 1 => arms.keys().next(),
            _ => None,
        }
    }
}
