// What the package offers, from where a user would call it.
import assert from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, createReadStream, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import test from "node:test";
import { pathToFileURL } from "node:url";
import {
  CodexWireError,
  assertConforms,
  check,
  diff,
  diffTranscript,
  identify,
  iterFindings,
  programPath,
  replayPath,
  schema,
  sessions,
  testRecordings,
  usage,
} from "codex-wire";

const good = "recordings/run.jsonl";
const bad = "broken.jsonl";
const lines = readFileSync(good, "utf8").trimEnd().split("\n");

test("a path, a URL and lines have the same report", async () => {
  const report = await check(good);
  assert.deepEqual([report.version, report.totals.conforms, report.inputs[0].messages], [2, 1, lines.length]);
  const same = (other) => ({ ...other, inputs: other.inputs.map((input) => ({ ...input, path: good })) });
  assert.deepEqual(same(await check(pathToFileURL(good))), report);
  assert.deepEqual(same(await check(lines)), report);
  async function* later() {
    for (const line of lines) yield `${line}\n`;
  }
  assert.deepEqual(same(await check(later())), report);
});

test("a stream of text or bytes is read as it is", async () => {
  for (const encoding of [undefined, "utf8"]) {
    const parts = () => createReadStream(good, { encoding, highWaterMark: 7 });
    const { totals, inputs } = await check(parts());
    assert.deepEqual([totals.conforms, inputs[0].messages], [1, lines.length]);
    await assertConforms(parts());
    assert.equal((await identify(parts())).inputs.length, 1);
    await assert.rejects(assertConforms(createReadStream(bad, { encoding, highWaterMark: 7 })), /unknown-value/);
  }
  assert.equal((await check(Readable.from(lines))).totals.conforms, 1);
  await assert.rejects(check(lines.map((line) => Buffer.from(line))), /^TypeError: a line is a string; give bytes as a stream/);
});

test("findings are data", async () => {
  const report = await check(bad);
  assert.equal(report.totals.conforms, 0);
  assert.equal(report.inputs[0].findings[0].rule, "schema/unknown-value");
});

test("options are those of the program", async () => {
  const report = await check(good, { release: "0.44.0", profile: "exact", side: "codex", deny: ["schema/*", "sequence/*"] });
  assert.deepEqual(report.inputs[0].releases, { since: "0.44.0", until: "0.44.0" });
  assert.equal(report.inputs[0].identified, false);
  assert.equal((await check("run.jsonl", { cwd: "recordings" })).inputs[0].path, "run.jsonl");
  const allowed = await check(bad, { allow: "schema/unknown-value" });
  assert.equal(allowed.totals.conforms, 1);
});

test("a stream is compared with its session file", async () => {
  const stream = readFileSync("session/exec-1.jsonl", "utf8").trimEnd().split("\n");
  const withRollout = ["session/home"];
  assert.equal((await check(stream, { release: "0.169.0", withRollout: "session/home" })).totals.conforms, 1);
  const less = stream.filter((line) => !line.includes("command_execution"));
  const rules = ({ inputs }) => inputs[0].findings.map(({ rule }) => rule);
  assert(!rules(await check(less, { release: "0.169.0" })).includes("with-rollout/item-added"));
  assert(rules(await check(less, { release: "0.169.0", withRollout })).includes("with-rollout/item-added"));
});

test("what a hook prints is checked", async () => {
  const asked = { protocol: "hooks", event: "PreToolUse", side: "hook", release: "0.169.0" };
  const denies = { hookEventName: "PreToolUse", permissionDecision: "never" };
  assert.equal((await check([JSON.stringify({ hookSpecificOutput: denies })], asked)).totals.conforms, 0);
  writeFileSync("reason", "not here");
  writeFileSync("silent", "");
  assert.equal((await check([], { ...asked, exitStatus: 2, stderr: "reason" })).totals.error, 0);
  assert.equal((await check([], { ...asked, exitStatus: 2, stderr: "silent" })).totals.error, 1);
  assert.equal((await check([], { ...asked, exitStatus: -1 })).totals.error, 1);
});

