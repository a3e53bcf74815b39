import type { Diff, TranscriptDiff } from "./difference.js";
import type { Identification } from "./identification.js";
import type { Finding, Report } from "./report.js";
import type { Session } from "./session.js";
import type { Usage } from "./usage.js";

export * from "./double.js";
export type { Diff, Identification, Session, TranscriptDiff, Usage };
export type * from "./report.js";
/** What differences are made of. */
export type * as difference from "./difference.js";
/** What identifications are made of. */
export type * as identification from "./identification.js";
/** What sessions are made of: `session.Turn`, `session.Item`. An item is of the kind that its `type` names. */
export type * as session from "./session.js";
/** What sums are made of. */
export type * as sums from "./usage.js";

/** A path, or a `file:` URL such as `new URL("run.jsonl", import.meta.url)`. */
export type Path = string | { readonly href: string };

/** The lines of one transcript, with or without their line feeds; or a `Readable` of its text or bytes. */
export type Lines = Iterable<string> | AsyncIterable<string>;

/** The options of `codex-wire check`; `codex-wire check --help` explains them. */
export interface CheckOptions {
  readonly protocol?: string;
  /** The release that wrote the input. Without it, the possible releases are inferred. */
  readonly release?: string;
  readonly profile?: string;
  readonly side?: "codex" | "client" | "hook";
  /** Rules that are errors: names such as `schema/unknown-value`, or groups. */
  readonly deny?: string | readonly string[];
  /** Rules that are warnings. */
  readonly warn?: string | readonly string[];
  /** Rules that are left out. */
  readonly allow?: string | readonly string[];
  /** A file with expected findings. */
  readonly baseline?: string;
  /** Session files of the same run, or a folder of them: the stream is compared with what Codex kept. */
  readonly withRollout?: string | readonly string[];
  /** The event of the hook whose input or output is checked. */
  readonly event?: string;
  /** The exit status of the hook. */
  readonly exitStatus?: number;
  /** A file with what the hook wrote to standard error. */
  readonly stderr?: string;
  /** Show texts, such as prompts and output, in excerpts. */
  readonly showValues?: boolean;
  /** How many findings of an input are listed; all of them if it is not given. */
  readonly maxFindings?: number;
  /** Further arguments. */
  readonly arguments?: readonly string[];
  /** The folder that paths are relative to. */
  readonly cwd?: string;
}

/** The options of functions that have no others. */
export interface OtherOptions {
  /** Further arguments. */
  readonly arguments?: readonly string[];
  /** The folder that paths are relative to. */
  readonly cwd?: string;
}

/** The options of `codex-wire schema`; `codex-wire schema --help` explains them. */
export interface SchemaOptions {
  /** Without it, the newest. */
  readonly release?: string;
  readonly profile?: "open" | "known" | "exact" | "codegen";
  readonly draft?: "2020-12" | "draft-07";
  readonly stability?: "stable" | "experimental";
  /** One document for all releases. */
  readonly allReleases?: boolean;
  /** Further arguments. */
  readonly arguments?: readonly string[];
}

/** Which changes are shown; what is left out is counted. */
export interface Selection {
  /** `unknown` counts as `maybe`. */
  readonly only?: "breaking" | "maybe" | readonly ("breaking" | "maybe")[];
  readonly side?: "codex" | "client";
  /** Names of messages, with wildcards. */
  readonly message?: string | readonly string[];
}

/** The options of `codex-wire diff`; `codex-wire diff --help` explains them. */
export interface DiffOptions extends Selection, OtherOptions {
  readonly stability?: "stable" | "experimental";
  readonly writer?: "codex" | "client";
}

/** The options of `codex-wire diff --transcript`. */
export interface DiffTranscriptOptions extends Selection, OtherOptions {
  /** The release that the transcript is compared with. */
  readonly to: string;
  /** The release that the client was built for. Without it, the oldest that could have written the transcript. */
  readonly from?: string;
  readonly protocol?: string;
  readonly stability?: "stable" | "experimental";
}

/** The options of `codex-wire usage`; `codex-wire usage --help` explains them. */
export interface UsageOptions extends OtherOptions {
  /** What rows have in common, such as `day` or `["model", "project"]`. */
  readonly by?: string | readonly string[];
  /** Conditions such as `status=failed` or `tokens>100000`. */
  readonly where?: string | readonly string[];
  readonly since?: string;
  /** How many rows are listed, those with the most tokens. */
  readonly top?: number;
  /** Add what the tokens cost, by the included prices. */
  readonly cost?: boolean;
  /** A file with prices. */
  readonly prices?: string;
  /** Begin days at midnight UTC. */
  readonly utc?: boolean;
}

/** The options of `codex-wire replay`; `codex-wire replay --help` explains them. */
export interface ReplayOptions {
  /**
   * Where the program is written. Without it, in a temporary folder that is removed when this process exits. If it
   * ends without an exit, as workers of test runners may, a later call in another process removes the folder.
   */
  readonly directory?: string;
  /** A script instead of recordings, which are then `[]`. */
  readonly script?: string;
  readonly release?: string;
  /** Play the recordings as this release would have written them. */
  readonly asRelease?: string;
  readonly speed?: string | number;
  readonly onMiss?: "error" | "fail" | "synthesize";
  readonly times?: "recorded" | "now";
  /** What goes wrong on purpose, such as `turn-fails`. */
  readonly faults?: string | readonly string[];
  readonly seed?: number;
  /** A file to which the ids of faults are written when they happen. */
  readonly faultLog?: string;
  /** A file to which the exchange is recorded. */
  readonly record?: string;
  /** Further arguments. */
  readonly arguments?: readonly string[];
  /** The folder that paths of recordings are relative to. */
  readonly cwd?: string;
}

