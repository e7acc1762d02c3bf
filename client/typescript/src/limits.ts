/** The limits of the protocol (proto/WIRE.md, Frames) that a client checks, and the waits that the page names. */

/** The version of the protocol. */
export const PROTOCOL = 1;

/** Bytes of the first frame, `hello`. */
export const FRAME_BEFORE_HELLO = 65536;

/** Bytes of a frame. */
export const FRAME = 16777216;

/** Levels of maps and lists; the message itself is the first. */
export const DEPTH = 32;

/** Elements of a list, and pairs of a map. */
export const COUNT = 100000;

/** Values in a message; keys count. */
export const VALUES = 1000000;

/** Requests of one connection that wait for their reply. The daemon reads no further ones. */
export const OPEN_REQUESTS = 64;

/** Waiting events of one subscription. Further ones are replaced by a single `overflow`. */
export const WAITING_EVENTS = 1024;

/** Milliseconds for the reply to `hello`. */
export const HELLO_WAIT = 10_000;

/** Milliseconds in which a daemon must listen after it was started. */
export const START_WAIT = 10_000;

/** The first and the longest pause between two attempts, in milliseconds. */
export const PAUSES = { first: 5, longest: 50 } as const;

/** The exit status of an `editd` that found the workspace served by another one. */
export const OCCUPIED = 75;
