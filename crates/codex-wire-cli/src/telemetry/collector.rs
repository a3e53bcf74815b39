//! A collector of traces: OTLP over HTTP, in JSON.

use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;
use ureq::Agent;

/// How much of an answer is read.
const ANSWER: u64 = 1 << 20;

/// Where traces are sent.
pub(crate) struct Collector {
    agent: Agent,
    address: String,
}

impl Collector {
    /// The collector at an address, which has its paths below it. It may take so long to answer.
    pub(crate) fn at(endpoint: &str, timeout: Duration) -> anyhow::Result<Self> {
        let scheme = endpoint.split_once("://").map(|(scheme, _)| scheme);
        match scheme {
            Some(scheme) if scheme.eq_ignore_ascii_case("http") => {}
            Some(scheme) => bail!(
                "{endpoint}: traces are sent with plain http, not {scheme}: run a collector on this machine that passes \
                 them on"
            ),
            None => bail!("{endpoint}: not an address such as http://127.0.0.1:4318"),
        }
        if endpoint.contains(['?', '#']) {
            bail!("{endpoint}: paths are added to the address, so it has neither `?` nor `#`");
        }
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .max_redirects(0)
            // The address is where they go, whatever proxy others use.
            .proxy(None)
            .http_status_as_error(false)
            .user_agent(concat!("codex-wire/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Collector {
            agent: config.into(),
            address: format!("{}/v1/traces", endpoint.trim_end_matches('/')),
        })
    }

    /// Sends traces. It is an error if the collector does not take all of them.
    pub(crate) fn send(&self, body: &[u8]) -> anyhow::Result<()> {
        let address = &self.address;
        let request = self.agent.post(address);
        let request = request.header("Content-Type", "application/json");
        let mut response = request
            .send(body)
            .with_context(|| format!("cannot send traces to {address}"))?;
        let status = response.status();
        let answer = response.body_mut().with_config().limit(ANSWER);
        let answer = answer.lossy_utf8(true).read_to_string();
        if !status.is_success() {
            let answer = answer.unwrap_or_default();
            bail!("{address} answers {status}: {}", answer.trim());
        }
        // What collectors take without complaint has no such member.
        let answer = answer.with_context(|| format!("cannot read the answer of {address}"))?;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let partial = &answer["partialSuccess"];
        let rejected = match &partial["rejectedSpans"] {
            Value::String(count) => count.parse().unwrap_or(0),
            count => count.as_u64().unwrap_or(0),
        };
        if rejected > 0 {
            let message = partial["errorMessage"].as_str().unwrap_or_default();
            bail!("{address} rejects {rejected} spans: {message}");
        }
        Ok(())
    }
}
