// Two turns of one thread, with the TypeScript SDK.
import assert from "node:assert";
import test from "node:test";
import { Codex } from "@openai/codex-sdk";
import { replayPath } from "codex-wire";

test("the second turn continues the thread of the first", async () => {
  const codexPathOverride = replayPath(["turn1.jsonl", "turn2.jsonl"], { release: "0.125.0" });
  const thread = new Codex({ codexPathOverride }).startThread();
  const first = await thread.run("Remember this.");
  const id = thread.id;
  const second = await thread.run("What was it?");
  assert.equal(thread.id, id);
  assert.deepEqual([first, second].map((turn) => turn.usage.input_tokens), [1200, 2400]);
});
