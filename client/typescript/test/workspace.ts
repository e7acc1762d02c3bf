/** A temporary workspace with the folders of a user, and the daemon that the library starts there. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client, type ClientOptions, UnreachableError } from "editd";

/** The binaries under test. */
export const editd = process.env["EDITD_BIN"];
export const editctl = process.env["EDITCTL_BIN"];

/** The reason to skip tests with a daemon, or false. */
export const skip = editd === undefined ? "EDITD_BIN names no daemon" : false;

/** A workspace of one test. */
export class TestWorkspace {
  readonly top: string;
  readonly folder: string;
  readonly environment: Record<string, string | undefined>;
  private readonly clients: Client[] = [];
  private readonly processes = new Set<number>();

  constructor() {
    this.top = realpathSync(mkdtempSync(join(tmpdir(), "editd-ts-")));
    this.folder = join(this.top, "workspace");
    for (const name of ["workspace", "home", "run", "state"]) {
      mkdirSync(join(this.top, name), { mode: 0o700 });
    }
    const { XDG_CONFIG_HOME: _config, EDITCTL_SESSION: _session, EDITCTL_ON_STALE: _stale, ...inherited } = process.env;
    this.environment = {
      ...inherited,
      HOME: join(this.top, "home"),
      XDG_RUNTIME_DIR: join(this.top, "run"),
      XDG_STATE_HOME: join(this.top, "state"),
    };
  }

  /** Returns a client of the workspace. */
  client(options: ClientOptions = {}): Client {
    const client = new Client({ workspace: this.folder, environment: this.environment, ...options });
    this.clients.push(client);
    return client;
  }

  put(path: string, text: string): void {
    const place = join(this.folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }

  get(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Returns the id of the daemon's process. */
  async pid(client: Client): Promise<number> {
    const { pid } = await client.status();
    this.processes.add(pid);
    return pid;
  }

  /** Ends the daemon with SIGKILL, and waits until its process is gone. */
  async kill(client: Client): Promise<void> {
    const pid = await this.pid(client);
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
  }

  /** Runs editctl in the workspace, and returns its output. */
  editctl(...words: string[]): string {
    const env = { ...this.environment, EDITD_BIN: editd };
    const { stdout, stderr, status } = spawnSync(editctl ?? "editctl", words, { cwd: this.folder, env, encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`editctl ${words.join(" ")}: ${stderr}`);
    }
    return stdout;
  }

  /** Stops the daemon of the workspace, and removes the folders. */
  async close(): Promise<void> {
    for (const client of this.clients) {
      client.close();
    }
    const last = new Client({ workspace: this.folder, environment: this.environment, program: false });
    try {
      this.processes.add((await last.status()).pid);
      await last.stop();
    } catch (error) {
      if (!(error instanceof UnreachableError)) {
        throw error;
      }
    } finally {
      last.close();
      for (const pid of this.processes) {
        // Those that were killed are gone; one that could not be stopped is ended here.
        if (isRunning(pid)) {
          process.kill(pid, "SIGKILL");
        }
      }
      rmSync(this.top, { recursive: true, force: true });
    }
  }
}

/** Runs a test in a workspace of its own. */
export async function withWorkspace(body: (workspace: TestWorkspace) => Promise<void>): Promise<void> {
  const workspace = new TestWorkspace();
  try {
    await body(workspace);
  } finally {
    await workspace.close();
  }
}

/** Waits until something is true, for at most 20 s. */
export async function until(condition: () => boolean): Promise<void> {
  for (let count = 0; !condition(); count += 1) {
    if (count > 2000) {
      throw new Error("it did not happen in time");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns true if a process of this id runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
