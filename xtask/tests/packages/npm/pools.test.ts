// Two workers of vitest write programs, and vitest ends the workers.
import { spawnSync } from "node:child_process";
import { replayPath } from "codex-wire";
import { expect, test } from "vitest";

const atLoad = replayPath("recordings/run.jsonl");

test.each([1, 2])("a stand-in plays, %i", () => {
  for (const codex of [atLoad, replayPath("recordings/run.jsonl")]) {
    expect(spawnSync(codex, ["exec", "--json", "Do it."]).status).toBe(0);
  }
});
