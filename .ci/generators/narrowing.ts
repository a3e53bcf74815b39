// What json-schema-to-typescript makes of the schemas narrows, once narrowable.mjs has changed them.
import * as z from "zod";
import type { CommandExecutionStatus, ThreadEvent, UnknownThreadEvent } from "./narrow-exec";
import type { RolloutLine } from "./narrow-rollout";

export function text(event: ThreadEvent): string {
  if (event.type === "item.completed" && event.item.type === "agent_message") return event.item.text;
  if (event.type === "turn.completed") return String(event.usage.input_tokens);
  // @ts-expect-error
  return event.usage;
}

export function title(event: ThreadEvent): string {
  switch (event.type) {
    case "thread.started":
      return event.thread_id;
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
    case "item.started":
    case "item.updated":
    case "item.completed":
      return event.type;
    case "error":
      return event.message;
    default: {
      const later: UnknownThreadEvent = event;
      return later.type;
    }
  }
}

export function incomplete(event: ThreadEvent): string {
  switch (event.type) {
    case "thread.started":
      return event.thread_id;
    default: {
      // @ts-expect-error
      const later: UnknownThreadEvent = event;
      return later.type;
    }
  }
}

export function id(line: RolloutLine): string {
  return line.type === "session_meta" ? line.payload.id : line.type;
}

export const later: CommandExecutionStatus = "a value of a later release";

// zod reads the schema itself; the type comes from beside it.
declare const schema: Parameters<typeof z.fromJSONSchema>[0];
const event = z.fromJSONSchema(schema) as z.ZodType<ThreadEvent>;
export const tokens = (line: string): number | undefined => {
  const read = event.parse(JSON.parse(line));
  return read.type === "turn.completed" ? read.usage.input_tokens : undefined;
};
