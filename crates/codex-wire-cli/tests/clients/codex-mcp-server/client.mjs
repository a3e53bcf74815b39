// Uses codex-mcp-server as an assistant would, through the SDK of the Model Context Protocol, and prints what it
// shows: one JSON object a line.
// Arguments: the scenario, the path of `codex`, and the working directory of the agent.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const PROMPT = "Do the recorded thing.";
const [scenario, codex, workingDirectory] = process.argv.slice(2);

function show(what, value) {
  console.log(JSON.stringify({ [what]: value }));
}

const server = "./node_modules/codex-mcp-server/dist/index.js";
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [fileURLToPath(new URL(server, import.meta.url))],
  cwd: workingDirectory,
  // It starts the `codex` that it finds.
  env: { ...process.env, PATH: `${dirname(codex)}:${process.env.PATH}` },
  stderr: "ignore",
});
const client = new Client({ name: "recorder", version: "1.0.0" });

async function call(prompt, more = {}) {
  const settings = { workingDirectory, sandbox: "danger-full-access", model: "recorded" };
  return client.callTool({ name: "codex", arguments: { prompt, ...settings, ...more } });
}

const scenarios = {
  async run() {
    show("result", await call(PROMPT));
  },

  async resume() {
    show("result", await call(PROMPT, { sessionId: "one" }));
    show("result", await call("Go on.", { sessionId: "one" }));
  },

  async failed() {
    const { content, ...rest } = await call(PROMPT);
    // It is all of standard error. Logs and settings are those of the machine.
    const said = content[0].text.match(/^(session id|ERROR): .*$/gm);
    show("result", { content: said, ...rest });
  },

  async answer() {
    const { content, isError } = await call(PROMPT);
    console.log(content[0].text);
    process.exitCode = isError ? 1 : 0;
  },
};

try {
  await client.connect(transport);
  await scenarios[scenario]();
} catch (error) {
  show("error", error.message);
  process.exitCode = 1;
}
await client.close();