test("a member of a later release is a warning, unless options or settings say otherwise", async () => {
  mkdirSync("settings", { recursive: true });
  const added = lines.map((line) => line.replace(/^\{/, '{"later":1,'));
  const release = "0.44.0";
  await assertConforms(added, { release });
  assert((await check(added, { release })).totals.warning > 0);
  for (const options of [{ deny: ["schema/unknown-member"] }, { profile: "exact" }]) {
    await assert.rejects(assertConforms(added, { release, ...options }), /error\[schema\/unknown-member\]/);
  }
  writeFileSync("settings/run.jsonl", `${added.join("\n")}\n`);
  writeFileSync("settings/codex-wire.toml", `release = "${release}"\nprofile = "exact"\n`);
  await assert.rejects(assertConforms("run.jsonl", { cwd: "settings" }), /error\[schema\/unknown-member\]/);
  assert.deepEqual((await check("run.jsonl", { cwd: "settings" })).inputs[0].releases, { since: release, until: release });
});

test("an unknown option is refused", async () => {
  const of = (name, near) => new TypeError(`unknown option '${name}'; did you mean '${near}'?`);
  await assert.rejects(check(good, { relase: "0.44.0" }), of("relase", "release"));
  await assert.rejects(assertConforms(good, { maxFinding: 1 }), of("maxFinding", "maxFindings"));
  assert.throws(() => replayPath(good, { fault: ["turn-fails"] }), of("fault", "faults"));
  assert.throws(() => replayPath(good, { as_release: "0.98.0" }), of("as_release", "asRelease"));
  assert.throws(() => testRecordings(() => {}, "recordings", { relase: "0.44.0" }), of("relase", "release"));
  await assert.rejects(check(good, { x: 1 }), /^TypeError: unknown option 'x'; the options are .*, release, /);
});

test("a value that an option cannot have is refused in the words of the caller", async () => {
  const speed = "write `instant`, `recorded`, or how many times as fast, such as 10; the least is 0.001";
  assert.throws(() => replayPath(good, { speed: "fast" }), new TypeError(`invalid value 'fast' for 'speed': ${speed}`));
  assert.throws(() => replayPath(good, { faults: "turn-fail" }), (error) => {
    assert(error instanceof TypeError, error);
    assert.match(error.message, /^invalid value 'turn-fail' for 'faults': .*did you mean `turn-fails`\?$/);
    return true;
  });
  await assert.rejects(check(good, { profile: "strict" }), /^TypeError: invalid value 'strict' for 'profile'\n.*open, known, exact/);
  await assert.rejects(check(good, { maxFindings: "few" }), /^TypeError: invalid value 'few' for 'maxFindings'/);
  // A value may begin with a dash.
  for (const options of [{ seed: -1 }, { speed: -1 }]) {
    const [name] = Object.keys(options);
    assert.throws(() => replayPath(good, options), new RegExp(`^TypeError: invalid value '-1' for '${name}'`));
  }
  await assert.rejects(usage("session", { top: -1 }), /^TypeError: invalid value '-1' for 'top'/);
  await assert.rejects(check(good, { baseline: "-b" }), /cannot read the baseline -b/);
  assert.throws(() => replayPath(good, { protocol: "exec" }), /^TypeError: unknown option 'protocol'/);
  assert.throws(() => replayPath([]), new TypeError("give recordings, or the option 'script'"));
  assert.throws(() => replayPath(good, { script: "hello.toml" }), new TypeError("recordings or the option 'script', not both"));
});

test("a text is not a path", async () => {
  const text = readFileSync(good, "utf8");
  for (const given of [text, lines[0], `[${lines[0]}]`]) {
    await assert.rejects(check(given), new TypeError("a string is a path; give the lines as an array, such as [text]"));
  }
  assert.equal((await check([text])).totals.conforms, 1);
});

test("a warning of the program is one of the process", async () => {
  const heard = once(process, "warning");
  await check(good, { release: "0.999.0" });
  const [warning] = await heard;
  assert.equal(warning.name, "CodexWireWarning");
  assert.match(warning.message, /^0\.999\.0 is newer than .*, the newest known release; using /);
});

test("an input without messages is in the report", async () => {
  writeFileSync("empty.jsonl", "");
  for (const input of [[], "empty.jsonl"]) {
    const report = await check(input);
    assert.deepEqual([report.inputs[0].verdict, report.totals.conforms], ["not-exercised", 0]);
    await assert.rejects(assertConforms(input), /holds no messages, so nothing was checked/);
  }
});

test("a file whose name begins with a dash is not an option", async () => {
  copyFileSync(good, "--help");
  assert.equal((await check("--help")).totals.conforms, 1);
});

test("what could not be checked is an error with what was found", async () => {
  await assert.rejects(check("missing.jsonl"), (error) => {
    assert(error instanceof CodexWireError);
    assert.equal(error.exitCode, 2);
    assert.match(error.message, /missing\.jsonl/);
    return true;
  });
  await assert.rejects(check(good, { release: "none" }), /none/);
});

const all = async (generator) => {
  const values = [];
  for await (const value of generator) values.push(value);
  return values;
};

test("findings come one by one", async () => {
  const [finding, ...more] = await all(iterFindings(bad));
  assert.deepEqual([finding.path, finding.rule, more], [bad, "schema/unknown-value", []]);
  const { inputs } = await check(bad);
  assert.deepEqual(finding, { path: bad, ...inputs[0].findings[0] });
  assert.deepEqual(await all(iterFindings(good)), []);
  const nothing = { name: "CodexWireError", message: "-: holds no messages, so nothing was checked", exitCode: 2 };
  await assert.rejects(all(iterFindings([])), nothing);
  await assert.rejects(all(iterFindings("missing.jsonl")), /missing\.jsonl/);
  await assert.rejects(all(iterFindings(good, { relase: "0.44.0" })), /did you mean 'release'/);
  // Whoever has seen enough ends the program.
  for await (const { rule } of iterFindings([...readFileSync(bad, "utf8").split("\n")])) {
    assert.equal(rule, "schema/unknown-value");
    break;
  }
});

test("a recording is identified", async () => {
  const { inputs } = await identify(good);
  assert.deepEqual([inputs[0].kind, inputs[0].protocol, inputs[0].messages], ["identified", "exec", lines.length]);
  await assert.rejects(identify(["no message"]), (error) => {
    assert(error instanceof CodexWireError, error);
    assert.deepEqual([error.exitCode, error.identification.inputs[0].kind], [2, "unknown"]);
    return true;
  });
  await assert.rejects(identify(good, { release: "0.44.0" }), /^TypeError: unknown option 'release'/);
});

test("a schema is that of its release", async () => {
  const exact = await schema("exec", { release: "0.44.0", profile: "exact" });
  assert.match(exact.$id, /exec\/0\.44\.0\.exact\.json$/);
  assert((await schema("exec", { allReleases: true })).$id.endsWith("all-releases.json"));
  await assert.rejects(schema("exec", { profile: "strict" }), /^TypeError: invalid value 'strict' for 'profile'/);
  await assert.rejects(schema("exek"), /exek/);
});

test("releases are compared, and a recording with a release", async () => {
  const changes = await diff("exec", "0.124.0", "0.125.0");
  assert(changes.differences.some(({ place }) => place === "Usage.reasoning_output_tokens"));
  const breaking = await diff("exec", "0.124.0", "0.125.0", { only: "breaking" });
  assert.equal(breaking.hidden.compatible, changes.totals.compatible);
  const upgrade = await diffTranscript(good, { to: "0.169.0", from: "0.44.0" });
  assert.deepEqual([upgrade.to, upgrade.transcript.release, upgrade.transcript.messages], ["0.169.0", "0.44.0", lines.length]);
  await assert.rejects(diffTranscript(good, { to: "none" }), /none/);
});

test("a session is read from each surface", async () => {
  for (const input of ["session/exec-1.jsonl", "session/home"]) {
    const [{ threads }, ...more] = await all(sessions(input));
    assert.equal(more.length, 0);
    const items = threads[0].turns[0].items;
    assert(items.some((item) => item.type === "command" && item.exit_code === 0), input);
    assert(items.some((item) => item.type === "message" && item.role === "assistant"), input);
  }
  for (const [surface, input] of Object.entries({ "app-server": "surfaces/app-server", core: "surfaces/core", exec: "surfaces/exec" })) {
    const [{ protocol, threads }, ...more] = await all(sessions(`${input}.jsonl`));
    assert.deepEqual([protocol, more.length], [surface, 0]);
    assert(threads[0].turns[0].items.every((item) => item.lines.from >= 1), input);
    assert(threads[0].turns[0].items.length > 0, input);
  }
  const text = readFileSync("session/exec-1.jsonl", "utf8").trimEnd().split("\n");
  const [{ source, threads }] = await all(sessions(text));
  assert.deepEqual([source, threads.length], ["-", 1]);
  await assert.rejects(all(sessions(["no message"])), (error) => error instanceof CodexWireError && error.exitCode === 2);
});

/** Codex was stopped before it wrote what the last answer of these cost. */
const STOPPED = ["0.44.0/interrupted", "0.44.0/killed", "0.147.0/killed"];

test("usage is what the model returned, by thread", async () => {
  const bill = new Map();
  for (const release of readdirSync("accounting").filter((name) => /^\d/.test(name))) {
    for (const run of readdirSync(`accounting/${release}`)) {
      const answers = readFileSync(`accounting/${release}/${run}/model.jsonl`, "utf8").trimEnd().split("\n");
      if (STOPPED.includes(`${release}/${run}`)) answers.pop();
      for (const { thread, total } of answers.map((answer) => JSON.parse(answer))) {
        bill.set(thread, (bill.get(thread) ?? 0) + total);
      }
    }
  }
  assert(bill.size > 150);
  const { rows, total } = await usage("accounting", { by: "thread" });
  const used = new Map(rows.map(({ keys, tokens }) => [keys[0], tokens.total]));
  for (const [thread, tokens] of bill) assert.equal(used.get(thread), tokens, thread);
  assert.equal(total.tokens.total, [...bill.values()].reduce((sum, tokens) => sum + tokens, 0));
});

test("usage has the options of the program", async () => {
  const used = await usage("session", { by: ["model", "status"], where: ["status=completed", "tokens>0"], top: 1, cost: true, utc: true });
  assert.deepEqual([used.by, used.rows.length], [["model", "status"], 1]);
  assert.equal(used.rows[0].keys[1], "completed");
  assert.equal(typeof used.prices, "string");
  await assert.rejects(usage(["no message"]), (error) => error instanceof CodexWireError && error.usage.inputs === 0);
  await assert.rejects(usage("session", { by: "wheather" }), /^TypeError: invalid value 'wheather' for 'by'/);
  await assert.rejects(usage("session", { fault: 1 }), /^TypeError: unknown option 'fault'/);
});

test("lines that fail fail the check", async () => {
  async function* broken() {
    yield lines[0];
    throw new Error("the source is gone");
  }
  await assert.rejects(check(broken()), /the source is gone/);
});

test("a program that does not read its lines says why", async () => {
  const many = Array.from({ length: 20_000 }, () => lines[0]);
  await assert.rejects(check(many, { release: "none" }), /none/);
});

test("an assertion names the finding", async () => {
  await assertConforms(good);
  await assertConforms(lines);
  const broken = readFileSync(bad, "utf8").trimEnd().split("\n");
  for (const input of [bad, broken]) {
    await assert.rejects(assertConforms(input), (error) => {
      assert.match(error.message, /error\[schema\/unknown-value\]/);
      assert.equal(error.report.totals.error, 1);
      return true;
    });
  }
  await assert.rejects(assertConforms([]), /nothing was checked/);
});

test("each recording of a folder becomes a test", async () => {
  mkdirSync("several/0.44.0", { recursive: true });
  mkdirSync("several/.hidden", { recursive: true });
  for (const name of ["b.jsonl", "c.ndjson", "0.44.0/a.jsonl", ".hidden/c.jsonl", "notes.txt"]) copyFileSync(good, `several/${name}`);
  copyFileSync(bad, "several/z.jsonl");
  writeFileSync("several/history.jsonl", '{"session_id":"1","ts":1,"text":"Do it."}\n');
  copyFileSync(good, "several/session_index.jsonl");
  const line = { schema_version: 2, seq: 1, wall_time_unix_ms: 1, rollout_id: "1", thread_id: null, codex_turn_id: null, payload: {} };
  writeFileSync("several/trace.jsonl", `${JSON.stringify(line)}\n`);
  copyFileSync(good, "several/b.jsonl.zst");
  const tests = new Map();
  const asked = [];
  testRecordings((name, body) => tests.set(name, body), "several", (name) => {
    asked.push(name);
    return {};
  });
  const names = ["0.44.0/a.jsonl", "b.jsonl", "c.ndjson", "session_index.jsonl", "z.jsonl"];
  assert.deepEqual([...tests.keys()], names.map((name) => `several/${name}`));
  for (const name of names.slice(0, -1)) await tests.get(`several/${name}`)();
  await assert.rejects(tests.get("several/z.jsonl")(), /unknown-value/);
  assert.deepEqual(asked, names);
  mkdirSync("empty", { recursive: true });
  for (const [folder, problem] of [["empty", /^no recordings in .*empty$/], ["missing", /missing does not exist$/]]) {
    assert.throws(() => testRecordings(test, folder), (error) => {
      assert(error instanceof CodexWireError, error);
      assert.match(error.message, problem);
      return true;
    });
  }
});

test("recordings with the same options are checked by one process, and warnings are shown", async (context) => {
  for (const folder of ["many/old", "many/new"]) {
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < 20; number += 1) copyFileSync(good, `${folder}/${number}.jsonl`);
  }
  const log = resolve("processes.log");
  const program = resolve("counted.sh");
  writeFileSync(program, `#!/bin/sh\necho "$#" >> "${log}"\nexec "${programPath()}" "$@"\n`, { mode: 0o755 });
  const shown = context.mock.method(console, "warn", () => {});
  const run = async (options) => {
    writeFileSync(log, "");
    const tests = [];
    testRecordings((name, body) => tests.push([name, body]), "many", options);
    const outcomes = [];
    for (const [name, body] of tests) {
      const error = await body().then(() => undefined, (error) => error);
      if (error) outcomes.push([name, error.message]);
    }
    return { processes: readFileSync(log, "utf8").trim().split("\n").length, outcomes };
  };
  process.env.CODEX_WIRE_PROGRAM = program;
  try {
    assert.deepEqual(await run({}), { processes: 1, outcomes: [] });
    const by = (name) => ({ release: name.startsWith("new/") ? "0.45.0" : "0.44.0" });
    assert.deepEqual(await run(by), { processes: 2, outcomes: [] });
    assert.equal(shown.mock.callCount(), 0);
    // One is broken, one has no last line, one cannot be read: each of these is checked again by itself.
    copyFileSync(bad, "many/new/3.jsonl");
    const cut = readFileSync(good, "utf8").trimEnd().split("\n").slice(0, -1);
    writeFileSync("many/old/4.jsonl", `${cut.join("\n")}\n`);
    writeFileSync("many/old/5.jsonl", "no transcript\n");
    const { processes, outcomes } = await run({});
    assert.deepEqual([processes, outcomes.map(([name]) => name)], [5, ["many/new/3.jsonl", "many/old/5.jsonl"]]);
    assert.match(outcomes[0][1], /^does not conform\n[^]*many\/new\/3\.jsonl:/);
    assert.doesNotMatch(outcomes[0][1], new RegExp(process.cwd()));
    const warnings = shown.mock.calls.map(({ arguments: [text] }) => text);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /^many\/old\/4\.jsonl:\d+:\d+: warning\[sequence\/exec-unfinished\]: /);
    // An option that does not exist fails the test of each recording that has it.
    const wrong = await run((name) => (name === "old/1.jsonl" ? { relase: "0.44.0" } : { deny: "sequence/exec-unfinished" }));
    assert.deepEqual(wrong.outcomes.map(([name]) => name), ["many/new/3.jsonl", "many/old/1.jsonl", "many/old/4.jsonl", "many/old/5.jsonl"]);
  } finally {
    delete process.env.CODEX_WIRE_PROGRAM;
  }
});

