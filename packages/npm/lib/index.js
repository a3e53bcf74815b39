// What a program or a test calls. The declarations beside this file document it.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { CodexWireError, argument, failure, flags, pathOf, programPath, refuseUnknown, run, runSync, stream, warn } from "./program.js";
import { temporary } from "./temporary.js";

export { CodexWireError, programPath };

/** The exit code of the program if something could not be checked: also if there are no messages. */
const COULD_NOT = 2;

/** Options that are passed on as they are, and all options. */
const CHECK_FLAGS = ["protocol", "release", "profile", "side", "baseline", "withRollout", "event", "stderr"];
/** The options of all functions that read inputs. */
const OTHERS = ["arguments", "cwd"];
const LEVELS = ["deny", "warn", "allow"];
const CHECK_OPTIONS = [...CHECK_FLAGS, ...LEVELS, "exitStatus", "showValues", "maxFindings", "arguments", "cwd"];
const SCHEMA_FLAGS = ["release", "profile", "draft", "stability"];
const DIFF_FLAGS = ["stability", "writer", "only", "side", "message"];
const DIFF_TRANSCRIPT_FLAGS = ["to", "from", "stability", "only", "side", "message"];
const USAGE_FLAGS = ["where", "since", "top", "prices"];
const REPLAY_FLAGS = ["script", "release", "asRelease", "speed", "onMiss", "times", "seed", "faultLog", "record"];
const REPLAY_OPTIONS = [...REPLAY_FLAGS, "directory", "faults", "arguments", "cwd"];

export async function check(input, options = {}) {
  const { paths, lines } = source(input);
  const done = await run(["check", "--format", "json", ...checkFlags(options), ...paths], { lines, cwd: options.cwd });
  // If nothing could be checked at all, there is no report.
  const report = done.output.trim() ? JSON.parse(done.output) : undefined;
  const isRead = report?.totals.unreadable === 0 && report.totals.not_exercised > 0;
  if (report && (done.code === 0 || done.code === 1)) warn(done.error);
  else if (!report || done.code !== COULD_NOT || !isRead) throw failure(done, { report });
  return report;
}

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
    ...(by.length > 0 ? ["--by", by.join(",")] : []),
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

export async function assertConforms(input, options = {}) {
  let { paths, lines } = source(input);
  if (lines !== undefined) {
    // They are read twice if they do not conform.
    const kept = [];
    for await (const line of lines) kept.push(line);
    lines = kept;
  }
  const report = await check(lines ?? input, options);
  const { inputs, conforms } = report.totals;
  if (inputs > 0 && conforms === inputs && report.totals.stale === 0) return;
  const format = ["check", "--format", "text", "--color", "never"];
  const { output } = await run([...format, ...checkFlags(options), ...paths], { lines, cwd: options.cwd });
  const problem = inputs === 0 || report.totals.not_exercised > 0 ? "nothing was checked" : "does not conform";
  throw new CodexWireError(`${problem}\n${output.trim()}`, { exitCode: 1, report });
}

export function testRecordings(test, folder, options = {}) {
  if (typeof options !== "function") refuseUnknown(options, CHECK_OPTIONS);
  const root = resolve(pathOf(folder));
  if (!existsSync(root)) throw new CodexWireError(`${root} does not exist`);
  const found = recordings(root);
  if (found.length === 0) throw new CodexWireError(`no recordings in ${root}`);
  const slashed = (path) => path.split(sep).join("/");
  for (const path of found) {
    const name = slashed(relative(root, path)) || path;
    // Two folders may have recordings of the same name.
    test(slashed(relative(process.cwd(), path)), async () => {
      await assertConforms(path, typeof options === "function" ? options(name) : options);
    });
  }
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

/** A path, or lines for standard input. */
function source(input) {
  if (typeof input === "string" && /^\s*\[?\s*\{\s*"/.test(input)) {
    throw new TypeError("a string is a path; give the lines as an array, such as [text]");
  }
  if (typeof input === "string" || typeof input?.href === "string") return { paths: [argument(input)] };
  if (typeof input?.[Symbol.iterator] === "function" || typeof input?.[Symbol.asyncIterator] === "function") {
    return { paths: ["-"], lines: input };
  }
  throw new TypeError("give a path, or the lines of a transcript");
}

function checkFlags(options) {
  refuseUnknown(options, CHECK_OPTIONS);
  const levels = LEVELS.flatMap((name) => {
    const rules = [options[name] ?? []].flat();
    return rules.length === 0 ? [] : [`--${name}`, rules.join(",")];
  });
  return [
    ...flags(options, CHECK_FLAGS),
    ...levels,
    ...flags({ exit: options.exitStatus }, ["exit"]),
    ...(options.showValues ? ["--show-values"] : []),
    ...["--max-findings", String(options.maxFindings ?? "all")],
    ...(options.arguments ?? []),
  ];
}

/** What `codex-wire check` reads of a folder, except archives and files of which the name says little. */
function recordings(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map((entry) => entry.name));
  return entries.flatMap((entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") ? [] : recordings(inner);
    const name = /^(.*\.(?:jsonl|ndjson))(\.gz|\.zst)?$/.exec(entry.name);
    const copy = name?.[2] !== undefined && names.has(name[1]);
    return name && !copy && !isKeptByCodex(inner, entry.name) ? [inner] : [];
  });
}

/** The members of files that Codex keeps beside its session files. A name alone proves nothing. */
const KEPT_BY_CODEX = {
  "history.jsonl": "session_id text ts",
  "session_index.jsonl": "id thread_name updated_at",
  "trace.jsonl": "codex_turn_id payload rollout_id schema_version seq thread_id wall_time_unix_ms",
};

function isKeptByCodex(path, name) {
  if (!Object.hasOwn(KEPT_BY_CODEX, name)) return false;
  try {
    const first = JSON.parse(readFileSync(path, "utf8").split("\n", 1)[0]);
    return Object.keys(first).sort().join(" ") === KEPT_BY_CODEX[name];
  } catch {
    return false;
  }
}
