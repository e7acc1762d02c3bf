/**
 * The edit language as types: jobs, file entries and operations. The names are those of the protocol (proto/WIRE.md,
 * `edit`), so that the pages on the edit language apply as they are.
 */

/** A path relative to the workspace, with `/` between names. It is bytes if it is not UTF-8. */
export type FilePath = string | Uint8Array;

/** The number of a job and of its journal entry. It is a `bigint` only above 2^53. */
export type JobNumber = number | bigint;

/** First and last line, from 1, inclusive. */
export type Lines = readonly [first: number, last: number];

/** A place as a language server counts: from 0, columns in UTF-16 units. */
export interface Position {
  line: number;
  column: number;
}

/** The part of a file to which an edit is limited. */
export type Scope = { lines: Lines } | { symbol: string } | { position: Position };

/** A rung of the ladder on which quoted text is located; looser ones come later. */
export type Rung = "exact" | "eol" | "trailing" | "indent" | "numbered" | "typographic" | "edge" | "fuzzy";

/** Fields of operations that locate quoted text. */
export interface Locating {
  /** The line near which the text is. */
  near?: number;
  /** Lines around `near`. */
  window?: number;
  /** The loosest rung that is tried. */
  match?: Rung;
  /** The similarity that `fuzzy` accepts, 0.5 to 1. */
  threshold?: number;
}

/** Fields of operations that store replaced text in a clipboard, or take new text from one. */
export interface Clipboards {
  to_clipboard?: string;
  from_clipboard?: string;
  reindent?: { strip?: string; add?: string };
}

/** Replaces quoted text, which must be unique unless `all` or `expect` says otherwise. */
export interface ReplaceEdit extends Locating, Clipboards {
  op: "replace";
  old: string;
  new?: string;
  within?: Scope;
  whole_lines?: boolean;
  eol?: string;
  all?: boolean;
  expect?: number;
}

/** Inserts text at a place. */
export interface InsertEdit extends Locating, Omit<Clipboards, "to_clipboard"> {
  op: "insert";
  at: "start" | "end" | { line: number } | { before: string } | { after: string };
  text?: string;
  own_line?: boolean;
  whole_lines?: boolean;
  eol?: string;
}

/** Replaces the whole content, and creates the file if there is none. */
export interface WriteEdit extends Omit<Clipboards, "to_clipboard"> {
  op: "write";
  text?: string;
}

/** Replaces lines by number. */
export interface LinesEdit extends Clipboards {
  op: "lines";
  start: number;
  end: number;
  text?: string;
  eol?: string;
}

/** Replaces every occurrence of a pattern. */
export interface SubstituteEdit {
  op: "substitute";
  pattern: string;
  replacement: string;
  regex?: boolean;
  flags?: string;
  within?: Scope;
  count?: number;
  expect?: number;
  eol?: string;
}

/** Edits one definition, given by its name path or a position. */
export interface SymbolEdit extends Clipboards {
  op: "symbol";
  name?: string;
  within?: { symbol: string } | { position: Position };
  action: "replace_body" | "replace" | "insert_before" | "insert_after" | "delete";
  text?: string;
  eol?: string;
}

/** Creates a file, which must not exist. */
export interface CreateEdit {
  op: "create";
  text?: string;
  /** An empty file that exists is filled. */
  if_empty?: boolean;
}

/** Deletes the file. */
export interface DeleteEdit {
  op: "delete";
}

/** Moves or copies the file. */
export interface RenameEdit {
  op: "rename" | "copy";
  to: FilePath;
  overwrite?: boolean;
}

/** Sets the mode: octal digits as text, or the bits as a number. */
export interface ChmodEdit {
  op: "chmod";
  mode: string | number;
}

/** Replaces text between context. */
export interface ChunkEdit {
  op: "chunk";
  before?: string;
  old?: string;
  new?: string;
  after?: string;
  within?: Scope;
}

/** Applies one hunk of a patch. */
export interface HunkEdit extends Locating {
  op: "hunk";
  text: string;
  at?: "end" | { line: number };
  before?: string;
  all?: boolean;
  in_order?: boolean;
  eol?: string;
}

/** One operation on a file. */
export type Edit =
  | ReplaceEdit
  | InsertEdit
  | WriteEdit
  | LinesEdit
  | SubstituteEdit
  | SymbolEdit
  | CreateEdit
  | DeleteEdit
  | RenameEdit
  | ChmodEdit
  | ChunkEdit
  | HunkEdit;

