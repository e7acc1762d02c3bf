/** The replies of the daemon as types. The names are those of the protocol (proto/WIRE.md). */

import type { FilePath, JobNumber, Lines, Position, Rung } from "./edits.js";

/** The codes of version 1. A daemon may send others; treat them as a refusal. */
export type ErrorCode =
  | "stale" | "unread" | "not_found" | "ambiguous" | "overlap" | "out_of_range" | "malformed" | "invalid_regex"
  | "no_clipboard" | "strip_mismatch" | "count_mismatch" | "symbol_not_found" | "exists" | "missing" | "binary"
  | "encoding" | "too_large" | "outside" | "denied" | "conflict" | "rejected" | "busy" | "stopping" | "starting"
  | "limit" | "io" | "unsupported" | "internal";

/** An error of a validator in the new content. */
export interface Issue {
  path: FilePath;
  validator: string;
  line?: number;
  column?: number;
  message: string;
}

/** An error as the daemon sends it. Fields that do not apply are absent. */
export interface ErrorDetails {
  // The second part permits other codes and keeps the completion of known ones.
  code: ErrorCode | (string & {});
  /** One sentence that says what to do next. */
  message: string;
  path?: FilePath;
  file?: number;
  edit?: number;
  other_edit?: number;
  version?: string;
  diff?: string;
  omitted_hunks?: number;
  by?: JobNumber | "outside";
  would_apply?: "clean" | "conflict";
  candidates?: { line: number; column?: number; text: string; symbol?: string }[];
  readings?: { how: string; text: string }[];
  found?: number;
  expected?: number;
  lines?: number;
  line?: number;
  column?: number;
  encoding?: string;
  character?: string;
  tried?: Rung[];
  near_misses?: { line: number; text: string; score: number; differs?: number; quoted?: string }[];
  cause?: string;
  searched?: Lines;
  needed?: number;
  check?: string;
  fallen?: { line: number; check: string; reason: string }[];
  marker?: string;
  expected_marker?: string;
  regions?: { line: number; base: string; current: string; wanted: string }[];
  excerpts?: { line: number; text: string }[];
  moved?: { edit: number; read: string; lines: Lines; then: string; now?: Lines; there: string }[];
  others?: ErrorDetails[];
  symbols?: string[];
  issues?: Issue[];
  later?: { job: JobNumber; session: string; client: string; label?: string; kind: string; own: boolean }[];
  limit?: number;
  more?: number;
}

/** The result of a job for one edit. */
export interface EditResult {
  edit: number;
  /** Absent if the edit was applied. */
  status?: "unchanged" | "refused" | "applied";
  match?: Rung;
  lines?: Lines | string;
  now?: Lines | string;
  moved?: number;
  replacements?: number;
  score?: number;
  converted_breaks?: number;
  error?: ErrorDetails;
}

/** The result of a job for one file. */
export interface FileResult {
  path: FilePath;
  /** The new path of a file that was moved. */
  to?: FilePath;
  /** Absent if the file was changed. */
  status?: string;
  before?: string;
  after?: string;
  /** The changed places in the new content, such as `10-12,40`. */
  lines?: string;
  places?: number;
  added?: number;
  removed?: number;
  diff?: string;
  omitted_hunks?: number;
  formatted?: { by: string[]; diff: string; omitted_hunks?: number };
  edits?: EditResult[];
  issues?: Issue[];
  warnings?: string[];
}

/** The result of a job. A refused one is thrown as a `RefusedError`. */
export interface Receipt {
  job?: JobNumber;
  queued?: JobNumber;
  status: "applied" | "unchanged" | "verified" | "refused" | "partial" | "queued" | (string & {});
  files: FileResult[];
  omitted_files?: number;
  error?: ErrorDetails;
  /** With `verify`: the token. */
  verified?: string;
  rebased?: boolean;
  /** The key was seen before: this is the receipt of the first job, without diffs. */
  repeated?: boolean;
  dialect?: string;
  text?: string;
  hooks?: { name: string; job?: JobNumber; files?: FileResult[]; warnings?: string[] }[];
  checks?: CheckResult[];
}

/** The result of a check of the workspace. */
export interface CheckResult {
  check: string;
  status: "running" | "passed" | "failed" | "timeout" | "could_not_run";
  jobs?: JobNumber[];
  /** The problems that the run before did not have. */
  new?: { path?: FilePath; line?: number; column?: number; message: string }[];
  more?: number;
  known?: number;
  first?: boolean;
  message?: string;
}

/** The start and the end of a text: line and column, from 1; the end is after the last character. */
export interface Extent {
  start: readonly [line: number, column: number];
  end: readonly [line: number, column: number];
}

/** A definition in a file. */
export interface SymbolInfo {
  name: string;
  kind: string;
  depth: number;
  lines: Lines;
  definition: Extent;
  body?: Extent;
  position: Position;
  declarations?: { name: string; lines: Lines }[];
}

/** The content of a file. */
export interface ReadReply {
  path: FilePath;
  version: string;
  hash: string;
  text?: string;
  /** Instead of `text` if the file is not text. */
  bytes?: Uint8Array;
  /** Lines of the whole file. */
  lines: number;
  first_line: number;
  encoding: string;
  line_ending: string;
  bom: boolean;
  size: number;
  symbol?: SymbolInfo;
}

