/** The fields without which a message of the daemon cannot be used, and their types. Other fields are passed on. */

import type { Message } from "./codec.js";
import { ProtocolError } from "./errors.js";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const bool: Check = (value) => typeof value === "boolean";
const bytes: Check = (value) => value instanceof Uint8Array;
const path: Check = (value) => text(value) || bytes(value);
const job: Check = (value) => count(value) || (typeof value === "bigint" && value >= 0n);
const map: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !bytes(value);

function list(element: Check): Check {
  return (value) => Array.isArray(value) && value.every(element);
}

function fields(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value) => {
    if (!map(value)) {
      return false;
    }
    const given = value as Record<string, unknown>;
    const present = Object.entries(optional).filter(([name]) => given[name] !== undefined);
    return [...Object.entries(required), ...present].every(([name, check]) => check(given[name]));
  };
}

const failure = { code: text, message: text };
const error = fields(failure);
const file = fields({ path });
const check = fields({ check: text, status: text });
const receipt = fields(
  { status: text },
  { files: list(file), job, queued: job, error, verified: text, text, checks: list(check) },
);
const symbol = fields({ name: text, kind: text, depth: count, definition: map, position: map });
const entry = fields({ id: job, time: count, kind: text, session: text, undone: bool, files: list(file) });

const KINDS: Record<string, Check> = {
  hello: fields({ protocol: count, server: text, workspace: text, session: text, limits: map }),
  error: fields(failure, { path, version: text, diff: text }),
  edit: receipt,
  undo: receipt,
  redo: receipt,
  wait: receipt,
  cancel: receipt,
  read: fields(
    { path, version: text, hash: text, lines: count, first_line: count, encoding: text, size: count },
    { text, bytes, symbol },
  ),
  outline: fields({ path, version: text, language: text, symbols: list(symbol) }),
  history: fields({ entries: list(entry), more: bool }),
  show: fields({ entry, changes: list(fields({ path, diff: text })) }),
  content: fields({ path, size: count, bytes }, { version: text }),
  clip: fields({}, { name: text, text, bytes, clips: list(fields({ name: text, size: count })) }),
  status: fields(
    { pid: count, version: text, workspace: text, uptime: count },
    { counters: map, refusals: map, latency: map, trace: fields({ kind: text, status: text, steps: list(map) }) },
  ),
  metrics: fields({ text }),
  config: fields(
    { file: text, changed: bool, settings: list(fields({ name: text, value: text, source: text })) },
    { problem: text },
  ),
  checks: fields({ checks: list(check) }),
  mark: fields({ job, name: text }),
  note: fields({ announced: bool }, { entries: list(fields({ job, path })), omitted: count }),
  stop: fields({ pid: count }),
  subscribe: fields({ folders: count }),
  event: fields({ change: text }, { path, version: text, entry: job, check }),
};

/**
 * Checks the fields of a message that the library or its callers rely on.
 *
 * @throws ProtocolError if one is absent or has another type.
 */
export function checkShape(message: Message): void {
  const check = Object.hasOwn(KINDS, message.kind) ? KINDS[message.kind] : undefined;
  if (check !== undefined && !check(message)) {
    throw new ProtocolError("malformed", `a message of the kind \`${message.kind}\` lacks a field, or has a wrong one`);
  }
}
