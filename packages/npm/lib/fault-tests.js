// One test for each fault: whether a client handles it.
import { AssertionError } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import { CodexWireError, flags, refuseUnknown, runSync } from "./program.js";

/** How long a client may take, in milliseconds. */
const TIMEOUT = 20_000;

export function testFaults(test, codex, startClient, options = {}) {
  refuseUnknown(options, ["faults", "timeout"]);
  const { timeout = TIMEOUT } = options;
  const chosen = listed(options.faults);
  const client = new Client(codex, startClient, timeout);
  // The first test to run runs the client undisturbed twice, and installing takes its time.
  const limit = 3 * timeout + 10_000;
  // No parameter is declared: runners that count them would take one for a callback.
  test(
    "without a fault",
    async function () {
      const { problem } = await client.undisturbed();
      if (problem !== undefined) throw problem;
    },
    limit,
  );
  for (const fault of chosen) {
    const body = async function () {
      const reason = await tryFault(client, fault);
      // Some runners end the test by throwing.
      if (reason !== undefined) await (arguments[0] ?? this)?.skip?.(reason);
    };
    test(`${fault.id}: ${fault.summary}`, body, limit);
  }
}

/** The faults of a protocol, as a client of it is tried with them; of all protocols if none is given. */
function faultsOf(protocol) {
  return JSON.parse(runSync(["faults", "--format", "json", ...flags({ protocol }, ["protocol"])])).faults;
}

/** The faults with these ids; all if none are given. */
function listed(ids) {
  const all = faultsOf();
  if (ids === undefined) return all;
  return [ids].flat().map((id) => {
    const found = all.find((fault) => fault.id === id.replace(/^fault\//, ""));
    if (found === undefined) throw new TypeError(`there is no fault '${id}', but ${all.map((fault) => fault.id).join(", ")}`);
    return found;
  });
}

/** Throws if a client does not handle a fault. Returns why nothing was tried, if so. */
async function tryFault(client, { id }) {
  const undisturbed = await client.undisturbed();
  if (undisturbed.problem !== undefined) return "the client fails without any fault";
  const fault = undisturbed.faults.find((one) => one.id === id);
  if (fault === undefined) return `it is not a fault of ${[...undisturbed.protocols].join(" and ")}`;
  let ran;
  try {
    ran = await client.run(fault.inject);
  } catch (refused) {
    // A release may get no faults of messages: the program says so of the fault.
    if (refused instanceof CodexWireError && refused.message.includes("fault/")) return refused.message;
    throw refused;
  }
  if (!ran.injected.includes(`fault/${id}`)) return "the script has no place for it";
  const problem = problemOf(without(ran, fault.residue), undisturbed, fault.expects);
  if (problem === undefined) return undefined;
  const message = `with ${id} (${fault.summary}), ${problem}\nhelp: ${fault.client}\n${told(ran)}`.trimEnd();
  const differs = ran.ended === "with a value" && fault.expects.startsWith("same");
  const values = differs ? { actual: ran.value, expected: undisturbed.value, operator: "testFaults" } : {};
  throw new AssertionError({ message, ...values });
}

/** What is wrong with what a client shows, in words. */
function problemOf(ran, undisturbed, expects) {
  if (ran.ended === "never") return "the client did not end in time";
  const isSame = ran.ended === "with a value" && isDeepStrictEqual(ran.value, undisturbed.value);
  switch (expects) {
    case "same":
      return isSame ? undefined : "the client shows something else than without it";
    case "same-or-failure":
      return isSame || ran.ended === "with an error" ? undefined : "the client shows neither the same as without it nor a failure";
    case "different":
    case "different-and-ends":
      return isSame ? "the client shows a success" : undefined;
    default:
      throw new CodexWireError(`the program expects '${expects}', which this package does not know`);
  }
}

/** What the client showed, for people. */
function told({ ended, value, error }) {
  if (ended === "never") return "";
  return ended === "with a value" ? `the client showed: ${inspect(value)}` : `the client failed: ${inspect(error)}`;
}

/** A client, and what it shows undisturbed. */
class Client {
  #codex;
  #start;
  #timeout;
  #undisturbed;

  constructor(codex, start, timeout) {
    this.#codex = codex;
    this.#start = start;
    this.#timeout = timeout;
  }

  undisturbed() {
    this.#undisturbed ??= this.#runTwice();
    return this.#undisturbed;
  }

  async #runTwice() {
    const [first, second] = [await this.run([]), await this.run([])];
    for (const ran of [first, second]) {
      if (ran.ended === "never") return { problem: new Error("the client did not end in time, without any fault") };
      if (ran.ended === "with an error") return { problem: ran.error ?? new Error(`the client failed with ${ran.error}`) };
    }
    const [unexpected] = first.unexpected;
    if (unexpected !== undefined) return { problem: new Error(`the script does not have what the client does: ${unexpected}`) };
    if (first.protocols.size === 0) {
      return { problem: new Error("the client did not start Codex: it has to run the path that it is given") };
    }
    if (!isDeepStrictEqual(first.value, second.value)) {
      const message =
        "two runs of the client without any fault resolve with different values, so that nothing can be compared: " +
        "resolve with what is the same each time, such as the answer";
      return { problem: new AssertionError({ message, actual: second.value, expected: first.value, operator: "testFaults" }) };
    }
    return { ...first, faults: [...first.protocols].flatMap((protocol) => faultsOf(protocol)) };
  }

  /** Runs the client with a double of its own. */
  async run(faults) {
    // A script need not be made a double for this.
    const codex = typeof this.#codex.withFaults === "function" ? this.#codex : await this.#codex;
    const double = await codex.withFaults(faults);
    try {
      const shown = await settled(() => this.#start(double.path), this.#timeout);
      const started = double.events.filter(({ event }) => event === "started");
      const protocols = new Set(started.map(({ protocol }) => protocol));
      return { ...shown, protocols, injected: double.injected, unexpected: double.unexpected };
    } finally {
      await double.end();
    }
  }
}

/** How something ends, if it does in time. */
async function settled(start, timeout) {
  const timer = new AbortController();
  const late = sleep(timeout, { ended: "never" }, { signal: timer.signal }).catch(() => {});
  const ending = (async () => ({ ended: "with a value", value: await start() }))();
  try {
    return await Promise.race([ending.catch((error) => ({ ended: "with an error", error })), late]);
  } finally {
    timer.abort();
  }
}

/** What a client showed, without what a fault put into texts. Whatever has no such text stays the same object. */
function without(ran, residue) {
  if (residue.length === 0) return ran;
  const seen = new Map();
  const clean = (value) => {
    if (typeof value === "string") return residue.reduce((text, part) => text.replaceAll(part, ""), value);
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
    if (seen.has(value)) return seen.get(value);
    // What holds itself is not entered again.
    seen.set(value, value);
    const cleaned = cleanedObject(value, clean);
    seen.set(value, cleaned);
    return cleaned;
  };
  return { ...ran, value: clean(ran.value) };
}

function cleanedObject(value, clean) {
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [key, clean(inner)]));
  if (value instanceof Set) return new Set([...value].map(clean));
  if (Array.isArray(value)) return value.map(clean);
  const members = Object.getOwnPropertyDescriptors(value);
  let isChanged = false;
  for (const member of Object.values(members)) {
    const inner = clean(member.value);
    isChanged ||= !Object.is(inner, member.value);
    if ("value" in member) member.value = inner;
  }
  return isChanged ? Object.create(Object.getPrototypeOf(value), members) : value;
}
