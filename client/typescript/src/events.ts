/** The events of one subscription, over the loss of its connection. */

import type { Message } from "./codec.js";
import { type Connection, LostError } from "./connection.js";
import type { Connector } from "./connector.js";
import type { Deadline } from "./deadline.js";
import { RefusedError, UnreachableError } from "./errors.js";
import { WAITING_EVENTS } from "./limits.js";
import type { ChangeEvent } from "./replies.js";

/** Milliseconds between two looks for a daemon after the last one was stopped. */
const LOOK = 500;

/** Errors in a row after which a stream ends with the last one. */
const ERRORS = 5;

/**
 * Events as an async iterator. It has a connection of its own, which ends with it.
 *
 * After the connection was lost, the stream subscribes again and yields an `overflow`, since events were lost meanwhile.
 * If the daemon was killed, a new one is started; if it was stopped, the stream waits until someone starts one.
 */
export class EventStream implements AsyncIterableIterator<ChangeEvent> {
  private readonly waiting: ChangeEvent[] = [];
  private readonly readers: ((done: boolean) => void)[] = [];
  private readonly abort = new AbortController();
  private connection: Connection | undefined;
  private failure: unknown;
  private isOver = false;

  private constructor(
    private readonly connector: Connector,
    private readonly globs: readonly string[],
    private readonly onEnd: (stream: EventStream) => void,
  ) {}

  /** Subscribes, and returns the stream once the daemon watches. The signal of the deadline ends the stream later, too. */
  static async open(
    connector: Connector,
    globs: readonly string[],
    deadline: Deadline,
    onEnd: (stream: EventStream) => void,
  ): Promise<EventStream> {
    const stream = new EventStream(connector, globs, onEnd);
    const { signal } = deadline;
    try {
      await deadline.race(stream.subscribe(true), () => `the subscription took too long: ${connector.state}`);
    } catch (error) {
      stream.close();
      throw error;
    }
    const onAbort = () => stream.finish(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    stream.abort.signal.addEventListener("abort", () => signal?.removeEventListener("abort", onAbort));
    void stream.follow();
    return stream;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next event, and waits for one. */
  async next(): Promise<IteratorResult<ChangeEvent, undefined>> {
    for (;;) {
      const event = this.waiting.shift();
      if (event !== undefined) {
        return { done: false, value: event };
      }
      if (this.isOver) {
        const failure = this.failure;
        this.failure = undefined;
        if (failure !== undefined) {
          throw failure;
        }
        return { done: true, value: undefined };
      }
      await new Promise<boolean>((resolve) => this.readers.push(resolve));
    }
  }

  /** Ends the subscription. `for await` calls this at a `break`. */
  async return(): Promise<IteratorResult<ChangeEvent, undefined>> {
    this.waiting.length = 0;
    this.close();
    return { done: true, value: undefined };
  }

  /** Ends the subscription. Events that wait can still be taken. */
  close(): void {
    this.finish(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Subscribes over a new connection, and tries again while the daemon is busy or exits. */
  private async subscribe(mayStart: boolean): Promise<void> {
    const onEvent = ({ id: _id, kind: _kind, ...event }: Message) => this.keep(event as unknown as ChangeEvent);
    const last = this.connection;
    for (;;) {
      const connection = await this.connector.reach(this.abort.signal, mayStart);
      try {
        // From here on, the end of the stream closes it.
        this.connection = connection;
        this.abort.signal.throwIfAborted();
        await connection.request("subscribe", { globs: this.globs }, { onEvent });
        return;
      } catch (error) {
        connection.close();
        this.connection = last;
        const isUndone = error instanceof RefusedError && ["busy", "stopping"].includes(error.code);
        if (this.isOver || !(isUndone || error instanceof LostError)) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK));
      }
    }
  }

  /** Subscribes again whenever the connection ends. */
  private async follow(): Promise<void> {
    let errors = 0;
    while (!this.isOver) {
      const lost = this.connection;
      await lost?.ended;
      if (this.isOver) {
        return;
      }
      try {
        await this.subscribe(lost?.isStopped !== true);
        errors = 0;
        this.keep({ change: "overflow" });
      } catch (error) {
        const isAwaited = lost?.isStopped === true && error instanceof UnreachableError;
        errors += isAwaited ? 0 : 1;
        if (errors >= ERRORS || error instanceof RefusedError) {
          return this.finish(error);
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK));
      }
    }
  }

  private keep(event: ChangeEvent): void {
    if (this.isOver) {
      return;
    }
    if (this.waiting.length < WAITING_EVENTS) {
      this.waiting.push(event);
    } else {
      this.waiting[WAITING_EVENTS - 1] = { change: "overflow" };
    }
    this.readers.shift()?.(false);
  }

  private finish(failure: unknown): void {
    if (this.isOver) {
      return;
    }
    this.isOver = true;
    this.failure = failure;
    this.abort.abort();
    this.connection?.close();
    this.onEnd(this);
    for (const resume of this.readers.splice(0)) {
      resume(true);
    }
  }
}
