/** The client of one workspace: requests that survive the end of a daemon, and never run twice. */

import { randomUUID } from "node:crypto";
import { basename, resolve } from "node:path";
import type { Message } from "./codec.js";
import { type Connection, LostError } from "./connection.js";
import { Connector } from "./connector.js";
import { type CallOptions, Deadline } from "./deadline.js";
import type {
  ChecksRequest,
  ClipRequest,
  FilePath,
  HistoryRequest,
  Job,
  JobNumber,
  NoteRequest,
  ReadRequest,
  RedoRequest,
  UndoRequest,
} from "./edits.js";
import { DisconnectedError, doubtful, EditdError, RefusedError, UnreachableError } from "./errors.js";
import { EventStream } from "./events.js";
import type { ClientOptions } from "./options.js";
import { findWorkspace, resolveWorkspace } from "./places.js";
import { busyReceipt, receipt, reply } from "./receipts.js";
import type {
  ChecksReply,
  ClipReply,
  ConfigReply,
  ContentReply,
  HistoryReply,
  MarkReply,
  NoteReply,
  OutlineReply,
  ReadReply,
  Receipt,
  ShowReply,
  StatusReply,
} from "./replies.js";

/** Milliseconds for a call, if neither the call nor the client sets a time. */
const TIMEOUT = 60_000;

/** Milliseconds for which `wait` waits if the caller sets no time; the daemon permits no more. */
const HOUR = 3_600_000;

/** Daemons to which a request is sent, if each of them exits before it has begun the request. */
const DAEMONS = 16;

/** Lost connections after which a request is not sent again: it may be the cause. */
const LOSSES = 4;

/** The first and the longest pause between two requests to a busy daemon, in milliseconds. */
const BUSY_PAUSES = { first: 10, longest: 200 } as const;

/** The manner in which a request is sent. */
interface Manner {
  /** It may be sent again although it may have been done. */
  isRepeatable: boolean;
  /** `busy` means that nothing was done. */
  waitsForBusy?: boolean;
  key?: string;
}

const REPEATABLE: Manner = { isRepeatable: true };

/** An attempt to connect that several calls wait for. */
interface SharedAttempt {
  promise: Promise<Connection>;
  abort: AbortController;
  waiters: number;
}

/**
 * A client of the daemon of one workspace. It connects with the first call, starts a daemon if none serves, and connects
 * again when the connection is lost. Calls may run at the same time.
 */
export class Client implements AsyncDisposable {
  /** The root of the workspace, with links resolved. */
  readonly workspace: string;
  /** The session of the client. */
  readonly session: string;
  private readonly connector: Connector;
  private readonly timeout: number;
  private readonly streams = new Set<EventStream>();
  private connection: Connection | undefined;
  private attempt: SharedAttempt | undefined;
  private isClosed = false;

  /** @throws if the workspace is no folder. */
  constructor(options: ClientOptions = {}) {
    const environment = options.environment ?? process.env;
    this.workspace = resolveWorkspace(options.workspace ?? findWorkspace());
    this.session = options.session ?? `ts-${randomUUID()}`;
    this.timeout = options.timeout ?? TIMEOUT;
    const program = options.program ?? (environment["EDITD_BIN"] || "editd");
    // A path is relative to the folder of this process; a name alone is looked up in PATH.
    const isPath = program !== false && basename(program) !== program;
    this.connector = new Connector({
      root: this.workspace,
      environment,
      socket: options.socket,
      program: program === false ? undefined : isPath ? resolve(program) : program,
      onWait: options.onWait,
      hello: { client: options.name ?? "editd-typescript", session: this.session, on_stale: options.on_stale },
    });
  }

  /** Returns a file, some of its lines, or one definition. The session has read what is returned. */
  async read(path: FilePath, request: ReadRequest = {}, options?: CallOptions): Promise<ReadReply> {
    return reply(await this.call("read", { path, ...request }, REPEATABLE, options));
  }

  /** Returns the definitions in a file; with `depth`, only those inside at most that many others. */
  async outline(path: FilePath, request: { depth?: number } = {}, options?: CallOptions): Promise<OutlineReply> {
    return reply(await this.call("outline", { path, ...request }, REPEATABLE, options));
  }

  /**
   * Applies all edits of a job, or none. It is sent again under its key until it has a reply, and is never applied twice.
   *
   * @throws RefusedError if the job is refused.
   */
  async edit(job: Job, options?: CallOptions): Promise<Receipt> {
    return await this.job("edit", job, options);
  }

  /**
   * Checks a job and writes nothing. The receipt has the diffs, and in `verified` a token: `edit` with the same job and
   * this token applies exactly that result, or is refused as stale.
   *
   * @throws RefusedError if the job would be refused.
   */
  async verify(job: Job, options?: CallOptions): Promise<Receipt> {
    // Under its key the job would be done, and `edit` would only return this receipt.
    return receipt(await this.call("edit", { ...job, key: undefined, mode: "verify_only" }, REPEATABLE, options));
  }

