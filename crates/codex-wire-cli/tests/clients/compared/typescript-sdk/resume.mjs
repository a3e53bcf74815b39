import { Codex } from "@openai/codex-sdk";

const options = { skipGitRepoCheck: true };
const start = () => new Codex({ codexPathOverride: process.argv[2] });
const thread = start().startThread(options);
console.log((await thread.run("Do it.")).finalResponse);
console.log((await start().resumeThread(thread.id, options).run("Go on.")).finalResponse);
