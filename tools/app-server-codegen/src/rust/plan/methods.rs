//! Plans the methods and the unions of methods.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{Builder, Place};
use super::cycles::box_cycles;
use super::phrasing::{paragraphs, placed, sentence};
use super::planned::{Method, Plan};
use super::sizes::box_large;
use crate::availability::Availability;
use crate::model::{Versions, whole};
use crate::names::pascal;
use crate::rust::items::{Item, ItemBody, Variant};
use crate::rust::ranges::Spans;
use crate::types::{Signature, Type};
use crate::{Error, Kind, naming};

/// What the definition of a method with its params ends in.
const MESSAGE: &str = "Message";

/// What the definition of a method with its result ends in.
const ANSWER: &str = "Answer";

impl<'a> Builder<'a> {
    pub(super) fn plan(&mut self) -> Result<Plan, Error> {
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
        box_large(&mut plan);
        self.check(&plan)?;
        Ok(plan)
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
            let before = extra.len();
            let content = self.content(&ident, versions, &availability, &mut extra)?;
            let what = format!("the `params` of `{method}`");
            placed(&mut extra[before..], "", &what, "");
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
                let branches: Vec<(Type, Availability)> = answers.into_iter().collect();
                let place = Place {
                    name: self.own(&format!("{ident}Result"))?,
                    domain: "",
                };
                let (value, mut made) = self.versions(&place, &branches, &availability)?;
                let what = format!("the `result` that answers `{method}`");
                placed(&mut made, "", &what, "");
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
                    ..Variant::default()
                });
            }
            methods.push(Method {
                kind,
                name: method.clone(),
                ident,
                params: params_type,
                is_boxed: false,
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
        let mut branches = Vec::new();
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
                branches.push((signature.value.clone(), available.clone()));
            }
        }
        let place = Place {
            name: self.own(&format!("{ident}Params"))?,
            domain: "",
        };
        let none = versions.keys().all(Option::is_none);
        let value = if none {
            None
        } else if branches.is_empty() {
            Some("NoParams".to_owned())
        } else {
            let (value, made) = self.versions(&place, &branches, availability)?;
            extra.extend(made);
            Some(value)
        };
        let part = |some: &Availability| Spans::part(some, availability, self.release_list());
        Ok(Variant {
            ident: String::new(),
            value,
            ranges: Spans::default(),
            optional: if none { None } else { part(&optional) },
            nullable: part(&nullable),
            ..Variant::default()
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
}
