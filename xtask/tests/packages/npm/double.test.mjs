// Doubles, from where a user would make them.
import assert from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import test, { before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CodexWireError, fakeCodex, testFaults } from "codex-wire";
import { client } from "./client.mjs";
// It is not part of what the package offers.
import { STEPS } from "./node_modules/codex-wire/lib/double.js";

const script = (options) =>
  fakeCodex({ release: "0.169.0", ...options })
    .say("Looking.")
    .run("rm -rf build", { approval: "decline" })
    .say("Left it.");

test("what the client sent is there, also afterwards", async () => {
  const codex = await script();
  const asked = codex.waitFor("approval");
  assert.equal(await client(codex.path), "Left it.");
  await codex.end();
  assert(!existsSync(codex.folder));
  assert.deepEqual(codex.approvals, [{ command: "rm -rf build", decision: "decline" }]);
  assert.equal((await asked).decision, "decline");
  assert.deepEqual(codex.prompts, ["Clean up."]);
  assert.deepEqual(codex.requests("turn/start")[0].input[0].text, "Clean up.");
  // A notification is not a request.
  assert.deepEqual(codex.requests("initialized"), []);
  assert.deepEqual(codex.sent[0].method, "initialize");
  assert.deepEqual(codex.runs.map((run) => [run.arguments, run.directory]), [[["app-server"], process.cwd()]]);
  assert.equal(codex.events[0].event, "started");
});

test("an answer that the script does not have ends the session", async () => {
  const codex = await fakeCodex({ release: "0.169.0" }).run("ls", { approval: "accept" }).say("Done.");
  await assert.rejects(client(codex.path), /ended before/);
  assert.deepEqual(codex.approvals, [{ command: "ls", decision: "decline" }]);
  assert.match(codex.unexpected.join(), /decline/);
});

test("what was sent is as the client wrote it", async () => {
  const codex = await fakeCodex().say("x");
  spawnSync(codex.path, ["app-server"], { input: 'null\nno JSON\n{"id":1,"method":"x","params":{}}\n' });
  // A loose comparison would take undefined for null.
  assert.equal(JSON.stringify(codex.sent[0]), "null");
  assert.deepEqual(codex.sent, [null, "no JSON", { id: 1, method: "x", params: {} }]);
  assert.deepEqual(codex.requests("x"), [{}]);
});

test("turns", async () => {
  const codex = await fakeCodex({ release: "0.169.0" }).say("One.").turn().say("Two.");
  assert.equal(await client(codex.path), "One.");
});

test("a double with other faults has a script of its own", async () => {
  const script = fakeCodex({ release: "0.169.0" }).say("One.");
  const first = await script.withFaults([]);
  script.say("Two.");
  const other = await first.withFaults([]);
  assert.deepEqual([await client(first.path), await client(other.path)], ["One.", "One."]);
  assert.equal(await client((await script).path), "Two.");
});

test("the steps are those of a script", () => {
  const { $defs } = JSON.parse(readFileSync("script.schema.json", "utf8"));
  const steps = $defs.Step.oneOf.map(({ $ref }) => $defs[$ref.split("/").at(-1)]);
  const known = steps.map(({ properties, required: [key] }) => [key, Object.keys(properties).filter((name) => name !== key)]);
  const sorted = (entries) => Object.fromEntries(entries.map(([key, others]) => [key, [...others].sort()]));
  assert.deepEqual(sorted(Object.entries(STEPS)), sorted(known));
});

test("what is wrong with a script is said", async () => {
  assert.throws(() => fakeCodex({ relase: "0.169.0" }), new TypeError("unknown option 'relase'; did you mean 'release'?"));
  assert.throws(() => fakeCodex().run("ls", { aproval: true }), new TypeError("unknown option 'aproval'; did you mean 'approval'?"));
  await assert.rejects(async () => await fakeCodex({ faults: "turn-fail" }).say("x"), /did you mean `turn-fails`/);
  await assert.rejects(async () => await fakeCodex({ release: "0.80.0" }).spawn("x"), (error) => {
    assert(error instanceof CodexWireError);
    assert.match(error.message, /the script:\d+:\d+: `spawn` needs 0\.92\.0 or later/);
    return true;
  });
  const made = fakeCodex().say("x");
  await made;
  assert.throws(() => made.say("y"), TypeError);
  assert.throws(() => testFaults(test, made, client, { faults: "turn-fail" }), /there is no fault 'turn-fail'/);
});

const left = {};
test("a client leaves a stand-in behind that ignores SIGTERM", async () => {
  const codex = await script({ faults: "ignores-sigterm" });
  left.process = spawn(codex.path, ["app-server"], { stdio: ["pipe", "ignore", "ignore"] });
  left.end = once(left.process, "exit");
  await codex.waitFor("started");
  left.process.kill("SIGTERM");
  left.folder = codex.folder;
});

test("nothing of it is left", async () => {
  assert(!existsSync(left.folder));
  assert(await Promise.race([left.end, sleep(5000, undefined, { ref: false })]));
});

