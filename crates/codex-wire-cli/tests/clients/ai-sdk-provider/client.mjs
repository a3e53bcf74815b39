// Uses ai-sdk-provider-codex-cli as the AI SDK does, through the interface of a language model, and prints
// what it shows: one JSON object a line.
// Arguments: the scenario, the path of `codex`, and the working directory of the agent.

import { existsSync, readFileSync } from "node:fs";

import { createCodexAppServer, createCodexExec } from "ai-sdk-provider-codex-cli";

const PROMPT = "Do the recorded thing.";
const [scenario, codexPath, cwd] = process.argv.slice(2);

// The provider names a model. That of the configuration is known to the release.
const config = `${process.env.CODEX_HOME}/config.toml`;
const text = existsSync(config) ? readFileSync(config, "utf8") : 'model = "gpt-5.5"';
const [, MODEL] = /^model = "(.*)"$/m.exec(text);

function show(what, value) {
  console.log(JSON.stringify({ [what]: value }));
}

function exec() {
  const defaultSettings = {
    codexPath,
    cwd,
    approvalMode: "never",
    sandboxMode: "danger-full-access",
    skipGitRepoCheck: true,
    logger: false,
  };
  return createCodexExec({ defaultSettings })(MODEL);
}

async function withServer(use) {
  const defaultSettings = {
    codexPath,
    cwd,
    approvalPolicy: "never",
    sandboxPolicy: "danger-full-access",
    logger: false,
  };
  const provider = createCodexAppServer({ defaultSettings });
  try {
    await use(provider(MODEL));
  } finally {
    await provider.close();
  }
}

function ask(text, options = {}) {
  return { prompt: [{ role: "user", content: [{ type: "text", text }] }], ...options };
}

// A part without the id that is made up for it. What is JSON, or an `Error`, is shown as what it says.
function plain({ id, error, input, ...part }) {
  if (error !== undefined) part.error = error.message ?? error;
  if (input !== undefined) part.input = JSON.parse(input);
  if (part.type === "tool-input-delta") part.delta = JSON.parse(part.delta);
  return part;
}

// Its request and response are those of no HTTP request.
function showResult({ content, finishReason, usage, providerMetadata, warnings }) {
  show("result", { content: content.map(plain), finishReason, usage, providerMetadata, warnings });
}

async function showParts({ stream }) {
  for await (const part of stream) {
    show("part", plain(part));
  }
}

const scenarios = {
  async exec() {
    showResult(await exec().doGenerate(ask(PROMPT)));
  },

  async exec_streamed() {
    await showParts(await exec().doStream(ask(PROMPT)));
  },

  async exec_object() {
    const schema = {
      type: "object",
      properties: { answer: { type: "integer" } },
      required: ["answer"],
      additionalProperties: false,
    };
    const responseFormat = { type: "json", schema };
    showResult(await exec().doGenerate(ask(PROMPT, { responseFormat })));
  },

  async exec_failed() {
    showResult(await exec().doGenerate(ask(PROMPT)));
  },

  async server() {
    await withServer(async (model) => showResult(await model.doGenerate(ask(PROMPT))));
  },

  async server_streamed() {
    await withServer(async (model) => showParts(await model.doStream(ask(PROMPT))));
  },

  async server_resumed() {
    await withServer(async (model) => {
      const keep = { "codex-app-server": { threadMode: "persistent" } };
      const first = await model.doGenerate(ask(PROMPT, { providerOptions: keep }));
      showResult(first);
      const { threadId } = first.providerMetadata["codex-app-server"];
      const again = { "codex-app-server": { threadId } };
      showResult(await model.doGenerate(ask("Go on.", { providerOptions: again })));
    });
  },

  async answer() {
    await withServer(async (model) => {
      const { content, finishReason } = await model.doGenerate(ask(PROMPT));
      const texts = content.filter((part) => part.type === "text");
      console.log(texts.map((part) => part.text).join(""));
      if (finishReason.unified !== "stop") process.exitCode = 1;
    });
  },

  async server_failed() {
    await withServer(async (model) => showResult(await model.doGenerate(ask(PROMPT))));
  },
};

try {
  await scenarios[scenario]();
} catch (error) {
  // What Codex logs about its home is not shown.
  show("error", error.message.replace(/WARNING: [^;]*; /, ""));
  process.exitCode = 1;
}
