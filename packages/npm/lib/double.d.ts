import type { ClientEvent } from "./client_log.js";
import type * as script from "./script.js";

export type { ClientEvent };
/** What a client log is made of: an event of each kind, which its `event` names. */
export type * as clientLog from "./client_log.js";
/** What scripts are made of. */
export type * as script from "./script.js";

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The options of {@link fakeCodex}. */
export interface FakeCodexOptions {
  /** The release of Codex that it plays; the newest one if it is not given. */
  readonly release?: string;
  /** The name of the model. */
  readonly model?: string;
  /** What goes wrong on purpose, such as `turn-fails`. */
  readonly faults?: string | readonly string[];
  /** What faults leave open follows from this number. */
  readonly seed?: number;
  /** What a client gets that sends what no script has; `synthesize` if it is not given. */
  readonly onMiss?: "error" | "fail" | "synthesize";
  readonly speed?: string | number;
  readonly times?: "recorded" | "now";
  /**
   * The test that it ends with: what vitest or `node:test` gives the test. It is needed in tests of vitest that run at
   * once (`test.concurrent`), and where `node:test` is not started with `node --test`. Others are found.
   */
  readonly context?:
    | { onTestFinished(end: () => Promise<void>): unknown }
    | { after(end: () => Promise<void>): unknown };
}

/** The requests of a client, by method: `ClientRequests` of `codex-wire-types` has those of a release. */
export type RequestsByMethod = { readonly [method: string]: { readonly params?: unknown } };

/** The keys of a step beside its own. */
type Others<Step, Key extends keyof Step> = Omit<Step, Key>;

/**
 * A script, step by step: what the model does. It has a method for each kind of step, whose options are the other keys of
 * that step. Awaited, it is a {@link Double}.
 */
export interface DoubleBuilder<Requests = RequestsByMethod> extends PromiseLike<Double<Requests>> {
  /** The model writes a message to the user. */
  say(text: script.Say["say"]): this;
  /** The model thinks. */
  reason(summary: script.Reason["reason"]): this;
  /** The model runs a command. With `approval`, Codex asks the client; with a decision, the client has to give this one. */
  run(command: script.Run["run"], options?: Others<script.Run, "run">): this;
  /** The model changes files. `patch` is in the format of Codex: `*** Begin Patch` to `*** End Patch`. */
  patch(patch: script.Patch["patch"], options?: Others<script.Patch, "patch">): this;
  /** The model asks the user a question. */
  ask(question: script.Ask["ask"], options?: Others<script.Ask, "ask">): this;
  /** The model says what it is going to do: the whole plan each time. */
  plan(plan: script.Plan["plan"], options?: Others<script.Plan, "plan">): this;
  /** The model searches the web. */
  search(query: script.Search["search"]): this;
  /** The model calls a tool of an MCP server. */
  call(tool: script.Call["call"], options?: Others<script.Call, "call">): this;
  /** The model starts another agent. */
  spawn(task: script.Spawn["spawn"], options?: Others<script.Spawn, "spawn">): this;
  /** The connection to the model breaks, and Codex connects again. */
  retry(reason: script.Retry["retry"], options?: Others<script.Retry, "retry">): this;
  /** The turn fails. */
  fail(message: script.Fail["fail"], options?: Others<script.Fail, "fail">): this;
  /** Nothing more comes until the client interrupts the turn. */
  hang(): this;
  /** What each answer of the model costs from here on. */
  usage(tokens: script.Usage["usage"]): this;
  /** What follows is the next turn. */
  turn(): this;
  /** A double of the script so far, with other faults. */
  withFaults(faults: string | readonly string[]): Promise<Double<Requests>>;
}

/** What the client was asked, and what it answered. */
export type Approval =
  | { readonly command: string; readonly decision: string }
  | { readonly files: readonly string[]; readonly decision: string };

/** A run of the program `codex`. */
export interface Run {
  readonly arguments: readonly string[];
  /** The working directory. */
  readonly directory: string;
  /** The exit status; absent while it runs, and if something else ended it. */
  readonly status?: number;
}

