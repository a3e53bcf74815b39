//! The configuration of a Codex on a stage: its model, and nothing that uses the network.

use codex_wire_base::Release;

/// How a Codex is configured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Configuration {
    /// The release.
    pub release: Release,
    /// Where the model answers.
    pub base_url: String,
    /// The variable of the environment with the key of the model, if it wants one.
    pub key_variable: Option<String>,
    /// How often Codex connects again when a stream breaks.
    pub stream_retries: u32,
    /// How often Codex sends a request again that was refused.
    pub request_retries: u32,
    /// A program that is told when a turn has ended, and its first arguments.
    pub notify: Vec<String>,
    /// Whether hooks run.
    pub has_hooks: bool,
    /// The keys of the hooks that are trusted, and their hashes.
    pub trusted_hooks: Vec<(String, String)>,
    /// Whether the model can start other agents.
    pub has_agents: bool,
    /// How full the context may be, in tokens, before Codex compacts the history.
    pub compact_at: Option<u32>,
    /// Features that are on or off besides.
    pub features: Vec<(&'static str, bool)>,
    /// MCP servers: a name, and a program with its arguments.
    pub servers: Vec<(String, Vec<String>)>,
}

impl Configuration {
    /// A configuration with a model on this loopback port.
    pub fn new(release: Release, port: u16) -> Self {
        Configuration {
            release,
            base_url: format!("http://127.0.0.1:{port}/v1"),
            key_variable: None,
            stream_retries: 1,
            request_retries: 1,
            notify: Vec::new(),
            has_hooks: false,
            trusted_hooks: Vec::new(),
            has_agents: false,
            compact_at: None,
            features: Vec::new(),
            servers: Vec::new(),
        }
    }

    /// A model that the release knows. If it does not know the model, it does not know its tools
    /// either.
    pub fn model(&self) -> &'static str {
        match () {
            () if self.since(154) => "gpt-5.5",
            () if self.since(118) => "gpt-5.4",
            () if self.since(92) => "gpt-5.2-codex",
            () if self.since(60) => "gpt-5.1-codex-max",
            () => "gpt-5",
        }
    }

    fn since(&self, minor: u32) -> bool {
        self.release >= Release::new(0, minor, 0)
    }

    /// The text of `config.toml`.
    pub(crate) fn text(&self) -> String {
        let model = self.model();
        let mut text = format!("model = \"{model}\"\nmodel_provider = \"recorder\"\n");
        if self.since(80) {
            text += "check_for_update_on_startup = false\n";
        }
        if !self.notify.is_empty() {
            text += &format!("notify = {}\n", list(&self.notify));
        }
        if let Some(limit) = self.compact_at {
            text += &format!("model_auto_compact_token_limit = {limit}\n");
        }
        if self.since(95) {
            text += "[analytics]\nenabled = false\n";
        }
        let features = self.features();
        if !features.is_empty() {
            text += "[features]\n";
        }
        for (name, value) in features {
            text += &format!("{name} = {value}\n");
        }
        text += &format!(
            "[model_providers.recorder]\nname = \"recorder\"\n\
             base_url = {}\nwire_api = \"responses\"\n\
             request_max_retries = {}\nstream_max_retries = {}\nstream_idle_timeout_ms = 20000\n\
             requires_openai_auth = false\n",
            quoted(&self.base_url),
            self.request_retries,
            self.stream_retries,
        );
        if let Some(variable) = &self.key_variable {
            text += &format!("env_key = {}\n", quoted(variable));
        }
        // Newer models do not ask for this tool.
        if self.since(150) {
            text += "[tools.update_plan]\nenabled = true\n";
        }
        for (name, command) in &self.servers {
            let (program, args) = command
                .split_first()
                .map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
            text += &format!(
                "[mcp_servers.{}]\ncommand = {}\nargs = {}\n",
                quoted(name),
                quoted(program),
                list(args)
            );
        }
        for (key, hash) in &self.trusted_hooks {
            text += &format!(
                "[hooks.state.{}]\ntrusted_hash = {}\n",
                quoted(key),
                quoted(hash)
            );
        }
        text
    }

    fn features(&self) -> Vec<(&'static str, bool)> {
        let mut features = self.features.clone();
        if self.since(80) && !self.since(100) {
            features.push(("remote_models", false));
        }
        if self.since(110) {
            features.push(("plugins", false));
        }
        if self.has_hooks && self.since(114) {
            let name = if self.since(129) {
                "hooks"
            } else {
                "codex_hooks"
            };
            features.push((name, true));
        }
        // Later releases have them without it, and some complain.
        if self.has_agents && self.since(80) && !self.since(134) {
            let name = if self.since(105) {
                "multi_agent"
            } else {
                "collab"
            };
            features.push((name, true));
        }
        features
    }
}

/// A text in TOML. JSON has the same quotes and escapes, except for DEL, which TOML wants escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007F")
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_uses_the_network_is_on() {
        let text = |minor| Configuration::new(Release::new(0, minor, 0), 7).text();
        assert!(text(63).contains("base_url = \"http://127.0.0.1:7/v1\"\n"));
        assert!(!text(63).contains("[features]"));
        assert!(text(98).contains("[features]\nremote_models = false\n"));
        let newest = text(169);
        for setting in [
            "check_for_update_on_startup = false",
            "[analytics]\nenabled = false",
            "[features]\nplugins = false",
        ] {
            assert!(newest.contains(setting), "{newest}");
        }
    }

    #[test]
    fn texts_are_quoted() {
        let mut configuration = Configuration::new(Release::new(0, 130, 0), 7);
        configuration.has_hooks = true;
        configuration.notify = vec!["C:\\codex \"wire\"".to_owned(), "\u{7f}".to_owned()];
        configuration.servers = vec![("a b".to_owned(), vec!["x".to_owned(), "y".to_owned()])];
        configuration.trusted_hooks = vec![("/h:stop:0:0".to_owned(), "sha256:1".to_owned())];
        let text = configuration.text();
        for line in [
            r#"notify = ["C:\\codex \"wire\"", "\u007F"]"#,
            "[mcp_servers.\"a b\"]\ncommand = \"x\"\nargs = [\"y\"]",
            "[hooks.state.\"/h:stop:0:0\"]\ntrusted_hash = \"sha256:1\"",
            "hooks = true",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
