/**
 * One connection to a daemon, after `hello`: requests, replies in any order, and events. It never starts a daemon and
 * never sends a request twice.
 */

import { createConnection, type Socket } from "node:net";
import { decodeBody, encodeFrame, FrameReader, type Message } from "./codec.js";
import { Deadline } from "./deadline.js";
import { EditdError, ProtocolError, RefusedError, TimedOutError } from "./errors.js";
import { FRAME_BEFORE_HELLO, HELLO_WAIT, OPEN_REQUESTS, PROTOCOL } from "./limits.js";
import type { ErrorDetails, Welcome } from "./replies.js";
import { checkShape } from "./shapes.js";

/** The fields of `hello`. */
export interface HelloFields {
  client: string;
  session: string;
  on_stale: string | undefined;
}

/** The connection ended without a reply to a request: the request may have been done, unless `unsent` is true. */
export class LostError extends EditdError {
  override name = "LostError";

  constructor(
    message: string,
    readonly unsent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The manner in which one request is sent. */
interface RequestOptions {
  /** Gets the events of a subscription. */
  onEvent?: (event: Message) => void;
  /** Bytes of the frame. */
  limit?: number;
  /** A request whose turn comes later than this is not sent. */
  deadline?: Deadline;
}

/** A request whose reply is awaited. */
interface OpenRequest {
  kind: string;
  resolve: (reply: Message) => void;
  reject: (error: unknown) => void;
}

/** An open connection. When it is not usable any more, every request fails with a {@link LostError}. */
export class Connection {
  /** The reply to `hello`. */
  welcome: Welcome | undefined;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  private readonly open = new Map<number, OpenRequest>();
  private readonly waiting: (() => void)[] = [];
  private readonly listeners = new Map<number, (event: Message) => void>();
  private readonly frames = new FrameReader();
  private closed = false;
  private lastId = 0;
  /** The last message of the daemon about the connection itself. */
  private farewell: RefusedError | undefined;
  private failure: unknown;
  private end!: () => void;

  private constructor(private readonly socket: Socket) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    socket.on("data", (chunk) => this.take(chunk));
    socket.on("error", (error) => (this.failure ??= error));
    socket.on("close", () => this.finish());
  }

  /**
   * Connects to an address and says hello.
   *
   * @throws the error of the system if nothing listens; RefusedError if the daemon rejects the connection; LostError if
   * it closes it; ProtocolError if it breaks the protocol.
   */
  static async connect(address: string, hello: HelloFields, signal?: AbortSignal): Promise<Connection> {
    const deadline = new Deadline(HELLO_WAIT, signal);
    const socket = createConnection({ path: address });
    let connection: Connection | undefined;
    try {
      const connected = new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
      });
      await deadline.race(connected, `nobody accepted the connection to ${address}`);
      connection = new Connection(socket);
      connection.welcome = await connection.sayHello(hello, deadline);
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private async sayHello(hello: HelloFields, deadline: Deadline): Promise<Welcome> {
    const { client, session, on_stale } = hello;
    const fields = { protocol: [PROTOCOL], client, session, on_stale };
    const reply = this.request("hello", fields, { limit: FRAME_BEFORE_HELLO });
    const welcome = await deadline.race(reply, "the daemon did not reply to `hello` in time");
    if (welcome.protocol !== PROTOCOL) {
      throw new ProtocolError("malformed", `the daemon chose protocol ${String(welcome.protocol)}, which was not offered`);
    }
    return welcome as unknown as Welcome;
  }

  /**
   * Sends a request and returns its reply. A request above the limit of open ones waits for its turn.
   *
   * @throws RefusedError if the reply is an error; LostError if there is none; ProtocolError or TypeError if the request
   * cannot be sent.
   */
  async request(
    kind: string,
    fields: object,
    { onEvent, limit, deadline }: RequestOptions = {},
  ): Promise<Message> {
    this.lastId += 1;
    const id = this.lastId;
    const frame = encodeFrame(id, kind, fields, limit);
    while (!this.closed && this.open.size >= OPEN_REQUESTS) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (deadline?.isOver()) {
      // The turn belongs to the next one.
      this.waiting.shift()?.();
      throw deadline.signal?.reason ?? new TimedOutError(`\`${kind}\` was not sent in time`);
    }
    if (!this.isUsable) {
      throw new LostError("the connection to the daemon is closed", true);
    }
    if (onEvent !== undefined) {
      this.listeners.set(id, onEvent);
    }
    const reply = new Promise<Message>((resolve, reject) => this.open.set(id, { kind, resolve, reject }));
    this.hold();
    this.socket.write(frame);
    return reply;
  }

  /** Returns true if requests can be sent. */
  get isUsable(): boolean {
    return !this.closed && !this.socket.destroyed && !this.isStopped;
  }

  /** Returns true if the daemon said that it exits. */
  get isStopped(): boolean {
    return this.farewell?.code === "stopping";
  }

  /** Closes the connection. Open requests fail. */
  close(): void {
    this.socket.destroy();
    this.finish();
  }

  /** Lets the process end while the connection is open, unless a request waits. */
  release(): void {
    if (this.open.size === 0 && this.listeners.size === 0) {
      this.socket.unref();
    }
  }

  private hold(): void {
    this.socket.ref();
  }

  private take(chunk: Uint8Array): void {
    if (this.closed) {
      return;
    }
    try {
      for (const body of this.frames.push(chunk)) {
        this.arrived(decodeBody(body));
      }
    } catch (error) {
      this.failure = error;
      this.close();
    }
  }

  private arrived(message: Message): void {
    checkShape(message);
    if (message.kind === "event") {
      this.listeners.get(message.id)?.(message);
      return;
    }
    if (message.id === 0 && message.kind === "error") {
      this.farewell = new RefusedError(details(message));
      if (this.welcome === undefined) {
        this.close();
      }
      return;
    }
    const request = this.open.get(message.id);
    if (request === undefined) {
      throw new ProtocolError("malformed", `a reply to request ${message.id}, which is not open`);
    }
    if (message.kind !== request.kind && message.kind !== "error") {
      throw new ProtocolError("malformed", `a reply of another kind than \`${request.kind}\``);
    }
    this.open.delete(message.id);
    if (message.kind === "error") {
      this.listeners.delete(message.id);
      request.reject(new RefusedError(details(message)));
    } else {
      request.resolve(message);
    }
    this.waiting.shift()?.();
    this.release();
  }

  /** Fails what is open. */
  private finish(): void {
    if (this.closed) {
      return;
    }
    this.closed = true;
    for (const request of this.open.values()) {
      request.reject(this.reason());
    }
    this.open.clear();
    this.listeners.clear();
    for (const resume of this.waiting.splice(0)) {
      resume();
    }
    this.end();
  }

  /**
   * Returns the error of a request that has no reply. The runtime drops what it has not read when a write fails, so that
   * a last `stopping` may be lost with it; the request is then in doubt although it was not done.
   */
  private reason(): Error {
    if (this.failure instanceof ProtocolError) {
      return this.failure;
    }
    // `busy` ends an idle connection; a request that was sent at that time may have been read.
    if (this.farewell !== undefined && (this.farewell.code !== "busy" || this.welcome === undefined)) {
      return this.farewell;
    }
    return new LostError("the daemon closed the connection", false, { cause: this.failure });
  }
}

/** Returns true if the error means that nobody listens at an address. */
export function isNobody(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  return ["ENOENT", "ECONNREFUSED", "ECONNRESET", "ENOTSOCK", "EAGAIN", "EPIPE", "ENOTDIR"].includes(code);
}

function details(message: Message): ErrorDetails {
  const { id: _id, kind: _kind, ...rest } = message;
  return rest as unknown as ErrorDetails;
}
