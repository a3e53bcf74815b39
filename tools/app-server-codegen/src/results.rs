//! Says which definition answers which request.

use std::collections::BTreeMap;

use codex_wire::Release;
use serde::Deserialize;

use crate::Error;
use crate::availability::Availability;
use crate::model::{Model, Versions};
use crate::snapshot::Kind;
use crate::types::Type;

/// The results of requests: which definition answers which method.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Results {
    #[serde(default)]
    client_requests: BTreeMap<String, Answer>,
    #[serde(default)]
    server_requests: BTreeMap<String, Answer>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Always(String),
    By(Vec<Turned>),
}

#[derive(Clone, Debug, Deserialize)]
struct Turned {
    result: String,
    since: Option<String>,
    until: Option<String>,
}

impl Results {
    /// Reads `results.toml`.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| Error::table("results.toml", error))
    }

    /// The definitions that answer a request, each with the releases in which it does. A method
    /// the file does not list is answered by the definition called after its params.
    ///
    /// # Errors
    /// When there is no such definition.
    pub fn of(&self, model: &Model, kind: Kind, method: &str) -> Result<Versions<Type>, Error> {
        let fault = |message: String| Error::table("results.toml", message);
        let listed = match kind {
            Kind::ClientRequest => self.client_requests.get(method),
            _ => self.server_requests.get(method),
        };
        let availability = model.method_availability(kind, method);
        let mut out = Versions::new();
        match listed {
            Some(Answer::Always(name)) => {
                out.insert(Type::Reference(name.clone()), availability);
            }
            Some(Answer::By(turns)) => {
                for turn in turns {
                    let release = |text: &Option<String>| -> Result<Option<Release>, Error> {
                        let text = text.as_deref();
                        text.map(|t| t.parse().map_err(|_| fault(format!("{method}: `{t}`"))))
                            .transpose()
                    };
                    let (since, until) = (release(&turn.since)?, release(&turn.until)?);
                    let mut own = Availability::default();
                    for (release, channels) in availability.iter() {
                        if since.is_none_or(|s| s <= release) && until.is_none_or(|u| release <= u)
                        {
                            own.extend(&Availability::once(release, channels));
                        }
                    }
                    out.insert(Type::Reference(turn.result.clone()), own);
                }
            }
            None => {
                for (params, availability) in &model.methods[&(kind, method.to_owned())] {
                    let name = match params.as_ref().map(|p| &p.value) {
                        Some(Type::Reference(name)) => name.strip_suffix("Params"),
                        _ => None,
                    };
                    let name = name
                        .map(|name| format!("{name}Response"))
                        .ok_or_else(|| fault(format!("nothing says what answers `{method}`")))?;
                    out.entry(Type::Reference(name))
                        .or_insert_with(Availability::default)
                        .extend(availability);
                }
            }
        }
        for answer in out.keys() {
            if let Type::Reference(name) = answer
                && !model.definitions.contains_key(name)
            {
                return Err(fault(format!("`{method}`: there is no `{name}`")));
            }
        }
        Ok(out)
    }
}
