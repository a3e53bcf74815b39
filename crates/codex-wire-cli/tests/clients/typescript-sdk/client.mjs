// Uses the TypeScript SDK as a project would, and prints what the SDK shows: one JSON object a line.
// Arguments: the scenario, the path of `codex`, the working directory of the agent, and the recordings of
// the scenario `recordings`.

import { Codex } from "@openai/codex-sdk";

const PROMPT = "Do the recorded thing.";
const [scenario, codexPathOverride, workingDirectory, ...files] = process.argv.slice(2);
const codex = new Codex({ codexPathOverride });
const options = {
  workingDirectory,
  skipGitRepoCheck: true,
  sandboxMode: "danger-full-access",
  approvalPolicy: "never",
};

function show(what, value) {
  console.log(JSON.stringify({ [what]: value }));
}

async function run(thread, prompt, turnOptions) {
  const turn = await thread.run(prompt, turnOptions);
  show("turn", turn);
  show("thread", thread.id);
  return turn;
}

const scenarios = {
  async run() {
    await run(codex.startThread(options), PROMPT);
  },

  // A second program continues the thread, so it knows no more than the id.
  async resume() {
    const first = codex.startThread(options);
    await run(first, PROMPT);
    const second = new Codex({ codexPathOverride }).resumeThread(first.id, options);
    await run(second, "Go on.");
  },

  async streamed() {
    const thread = codex.startThread(options);
    const { events } = await thread.runStreamed(PROMPT);
    for await (const event of events) {
      show("event", event);
    }
  },

  async structured() {
    const outputSchema = {
      type: "object",
      properties: { answer: { type: "integer" } },
      required: ["answer"],
      additionalProperties: false,
    };
    const turn = await run(codex.startThread(options), PROMPT, { outputSchema });
    show("parsed", JSON.parse(turn.finalResponse));
  },

  async failed() {
    await run(codex.startThread(options), PROMPT);
  },

  async answer() {
    const turn = await codex.startThread(options).run(PROMPT);
    console.log(turn.finalResponse);
  },

  // A stand-in plays each of them.
  async recordings() {
    for (const file of files) {
      const env = { ...process.env, CODEX_REPLAY_RECORDINGS: file };
      const thread = new Codex({ codexPathOverride, env }).startThread(options);
      const read = await thread.run(PROMPT).then(
        ({ finalResponse, items }) => ({ response: finalResponse, items: items.length }),
        (error) => ({ error: error.message }),
      );
      show("read", read);
    }
  },
};

try {
  await scenarios[scenario]();
} catch (error) {
  show("error", error.message);
  process.exitCode = 1;
}
