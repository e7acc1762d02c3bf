/** Starts a daemon that runs on when this process ends: in a session of its own, without descriptors of this process. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Environment } from "./places.js";

/** Variables that a service manager sets for the process that it starts; they are not for its children. */
const NOT_FOR_CHILDREN = [
  "NOTIFY_SOCKET",
  "LISTEN_PID",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "WATCHDOG_USEC",
  "WATCHDOG_PID",
  "JOURNAL_STREAM",
];

/** The time without connection and job after which a daemon that was started here exits. */
const IDLE_EXIT = "30m";

/** A started daemon. */
export class StartedDaemon {
  /** The exit status or the signal, if it has exited. */
  exit: number | string | undefined;
  /** The error of the system, if it could not be started. */
  failure: Error | undefined;

  constructor(program: string, root: string, address: string | undefined, environment: Environment) {
    const words = ["--workspace", root, "--idle-exit-default", IDLE_EXIT];
    if (address !== undefined) {
      words.push("--socket", address);
    }
    const env: NodeJS.ProcessEnv = { ...environment };
    for (const name of NOT_FOR_CHILDREN) {
      delete env[name];
    }
    let child: ChildProcess;
    try {
      child = spawn(program, words, { cwd: root, env, detached: true, stdio: "ignore", windowsHide: true });
    } catch (error) {
      this.failure = error as Error;
      return;
    }
    child.on("error", (error) => (this.failure = error));
    child.on("exit", (status, signal) => (this.exit = status ?? signal ?? "unknown"));
    child.unref();
  }
}
