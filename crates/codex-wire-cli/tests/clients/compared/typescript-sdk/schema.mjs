import { Codex } from "@openai/codex-sdk";

const codex = new Codex({ codexPathOverride: process.argv[2] });
const outputSchema = {
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
};
const thread = codex.startThread({ skipGitRepoCheck: true });
const turn = await thread.run("Do it.", { outputSchema });
console.log(JSON.parse(turn.finalResponse).answer);
