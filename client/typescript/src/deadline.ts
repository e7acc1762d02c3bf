/** The time of a call: its end, and the signal that may abort it before. */

import { TimedOutError } from "./errors.js";

/** The limits that a caller sets for one call. */
export interface CallOptions {
  /** Milliseconds for the whole call, with waits and retries; `Infinity` for no limit. */
  timeout?: number;
  /** Aborts the call. A request that was sent may still be done. */
  signal?: AbortSignal;
}

/** The longest time that a timer of the runtime accepts, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The end of a call. */
export class Deadline {
  private readonly end: number;
  readonly signal: AbortSignal | undefined;

  constructor(timeout: number, signal?: AbortSignal) {
    if (Number.isNaN(timeout) || timeout < 0) {
      throw new TypeError("a timeout is a number of milliseconds, from 0");
    }
    this.end = performance.now() + timeout;
    this.signal = signal;
    signal?.throwIfAborted();
  }

  /** Returns the milliseconds that are left. */
  left(): number {
    return Math.max(0, this.end - performance.now());
  }

  /** Returns true if the call has ended. */
  isOver(): boolean {
    return this.left() === 0 || this.signal?.aborted === true;
  }

  /** Waits; returns false at once if the deadline would pass meanwhile. */
  async pause(time: number): Promise<boolean> {
    if (this.left() <= time) {
      return false;
    }
    await this.race(new Promise<void>((resolve) => setTimeout(resolve, time)), "");
    return true;
  }

  /**
   * Waits for a promise until the deadline. `doing` says what took too long, and may say it at that time.
   *
   * @throws TimedOutError, or the reason of the signal.
   */
  async race<T>(promise: Promise<T>, doing: string | (() => string), key?: string): Promise<T> {
    const { signal } = this;
    let timer: NodeJS.Timeout | undefined;
    let abort: (() => void) | undefined;
    const interrupted = new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      const left = this.left();
      if (left < LONGEST_TIMER) {
        const late = () => reject(new TimedOutError(typeof doing === "string" ? doing : doing(), key));
        timer = setTimeout(late, left);
      }
    });
    try {
      signal?.throwIfAborted();
      return await Promise.race([promise, interrupted]);
    } finally {
      clearTimeout(timer);
      if (abort !== undefined) {
        signal?.removeEventListener("abort", abort);
      }
      // One of both may fail after the other one decided.
      promise.catch(() => {});
    }
  }
}