/** The program could not do what it was asked, or a transcript does not conform. */
export class CodexWireError extends Error {
  /** The exit code of the program, if it had one: 1 if something does not conform, 2 if it could not be checked. */
  readonly exitCode?: number;
  /** What was found, if there is a report. */
  readonly report?: Report;
  /** What the other inputs are, if one could not be identified. */
  readonly identification?: Identification;
  /** What the other inputs used, if one could not be read. */
  readonly usage?: Usage;
}

/**
 * Checks a transcript, or all of a folder. A string is a path; anything else that can be iterated is the lines of
 * one transcript. What breaks a rule is a finding of the report, and no error; nor is an input without messages,
 * whose verdict is `not-exercised`.
 *
 * @throws {CodexWireError} if an input could not be read
 * @throws {TypeError} if there is no such option, it cannot have this value, or the string is not a path but a text
 */
export function check(input: Path | Lines, options?: CheckOptions): Promise<Report>;

/**
 * Checks a transcript, or all of a folder, and yields the findings of each input as soon as it is checked.
 *
 * @throws {CodexWireError} behind the last finding, if an input could not be read, or if no input has messages
 */
export function iterFindings(
  input: Path | Lines,
  options?: CheckOptions,
): AsyncGenerator<Finding & { readonly path: string }, void, undefined>;

/**
 * Names the protocol and the possible releases of a transcript, or of all of a folder, with the evidence.
 *
 * @throws {CodexWireError} if an input is not a transcript, or could not be read; `identification` has the others
 */
export function identify(input: Path | Lines, options?: OtherOptions): Promise<Identification>;

/** The JSON Schema of a protocol, such as `exec` or `app-server`, in one release. */
export function schema(protocol: string, options?: SchemaOptions): Promise<Record<string, unknown>>;

/** What changed between two releases, or two files of schemas, and what that breaks. */
export function diff(protocol: string, before: Path, after: Path, options?: DiffOptions): Promise<Diff>;

/** Whether a transcript, and the client that read it, still work with another release. */
export function diffTranscript(input: Path | Lines, options: DiffTranscriptOptions): Promise<TranscriptDiff>;

/**
 * Reads sessions: threads, turns, messages, commands, patches, calls of tools, approvals, tokens. The input is a
 * session file of Codex, a stream of `codex exec --json` or a recording of `codex app-server`, of any release, or a
 * folder of them. What a source cannot know is absent.
 *
 * @throws {CodexWireError} behind the last session, if an input holds none, or could not be read
 */
export function sessions(input: Path | Lines, options?: OtherOptions): AsyncGenerator<Session, void, undefined>;

/**
 * Sums up tokens, turns, durations and calls of tools of sessions. Without an input, of those of Codex on this machine.
 *
 * @throws {CodexWireError} if an input holds no session, or could not be read; `usage` has what the others used
 */
export function usage(input?: Path | Lines, options?: UsageOptions): Promise<Usage>;

/**
 * Checks a transcript, or all of a folder.
 *
 * @throws {CodexWireError} if something does not conform, has no messages or could not be checked. The message has
 * the findings as text.
 */
export function assertConforms(input: Path | Lines, options?: CheckOptions): Promise<void>;

/**
 * Makes a test of each recording of a folder and of the folders in it. It fails if the recording does not conform. What
 * is found at warning level, such as that the last line is missing, goes to `console.warn`. Recordings with the same
 * options are checked together, by one process.
 *
 * ```ts
 * import test from "node:test"; // or: import { test } from "vitest";
 * import { testRecordings } from "codex-wire";
 *
 * testRecordings(test, "tests/recordings");
 * ```
 *
 * @param test The function of your test runner that makes a test: that of `node:test`, vitest, Jest, Mocha (`it`)
 * or Bun.
 * @param folder A folder with `.jsonl` or `.ndjson` files, also with `.gz` or `.zst`, or one recording of any name.
 * @param options The options of each recording, or a function from its path within the folder to its options.
 * @throws {CodexWireError} if there are no recordings, or no such folder
 * @throws {TypeError} if there is no such option
 */
export function testRecordings(
  test: (name: string, body: () => Promise<void>) => unknown,
  folder: Path,
  options?: CheckOptions | ((name: string) => CheckOptions),
): void;

/**
 * Writes a program named `codex` that plays recordings to your client, and returns its path.
 *
 * ```ts
 * const codex = new Codex({ codexPathOverride: replayPath("tests/recordings/run.jsonl") });
 * ```
 *
 * @throws {CodexWireError} if the recordings cannot be played
 * @throws {TypeError} if there is no such option, or it cannot have this value
 */
export function replayPath(recordings: Path | readonly Path[], options?: ReplayOptions): string;

/**
 * The path of the program: that of this platform, or the one that `CODEX_WIRE_PROGRAM` names.
 *
 * @throws {CodexWireError} if it is not installed, or does not exist for this platform
 */
export function programPath(): string;
