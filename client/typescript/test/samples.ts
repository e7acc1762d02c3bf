/** The examples of proto/WIRE.md with their bytes in proto/WIRE-SAMPLES.md. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package. The tests run in `dist-test/test`. */
export const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** One example. */
export interface Sample {
  number: number;
  kind: string;
  side: "client" | "server";
  /** The frame, with its length. */
  frame: Uint8Array;
  /** The message as the page shows it, with bytes as `Uint8Array`. */
  message: { id: number; kind: string; [field: string]: unknown };
}

/** Returns every example. */
export function samples(): Sample[] {
  const page = (name: string) => readFileSync(join(packageFolder, "..", "..", "proto", name), "utf8");
  const frames = new Map<number, { kind: string; side: string; frame: Uint8Array }>();
  for (const match of page("WIRE-SAMPLES.md").matchAll(/^## (\d+): `(\w+)`, (\w+)\n\n```hex\n([^`]+(?:`[^`]+)*?)\n```$/gm)) {
    const [, number = "", kind = "", side = "", dump = ""] = match;
    const digits = dump.split("\n").map((line) => line.slice(0, 48).replaceAll(" ", ""));
    frames.set(Number(number), { kind, side, frame: Buffer.from(digits.join(""), "hex") });
  }
  const messages = new Map<number, { side: string; json: string }>();
  const examples = /^\[Example (\d+)\][^\n]*\n\n```json (\w+)\n([\s\S]*?)\n```$/gm;
  for (const [, number = "", side = "", json = ""] of page("WIRE.md").matchAll(examples)) {
    messages.set(Number(number), { side, json });
  }
  return [...frames].map(([number, { kind, side, frame }]) => {
    const message = messages.get(number);
    if (message === undefined || message.side !== side || (side !== "client" && side !== "server")) {
      throw new Error(`example ${number} differs between the pages`);
    }
    return { number, kind, side, frame, message: JSON.parse(message.json, withBytes) as Sample["message"] };
  });
}

/** The form of bytes in JSON is `{"bytes": [1, 2]}`; a field `bytes` has the list itself. */
function withBytes(key: string, value: unknown): unknown {
  if (key === "bytes" && Array.isArray(value)) {
    return Uint8Array.from(value as number[]);
  }
  const bytes = (value as { bytes?: unknown } | null)?.bytes;
  return bytes instanceof Uint8Array && Object.keys(value as object).length === 1 ? bytes : value;
}
