import { Codex } from "@openai/codex-sdk";

const codex = new Codex({ codexPathOverride: process.argv[2] });
const thread = codex.startThread({ skipGitRepoCheck: true });
const { events } = await thread.runStreamed("Do it.", { signal: AbortSignal.timeout(10_000) });
let message;
let usage;
for await (const event of events) {
  console.error(event.type);
  if (event.type === "item.completed" && event.item.type === "agent_message") message = event.item.text;
  if (event.type === "turn.completed") usage = event.usage;
  if (event.type === "turn.failed") throw new Error(event.error.message);
}
console.log(message);
if (!usage) throw new Error("the turn did not complete");
console.log("tokens", usage.input_tokens, usage.output_tokens);
