// What a program can do with the types, and what it must not.
import type {
  ClientRequest,
  ClientRequests,
  KnownThreadItem,
  ServerMessage,
  ServerNotifications,
  ThreadItem,
  UnknownThreadItem,
} from "codex-wire-types/app-server";
import type * as Old from "codex-wire-types/app-server/0.142.0";
import type * as Early from "codex-wire-types/app-server/0.104.0";
import type * as Exec from "codex-wire-types/exec";
import type * as Exec125 from "codex-wire-types/exec/0.125.0";
import type { HookEvents } from "codex-wire-types/hooks";
import type { UserNotification } from "codex-wire-types/notify";
import type { RolloutLine } from "codex-wire-types/rollout";

// A tag narrows the open union.
export function text(item: ThreadItem): string {
  if (item.type === "agentMessage") {
    const text: string = item.text;
    return text;
  }
  return "";
}

// What no case takes is unknown to the release, and can still be looked at.
export function rest(event: Exec.ThreadEvent): string {
  switch (event.type) {
    case "thread.started":
      return event.thread_id;
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
    case "item.started":
    case "item.updated":
    case "item.completed":
    case "error":
      return event.type;
    default: {
      const unknown: Exec.UnknownThreadEvent = event;
      const tag: string = unknown.type;
      return tag;
    }
  }
}

// A switch over the closed union is exhaustive: the compiler knows that nothing is left.
export function all(event: Exec.KnownThreadEvent): string {
  switch (event.type) {
    case "thread.started":
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
    case "item.started":
    case "item.updated":
    case "item.completed":
    case "error":
      return event.type;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}

// The same switch does not compile when a kind is added.
export function more(event: Exec.KnownThreadEvent | { type: "walrus.seen"; tusks: number }): string {
  switch (event.type) {
    case "thread.started":
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
    case "item.started":
    case "item.updated":
    case "item.completed":
    case "error":
      return event.type;
    default: {
      // @ts-expect-error
      const nothing: never = event;
      return nothing;
    }
  }
}

// The open union is never exhausted.
export function open(item: ThreadItem, known: KnownThreadItem): void {
  const closed: ThreadItem = known;
  // @ts-expect-error
  const wrong: KnownThreadItem = item;
  void [closed, wrong];
}

// Enumerations take values that this release does not have, and other types not.
"in_progress" satisfies Exec.CommandExecutionStatus;
"walrus" satisfies Exec.CommandExecutionStatus;
// @ts-expect-error
"walrus" satisfies Exec.KnownCommandExecutionStatus;
// @ts-expect-error
7 satisfies Exec.CommandExecutionStatus;

// A kind of a later release can be made.
({ type: "walrus" as UnknownThreadItem["type"], tusks: 2 }) satisfies ThreadItem;
// @ts-expect-error
({ type: "walrus", tusks: 2 }) satisfies ThreadItem;

// A map leads from the method to its params and its result.
export declare function request<M extends keyof ClientRequests>(
  method: M,
  params: ClientRequests[M]["params"],
): Promise<ClientRequests[M]["result"]>;
export async function start(): Promise<string> {
  const { thread } = await request("thread/start", { cwd: "/workspace" });
  await request("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  // @ts-expect-error
  await request("turn/start", { threadId: thread.id });
  // @ts-expect-error
  await request("walrus/start", {});
  return thread.id;
}
export type Started = ServerNotifications["turn/started"]["params"]["turn"]["id"];
"turn_1" satisfies Started;

// What Codex always writes is there, `null` where there is nothing to say; older releases do not have it.
export function phase(item: Extract<ThreadItem, { type: "agentMessage" }>): string | null {
  return item.phase;
}
export function earlier(item: Extract<Early.ThreadItem, { type: "agentMessage" }>): void {
  // @ts-expect-error
  void item.phase;
}
// @ts-expect-error
({ type: "agentMessage", id: "item_1", text: "Hello" }) satisfies KnownThreadItem;

// A message of the other side is a response, a request or a notification.
export function about(message: ServerMessage): string {
  if ("method" in message) {
    return message.method;
  }
  return "error" in message ? message.error.message : String(message.id);
}
({ id: 1, method: "thread/start", params: {} }) satisfies ClientRequest;

// A release whose messages are not known has the types of the one before.
export type Between = import("codex-wire-types/app-server/0.142.1").ThreadItem;
({} as Old.ThreadItem) satisfies Between;
// @ts-expect-error
export type AfterTheEnd = import("codex-wire-types/core/0.43.0").Event;

// Several releases: a member that only one of them has is not there without a question.
export function written(event: Exec125.ThreadEvent | Exec.ThreadEvent): number {
  if (event.type !== "turn.completed") return 0;
  // @ts-expect-error
  void event.usage.cache_write_input_tokens;
  return "cache_write_input_tokens" in event.usage ? event.usage.cache_write_input_tokens : 0;
}

// The types are those of the release.
export type Reasoning = Exec125.Usage["reasoning_output_tokens"];
// @ts-expect-error
export type TooEarly = import("codex-wire-types/exec/0.124.0").Usage["reasoning_output_tokens"];
// @ts-expect-error
export type NoRelease = import("codex-wire-types/exec/0.1.0").Usage;
export type Both = [Old.ThreadItem, RolloutLine, UserNotification, HookEvents["PreToolUse"]["output"]];
