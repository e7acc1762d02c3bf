/**
 * Decodes the body of a frame, and checks it against the limits of the protocol before anything is allocated: lengths,
 * depth, keys, UTF-8, no extension types, no trailing bytes.
 *
 * The decoder of the MessagePack library is not used: it removes U+FEFF from the start of long texts, accepts text that
 * is not UTF-8, and checks lengths only as far as the bytes go.
 */

import { isUtf8 } from "node:buffer";
import { ProtocolError } from "./errors.js";
import { COUNT, DEPTH, VALUES } from "./limits.js";

/** The size and the reader of the numbers with the tags 0xca to 0xd3. */
const NUMBERS: readonly [size: number, read: (view: DataView, at: number) => number | bigint][] = [
  [4, (view, at) => view.getFloat32(at)],
  [8, (view, at) => view.getFloat64(at)],
  [1, (view, at) => view.getUint8(at)],
  [2, (view, at) => view.getUint16(at)],
  [4, (view, at) => view.getUint32(at)],
  [8, (view, at) => view.getBigUint64(at)],
  [1, (view, at) => view.getInt8(at)],
  [2, (view, at) => view.getInt16(at)],
  [4, (view, at) => view.getInt32(at)],
  [8, (view, at) => view.getBigInt64(at)],
];

/**
 * Returns the one map in a body. Whole numbers that a `number` cannot hold exactly are `bigint`.
 *
 * @throws ProtocolError if it is not exactly one map within the limits.
 */
export function decodeMap(body: Uint8Array): Record<string, unknown> {
  return new BodyDecoder(body).message();
}

class BodyDecoder {
  private at = 0;
  private values = 0;
  private readonly bytes: Buffer;
  private readonly view: DataView;

  constructor(body: Uint8Array) {
    this.bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  }

  message(): Record<string, unknown> {
    const value = this.value(0);
    if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array) {
      throw new ProtocolError("malformed", "a frame has no map");
    }
    if (this.at !== this.bytes.length) {
      throw new ProtocolError("malformed", `${this.bytes.length - this.at} bytes follow the message`);
    }
    return value as Record<string, unknown>;
  }

  /** Decodes the next value, which has this many levels around it. */
  private value(around: number): unknown {
    const tag = this.tag();
    const length = this.textLength(tag);
    if (length !== undefined) {
      return this.text(length);
    }
    if (tag < 0x80 || tag >= 0xe0) {
      return tag < 0x80 ? tag : tag - 0x100;
    }
    if (tag < 0x90 || tag >= 0xde) {
      return this.map(tag < 0x90 ? tag & 0x0f : this.whole(tag === 0xde ? 2 : 4), around);
    }
    if (tag < 0xa0 || tag >= 0xdc) {
      return this.list(tag < 0xa0 ? tag & 0x0f : this.whole(tag === 0xdc ? 2 : 4), around);
    }
    if (tag >= 0xc4 && tag <= 0xc6) {
      const from = this.skip(this.whole(2 ** (tag - 0xc4)));
      // A copy, so that the bytes do not keep the whole frame in memory.
      return new Uint8Array(this.bytes.subarray(from, this.at));
    }
    const number = NUMBERS[tag - 0xca];
    if (number !== undefined) {
      return this.number(...number);
    }
    if (tag === 0xc0 || tag === 0xc2 || tag === 0xc3) {
      return tag === 0xc0 ? null : tag === 0xc3;
    }
    throw new ProtocolError("malformed", `a value has the type 0x${tag.toString(16)}, which messages do not have`);
  }

  private map(count: number, around: number): Record<string, unknown> {
    this.enter(count, around);
    const map: Record<string, unknown> = {};
    for (let pair = 0; pair < count; pair += 1) {
      const length = this.textLength(this.tag());
      if (length === undefined) {
        throw new ProtocolError("malformed", "a key is not text");
      }
      const key = this.text(length);
      if (around === 0 && Object.hasOwn(map, key)) {
        throw new ProtocolError("malformed", `the key \`${key}\` occurs twice in a message`);
      }
      const value = this.value(around + 1);
      // No field has this name, and an assignment would set the prototype.
      if (key !== "__proto__") {
        map[key] = value;
      }
    }
    return map;
  }

  private list(count: number, around: number): unknown[] {
    this.enter(count, around);
    const list: unknown[] = [];
    for (let element = 0; element < count; element += 1) {
      list.push(this.value(around + 1));
    }
    return list;
  }

  private enter(count: number, around: number): void {
    if (count > COUNT) {
      throw new ProtocolError("too_large", `a list or map has more than ${COUNT} elements`);
    }
    if (around >= DEPTH) {
      throw new ProtocolError("too_large", `a message has more than ${DEPTH} levels`);
    }
  }

  private tag(): number {
    this.values += 1;
    if (this.values > VALUES) {
      throw new ProtocolError("too_large", `a message has more than ${VALUES} values`);
    }
    return this.whole(1);
  }

  /** Returns the length of the text that a tag begins. */
  private textLength(tag: number): number | undefined {
    if (tag >= 0xa0 && tag < 0xc0) {
      return tag & 0x1f;
    }
    return tag >= 0xd9 && tag <= 0xdb ? this.whole(2 ** (tag - 0xd9)) : undefined;
  }

  private text(length: number): string {
    const from = this.skip(length);
    if (!isUtf8(this.bytes.subarray(from, this.at))) {
      throw new ProtocolError("malformed", "a text is not UTF-8");
    }
    return this.bytes.toString("utf8", from, this.at);
  }

  private number(size: number, read: (view: DataView, at: number) => number | bigint): number | bigint {
    const value = read(this.view, this.skip(size));
    const number = Number(value);
    return typeof value === "bigint" && !Number.isSafeInteger(number) ? value : number;
  }

  /** Reads a big-endian number of 1, 2 or 4 bytes. */
  private whole(size: number): number {
    const from = this.skip(size);
    return size === 1 ? this.view.getUint8(from) : size === 2 ? this.view.getUint16(from) : this.view.getUint32(from);
  }

  /** Passes over bytes, and returns the offset of the first one. */
  private skip(count: number): number {
    const from = this.at;
    if (count > this.bytes.length - from) {
      throw new ProtocolError("malformed", "a message ends within a value");
    }
    this.at += count;
    return from;
  }
}