  /** Undoes entries of the journal; without a selector, the last one of the session. */
  async undo(request: UndoRequest = {}, options?: CallOptions): Promise<Receipt> {
    return await this.job("undo", request, options);
  }

  /** Undoes undos; without a selector, the last one of the session. */
  async redo(request: RedoRequest = {}, options?: CallOptions): Promise<Receipt> {
    return await this.job("redo", request, options);
  }

  /** Names the present state of the workspace, for `undo` with `to`. */
  async mark(name: string, options?: CallOptions): Promise<MarkReply> {
    return reply(await this.call("mark", { name }, REPEATABLE, options));
  }

  /** Returns the receipt of a detached job when it has ended, or one with `queued` after `timeout_ms`. */
  async wait(job: JobNumber, request: { timeout_ms?: number } = {}, options: CallOptions = {}): Promise<Receipt> {
    const timeout = options.timeout ?? (request.timeout_ms ?? HOUR) + this.timeout;
    return receipt(await this.call("wait", { job, ...request }, REPEATABLE, { ...options, timeout }));
  }

  /** Withdraws a detached job that has not begun. Returns its receipt, with the status `refused`. */
  async cancel(job: JobNumber, options?: CallOptions): Promise<Receipt> {
    // A second one would not find the job.
    const ended = await this.call("cancel", { job }, { isRepeatable: false, waitsForBusy: false }, options);
    return receipt(ended, "rejected");
  }

  /** Returns entries of the journal, newest first. */
  async history(request: HistoryRequest = {}, options?: CallOptions): Promise<HistoryReply> {
    return reply(await this.call("history", request, REPEATABLE, options));
  }

  /** Returns one entry with its diffs; with `from`, without that many of its files. */
  async show(job: JobNumber, request: { from?: number } = {}, options?: CallOptions): Promise<ShowReply> {
    return reply(await this.call("show", { job, ...request }, REPEATABLE, options));
  }

  /** Returns at most 4 MiB of a content that a file had after (or before) an entry. */
  async content(
    job: JobNumber,
    path: FilePath,
    request: { side?: "before" | "after"; from?: number } = {},
    options?: CallOptions,
  ): Promise<ContentReply> {
    return reply(await this.call("content", { job, path, ...request }, REPEATABLE, options));
  }

  /** Lists, shows, sets, copies or removes clipboards. */
  async clip(request: ClipRequest, options?: CallOptions): Promise<ClipReply> {
    const isRepeatable = request.action !== "rm";
    return reply(await this.call("clip", request, { isRepeatable }, options));
  }

  /**
   * Announces a call of another tool that changes files (`begin`), or ends the announcement (`end`). The changes in
   * between belong to the session.
   *
   * @throws RefusedError with the code `stale` if `check` is true and a file changed since the session has read it.
   */
  async note(request: NoteRequest, options?: CallOptions): Promise<NoteReply> {
    // A second `end` would find no announcement, and a second check would find the change read.
    const isRepeatable = request.phase === "begin" && request.check !== true;
    return reply(await this.call("note", request, { isRepeatable }, options));
  }

  /**
   * Returns the last result of every check; with `job`, of those that ran because of it. Waits `timeout_ms` for checks
   * that still run, in addition to the time of the call.
   */
  async checks(request: ChecksRequest = {}, options: CallOptions = {}): Promise<ChecksReply> {
    const timeout = (options.timeout ?? this.timeout) + (request.timeout_ms ?? 0);
    // Unseen results are sent once.
    const isRepeatable = request.unseen !== true;
    return reply(await this.call("checks", request, { isRepeatable }, { ...options, timeout }));
  }

  /** Returns the settings that apply, with their sources, and the values of `.editd.toml` that wait. */
  async config(options?: CallOptions): Promise<ConfigReply> {
    return reply(await this.call("config", {}, REPEATABLE, options));
  }

  /** Returns the state of the daemon and its counters; with `trace`, also the times of this job (0: the newest). */
  async status(options: CallOptions & { trace?: JobNumber } = {}): Promise<StatusReply> {
    const { trace, ...rest } = options;
    return reply(await this.call("status", trace === undefined ? {} : { trace }, REPEATABLE, rest));
  }

  /** Returns counters, latencies and the present state as OpenMetrics text. */
  async metrics(options?: CallOptions): Promise<string> {
    return reply<{ text: string }>(await this.call("metrics", {}, REPEATABLE, options)).text;
  }

  /**
   * Subscribes to changes of files that match one of the globs (none: of every file). Resolves when the daemon watches;
   * the signal ends the stream.
   */
  async events(globs: readonly string[] = [], options: CallOptions = {}): Promise<EventStream> {
    this.checkOpen();
    const deadline = new Deadline(options.timeout ?? this.timeout, options.signal);
    const stream = await EventStream.open(this.connector, globs, deadline, (ended) => this.streams.delete(ended));
    this.streams.add(stream);
    if (this.isClosed) {
      stream.close();
    }
    return stream;
  }

