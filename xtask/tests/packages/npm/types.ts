// The declarations, as a strict compiler reads them.
import { test as ofNode } from "node:test";
import { test as ofVitest } from "vitest";
import {
  CodexWireError,
  type CheckOptions,
  type Finding,
  type Report,
  assertConforms,
  check,
  replayPath,
  testRecordings,
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

// @ts-expect-error: bytes are no lines
await check(new Uint8Array());
// @ts-expect-error: a misspelt option
await check("run.jsonl", { relaese: "0.125.0" });
// @ts-expect-error: not all findings have a place in a release
findings[0]!.releases.since;
// @ts-expect-error: a report is not to be changed
report.totals.error = 0;
