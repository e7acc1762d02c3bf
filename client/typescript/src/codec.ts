/**
 * Messages as frames and back. Every frame is checked against the limits of the protocol before anything of it is
 * allocated; the same check is made for frames that are sent.
 */

import { isUtf8 } from "node:buffer";
import { decode, encode } from "@msgpack/msgpack";
import { ProtocolError } from "./errors.js";
import { COUNT, DEPTH, FRAME, VALUES } from "./limits.js";

/** A message: its number, its kind, and the fields of that kind. */
export interface Message {
  id: number;
  kind: string;
  [field: string]: unknown;
}

/** The number of bytes that hold the length of a frame. */
const HEADER = 4;

/**
 * Returns a message as a frame.
 *
 * @throws ProtocolError if the message breaks a limit of the protocol, TypeError if a value has no form on the wire.
 */
export function encodeFrame(id: number, kind: string, fields: object, limit: number = FRAME): Uint8Array {
  const message = { id, kind, ...(sendable(fields, 1) as object) };
  const body = encode(message, { useBigInt64: true, ignoreUndefined: true, maxDepth: DEPTH });
  if (body.length > limit) {
    throw new ProtocolError("too_large", `the request has ${body.length} bytes, and a frame at most ${limit}`);
  }
  checkBody(body);
  const frame = new Uint8Array(HEADER + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER);
  return frame;
}

/**
 * Returns the message in the body of a frame. Whole numbers that a `number` cannot hold exactly are `bigint`.
 *
 * @throws ProtocolError if it is not exactly one message within the limits.
 */
export function decodeBody(body: Uint8Array): Message {
  checkBody(body);
  let message: Record<string, unknown>;
  try {
    message = exact(decode(body, { useBigInt64: true })) as Record<string, unknown>;
  } catch (error) {
    throw new ProtocolError("malformed", `a message cannot be decoded: ${String(error)}`);
  }
  const { id, kind } = message;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0 || typeof kind !== "string") {
    throw new ProtocolError("malformed", "a message lacks its number or its kind");
  }
  return message as Message;
}

/** Cuts a stream of bytes into the bodies of frames. Holds at most one incomplete frame. */
export class FrameReader {
  private parts: Uint8Array[] = [];
  private held = 0;

  constructor(private readonly limit: number = FRAME) {}

  /**
   * Takes bytes, and returns the bodies of the frames that are complete now.
   *
   * @throws ProtocolError if a frame declares more bytes than the limit.
   */
  push(chunk: Uint8Array): Uint8Array[] {
    this.parts.push(chunk);
    this.held += chunk.length;
    const bodies: Uint8Array[] = [];
    while (this.held >= HEADER) {
      const length = this.declared();
      if (length > this.limit) {
        throw new ProtocolError("too_large", `a frame declares ${length} bytes, and has at most ${this.limit}`);
      }
      if (this.held < HEADER + length) {
        break;
      }
      const bytes = this.joined();
      bodies.push(bytes.subarray(HEADER, HEADER + length));
      this.parts = [bytes.subarray(HEADER + length)];
      this.held -= HEADER + length;
    }
    return bodies;
  }

  private declared(): number {
    let first = this.parts[0];
    if (first === undefined || first.length < HEADER) {
      first = this.joined();
    }
    return new DataView(first.buffer, first.byteOffset, HEADER).getUint32(0);
  }

  private joined(): Uint8Array {
    const [first] = this.parts;
    const bytes = this.parts.length === 1 && first !== undefined ? first : Buffer.concat(this.parts, this.held);
    this.parts = [bytes];
    return bytes;
  }
}

/** Returns a value in a form that the encoder writes without loss. */
function sendable(value: unknown, depth: number): unknown {
  if (depth > DEPTH) {
    throw new ProtocolError("too_large", `the request has more than ${DEPTH} levels`);
  }
  switch (typeof value) {
    case "number":
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        throw new TypeError(`${value} is not an exact whole number; use a bigint`);
      }
      // The encoder writes larger numbers as floating point, and a bigint as a whole number.
      return Number.isInteger(value) && Math.abs(value) > 0x7fffffff ? BigInt(value) : finite(value);
    case "bigint":
      if (BigInt.asUintN(64, value) !== value) {
        throw new TypeError(`${value} is not a whole number of 64 bits`);
      }
      return value <= 0x7fffffffn ? Number(value) : value;
    case "string":
      if (/\p{Surrogate}/u.test(value)) {
        throw new TypeError("a text has half of a surrogate pair, which UTF-8 cannot express");
      }
      return value;
    case "object":
      break;
    case "boolean":
    case "undefined":
      return value;
    default:
      throw new TypeError(`a ${typeof value} cannot be sent`);
  }
  if (value === null || value instanceof Uint8Array) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((element) => sendable(element, depth + 1));
  }
  const pairs = Object.entries(value).map(([key, field]) => [sendable(key, depth), sendable(field, depth + 1)]);
  return Object.fromEntries(pairs);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) {
    throw new TypeError(`${value} cannot be sent`);
  }
  return value;
}

