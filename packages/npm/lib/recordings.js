// Makes tests of recordings.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { CHECK_OPTIONS, checkFlags, conforming } from "./check.js";
import { CodexWireError, argument, pathOf, refuseUnknown, run, warn } from "./program.js";

/** How much one process checks: a command line of Windows has 32,767 characters, and a test of vitest 5 seconds. */
const MOST_CHARACTERS = 20_000;
const MOST_BYTES = 32 * 1024 * 1024;

export function testRecordings(test, folder, options = {}) {
  if (typeof options !== "function") refuseUnknown(options, CHECK_OPTIONS);
  const root = resolve(pathOf(folder));
  if (!existsSync(root)) throw new CodexWireError(`${root} does not exist`);
  const found = recordings(root);
  if (found.length === 0) throw new CodexWireError(`no recordings in ${root}`);
  let batches;
  for (const path of found) {
    // Two folders may have recordings of the same name.
    test(slashed(relative(process.cwd(), path)), async () => {
      batches ??= batched(found, (each) => (typeof options === "function" ? options(slashed(relative(root, each)) || each) : options));
      await batches.get(path)();
    });
  }
}

/**
 * For each recording a function that checks it. Those with the same options are checked by one process, as soon as the
 * first of them is; whatever that has something to say about is then checked again by itself.
 */
function batched(paths, optionsOf) {
  const checks = new Map();
  const open = new Map();
  for (const path of paths) {
    let options;
    try {
      options = optionsOf(path);
      refuseUnknown(options, CHECK_OPTIONS);
    } catch (error) {
      checks.set(path, () => Promise.reject(error));
      continue;
    }
    const name = argument(slashed(relative(resolve(options.cwd ?? "."), path)));
    const key = JSON.stringify(options);
    let batch = open.get(key);
    if (batch === undefined || batch.characters > MOST_CHARACTERS || batch.bytes > MOST_BYTES) {
      batch = { names: [], characters: 0, bytes: 0 };
      open.set(key, batch);
    }
    batch.names.push(name);
    batch.characters += name.length + 1;
    batch.bytes += statSync(path).size;
    const own = batch;
    checks.set(path, async () => {
      own.clean ??= clean(own.names, options);
      if ((await own.clean).has(name)) return;
      remark(await conforming(name, options));
    });
  }
  return checks;
}

/** The recordings of which there is nothing to say. If there is something to say of all together, it is none. */
async function clean(names, options) {
  const args = ["check", "--format", "json", ...checkFlags({ ...options, maxFindings: 0 }), ...names];
  const { output, error } = await run(args, { cwd: options.cwd });
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    return new Set();
  }
  if (report.totals.stale > 0) return new Set();
  // What could not be checked is said of that recording alone.
  const isSaid = (line) => report.inputs.some((input) => input.error && line.endsWith(`${input.path}: ${input.error}`));
  warn(error.split("\n").filter((line) => !isSaid(line)).join("\n"));
  const isClean = ({ verdict, counts }) => verdict === "conforms" && counts.error === 0 && counts.warning === 0;
  return new Set(report.inputs.filter(isClean).map(({ path }) => path));
}

/** Shows the warnings of a recording that conforms, one for each rule. Test runners show what the console is given. */
function remark({ inputs }) {
  for (const { path, counts, findings } of inputs) {
    const rules = new Map();
    for (const finding of findings) {
      if (finding.severity !== "warning" || finding.expected != null) continue;
      rules.set(finding.rule, [...(rules.get(finding.rule) ?? []), finding]);
    }
    let listed = 0;
    for (const [rule, [first, ...more]] of rules) {
      const others = more.length > 0 ? ` (and ${more.length} more)` : "";
      console.warn(`${path}:${first.line}:${first.column}: warning[${rule}]: ${first.message}${others}`);
      listed += 1 + more.length;
    }
    if (counts.warning > listed) console.warn(`${path}: ${counts.warning - listed} more warnings are not listed`);
  }
}

function slashed(path) {
  return path.split(sep).join("/");
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