testRecordings(test, "recordings");

test("a stand-in plays a recording", () => {
  const codex = replayPath(good);
  const played = spawnSync(codex, ["exec", "--json", "Do it."], { encoding: "utf8" });
  assert.deepEqual([played.status, played.stdout.trimEnd().split("\n").length], [0, lines.length]);
  const older = replayPath([good], { release: "0.98.0", asRelease: "0.44.0", directory: "older" });
  assert.match(spawnSync(older, ["--version"], { encoding: "utf8" }).stdout, /0\.44\.0/);
  const failing = spawnSync(replayPath(good, { faults: "turn-fails" }), ["exec", "--json", "Do it."], { encoding: "utf8" });
  assert.match(failing.stdout, /"turn\.failed"/);
  const log = "faults.log";
  spawnSync(replayPath(good, { faults: "turn-fails", faultLog: log }), ["exec", "--json", "Do it."]);
  assert.match(readFileSync(log, "utf8"), /turn-fails/);
  assert.throws(() => replayPath("missing.jsonl"), /missing\.jsonl/);
});

test("what a stand-in always says is not a warning", async () => {
  let warnings = 0;
  const listener = () => (warnings += 1);
  // What earlier tests were warned of comes a moment later.
  await new Promise(setImmediate);
  process.on("warning", listener);
  replayPath(good);
  await new Promise(setImmediate);
  process.off("warning", listener);
  assert.equal(warnings, 0);
});

