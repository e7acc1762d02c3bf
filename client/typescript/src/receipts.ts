/** Replies without the fields of every message, and the receipts of jobs. */

import type { Message } from "./codec.js";
import { RefusedError } from "./errors.js";
import type { ErrorCode, ErrorDetails, Receipt } from "./replies.js";

/** Returns a reply without the fields of every message. */
export function reply<T>(message: Message): T {
  const { id: _id, kind: _kind, ...rest } = message;
  return rest as T;
}

/**
 * Returns the receipt in a reply. The daemon omits an empty list of files.
 *
 * @param effect the error of a refused job that is the effect of the request
 */
export function receipt(message: Message, effect?: ErrorCode): Receipt {
  const { files = [], ...rest } = reply<Partial<Receipt>>(message);
  const complete = { ...rest, files } as Receipt;
  if (complete.status === "refused" && (effect === undefined || complete.error?.code !== effect)) {
    const unnamed: ErrorDetails = { code: "internal", message: "the daemon gave no reason for a refusal" };
    throw new RefusedError(complete.error ?? unnamed, complete);
  }
  return complete;
}

/** Treats a receipt that was refused because the daemon is busy or exits like an error: nothing was done. */
export function busyReceipt(message: Message): { reply: Message } | { error: unknown } {
  const error = message["error"] as ErrorDetails | undefined;
  const isUndone = message["status"] === "refused" && (error?.code === "busy" || error?.code === "stopping");
  return isUndone && error !== undefined ? { error: new RefusedError(error) } : { reply: message };
}
