// What a program can do with the types of all releases, and what it must not.
import type { ServerNotification } from "codex-wire-types/app-server/any";
import type {
  CurrentThreadItem,
  KnownThreadItem,
  RetiredThreadItem,
  ThreadEvent,
  ThreadItem,
  UnknownThreadItem,
} from "codex-wire-types/exec/any";
import type { CurrentRolloutLine, EarlyLine, RolloutLine, SessionLine } from "codex-wire-types/rollout/any";

// A tag narrows the union of all releases. A member that came later may be absent.
export function output(event: ThreadEvent): string | undefined {
  if (event.type === "turn.completed") {
    const later: number | undefined = event.usage.reasoning_output_tokens;
    // @ts-expect-error
    const always: number = event.usage.reasoning_output_tokens;
    return `${later} ${always}`;
  }
  if (event.type === "item.completed" && event.item.type === "command_execution") {
    const code: number | null | undefined = event.item.exit_code;
    return `${event.item.aggregated_output} ${code}`;
  }
  // Of another kind there is no such member.
  // @ts-expect-error
  return event.usage;
}

// The first releases called the tag differently: it is another member, which narrows as well.
export function early(item: ThreadItem): string {
  if (item.item_type === "assistant_message") {
    const text: string = item.text;
    return text;
  }
  // @ts-expect-error
  return item.text;
}

// A switch over the current kinds is exhaustive.
export function all(item: CurrentThreadItem): string {
  switch (item.type) {
    case "agent_message":
    case "reasoning":
    case "command_execution":
    case "file_change":
    case "mcp_tool_call":
    case "collab_tool_call":
    case "web_search":
    case "todo_list":
    case "error":
      return item.type;
    default: {
      const nothing: never = item;
      return nothing;
    }
  }
}

// The same switch does not compile without one of them.
export function incomplete(item: CurrentThreadItem): string {
  switch (item.type) {
    case "agent_message":
    case "reasoning":
    case "command_execution":
    case "file_change":
    case "mcp_tool_call":
    case "collab_tool_call":
    case "web_search":
    case "todo_list":
      return item.type;
    default: {
      // @ts-expect-error
      const nothing: never = item;
      return nothing;
    }
  }
}

// What is left of all kinds is what the newest release does not have, and what no release has.
export function rest(item: ThreadItem): string {
  switch (item.type) {
    case "agent_message":
      return item.text;
    case "reasoning":
    case "command_execution":
    case "file_change":
    case "mcp_tool_call":
    case "collab_tool_call":
    case "web_search":
    case "todo_list":
    case "error":
      return item.type;
    default: {
      const later: RetiredThreadItem | UnknownThreadItem = item;
      return later.type ?? later.item_type;
    }
  }
}

// A session file of any release: its lines are told apart by one member, and by their types.
export function session(line: SessionLine): string {
  if ("payload" in line && line.type === "session_meta") {
    return line.payload.id;
  }
  // The lines of the first releases stand in no envelope.
  if (line.type === "message") {
    return line.role;
  }
  if (line.type !== undefined) {
    return line.type;
  }
  return "record_type" in line ? line.record_type : line.id;
}
export function lines(line: RolloutLine | EarlyLine): SessionLine {
  return line;
}
({ record_type: "state" }) satisfies SessionLine;
// @ts-expect-error
({ record_type: 7 }) satisfies SessionLine;

export function meta(line: CurrentRolloutLine): string {
  switch (line.type) {
    case "session_meta":
      return line.payload.id;
    case "event_msg":
      return line.payload.type;
    default: {
      // @ts-expect-error
      const nothing: never = line;
      return nothing;
    }
  }
}

export function method(message: ServerNotification): string {
  return message.method === "turn/started" ? message.params.turn.id : message.method;
}

void ({} as KnownThreadItem satisfies ThreadItem);
