// A client of `codex app-server` for tests: it runs a turn, declines what it is asked, and returns what the agent says last.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** What the client knows. Another kind of item is one of a later release. */
const ITEMS = ["userMessage", "agentMessage", "commandExecution"];

/** `bug` is what is wrong with the client, if something is. */
export async function client(path, bug) {
  const codex = spawn(path, ["app-server"], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(codex, "close");
  codex.stdin.on("error", () => {});
  // A Codex that says nothing for long has to go.
  const silence = bug === "waits" ? undefined : setTimeout(() => codex.kill("SIGKILL"), 3000);
  codex.stdout.on("data", () => silence?.refresh());
  try {
    return await turn(codex, ended, bug);
  } finally {
    clearTimeout(silence);
    codex.kill("SIGKILL");
    await ended;
  }
}

function turn(codex, ended, bug) {
  const send = (message) => codex.stdin.write(`${JSON.stringify(message)}\n`);
  let said;
  let parts = [];
  return new Promise((resolve, reject) => {
    const take = (line) => {
      const { id, method, params, result, error } = JSON.parse(line);
      if (error) reject(new Error(error.message));
      else if (method === undefined && id === 1) {
        send({ method: "initialized" });
        send({ id: 2, method: "thread/start", params: {} });
      } else if (method === undefined && id === 2) {
        const input = [{ type: "text", text: "Clean up.", text_elements: [] }];
        send({ id: 3, method: "turn/start", params: { threadId: result.thread.id, input } });
      } else if (method !== undefined && id !== undefined) {
        send({ id, result: { decision: "decline" } });
      } else if (method === "item/completed") {
        const { type, text } = params.item;
        if (type === "agentMessage") said = text;
        if (bug === "knows all items" && !ITEMS.includes(type)) reject(new Error(`what is ${type}?`));
      } else if (method === "turn/completed") {
        const { status } = params.turn;
        if (status === "completed" || bug === "ignores the status") resolve(said);
        else reject(new Error(`the turn is ${status}`));
      }
    };
    codex.stdout.on("data", (data) => {
      parts.push(data);
      if (!data.includes("\n")) return;
      const lines = Buffer.concat(bug === "reads whole lines" ? [data] : parts).toString().split("\n");
      parts = [Buffer.from(lines.pop())];
      try {
        lines.forEach(take);
      } catch (error) {
        reject(error);
      }
    });
    ended.then(() => (bug === "takes an end for a success" ? resolve(said) : reject(new Error("Codex ended before its turn"))));
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "own", version: "1" } } });
  });
}
