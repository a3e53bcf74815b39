// `codex exec` cannot be told to interrupt a turn, so the process is ended.
import { Codex } from "@openai/codex-sdk";

const codex = new Codex({ codexPathOverride: process.argv[2] });
const options = { skipGitRepoCheck: true };
const stop = new AbortController();
const { events } = await codex.startThread(options).runStreamed("Do it.", { signal: stop.signal });
for (;;) {
  const { value } = await events.next();
  if (value.type === "turn.started") break;
}
// What began has no sign of life before the end of its first item.
await new Promise((resolve) => setTimeout(resolve, 1000));
console.log((await codex.startThread(options).run("Do the other.")).finalResponse);
stop.abort();
try {
  while (!(await events.next()).done);
  console.log("completed");
} catch (error) {
  if (error.name !== "AbortError") throw error;
  console.log("interrupted");
}
