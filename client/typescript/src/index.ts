/** A client of editd, the daemon through which all edits of a workspace are made. */

export { Client } from "./client.js";
export type { CallOptions } from "./deadline.js";
export type * from "./edits.js";
export {
  DisconnectedError,
  EditdError,
  ProtocolError,
  RefusedError,
  TimedOutError,
  UnreachableError,
} from "./errors.js";
export { EventStream } from "./events.js";
export type { ClientOptions } from "./options.js";
export { findWorkspace } from "./places.js";
export type * from "./replies.js";
