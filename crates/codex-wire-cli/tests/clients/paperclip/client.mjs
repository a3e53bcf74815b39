// Uses Paperclip's adapter as its server would, and prints what the adapter shows: one JSON object a line.
// Arguments: the scenario, the path of `codex`, and the working directory of the agent.

import { execute, sessionCodec } from "@paperclipai/adapter-codex-local/server";

const [scenario, command, cwd] = process.argv.slice(2);

function show(what, value) {
  console.log(JSON.stringify({ [what]: value }));
}

// What a run of the server has: an agent, its settings, and what the run before left.
async function start(sessionParams) {
  return execute({
    runId: "run-1",
    agent: {
      id: "agent-1",
      companyId: "company-1",
      name: "Recorder",
      adapterType: "codex_local",
      adapterConfig: {},
    },
    runtime: {
      sessionId: sessionParams?.sessionId ?? null,
      sessionParams,
      sessionDisplayId: null,
      taskKey: null,
    },
    config: {
      engine: "cli",
      command,
      cwd,
      promptTemplate: "Do the recorded thing.",
      extraArgs: ["--skip-git-repo-check"],
      dangerouslyBypassApprovalsAndSandbox: true,
      outputInactivityTimeoutMs: null,
      timeoutSec: 60,
      // A home of the user, in which the adapter does not ask for a login.
      env: { CODEX_HOME: process.env.CODEX_HOME },
    },
    context: {},
    onLog: async () => {},
  });
}

async function run(sessionParams = null) {
  const result = await start(sessionParams);
  const { resultJson, ...shown } = result;
  show("result", shown);
  for (const line of resultJson.stdout.trim().split("\n")) {
    show("stdout", JSON.parse(line));
  }
  return result;
}

const scenarios = {
  async run() {
    await run();
  },

  // The server keeps what the codec makes of the session.
  async resume() {
    const first = await run();
    await run(sessionCodec.deserialize(sessionCodec.serialize(first.sessionParams)));
  },

  async failed() {
    await run();
  },

  async answer() {
    const { summary, exitCode } = await start(null);
    console.log(summary);
    process.exitCode = exitCode ?? 1;
  },
};

try {
  await scenarios[scenario]();
} catch (error) {
  show("error", error.message);
  process.exitCode = 1;
}
