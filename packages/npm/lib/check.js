// Checks inputs, and says of them what a test wants to know.
import { Readable } from "node:stream";
import { CodexWireError, argument, failure, flags, isText, refuseUnknown, run, warn } from "./program.js";

/** The exit code of the program if something could not be checked: also if there are no messages. */
export const COULD_NOT = 2;

/** Options that are passed on as they are, and all options. */
const CHECK_FLAGS = ["protocol", "release", "profile", "side", "baseline", "withRollout", "event", "stderr"];
const LEVELS = ["deny", "warn", "allow"];
export const CHECK_OPTIONS = [...CHECK_FLAGS, ...LEVELS, "exitStatus", "showValues", "maxFindings", "arguments", "cwd"];

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

export async function assertConforms(input, options = {}) {
  await conforming(input, options);
}

/** The report of what conforms. What does not is an error. */
export async function conforming(input, options) {
  const { paths, lines } = source(input);
  // What does not conform is read twice.
  const kept = [];
  if (lines !== undefined) for await (const line of lines) kept.push(line);
  const again = () => (isText(lines) ? Readable.from(kept, { objectMode: false }) : kept);
  const report = await check(lines === undefined ? input : again(), options);
  const { inputs, conforms } = report.totals;
  if (inputs > 0 && conforms === inputs && report.totals.stale === 0) return report;
  const format = ["check", "--format", "text", "--color", "never"];
  const { output } = await run([...format, ...checkFlags(options), ...paths], {
    lines: lines && again(),
    cwd: options.cwd,
  });
  const problem = inputs === 0 || report.totals.not_exercised > 0 ? "nothing was checked" : "does not conform";
  throw new CodexWireError(`${problem}\n${output.trim()}`, { exitCode: 1, report });
}

/** A path, or lines for standard input. */
export function source(input) {
  if (typeof input === "string" && /^\s*\[?\s*\{\s*"/.test(input)) {
    throw new TypeError("a string is a path; give the lines as an array, such as [text]");
  }
  if (typeof input === "string" || typeof input?.href === "string") return { paths: [argument(input)] };
  if (typeof input?.[Symbol.iterator] === "function" || typeof input?.[Symbol.asyncIterator] === "function") {
    return { paths: ["-"], lines: input };
  }
  throw new TypeError("give a path, or the lines of a transcript");
}

export function checkFlags(options) {
  refuseUnknown(options, CHECK_OPTIONS);
  const levels = LEVELS.flatMap((name) => {
    const rules = [options[name] ?? []].flat();
    return rules.length === 0 ? [] : [`--${name}=${rules.join(",")}`];
  });
  return [
    ...flags(options, CHECK_FLAGS),
    ...levels,
    ...flags({ exit: options.exitStatus }, ["exit"]),
    ...(options.showValues ? ["--show-values"] : []),
    `--max-findings=${options.maxFindings ?? "all"}`,
    ...(options.arguments ?? []),
  ];
}
