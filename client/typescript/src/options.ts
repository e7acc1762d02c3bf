/** The settings of a client. */

import type { OnStale } from "./edits.js";
import type { Environment } from "./places.js";

/** The settings of a client. */
export interface ClientOptions {
  /** A folder; default: the nearest parent of the current folder with `.editd.toml` or `.git`, else the current folder. */
  workspace?: string;
  /** The session, which owns receipts, clipboards and undo. Give each agent its own. Default: a new name. */
  session?: string;
  /** The name of the program, for the journal. */
  name?: string;
  /** The reaction of edits to a file that changed since it was read, unless the job sets its own. */
  on_stale?: OnStale;
  /** Milliseconds for each call, with waits and retries. Default: 60000. */
  timeout?: number;
  /** The program that is started if no daemon serves; `false` for none. Default: `EDITD_BIN`, else `editd` in `PATH`. */
  program?: string | false;
  /** The socket (on Windows: the pipe) of a daemon that was started with `--socket`. */
  socket?: string;
  /** Gets a sentence if a call waits for more than a second for a daemon that starts, exits or is busy. */
  onWait?: (message: string) => void;
  /** The environment from which the address is derived, and that a started daemon gets. Default: that of the process. */
  environment?: Environment;
}