/** A program named `codex` that plays a script, and what clients sent to it so far: each property reads what is there. */
export interface Double<Requests = RequestsByMethod> {
  /** The program `codex`. */
  readonly path: string;
  /** The folder of the program, which belongs to this double alone. */
  readonly folder: string;
  /** The prompts that started turns. */
  readonly prompts: string[];
  readonly approvals: Approval[];
  /** What the client answered to questions. */
  readonly answers: { readonly question: string; readonly answers: readonly string[] }[];
  /** The messages of clients of `codex app-server` and `codex proto`; a line that is not JSON is a string. */
  readonly sent: unknown[];
  /** What the client did that the script does not have, in words. */
  readonly unexpected: string[];
  readonly runs: Run[];
  /** All that is known of clients, in the order in which it happened. */
  readonly events: ClientEvent[];
  /** The ids of the faults that happened, such as `fault/turn-fails`. */
  readonly injected: string[];
  /** The `params` of the requests with this method, or the submissions of this type to `codex proto`. */
  requests<Method extends keyof Requests & string>(method: Method): Params<Requests[Method]>[];
  /**
   * Waits for the first event of a kind.
   *
   * @throws {CodexWireError} if there is none in time (10 seconds), or the double ends
   */
  waitFor<Kind extends ClientEvent["event"]>(
    event: Kind,
    options?: { readonly timeout?: number },
  ): Promise<Extract<ClientEvent, { readonly event: Kind }>>;
  /** A double with the same script and other faults. */
  withFaults(faults: string | readonly string[]): Promise<Double<Requests>>;
  /**
   * Ends it, and the processes of the program half a second later at most. What clients sent can still be read. Tests of
   * vitest and `node:test`, and the end of this process, do it themselves.
   */
  end(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Params<Request> = Request extends { readonly params?: infer Params } ? Params : undefined;

/**
 * Makes a double of Codex: a program named `codex` that plays a script to your client, and tells what the client sent.
 *
 * ```ts
 * const codex = await fakeCodex({ release: "0.169.0" })
 *   .say("Looking.")
 *   .run("rm -rf build", { approval: "decline" })
 *   .say("Left it.");
 * // … the client runs with codex.path …
 * expect(codex.approvals).toEqual([{ command: "rm -rf build", decision: "decline" }]);
 * ```
 *
 * It ends when the test ends that made it. The messages of the client have types with
 * `fakeCodex<ClientRequests>(…)`, where `ClientRequests` is that of `codex-wire-types/app-server/0.169.0`.
 *
 * @throws {CodexWireError} if the release cannot play the script (when it is awaited)
 * @throws {TypeError} if there is no such option, or it cannot have this value
 */
export function fakeCodex<Requests = RequestsByMethod>(options?: FakeCodexOptions): DoubleBuilder<Requests>;

/** A double, or a script that one is made from. */
interface Disturbed {
  // What requests are called makes no difference here.
  withFaults(faults: readonly string[]): Promise<Double<any>>;
}

/**
 * Makes a test of each fault: whether your client handles it. `startClient` runs the client with the program whose path it
 * is given, and returns what the client shows: the same each time, such as the answer of the agent. If the client fails, it
 * throws. It is run twice without a fault, and once with each. A fault that is none of the protocol that the client speaks, or
 * has no place in the script, is a test that is skipped.
 *
 * ```ts
 * testFaults(test, fakeCodex({ release: "0.169.0" }).say("Hello."), async (path) => {
 *   const turn = await new Codex({ codexPathOverride: path }).startThread().run("Say hello.");
 *   return turn.finalResponse;
 * });
 * ```
 *
 * @param test The function of your test runner that makes a test: that of `node:test`, vitest, Jest, Mocha (`it`)
 * or Bun.
 * @param codex A double, or a script (without `await`). Each run has a double of its own with the same script.
 * @param options `faults`: which faults are tried, all if it is not given; `timeout`: how long the client may take, in
 * milliseconds (20,000).
 * @throws {TypeError} if there is no such option or fault
 */
export function testFaults(
  test: (name: string, body: () => Promise<void>, timeout: number) => unknown,
  codex: Disturbed | PromiseLike<Disturbed>,
  startClient: (path: string) => unknown,
  options?: { readonly faults?: string | readonly string[]; readonly timeout?: number },
): void;
