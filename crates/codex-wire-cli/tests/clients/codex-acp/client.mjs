// Uses codex-acp as an editor would, through the SDK of the Agent Client Protocol, and prints what it
// shows: one JSON object a line.
// Arguments: the scenario, the path of `codex`, and the working directory of the agent.

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const PROMPT = "Do the recorded thing.";
const [scenario, codex, cwd] = process.argv.slice(2);

// What the agent may do, what the user decides, and whether the user cancels.
const { mode, decides, cancels } = {
  prompt: { mode: "agent-full-access" },
  everything: { mode: "agent-full-access" },
  approved: { mode: "read-only", decides: "allow_once" },
  rejected: { mode: "read-only", decides: "reject_once" },
  cancelled: { mode: "agent-full-access", cancels: true },
  failed: { mode: "agent-full-access" },
}[scenario];

function show(what, value) {
  console.log(JSON.stringify({ [what]: value }));
}

const adapter = "./node_modules/@agentclientprotocol/codex-acp/dist/index.js";
const agent = spawn(process.execPath, [fileURLToPath(new URL(adapter, import.meta.url))], {
  env: { ...process.env, CODEX_PATH: codex, INITIAL_AGENT_MODE: mode, NO_BROWSER: "1" },
  stdio: ["pipe", "pipe", "inherit"],
});

function decide({ params }) {
  show("asked", params);
  const option = params.options.find((option) => option.kind === decides);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

async function prompt(connection) {
  const server = await connection.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  show("server", { protocol: server.protocolVersion, agent: server.agentInfo });
  await connection.buildSession({ cwd, mcpServers: [] }).withSession(async (session) => {
    show("session", { id: session.sessionId, mode: session.modes?.currentModeId });
    // The agent lists its commands after its answer, before or after a prompt that comes at once.
    for (let listed = false; !listed; ) {
      const { update } = await session.nextUpdate();
      show("update", update);
      listed = update.sessionUpdate === "available_commands_update";
    }
    const answer = session.prompt(PROMPT);
    // What fails is read below, too.
    answer.catch(() => {});
    let text = "";
    for (;;) {
      const message = await session.nextUpdate();
      if (message.kind === "stop") {
        show("text", text);
        show("stop", message.stopReason);
        break;
      }
      show("update", message.update);
      if (message.update.sessionUpdate === "agent_message_chunk") {
        text += message.update.content.text;
        if (cancels && text === message.update.content.text) {
          await connection.notify(methods.agent.session.cancel, { sessionId: session.sessionId });
        }
      }
    }
    await answer;
  });
}

const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
try {
  await client({ name: "recorder" })
    .onRequest(methods.client.session.requestPermission, decide)
    .connectWith(stream, prompt);
} catch (error) {
  show("error", [error.message, error.data?.details].filter(Boolean).join(": "));
  process.exitCode = 1;
}
agent.kill();
