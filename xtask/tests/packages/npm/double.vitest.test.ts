// Doubles end with the tests of vitest. The first test is the example as it is written.
import { existsSync } from "node:fs";
import { fakeCodex } from "codex-wire";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { client } from "../client.mjs";

const folders: Record<string, string> = {};

test("the example", async () => {
  const codex = await fakeCodex({ release: "0.169.0" }).say("Looking.").run("rm -rf build", { approval: "decline" }).say("Left it.");
  await client(codex.path);
  expect(codex.approvals).toEqual([{ command: "rm -rf build", decision: "decline" }]);
  folders.example = codex.folder;
});

test("it has ended", () => {
  expect(existsSync(folders.example!)).toBe(false);
});

describe("of hooks", () => {
  let all = "";
  const each: string[] = [];
  beforeAll(async () => {
    all = (await fakeCodex().say("x")).folder;
  });
  beforeEach(async () => {
    each.push((await fakeCodex().say("x")).folder);
  });
  const there = () => [all, ...each].map((folder) => existsSync(folder));
  test("is there in the test", () => expect(there()).toEqual([true, true]));
  test("ends with the test, unless the hook is one of several", () => expect(there()).toEqual([true, false, true]));
});

describe.concurrent("at once", () => {
  let tell = () => {};
  const isTold = new Promise<void>((resolve) => (tell = resolve));
  test("with its context", async (context) => {
    const codex = await fakeCodex({ context }).say("x");
    folders.told = codex.folder;
    await isTold;
    expect(existsSync(codex.folder)).toBe(true);
  });
  test("without", async () => {
    folders.untold = (await fakeCodex().say("x")).folder;
    tell();
  });
});

test("one of those has ended", () => {
  expect(existsSync(folders.told!)).toBe(false);
  expect(existsSync(folders.untold!)).toBe(true);
});
