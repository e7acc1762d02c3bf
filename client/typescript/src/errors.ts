/** The errors of the library. Every one is an {@link EditdError}; an aborted call throws the reason of its signal. */

import type { ErrorDetails, Receipt } from "./replies.js";

/** An error of this library. */
export class EditdError extends Error {
  override name = "EditdError";
}

/**
 * The daemon refused a request: nothing of it was done, unless `code` is `io` or `internal`.
 *
 * `details` has every field that the daemon sent, such as `candidates` or `near_misses`; the most used ones are fields of
 * the error, too.
 */
export class RefusedError extends EditdError {
  override name = "RefusedError";

  constructor(
    /** The error as the daemon sent it. */
    readonly details: ErrorDetails,
    /** The receipt that the error is from, if a job was refused. */
    readonly receipt?: Receipt,
  ) {
    super(details.message);
  }

  /** The code of the protocol. A daemon may send codes that this version does not list. */
  get code(): ErrorDetails["code"] {
    return this.details.code;
  }

  /** The file concerned. */
  get path(): ErrorDetails["path"] {
    return this.details.path;
  }

  /** The present version of the file, with `stale` and `conflict`. */
  get version(): string | undefined {
    return this.details.version;
  }

  /** The changes since the session's read, with `stale` and `conflict`. */
  get diff(): string | undefined {
    return this.details.diff;
  }
}

/** The daemon, or the caller, broke a rule of the protocol. The connection is closed if the daemon did. */
export class ProtocolError extends EditdError {
  override name = "ProtocolError";

  constructor(
    readonly code: "malformed" | "too_large",
    message: string,
  ) {
    super(message);
  }
}

/** No daemon serves the workspace, and none could be started or was to be started. Nothing was done. */
export class UnreachableError extends EditdError {
  override name = "UnreachableError";
}

/**
 * The connection was lost before the reply, and the request was not sent again. It may have been done.
 *
 * With a `key`, the same request may be sent again under it: it is not run twice.
 */
export class DisconnectedError extends EditdError {
  override name = "DisconnectedError";

  constructor(
    message: string,
    /** The key of the job, if it has one. */
    readonly key?: string,
  ) {
    super(message);
  }
}

/** The time of the call is over. If the request was sent, it may be done or may still run. */
export class TimedOutError extends EditdError {
  override name = "TimedOutError";

  constructor(
    message: string,
    /** The key of the job, if it has one: the same request may be sent again under it. */
    readonly key?: string,
  ) {
    super(message);
  }
}

/** Returns the error of a request that was sent and lost, and could not be sent again because of another error. */
export function doubtful(error: unknown, key: string | undefined): unknown {
  if (!(error instanceof EditdError)) {
    return error;
  }
  const message = `the connection was lost before the reply, and now: ${error.message}`;
  return error instanceof TimedOutError ? new TimedOutError(message, key) : new DisconnectedError(message, key);
}
