/**
 * Finds the daemon of a workspace and connects to it; starts one if none serves (proto/WIRE.md, Writing a client). It
 * never stops a daemon and never removes a socket.
 */

import { Connection, type HelloFields, isNobody, LostError } from "./connection.js";
import { RefusedError, TimedOutError, UnreachableError } from "./errors.js";
import { OCCUPIED, PAUSES, START_WAIT } from "./limits.js";
import { distrust, type Environment, leavingProcess, recordedAddress, unitAddress, usualAddress } from "./places.js";
import { StartedDaemon } from "./starter.js";

/** Failed starts after which no further one is tried. */
const STARTS = 3;

/** Milliseconds for which a daemon that leaves is awaited before another start is tried. Such a start does no harm. */
const LEAVING_PAUSE = 2000;

/** The place of a daemon, and the caller. */
export interface ConnectorOptions {
  root: string;
  environment: Environment;
  /** The address, if it is not the usual one. */
  socket: string | undefined;
  /** The program to start; `undefined` to start none. */
  program: string | undefined;
  hello: HelloFields;
  /** Gets the state of a wait that takes long. */
  onWait: ((message: string) => void) | undefined;
}

/** Milliseconds after which the caller is told of a wait. */
const TELL_AFTER = 1000;

/** The result of an attempt to connect. */
type Attempt =
  | { connection: Connection }
  /** A daemon is there, and will serve, or will leave. */
  | { wait: string; isAnswer: boolean }
  /** Nobody listens. */
  | undefined;

/** Connects to the daemon of one workspace. */
export class Connector {
  /** The present state of the wait, for the message of a timeout. */
  state = "it has not answered";

  constructor(private readonly options: ConnectorOptions) {}

  /**
   * Returns a connection, and waits for one as long as a daemon starts, leaves or is busy. The signal ends the wait.
   *
   * @throws UnreachableError, RefusedError, ProtocolError, or the reason of the signal.
   */
  async reach(signal: AbortSignal, mayStart: boolean): Promise<Connection> {
    const { program } = this.options;
    const start = mayStart ? program : undefined;
    const tellFrom = performance.now() + TELL_AFTER;
    let end = performance.now() + START_WAIT;
    let told = "";
    let pause: number = PAUSES.first;
    const starts = new Starts(this.options, start);
    for (;;) {
      const attempt = await this.attempt(signal);
      if (attempt !== undefined && "connection" in attempt) {
        return attempt.connection;
      }
      const isHeld = starts.isHeld();
      if (attempt?.isAnswer || isHeld) {
        end = performance.now() + START_WAIT;
      }
      if (attempt === undefined && start !== undefined) {
        starts.next();
      } else if (attempt === undefined && !isHeld) {
        throw new UnreachableError(`no daemon serves ${this.options.root}`);
      }
      this.state = attempt?.wait ?? starts.state;
      if (this.state !== told && performance.now() >= tellFrom) {
        told = this.state;
        this.options.onWait?.(told);
      }
      if (performance.now() >= end) {
        throw new UnreachableError(`no daemon answered within ${START_WAIT / 1000} s: ${this.state}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      signal.throwIfAborted();
      pause = Math.min(pause * 2, PAUSES.longest);
    }
  }

  private async attempt(signal: AbortSignal): Promise<Attempt> {
    const { socket, root, environment, hello } = this.options;
    if (socket !== undefined) {
      return await attemptAt(socket, root, hello, signal);
    }
    const usual = await attemptAt(usualAddress(root, environment), root, hello, signal);
    if (usual !== undefined) {
      return usual;
    }
    const unit = unitAddress(root, environment);
    return (unit && (await attemptAt(unit, root, hello, signal))) || (await this.attemptRecorded(signal));
  }

  /** Connects to the address in the lock file. */
  private async attemptRecorded(signal: AbortSignal): Promise<Attempt> {
    const { root, hello } = this.options;
    const address = recordedAddress(root);
    if (address === undefined) {
      return undefined;
    }
    try {
      return await attemptAt(address, root, hello, signal);
    } catch {
      signal.throwIfAborted();
      // The workspace may come from elsewhere: an invalid address, or one of a daemon that serves another workspace, is
      // treated like a missing one.
      return undefined;
    }
  }
}

/** The starts of one wait. */
class Starts {
  state = "a daemon was started and does not listen yet";
  private running: StartedDaemon | undefined;
  private failures = 0;
  private heldSince: number | undefined;

  constructor(
    private readonly options: ConnectorOptions,
    private readonly program: string | undefined,
  ) {}

  /** Returns true if the last daemon has not exited yet. */
  isHeld(): boolean {
    const { socket, root, environment } = this.options;
    const leaving = leavingProcess(socket ?? usualAddress(root, environment));
    this.heldSince = leaving === undefined ? undefined : (this.heldSince ?? performance.now());
    return leaving !== undefined;
  }

  /** Starts a daemon if none runs. */
  next(): void {
    const { socket, root, environment } = this.options;
    const program = this.program ?? "";
    if (this.running?.failure !== undefined) {
      throw new UnreachableError(
        `${program} cannot be started: ${this.running.failure.message}; install editd in PATH, or name it in EDITD_BIN`,
      );
    }
    if (this.running?.exit !== undefined) {
      this.failures += this.running.exit === OCCUPIED ? 0 : 1;
      if (this.failures >= STARTS) {
        throw new UnreachableError(
          `${program} exited without serving the workspace (${this.running.exit}); ` +
            `run \`editd --workspace ${root}\` to see the reason`,
        );
      }
      this.running = undefined;
    }
    if (this.heldSince !== undefined && performance.now() - this.heldSince < LEAVING_PAUSE) {
      this.state = "the last daemon of the workspace has not exited yet";
      return;
    }
    this.heldSince = undefined;
    this.running ??= new StartedDaemon(program, root, socket, environment);
  }
}

/** Tries to connect to the daemon at an address, which must serve exactly this workspace. */
async function attemptAt(address: string, root: string, hello: HelloFields, signal: AbortSignal): Promise<Attempt> {
  const doubt = distrust(address);
  if (doubt !== undefined) {
    throw new UnreachableError(doubt);
  }
  try {
    const connection = await Connection.connect(address, hello, signal);
    const serves = connection.welcome?.workspace;
    if (serves !== root) {
      connection.close();
      throw new UnreachableError(`the daemon at ${address} serves ${serves}, not ${root}`);
    }
    return { connection };
  } catch (error) {
    if (error instanceof LostError) {
      return { wait: "the daemon exits", isAnswer: false };
    }
    if (error instanceof TimedOutError) {
      return { wait: error.message, isAnswer: false };
    }
    if (error instanceof RefusedError && ["stopping", "busy", "starting"].includes(error.code)) {
      return { wait: error.message, isAnswer: true };
    }
    if (isNobody(error)) {
      return undefined;
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") {
      throw new UnreachableError(`the socket ${address} cannot be opened: ${(error as Error).message}`);
    }
    throw error;
  }
}
