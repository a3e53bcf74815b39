// Finds the program, and runs it for the functions of this package.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

export class CodexWireError extends Error {
  name = "CodexWireError";

  constructor(message, { exitCode, report, identification, usage } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.report = report;
    this.identification = identification;
    this.usage = usage;
  }
}

export function programPath() {
  const named = process.env.CODEX_WIRE_PROGRAM;
  // A program is run in the folder that a call names, where a relative path would be another one.
  if (named) return /[\\/]/.test(named) ? resolve(named) : named;
  const platform = `${process.platform}-${process.arch}`;
  const { homepage, optionalDependencies } = own();
  const build = `\`cargo install --locked --git ${homepage} codex-wire-cli\` builds it; set CODEX_WIRE_PROGRAM to its path`;
  const name = `codex-wire-${platform}`;
  if (!Object.hasOwn(optionalDependencies, name)) {
    const known = Object.keys(optionalDependencies).map((each) => each.slice("codex-wire-".length));
    throw new CodexWireError(`there is no program for ${platform}, only for ${known.join(", ")}. ${build}`);
  }
  try {
    return require.resolve(`${name}/${process.platform === "win32" ? "codex-wire.exe" : "codex-wire"}`);
  } catch {
    throw new CodexWireError(
      `the package ${name} is not installed, which has the program. It is an optional dependency of codex-wire: ` +
        `install without --omit=optional (or --no-optional), on the system that runs it. Or ${build}`,
    );
  }
}

/** Runs the program to its end. */
export async function run(args, input = {}) {
  const { child, exit, wrote } = start(args, input);
  const [output, error, { code, signal }] = await Promise.all([text(child.stdout), text(child.stderr), exit, wrote]);
  return { output, error, code, signal };
}

/**
 * Runs the program, and yields the lines that it prints as they come. It is ended if the caller stops reading. It throws
 * behind the last line unless the program succeeded.
 */
export async function* stream(args, input = {}) {
  const { child, exit, wrote } = start(args, input);
  // They are waited for below; until then, what goes wrong is nobody's.
  const ended = Promise.all([text(child.stderr), exit, wrote]);
  ended.catch(() => {});
  let isRead = false;
  try {
    yield* createInterface({ input: child.stdout, crlfDelay: Infinity });
    isRead = true;
  } finally {
    if (!isRead) child.kill();
  }
  const [error, { code, signal }] = await ended;
  if (code !== 0 && code !== 1) throw failure({ error, code, signal });
  warn(error);
}

/** Starts the program. With lines, they are its standard input. */
function start(args, { lines, cwd }) {
  const child = spawn(programPath(), args, {
    cwd,
    stdio: [lines === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const exit = new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new CodexWireError(`cannot run ${child.spawnfile}: ${error.message}`)));
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  // What goes wrong with the lines themselves is the caller's error. A program that stops reading
  // says why when it exits.
  const written = lines === undefined ? undefined : pipeline(isText(lines) ? lines : Readable.from(terminated(lines)), child.stdin);
  const wrote = written?.catch((error) => {
    if (error.code === "EPIPE" || error.code === "ERR_STREAM_PREMATURE_CLOSE") return;
    child.kill();
    throw error;
  });
  return { child, exit, wrote };
}

/** Runs the program to its end, and waits for it. It has to succeed. Returns what it prints. */
export function runSync(args, { cwd } = {}) {
  const program = programPath();
  const done = spawnSync(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", windowsHide: true });
  if (done.error) throw new CodexWireError(`cannot run ${program}: ${done.error.message}`);
  if (done.status !== 0) throw failure({ error: done.stderr, code: done.status, signal: done.signal });
  warn(done.stderr);
  return done.stdout;
}

/** Gives on what a program says that succeeds. What `replay --install` always says is not a warning. */
export function warn(error) {
  for (const line of error.split("\n")) {
    const text = line.replace(/^codex-wire: /, "").trim();
    if (text && !/ plays (a script|\d+ recordings?) as Codex /.test(text)) process.emitWarning(text, "CodexWireWarning");
  }
}

/** What is wrong with the value of an option, without the flag of the command line that it is. */
function wrongValue(error) {
  const wrong = /^error: (invalid value [^]*? for )'--([a-z-]+) <[^']*>'([^]*?)\n\nFor more information/.exec(error);
  if (!wrong) return undefined;
  const [, value, flag, reason] = wrong;
  const option = flag === "fault" ? "faults" : flag.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  return `${value}'${option}'${reason}`;
}

/** What went wrong, with what was found all the same: a report, an identification or sums. */
export function failure({ error, code, signal }, found = {}) {
  const wrong = wrongValue(error);
  if (wrong !== undefined) return new TypeError(wrong);
  const message = error.trim() || `the program ended with ${signal ?? `exit code ${code}`}`;
  return new CodexWireError(message, { exitCode: code ?? undefined, ...found });
}

export function pathOf(path) {
  return typeof path === "string" ? path : fileURLToPath(path.href);
}

/** A path as an argument: what begins with a dash would be an option, and `-` standard input. */
export function argument(path) {
  const text = pathOf(path);
  return text.startsWith("-") ? `./${text}` : text;
}

/** `{ asRelease: "0.98.0" }` as `--as-release=0.98.0`: a value may begin with a dash. */
export function flags(options, names) {
  return names.flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return (Array.isArray(value) ? value : [value]).map((each) => `${flag}=${each}`);
  });
}

/** A misspelt option must not be ignored: a test with it would pass without having tested it. */
export function refuseUnknown(options, known) {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const [near] = known.filter((each) => edits(name, each) <= each.length / 3).sort((a, b) => edits(name, a) - edits(name, b));
    const hint = near === undefined ? `the options are ${[...known].sort().join(", ")}` : `did you mean '${near}'?`;
    throw new TypeError(`unknown option '${name}'; ${hint}`);
  }
}

/** How many letters have to be added, removed or replaced to make one word of another (Levenshtein). */
function edits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, count) => count);
  for (const [count, letter] of [...from].entries()) {
    const next = [count + 1];
    for (let at = 0; at < to.length; at += 1) {
      next.push(Math.min(next[at] + 1, row[at + 1] + 1, row[at] + (letter === to[at] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length];
}

function own() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
}

/** Whether lines are a stream of text or bytes, whose parts end anywhere. A stream of objects has a line in each. */
export function isText(lines) {
  return lines instanceof Readable && !lines.readableObjectMode;
}

async function* terminated(lines) {
  for await (const line of lines) {
    if (typeof line !== "string") throw new TypeError("a line is a string; give bytes as a stream, such as that of `createReadStream`");
    yield line.endsWith("\n") ? line : `${line}\n`;
  }
}

async function text(stream) {
  stream.setEncoding("utf8");
  let all = "";
  for await (const part of stream) all += part;
  return all;
}