/** Replaces each `bigint` that a `number` can hold. */
function exact(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) {
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    fields[key] = exact(fields[key]);
  }
  return value;
}

/**
 * Checks that bytes are one map within the limits: lengths, depth, keys, UTF-8, no extension types, no trailing bytes.
 *
 * @throws ProtocolError
 */
export function checkBody(body: Uint8Array): void {
  const end = new BodyCheck(body).run();
  if (end !== body.length) {
    throw new ProtocolError("malformed", `${body.length - end} bytes follow the message`);
  }
}

/** A map or list whose elements are being checked. */
interface OpenLevel {
  /** Values that are missing; a pair of a map has two. */
  left: number;
  isMap: boolean;
}

/** Walks over the values of a body without building them. */
class BodyCheck {
  private at = 0;
  private values = 0;
  private readonly view: DataView;
  private readonly open: OpenLevel[] = [];
  private readonly topKeys = new Set<string>();

  constructor(private readonly body: Uint8Array) {
    this.view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  }

  /** Returns the offset after the first value. */
  run(): number {
    const first = this.body[0];
    if (first === undefined || !(first >> 4 === 0x8 || first === 0xde || first === 0xdf)) {
      throw new ProtocolError("malformed", "a frame has no map");
    }
    do {
      const level = this.open.at(-1);
      const isKey = level !== undefined && level.isMap && level.left % 2 === 0;
      if (level !== undefined) {
        level.left -= 1;
      }
      this.value(isKey);
      while (this.open.at(-1)?.left === 0) {
        this.open.pop();
      }
    } while (this.open.length > 0);
    return this.at;
  }

  private value(isKey: boolean): void {
    this.values += 1;
    if (this.values > VALUES) {
      throw new ProtocolError("too_large", `a message has more than ${VALUES} values`);
    }
    const tag = this.whole(1);
    const text = this.textLength(tag);
    if (text !== undefined) {
      return this.text(text, isKey);
    }
    if (isKey) {
      throw new ProtocolError("malformed", "a key is not text");
    }
    if (tag >= 0x80 && tag < 0xa0) {
      this.enter(tag & 0x0f, tag < 0x90);
    } else if (tag >= 0xdc) {
      // 0xdc to 0xdf are lists and maps; all tags above are small negative numbers.
      if (tag < 0xe0) {
        this.enter(this.whole(tag % 2 === 0 ? 2 : 4), tag >= 0xde);
      }
    } else if (tag >= 0xc4 && tag <= 0xc6) {
      this.skip(this.whole(2 ** (tag - 0xc4)));
    } else if (tag >= 0xca && tag <= 0xd3) {
      this.skip([4, 8, 1, 2, 4, 8, 1, 2, 4, 8][tag - 0xca] ?? 0);
    } else if (tag >= 0xc1 && tag !== 0xc2 && tag !== 0xc3) {
      throw new ProtocolError("malformed", `a value has the type 0x${tag.toString(16)}, which messages do not have`);
    }
  }

  /** Returns the length of the text that a tag begins. */
  private textLength(tag: number): number | undefined {
    if (tag >= 0xa0 && tag < 0xc0) {
      return tag & 0x1f;
    }
    return tag >= 0xd9 && tag <= 0xdb ? this.whole(2 ** (tag - 0xd9)) : undefined;
  }

  private text(length: number, isKey: boolean): void {
    const from = this.at;
    this.skip(length);
    const bytes = this.body.subarray(from, this.at);
    if (!isUtf8(bytes)) {
      throw new ProtocolError("malformed", "a text is not UTF-8");
    }
    if (isKey && this.open.length === 1) {
      const key = Buffer.from(bytes).toString("utf8");
      if (this.topKeys.has(key)) {
        throw new ProtocolError("malformed", "a key occurs twice in a message");
      }
      this.topKeys.add(key);
    }
  }

  private enter(count: number, isMap: boolean): void {
    if (count > COUNT) {
      throw new ProtocolError("too_large", `a list or map has more than ${COUNT} elements`);
    }
    if (this.open.length >= DEPTH) {
      throw new ProtocolError("too_large", `a message has more than ${DEPTH} levels`);
    }
    this.open.push({ left: isMap ? count * 2 : count, isMap });
  }

  /** Reads a big-endian number of 1, 2 or 4 bytes. */
  private whole(size: number): number {
    const from = this.at;
    this.skip(size);
    return size === 1 ? this.view.getUint8(from) : size === 2 ? this.view.getUint16(from) : this.view.getUint32(from);
  }

  private skip(count: number): void {
    if (count > this.body.length - this.at) {
      throw new ProtocolError("malformed", "a message ends within a value");
    }
    this.at += count;
  }
}
