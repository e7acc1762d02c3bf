/** Messages as frames and back. Frames that are sent are checked like those that are received. */

import { encode } from "@msgpack/msgpack";
import { decodeMap } from "./decoder.js";
import { ProtocolError } from "./errors.js";
import { DEPTH, FRAME } from "./limits.js";

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
  // The fields of every message come first, and no other field replaces them.
  const message = Object.assign({ id, kind }, sendable(fields, 1), { id, kind });
  const body = encode(message, { useBigInt64: true, ignoreUndefined: true, maxDepth: DEPTH });
  if (body.length > limit) {
    throw new ProtocolError("too_large", `the request has ${body.length} bytes, and a frame at most ${limit}`);
  }
  // The daemon would close the connection, and with it other requests.
  decodeMap(body);
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
  const message = decodeMap(body);
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