  /**
   * Stops the daemon, and returns the id of its process when that has ended, or `undefined` if none runs. Later calls
   * start a new one.
   */
  async stop(options: CallOptions = {}): Promise<number | undefined> {
    this.checkOpen();
    const deadline = new Deadline(options.timeout ?? this.timeout, options.signal);
    const abort = new AbortController();
    try {
      return await deadline.race(this.stopped(abort.signal), "the daemon has not exited in time; it has jobs to finish");
    } finally {
      abort.abort();
    }
  }

  /**
   * Sends a request of the protocol that has no method here, such as `check` or `trust`, and returns its reply. After a
   * lost connection it is sent again only if `isRepeatable` is true.
   */
  async request(
    kind: string,
    fields: object = {},
    options: CallOptions & { isRepeatable?: boolean } = {},
  ): Promise<Record<string, unknown>> {
    return reply(await this.call(kind, fields, { isRepeatable: options.isRepeatable === true }, options));
  }

  /** Closes the connection and all streams. The daemon runs on; calls that wait fail. */
  close(): void {
    this.isClosed = true;
    this.attempt?.abort.abort(new EditdError("the client was closed"));
    this.connection?.close();
    for (const stream of this.streams) {
      stream.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  private async job(kind: string, request: Job | UndoRequest, options?: CallOptions): Promise<Receipt> {
    const key = request.key ?? randomUUID();
    // A key of `undefined` in the request does not replace the new one.
    return receipt(await this.call(kind, { ...request, key }, { isRepeatable: true, key }, options));
  }

  private async call(kind: string, fields: object, manner: Manner, options: CallOptions = {}): Promise<Message> {
    const deadline = new Deadline(options.timeout ?? this.timeout, options.signal);
    let [losses, daemons, pause] = [0, 1, BUSY_PAUSES.first as number];
    for (;;) {
      const connection = await this.connected(deadline).catch((error: unknown) => {
        throw losses === 0 ? error : doubtful(error, manner.key);
      });
      const sent = connection.request(kind, fields, { deadline });
      const late = `no reply to \`${kind}\` in time; it may be done or may still run`;
      const outcome = await deadline.race(sent, late, manner.key).then(busyReceipt, (error: unknown) => ({ error }));
      if (!("error" in outcome)) {
        return outcome.reply;
      }
      const { error } = outcome;
      if (error instanceof LostError) {
        losses += error.unsent ? 0 : 1;
        if (!error.unsent && (!manner.isRepeatable || losses >= LOSSES || this.isClosed)) {
          throw new DisconnectedError(`${error.message} before it replied to \`${kind}\``, manner.key);
        }
      } else if (error instanceof RefusedError && error.code === "stopping" && daemons < DAEMONS) {
        daemons += 1;
        this.drop(connection);
      } else if (error instanceof RefusedError && error.code === "busy" && manner.waitsForBusy !== false) {
        if (!(await deadline.pause(pause))) {
          throw losses === 0 ? error : doubtful(error, manner.key);
        }
        pause = Math.min(pause * 2, BUSY_PAUSES.longest);
      } else {
        throw error;
      }
    }
  }

  /** Returns the open connection, or a new one. Calls that need one at the same time share it. */
  private async connected(deadline: Deadline): Promise<Connection> {
    this.checkOpen();
    if (this.connection?.isUsable) {
      return this.connection;
    }
    const attempt = (this.attempt ??= this.begin());
    attempt.waiters += 1;
    try {
      return await deadline.race(attempt.promise, () => `no connection to a daemon in time: ${this.connector.state}`);
    } finally {
      attempt.waiters -= 1;
      if (attempt.waiters === 0 && this.attempt === attempt) {
        // Nobody waits any more; nothing happens if it has ended.
        this.attempt = undefined;
        attempt.abort.abort();
      }
    }
  }

  private begin(): SharedAttempt {
    const abort = new AbortController();
    const promise = this.connector.reach(abort.signal, true).then((connection) => {
      if (abort.signal.aborted) {
        connection.close();
        throw abort.signal.reason;
      }
      connection.release();
      this.connection = connection;
      return connection;
    });
    return { promise, abort, waiters: 0 };
  }

  /** Sends no further request over a connection whose daemon exits. Its open requests still get their replies. */
  private drop(connection: Connection): void {
    if (this.connection === connection) {
      this.connection = undefined;
    }
  }

  private async stopped(signal: AbortSignal): Promise<number | undefined> {
    let connection: Connection | undefined;
    try {
      connection = await this.connector.reach(signal, false);
      signal.addEventListener("abort", () => connection?.close(), { once: true });
      const { pid } = await connection.request("stop", {});
      await connection.ended;
      return pid as number;
    } catch (error) {
      if (error instanceof UnreachableError && connection === undefined) {
        return undefined;
      }
      const isLeaving = error instanceof LostError || (error instanceof RefusedError && error.code === "stopping");
      if (!isLeaving) {
        throw error;
      }
      await connection?.ended;
      return undefined;
    }
  }

  private checkOpen(): void {
    if (this.isClosed) {
      throw new EditdError("the client is closed");
    }
  }
}