test("a stand-in is removed with the process that wrote it", () => {
  const code = `import { replayPath } from "codex-wire"; console.log(replayPath(${JSON.stringify(good)}));`;
  const said = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  assert.equal(said.status, 0, said.stderr);
  assert.match(said.stdout, /codex-wire-/);
  assert(!existsSync(dirname(said.stdout.trim())));
});

test("the launcher has the exit code, the streams and the arguments of the program", () => {
  const run = (args, input) => spawnSync("node_modules/.bin/codex-wire", args, { encoding: "utf8", input });
  assert.equal(run(["check", good]).status, 0);
  assert.equal(run(["check", bad]).status, 1);
  const refused = run(["check", "--no-such-option"]);
  assert.deepEqual([refused.status, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /--no-such-option/);
  assert.equal(run(["check"], readFileSync(good)).status, 0);
});

test("a signal reaches the program, and its exit code is seen", { timeout: 30_000 }, async (t) => {
  const launcher = spawn("node_modules/.bin/codex-wire", ["tap", "--", "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  // `cat` ends when nobody writes to it, and the program with it.
  t.after(() => launcher.stdin.destroy());
  launcher.stdin.write(`${lines[0]}\n`);
  await once(launcher.stdout, "data");
  launcher.kill("SIGTERM");
  // That of `tap`: the launcher alone would have no exit code. It closes its streams only when all have
  // that it started.
  assert.deepEqual(await once(launcher, "close"), [128 + constants.signals.SIGTERM, null]);
});

test("a signal that ends the program ends the launcher", () => {
  const env = { ...process.env, CODEX_WIRE_PROGRAM: "/bin/sh" };
  const said = spawnSync("node_modules/.bin/codex-wire", ["-c", "kill -TERM $$"], { env });
  assert.deepEqual([said.status, said.signal], [null, "SIGTERM"]);
});

test("another program can be named", async () => {
  const found = programPath();
  process.env.CODEX_WIRE_PROGRAM = "/elsewhere/codex-wire";
  try {
    assert.equal(programPath(), "/elsewhere/codex-wire");
    process.env.CODEX_WIRE_PROGRAM = `./${relative("", found)}`;
    assert.equal((await check("run.jsonl", { cwd: "recordings" })).totals.conforms, 1);
    // As a shell finds it.
    process.env.CODEX_WIRE_PROGRAM = "codex-wire";
    assert.equal(programPath(), "codex-wire");
  } finally {
    delete process.env.CODEX_WIRE_PROGRAM;
  }
  assert.match(found, /node_modules/);
});

test("a platform without a program is told so", () => {
  const code = `
    Object.defineProperty(process, "arch", { value: "mips" });
    await import("./node_modules/codex-wire/bin/codex-wire.js");`;
  const said = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  assert.equal(said.status, 2);
  assert.match(said.stderr, /no program for .*-mips, only for .*linux-x64/);
  assert.match(said.stderr, /`cargo install --locked --git https:\/\/\S+ codex-wire-cli` builds it; set CODEX_WIRE_PROGRAM/);
});