/** The edits of one file. */
export interface FileEntry {
  path: FilePath;
  /** A version, `@17`, `blake3:…`, `sha256:…`, `any` or `absent`; default: the content that the session has read. */
  base?: string;
  edits: Edit | readonly Edit[];
}

/** One `substitute` in every file of a list of paths and globs. */
export interface FilesEntry {
  paths: readonly FilePath[];
  base?: "any";
  edits: SubstituteEdit | readonly SubstituteEdit[];
}

/** The reaction to a file that changed since it was read. */
export type OnStale = "reject" | "rebase";

/** The state of the disk at which the reply to a job is sent. */
export type Durability = "durable" | "full" | "relaxed";

/** Fields that every job may have. */
export interface JobFields {
  /** The name of the job: the same key is the same job. Default: a new one for each call. */
  key?: string;
  /** The reason, for the journal. */
  label?: string;
  mode?: "strict" | "interactive" | "verify_only";
  on_stale?: OnStale;
  /** Apply the edits that succeed, and report the others. */
  partial?: boolean;
  /** Show diffs in the receipt. */
  diff?: boolean;
  /** The maximal bytes of the reply, without requested diffs. */
  budget?: number;
  durability?: Durability;
  threshold?: number;
  /** Store the job and return at once; `wait` returns its receipt. */
  detach?: boolean;
  /** The token of a `verify`: apply exactly that result. */
  verified?: string;
}

/** A job of typed edits. */
export interface EditJob extends JobFields {
  files: FileEntry | FilesEntry | readonly (FileEntry | FilesEntry)[];
  payload?: undefined;
}

/** A job that is the payload of another edit tool. */
export interface PayloadJob extends JobFields {
  payload: { dialect?: string; text: string; path?: FilePath; base?: string };
  files?: undefined;
}

/** A request to change files: all of it is applied, or nothing. */
export type Job = EditJob | PayloadJob;

/** The entries to undo or redo. Without a selector: the last one of the session. */
export interface UndoRequest {
  jobs?: readonly JobNumber[];
  /** Every entry of this session. */
  session?: string;
  /** Milliseconds since 1970 UTC: every entry from then on. */
  since?: number;
  /** Every entry with a higher number. */
  after?: JobNumber;
  /** Every entry after the newest mark with this name. */
  to?: string;
  path?: FilePath;
  paths?: readonly FilePath[];
  hunks?: readonly (number | readonly [first: number, last: number])[];
  mode?: "verify_only";
  key?: string;
  label?: string;
  on_stale?: OnStale;
  durability?: Durability;
  diff?: boolean;
  budget?: number;
}

/** The entries to redo. */
export type RedoRequest = Omit<UndoRequest, "to">;

/** The part of a file to read. */
export interface ReadRequest {
  lines?: Lines;
  /** The name path of a definition. */
  symbol?: string;
  /** With `symbol`: only its body. */
  body?: boolean;
  /** The hash of the content that the caller read itself. */
  seen?: string;
}

/** The entries that `history` lists. */
export interface HistoryRequest {
  path?: FilePath;
  session?: string;
  since?: number;
  after?: JobNumber;
  before?: JobNumber;
  limit?: number;
}

/** An action on named clipboards. */
export type ClipRequest =
  | { action: "list" }
  | { action: "show" | "rm"; name: string }
  | { action: "set"; name: string; text: string }
  | { action: "copy"; name: string; to: string };

/** The start or the end of a call by which another tool changes files. */
export interface NoteRequest {
  phase: "begin" | "end";
  /** The files that the call may change; `begin` without them: every file. */
  paths?: readonly FilePath[];
  /** The session that makes the call. Default: that of the client. */
  session?: string;
  /** The label of the entries. */
  label?: string;
  /** The name of the call, by which `end` finds its `begin`. */
  call?: string;
  /** With `begin` and `paths`: refuse if the session has read one of the files and it changed since. */
  check?: boolean;
}

/** The checks whose results are returned. Default: the last result of every check. */
export interface ChecksRequest {
  /** Only the checks that ran because of this job. */
  job?: JobNumber;
  /** Only the results for jobs of this session that no reply had yet. Each is returned once. */
  unseen?: boolean;
  /** Milliseconds to wait for checks that still run. Default: 0. */
  timeout_ms?: number;
}