/** The definitions in a file. */
export interface OutlineReply {
  path: FilePath;
  version: string;
  language: string;
  symbols: SymbolInfo[];
  omitted?: number;
  warnings?: string[];
}

/** One entry of the journal. */
export interface HistoryEntry {
  id: JobNumber;
  queued?: JobNumber;
  key?: string | null;
  /** Milliseconds since 1970 UTC. */
  time: number;
  session: string;
  client: string;
  label?: string | null;
  kind: "edit" | "undo" | "redo" | "external" | "hook" | "mark" | (string & {});
  undone: boolean;
  partly_undone?: boolean;
  diverged?: boolean;
  forgotten?: boolean;
  of?: JobNumber[];
  omitted_of?: number;
  files: {
    path: FilePath;
    before: string | null;
    after: string | null;
    added?: number;
    removed?: number;
    undone?: boolean;
    undone_hunks?: [number, number][];
  }[];
  omitted_files?: number;
}

/** A part of the journal, newest entry first. */
export interface HistoryReply {
  entries: HistoryEntry[];
  more: boolean;
}

/** An entry of the journal with its changes. */
export interface ShowReply {
  entry: HistoryEntry;
  changes: {
    path: FilePath;
    diff: string;
    partial?: boolean;
    before_unknown?: boolean;
    forgotten?: boolean;
    omitted_hunks?: number;
    hunks?: { hunk: number; line: number; added: number; removed: number; undone?: boolean }[];
  }[];
}

/** A content of a file, or a part of it. */
export interface ContentReply {
  path: FilePath;
  /** Absent if there was no file. */
  version?: string;
  size: number;
  bytes: Uint8Array;
}

/** The reply to an action on clipboards. */
export interface ClipReply {
  /** With `list`. */
  clips?: { name: string; size: number; time: number; origin?: FilePath }[];
  omitted?: number;
  name?: string;
  /** With `show`. */
  text?: string;
  bytes?: Uint8Array;
  origin?: FilePath;
}

/** The times of requests of one kind: their number, and their sum and quantiles in microseconds. */
export interface Latency {
  count: number;
  sum_us: number;
  p50_us: number;
  p90_us: number;
  p99_us: number;
  max_us: number;
}

/** The times of one job. */
export interface Trace {
  job?: JobNumber;
  queued?: JobNumber;
  kind: string;
  status: string;
  /** The code of its error. */
  code?: ErrorCode | (string & {});
  /** Milliseconds since 1970 UTC, at its end. */
  time: number;
  total_us: number;
  /** The steps in their order. */
  steps: { step: string; us: number }[];
}

/** The state of a daemon, and counts since its start. */
export interface StatusReply {
  pid: number;
  version: string;
  workspace: string;
  socket: string;
  state: string;
  uptime: number;
  sessions: number;
  queue: number;
  entries: number;
  unsettled: number;
  watch: number;
  failed?: string;
  damage?: string;
  database?: string;
  left_out?: string;
  nearby?: string[];
  /** Numbers of events by name, such as `edit_applied`. */
  counters?: Record<string, number>;
  /** Refused requests by error code. */
  refusals?: Record<string, number>;
  /** The times of jobs (`job`) and reads (`read`). */
  latency?: Record<string, Latency>;
  /** With `trace`. */
  trace?: Trace;
}

/** A setting of the daemon, or a command. */
export interface Setting {
  name: string;
  /** The value that applies. */
  value: string;
  source: "default" | "file" | "option" | "environment" | "systemd" | (string & {});
  /** The option or the variable that is the source. */
  by?: string;
  /** Its line in `.editd.toml`. */
  line?: number;
  /** The value in `.editd.toml` that does not apply. */
  written?: string;
  /** The event for which that value, or its removal, waits. */
  waits?: "trust" | "restart" | (string & {});
}

/** The settings that apply, and those that wait. */
export interface ConfigReply {
  /** The path of `.editd.toml`. */
  file: string;
  /** The file has changes that the daemon reads only when it starts, or a problem. */
  changed: boolean;
  /** The reason why the present file cannot be used. */
  problem?: string;
  settings: Setting[];
}

/** Results of checks, by name. */
export interface ChecksReply {
  checks: CheckResult[];
}

/** A mark, and the number of its entry. */
export interface MarkReply {
  job: JobNumber;
  name: string;
}

/** The announcement of a call. */
export interface NoteReply {
  /** After `end`: the daemon still knew its `begin`. */
  announced: boolean;
  /** After `end`: the entries with the changes of the call, oldest first. */
  entries?: { job: JobNumber; path: FilePath }[];
  omitted?: number;
}

/** A change of a file. It is a hint: it may be late, and two changes may be one event. */
export interface ChangeEvent {
  /** `overflow`: events were lost, so check every file that matters. */
  change: "created" | "changed" | "removed" | "overflow" | "damage" | "check" | (string & {});
  path?: FilePath;
  version?: string;
  entry?: JobNumber;
  by?: string;
  session?: string;
  message?: string;
  /** The result of a check that has ended. */
  check?: CheckResult;
}

/** The reply to `hello`. */
export interface Welcome {
  protocol: number;
  server: string;
  workspace: string;
  session: string;
  limits: { frame: number; file: number; files: number; edits: number };
}
