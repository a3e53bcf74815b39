// What a program or a test calls. The declarations beside this file document it.
import { join, resolve } from "node:path";
import { COULD_NOT, assertConforms, check, checkFlags, source } from "./check.js";
import { CodexWireError, argument, failure, flags, programPath, refuseUnknown, run, runSync, stream, warn } from "./program.js";
import { testRecordings } from "./recordings.js";
import { temporary } from "./temporary.js";

export { fakeCodex } from "./double.js";
export { testFaults } from "./fault-tests.js";
export { CodexWireError, assertConforms, check, programPath, testRecordings };

/** The options of all functions that read inputs. */
const OTHERS = ["arguments", "cwd"];
const SCHEMA_FLAGS = ["release", "profile", "draft", "stability"];
const DIFF_FLAGS = ["stability", "writer", "only", "side", "message"];
const DIFF_TRANSCRIPT_FLAGS = ["to", "from", "stability", "only", "side", "message"];
const USAGE_FLAGS = ["where", "since", "top", "prices"];
const REPLAY_FLAGS = ["script", "release", "asRelease", "speed", "onMiss", "times", "seed", "faultLog", "record"];
const REPLAY_OPTIONS = [...REPLAY_FLAGS, "directory", "faults", "arguments", "cwd"];

export async function* iterFindings(input, options = {}) {
  const { paths, lines } = source(input);
  const without = [];
  let unreadable = 0;
  try {
    const args = ["check", "--format", "jsonl", ...checkFlags(options), ...paths];
    for await (const line of stream(args, { lines, cwd: options.cwd })) {
      const { kind, ...value } = JSON.parse(line);
      if (kind === "finding") yield value;
      else if (kind === "input") {
        if (value.verdict === "unreadable") unreadable += 1;
        if (value.verdict === "not-exercised") without.push(value.path);
      }
    }
  } catch (error) {
    if (!(error instanceof CodexWireError) || unreadable > 0 || without.length === 0) throw error;
    // The program says it in its report only, and who calls this function sees no report.
    const said = without.map((path) => `${path}: holds no messages, so nothing was checked`).join("\n");
    throw new CodexWireError(said, { exitCode: error.exitCode });
  }
}

export async function identify(input, options = {}) {
  refuseUnknown(options, OTHERS);
  const { paths, lines } = source(input);
  const args = ["identify", "--format", "json", ...(options.arguments ?? []), ...paths];
  const done = await run(args, { lines, cwd: options.cwd });
  if (!done.output.trim() || ![0, 1, COULD_NOT].includes(done.code)) throw failure(done);
  const identification = JSON.parse(done.output);
  if (done.code !== COULD_NOT) return identification;
  const unknown = identification.inputs.filter(({ kind }) => kind === "unknown");
  const error = unknown.map(({ path, reason }) => `${path}: ${reason}`).join("; ") || done.error;
  throw failure({ ...done, error }, { identification });
}

export async function schema(protocol, options = {}) {
  refuseUnknown(options, [...SCHEMA_FLAGS, "allReleases", "arguments"]);
  const all = options.allReleases ? ["--all-releases"] : [];
  return JSON.parse(await output(["schema", protocol, ...flags(options, SCHEMA_FLAGS), ...all, ...(options.arguments ?? [])]));
}

export async function diff(protocol, before, after, options = {}) {
  refuseUnknown(options, [...DIFF_FLAGS, ...OTHERS]);
  const args = ["diff", "--format", "json", ...flags(options, DIFF_FLAGS), ...(options.arguments ?? [])];
  return JSON.parse(await output([...args, protocol, argument(before), argument(after)], { cwd: options.cwd }));
}

export async function diffTranscript(input, options) {
  refuseUnknown(options, [...DIFF_TRANSCRIPT_FLAGS, "protocol", ...OTHERS]);
  const { paths, lines } = source(input);
  const named = options.protocol === undefined ? [] : [options.protocol];
  const args = ["diff", "--format", "json", ...flags(options, DIFF_TRANSCRIPT_FLAGS), ...(options.arguments ?? [])];
  return JSON.parse(await output([...args, "--transcript", ...paths, ...named], { lines, cwd: options.cwd }));
}

export async function* sessions(input, options = {}) {
  refuseUnknown(options, OTHERS);
  const { paths, lines } = source(input);
  const args = ["show", "--format", "json", ...(options.arguments ?? []), ...paths];
  for await (const line of stream(args, { lines, cwd: options.cwd })) yield JSON.parse(line);
}

export async function usage(input, options = {}) {
  refuseUnknown(options, [...USAGE_FLAGS, "by", "cost", "utc", ...OTHERS]);
  const { paths, lines } = input === undefined ? { paths: [] } : source(input);
  const by = [options.by ?? []].flat();
  const args = [
    ...["usage", "--format", "json", ...flags(options, USAGE_FLAGS)],
    ...(by.length > 0 ? [`--by=${by.join(",")}`] : []),
    ...(options.cost ? ["--cost"] : []),
    ...(options.utc ? ["--utc"] : []),
    ...(options.arguments ?? []),
  ];
  const done = await run([...args, ...paths], { lines, cwd: options.cwd });
  if (!done.output.trim() || ![0, COULD_NOT].includes(done.code)) throw failure(done);
  const sums = JSON.parse(done.output);
  if (done.code === COULD_NOT) throw failure(done, { usage: sums });
  warn(done.error);
  return sums;
}

export function replayPath(recordings, options = {}) {
  refuseUnknown(options, REPLAY_OPTIONS);
  const paths = [recordings].flat().map(argument);
  if ((paths.length === 0) === (options.script === undefined)) {
    throw new TypeError(paths.length === 0 ? "give recordings, or the option 'script'" : "recordings or the option 'script', not both");
  }
  const directory = options.directory === undefined ? temporary() : resolve(options.directory);
  const given = [...flags(options, REPLAY_FLAGS), ...flags({ fault: options.faults }, ["fault"]), ...(options.arguments ?? [])];
  runSync(["replay", "--install", directory, ...given, ...paths], { cwd: options.cwd });
  return join(directory, process.platform === "win32" ? "codex.exe" : "codex");
}

/** What the program prints, which has to succeed. */
async function output(args, input = {}) {
  const done = await run(args, input);
  if (done.code !== 0 && done.code !== 1) throw failure(done);
  warn(done.error);
  return done.output;
}
