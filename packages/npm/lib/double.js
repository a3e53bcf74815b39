// A double of Codex for one test: it plays a script, and tells what the client sent. The declarations beside this file
// document it.
import { readFileSync, writeFileSync } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CodexWireError, failure, flags, refuseUnknown, run, warn } from "./program.js";
import { temporary } from "./temporary.js";
import { endsWithTest } from "./test-end.js";

/** The options that are flags of `codex-wire replay`, and all options. */
const DOUBLE_FLAGS = ["release", "speed", "onMiss", "times", "seed"];
const DOUBLE_OPTIONS = [...DOUBLE_FLAGS, "model", "faults", "context"];

/** The steps of a script, and the keys that each may have beside its own. */
export const STEPS = {
  say: [],
  reason: [],
  run: ["output", "exit", "approval"],
  patch: ["approval", "fails"],
  ask: ["header", "options"],
  plan: ["explanation"],
  search: [],
  call: ["server", "arguments", "result", "fails"],
  spawn: ["answer"],
  retry: ["attempt", "of"],
  fail: ["kind"],
  hang: [],
  usage: [],
};

export function fakeCodex(options = {}) {
  refuseUnknown(options, DOUBLE_OPTIONS);
  return new DoubleBuilder(options);
}

/** Writes a script, step by step. Whoever waits for it gets the double. */
export class DoubleBuilder {
  #options;
  #turns = [[]];
  #double;

  constructor(options) {
    this.#options = options;
  }

  turn() {
    this.#refuseIfMade();
    this.#turns.push([]);
    return this;
  }

  then(resolve, reject) {
    this.#double ??= install(this.#script(), this.#options);
    return this.#double.then(resolve, reject);
  }

  withFaults(faults) {
    return install(this.#script(), { ...this.#options, faults });
  }

  /** Adds a step to the last turn. */
  step(key, value, others = {}) {
    this.#refuseIfMade();
    refuseUnknown(others, STEPS[key]);
    this.#turns.at(-1).push({ [key]: value, ...others });
    return this;
  }

  #script() {
    const model = this.#options.model === undefined ? {} : { model: this.#options.model };
    // What a double was made from stays as it is when the script goes on.
    const turns = this.#turns.map((steps) => ({ step: [...steps] }));
    return turns.length === 1 ? { ...model, ...turns[0] } : { ...model, turn: turns };
  }

  /** What is added later would be missing in a script that is being played. */
  #refuseIfMade() {
    if (this.#double) throw new TypeError("the double was made already: give it all steps before it is awaited");
  }
}

for (const key of Object.keys(STEPS)) {
  DoubleBuilder.prototype[key] = function (value, others) {
    return this.step(key, key === "hang" ? true : value, others);
  };
}

/** Writes the program that plays a script. */
async function install(script, options) {
  const folder = temporary();
  const source = join(folder, "script.json");
  const files = { clientLog: join(folder, "client-log.jsonl"), faultLog: join(folder, "fault-log.txt") };
  writeFileSync(source, JSON.stringify(script, undefined, 1));
  const done = await run([
    ...["replay", "--install", folder, "--script", source],
    ...flags({ ...files, owner: process.pid }, ["clientLog", "faultLog", "owner"]),
    ...flags({ ...options, fault: options.faults }, [...DOUBLE_FLAGS, "fault"]),
  ]);
  if (done.code !== 0) {
    // The file is of no use to the caller: methods wrote what stands in it.
    throw failure({ ...done, error: done.error.replaceAll(source, "the script") });
  }
  warn(done.error);
  const double = new Double(folder, files, script, options);
  await endsWithTest(double, options.context);
  return double;
}

class Double {
  #files;
  #script;
  #options;
  /** The client log, once the folder is gone. */
  #kept;
  #ending;

  constructor(folder, files, script, options) {
    this.folder = folder;
    this.path = join(folder, process.platform === "win32" ? "codex.exe" : "codex");
    this.#files = files;
    this.#script = script;
    this.#options = options;
  }

  get events() {
    return this.#kept?.events ?? lines(this.#files.clientLog).map((line) => JSON.parse(line));
  }

  get injected() {
    return this.#kept?.injected ?? lines(this.#files.faultLog);
  }

  get prompts() {
    return this.#all("prompt").map(({ text }) => text);
  }

  get approvals() {
    return this.#all("approval").map(({ kind, command, files, decision }) =>
      kind === "patch" ? { files, decision } : { command, decision },
    );
  }

  get answers() {
    return this.#all("answer").map(({ question, answers }) => ({ question, answers }));
  }

  get sent() {
    return this.#all("sent").map((event) => ("message" in event ? event.message : event.line));
  }

  get unexpected() {
    return this.#all("unexpected").map(({ message }) => message);
  }

  get runs() {
    const found = [];
    const running = new Map();
    for (const event of this.events) {
      if (event.event === "started") {
        const run = { arguments: event.arguments, directory: event.directory };
        running.set(event.pid, run);
        found.push(run);
      } else if (event.event === "ended" && running.has(event.pid)) {
        running.get(event.pid).status = event.status;
      }
    }
    return found;
  }

  requests(method) {
    return this.sent
      .filter((message) => message?.id !== undefined && (message.method === method || message.op?.type === method))
      .map(({ params, op }) => op ?? params);
  }

  async waitFor(event, { timeout = 10_000 } = {}) {
    const end = Date.now() + timeout;
    for (;;) {
      const [found] = this.#all(event);
      if (found) return found;
      if (this.#kept || Date.now() > end) {
        const seen = this.events.map((one) => one.event).join(", ") || "nothing";
        throw new CodexWireError(`no event '${event}' ${this.#kept ? "before the end" : `in ${timeout} ms`}, but ${seen}`);
      }
      await sleep(20);
    }
  }

  withFaults(faults) {
    return install(this.#script, { ...this.#options, faults });
  }

  end() {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  [Symbol.asyncDispose ?? Symbol("asyncDispose")]() {
    return this.end();
  }

  async #end() {
    this.#kept = { events: this.events, injected: this.injected };
    // Each process of the stand-in ends when this file is gone: also where a program that runs cannot be removed.
    await unlink(join(this.folder, "codex-replay.toml")).catch(() => {});
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 }).catch(() => {});
  }

  #all(event) {
    return this.events.filter((one) => one.event === event);
  }
}

/** The lines of a file that grows. Text after the last line feed is not a line yet. */
function lines(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    // The first process of the stand-in makes it.
    if (error.code === "ENOENT") return [];
    throw error;
  }
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "");
}
