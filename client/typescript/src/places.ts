/** The root of a workspace, and the addresses at which its daemon may listen (proto/WIRE.md, Connecting). */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { EditdError, UnreachableError } from "./errors.js";

/** Variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names that mark the root of a workspace. */
const MARKERS = [".editd.toml", ".git"];

/** Bytes of the longest path of a socket. */
const SOCKET_PATH = process.platform === "linux" ? 107 : 103;

/** Milliseconds for the system to name the user, on Windows. */
const WHOAMI_MS = 5000;

/** Bytes of the longest lock file that is read. */
const LOCK = 4096;

const isWindows = process.platform === "win32";

/**
 * Returns the root of the workspace that contains a folder: the nearest parent with `.editd.toml` or `.git`, else the
 * folder itself.
 *
 * @throws EditdError if the folder does not exist, or the parent or its marker belongs to another user than this one or root.
 */
export function findWorkspace(folder: string = process.cwd()): string {
  const start = resolved(folder).toString("utf8");
  for (let above = start; ; above = dirname(above)) {
    const markers = MARKERS.map((name) => join(above, name)).filter((path) => found(path) !== undefined);
    if (markers.length > 0) {
      const foreign = [...markers, above].find((path) => isForeign(found(path)));
      if (foreign !== undefined) {
        throw new EditdError(`${foreign} belongs to another user, so it is not used; name the workspace`);
      }
      return above;
    }
    if (dirname(above) === above) {
      return start;
    }
  }
}

/** Returns the absolute path of a workspace with links resolved. */
export function resolveWorkspace(folder: string): string {
  const bytes = resolved(folder);
  const root = bytes.toString("utf8");
  if (!Buffer.from(root).equals(bytes)) {
    throw new EditdError(`the path of the workspace is not UTF-8: ${root}`);
  }
  if (!statSync(root).isDirectory()) {
    throw new EditdError(`${root} is no folder`);
  }
  return root;
}

/** Returns the path of a folder with links resolved, in bytes. */
function resolved(folder: string): Buffer {
  try {
    return realpathSync.native(folder, { encoding: "buffer" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EditdError(`the workspace ${folder} cannot be found: ${reason}`);
  }
}

/** Returns the digits that identify a workspace. */
export function workspaceTag(root: string): string {
  return createHash("sha256").update(root, "utf8").digest("hex").slice(0, 16);
}

/** Returns the address at which a daemon listens that is started for a workspace. */
export function usualAddress(root: string, environment: Environment): string {
  const tag = workspaceTag(root);
  return isWindows ? pipe(windowsUser(environment), tag) : checked(join(socketFolder(environment), `${tag}.sock`));
}

/** Returns the pipe of a workspace on Windows. */
export function pipe(user: string, tag: string): string {
  return `\\\\.\\pipe\\editd-${user}-${tag}`;
}

/** Returns the security identifier in a line of `whoami /user /fo csv /nh`, such as `"host\me","S-1-5-21-1-2-3-1001"`. */
export function securityId(line: string): string {
  const id = /"(S-1-[0-9-]+)"\s*$/.exec(line)?.[1];
  if (id === undefined) {
    throw new EditdError("Windows does not report the user's security identifier; give the option socket: `editctl status` prints it");
  }
  return id;
}

/** Asks the system for the security identifier of this user: the runtime does not know it. */
function windowsUser(environment: Environment): string {
  const program = join(environment["SystemRoot"] ?? "C:\\Windows", "System32", "whoami.exe");
  const asked = spawnSync(program, ["/user", "/fo", "csv", "/nh"], { encoding: "utf8", timeout: WHOAMI_MS, windowsHide: true });
  return securityId(asked.stdout ?? "");
}

/** Returns the socket of the systemd unit of a workspace, if a unit can listen there. */
export function unitAddress(root: string, environment: Environment): string | undefined {
  const address = join(socketFolder(environment), `@${escapePath(root)}.sock`);
  return isWindows || Buffer.byteLength(address) > SOCKET_PATH ? undefined : address;
}

/** Returns the address in the lock file of a workspace. Its daemon must confirm that it serves the workspace. */
export function recordedAddress(root: string): string | undefined {
  const path = join(root, ".editd", "lock");
  const file = found(path);
  if (file === undefined || !file.isFile() || file.size > LOCK) {
    return undefined;
  }
  const line = readSmall(path)?.split("\n", 1)[0]?.trimEnd();
  return line !== undefined && (isWindows || isAbsolute(line)) ? line : undefined;
}

/** Returns the id of a daemon that leaves an address and still runs. */
export function leavingProcess(address: string): number | undefined {
  const match = /^leaving (\d+)/.exec(readSmall(`${address}.lock`) ?? "");
  const id = Number(match?.[1]);
  return Number.isSafeInteger(id) && id > 0 && isRunning(id) ? id : undefined;
}

/**
 * Returns the reason not to trust a socket: it, or its folder, is not under the control of this user alone. The runtime
 * cannot ask for the user of a listener, so the file decides.
 */
export function distrust(address: string): string | undefined {
  if (isWindows) {
    return undefined;
  }
  const socket = found(address);
  if (socket === undefined) {
    return undefined;
  }
  const folder = found(realFolder(address));
  if (socket.uid !== ownUser()) {
    return `the socket ${address} belongs to another user`;
  }
  const isOpen = folder === undefined || ((folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0);
  return isOpen || isForeign(folder) ? `others may replace the socket ${address}` : undefined;
}

/** Escapes a path as systemd does in the name of a unit's instance. */
export function escapePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const escaped = parts.map((part) =>
    [...Buffer.from(part)]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return /[A-Za-z0-9:_.]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, "0")}`;
      })
      .join(""),
  );
  const joined = escaped.join("-");
  return joined === "" ? "-" : joined.replace(/^\./, "\\x2e");
}

function socketFolder(environment: Environment): string {
  const runtime = environment["XDG_RUNTIME_DIR"] ?? "";
  return isAbsolute(runtime) ? join(runtime, "editd") : `/tmp/editd-${ownUser()}`;
}

function checked(address: string): string {
  const length = Buffer.byteLength(address);
  if (length > SOCKET_PATH) {
    throw new UnreachableError(
      `the socket path ${address} has ${length} bytes and the system takes ${SOCKET_PATH}: ` +
        "set XDG_RUNTIME_DIR to a shorter folder",
    );
  }
  return address;
}

function ownUser(): number {
  return process.geteuid?.() ?? 0;
}

function isForeign(file: Stats | undefined): boolean {
  return !isWindows && file !== undefined && file.uid !== 0 && file.uid !== ownUser();
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function realFolder(address: string): string {
  try {
    return realpathSync.native(dirname(address));
  } catch {
    return dirname(address);
  }
}

function found(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Returns the text of a file that the caller knows to be small, or of a lock. */
function readSmall(path: string): string | undefined {
  try {
    const file = lstatSync(path);
    return file.isFile() && file.size <= LOCK ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