let first;
before(async () => {
  first = await fakeCodex().say("x");
});

describe("a double that a hook makes", () => {
  let suite;
  const each = [];
  before(async () => {
    suite = await fakeCodex().say("x");
  });
  beforeEach(async () => {
    each.push(await fakeCodex().say("x"));
  });
  const there = () => [first, suite, ...each].map(({ folder }) => existsSync(folder));
  it("is there in the test", () => assert.deepEqual(there(), [true, true, true]));
  it("ends with the test, unless the hook is one of several", () => assert.deepEqual(there(), [true, true, false, true]));
});

test("two at once", async () => {
  const names = ["one", "other"];
  const said = names.map(async (name) => {
    const codex = await fakeCodex().say(name);
    assert.equal(await client(codex.path), name);
    return codex.prompts.length;
  });
  assert.deepEqual(await Promise.all(said), [1, 1]);
});

test("await using", { skip: Symbol.asyncDispose === undefined }, async () => {
  const codex = await fakeCodex().say("x");
  await codex[Symbol.asyncDispose]();
  assert(!existsSync(codex.folder));
});

/** How the tests of faults end: the first line of what is wrong, or why one is skipped. */
async function outcomes(start, options, codex = script()) {
  const tests = [];
  testFaults((name, body) => tests.push([name.split(":")[0], body]), codex, start, { timeout: 5000, ...options });
  const found = {};
  for (const [name, body] of tests) {
    found[name] = "passes";
    try {
      await body.call(undefined, { skip: (reason) => (found[name] = `skipped: ${reason}`) });
    } catch (error) {
      found[name] = error.message.split("\n")[0];
    }
  }
  return found;
}

const BUGS = {
  "ignores the status": ["turn-fails", "shows a success"],
  "knows all items": ["future-item", "shows something else"],
  "reads whole lines": ["split-writes", "did not end in time|shows something else"],
  "takes an end for a success": ["exit-without-end", "shows a success"],
  waits: ["turn-never-ends", "did not end in time"],
};

test("a right client passes all", async () => {
  const found = Object.entries(await outcomes(client));
  assert.deepEqual(found.filter(([, outcome]) => outcome !== "passes"), []);
  assert(found.length > 20);
});

test("a right client may return objects", async () => {
  class Shown {
    #hidden = 1;
    constructor(text) {
      Object.defineProperty(this, "hidden", { get: () => this.#hidden, enumerable: false });
      Object.freeze(Object.assign(this, { text, at: new Date(0), url: new URL("http://localhost/") }));
    }
  }
  for (const shown of [(text) => new Shown(text), (text) => new Map([["text", new Set([text])]]), (text) => ({ text: [text] })]) {
    const found = await outcomes(async (path) => shown(await client(path)), { faults: "line-separator" });
    assert.deepEqual(found, { "without a fault": "passes", "line-separator": "passes" });
  }
});

test("what a release has no fault for is skipped", async () => {
  const start = (path) => spawnSync(path, ["exec", "--json", "Hi."], { encoding: "utf8" }).stdout;
  const old = fakeCodex({ release: "0.30.0" }).say("Hello.");
  const found = await outcomes(start, { faults: ["future-item", "ignores-sigterm"] }, old);
  assert.equal(found["without a fault"], "passes");
  for (const fault of ["future-item", "ignores-sigterm"]) assert.match(found[fault], /^skipped: .* gets no faults of messages$/);
});

for (const [bug, [fault, problem]] of Object.entries(BUGS)) {
  test(`a client that ${bug} is found`, async () => {
    const found = await outcomes((path) => client(path, bug), { faults: fault, timeout: 2000 });
    assert.equal(found["without a fault"], "passes");
    assert.match(found[fault], new RegExp(problem));
  });
}

test("a client that fails without a fault is told just that", async () => {
  const faults = ["turn-fails", "future-item"];
  const found = await outcomes(() => { throw new Error("no configuration"); }, { faults });
  const skipped = "skipped: the client fails without any fault";
  assert.deepEqual(found, { "without a fault": "no configuration", "turn-fails": skipped, "future-item": skipped });
  const silent = await outcomes(() => Promise.reject(), { faults });
  assert.deepEqual(silent, { ...found, "without a fault": "the client failed with undefined" });
  const other = fakeCodex({ release: "0.169.0" }).run("ls", { approval: "accept" }).say("Done.");
  const accepts = await outcomes((path) => client(path).catch(() => "Done."), { faults: [] }, other);
  assert.match(accepts["without a fault"], /the script does not have what the client does: .*decline/);
  const idle = await outcomes(() => "nothing", { faults: [] });
  assert.match(idle["without a fault"], /did not start Codex/);
  let count = 0;
  const unstable = await outcomes(async (path) => `${await client(path)} ${(count += 1)}`, { faults: [] });
  assert.match(unstable["without a fault"], /different values/);
});
