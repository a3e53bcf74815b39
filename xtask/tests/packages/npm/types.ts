// The declarations, as a strict compiler reads them.
import { createReadStream } from "node:fs";
import { test as ofNode } from "node:test";
import { test as ofVitest } from "vitest";
import {
  CodexWireError,
  type CheckOptions,
  type ClientEvent,
  type Diff,
  type Double,
  type Finding,
  type Identification,
  type Report,
  type TranscriptDiff,
  type Usage,
  type difference,
  type session,
  assertConforms,
  check,
  diff,
  diffTranscript,
  fakeCodex,
  identify,
  iterFindings,
  replayPath,
  schema,
  sessions,
  testFaults,
  testRecordings,
  usage,
} from "codex-wire";

async function* lines(): AsyncGenerator<string> {
  yield "{}";
}

const report: Report = await check("run.jsonl", { release: "0.125.0", profile: "exact", deny: ["schema/*"] });
await check(new URL("run.jsonl", import.meta.url));
await check(["{}"]);
await check("run.jsonl", { withRollout: ["a.jsonl"] });
await check([], { protocol: "hooks", event: "Stop", side: "hook", exitStatus: 2, stderr: "reason.txt" });
await check(lines());
await check(createReadStream("run.jsonl"));
await assertConforms("tests", { baseline: "known.toml" } satisfies CheckOptions);
const findings: readonly Finding[] = report.inputs.flatMap((input) => input.findings);
const severities: ("error" | "warning" | "note")[] = findings.map((finding) => finding.severity);
const since: string | null | undefined = findings[0]?.releases?.since;
testRecordings(ofNode, "tests/recordings");
testRecordings(ofVitest, "tests/recordings", (name) => ({ release: name.split("/")[0] ?? "" }));
const codex: string = replayPath(["a.jsonl", "b.jsonl"], { asRelease: "0.98.0", speed: 2, faults: ["turn-fails"] });
replayPath("a.jsonl", { faults: "turn-fails", faultLog: "faults.log" });
replayPath([], { script: "hello.toml" });
const error = new CodexWireError("") satisfies Error;
const code: number | undefined = error.exitCode;
console.log(severities, since, codex, code);

for await (const finding of iterFindings("run.jsonl", { deny: "schema/*" })) console.log(finding.path, finding.rule);
const known: Identification = await identify(["{}"]);
console.log(known.inputs[0]?.releases?.ranges[0]?.since);
console.log((await schema("exec", { release: "0.44.0", profile: "exact" }))["$id"]);
const changes: Diff = await diff("exec", "0.124.0", "0.125.0", { only: ["breaking", "maybe"] });
const verdict: difference.Verdict | undefined = changes.differences[0]?.verdict;
const upgrade: TranscriptDiff = await diffTranscript("run.jsonl", { to: "0.169.0" });
console.log(verdict, upgrade.differences.totals.breaking);
const sums: Usage = await usage("home", { by: ["day", "model"], where: "tokens>100", top: 3, cost: true });
console.log(sums.rows[0]?.tokens.input);

/** As `ClientRequests` of `codex-wire-types`. */
interface Requests {
  "turn/start": { params: { threadId: string }; result: { turn: unknown } };
}
const double: Double<Requests> = await fakeCodex<Requests>({ release: "0.169.0" })
  .reason(["a", "b"])
  .run("ls", { output: ["a"], exit: 1, approval: "decline" })
  .plan([{ step: "x", status: "in_progress" }])
  .call("read", { server: "files", arguments: { path: "x" } })
  .turn()
  .hang();
const threads: string[] = double.requests("turn/start").map(({ threadId }) => threadId);
const events: ClientEvent[] = double.events;
const first: string | undefined = (await double.waitFor("approval")).command;
testFaults(ofNode, double, (path) => path);
testFaults(ofVitest, fakeCodex().say("x"), async (path) => path, { faults: ["turn-fails"], timeout: 100 });
console.log(threads, events, first, (await fakeCodex().say("x")).requests("anything")[0]);
// @ts-expect-error: no such request
double.requests("turn/strat");
// @ts-expect-error: no such decision
fakeCodex().run("ls", { approval: "refuse" });
// @ts-expect-error: a script is not a double before it is awaited
fakeCodex().say("x").path;

/** Whoever forgets a kind of item hears of it. */
function words(item: session.Item): string {
  switch (item.type) {
    case "message":
      return item.text;
    case "command":
      return `${item.command}: ${item.exit_code ?? "?"}`;
    case "reasoning":
    case "patch":
    case "mcp_call":
    case "tool_call":
    case "web_search":
    case "plan":
    case "todo_list":
    case "image":
    case "compaction":
    case "review":
    case "approval":
    case "sub_agent":
    case "error":
    case "warning":
    case "hook_run":
    case "other":
      return item.type;
    default:
      return item satisfies never;
  }
}
for await (const { threads } of sessions("home")) console.log(threads.flatMap((thread) => thread.turns[0]?.items.map(words) ?? []));
// @ts-expect-error: a message has no exit code
export const none = (item: session.Message) => item.exit_code;
// @ts-expect-error: the other release is missing
await diffTranscript("run.jsonl", {});
// @ts-expect-error: bytes are not lines
await check(new Uint8Array());
// @ts-expect-error: a misspelt option
await check("run.jsonl", { relaese: "0.125.0" });
// @ts-expect-error: not all findings have a place in a release
findings[0]!.releases.since;
// @ts-expect-error: a report is not to be changed
report.totals.error = 0;
