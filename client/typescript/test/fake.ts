/** A daemon of the tests: it answers as a function says, also with bytes that no daemon sends. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeBody, encodeFrame, FrameReader, type Message } from "#internal/codec.js";

/** The ways to answer one request. */
export interface Answer {
  send(fields: object, kind?: string, id?: number): void;
  error(code: string, message: string, id?: number): void;
  raw(bytes: Uint8Array): void;
  /** Closes the connection after what was sent. */
  end(): void;
}

/** Answers a request. */
export type Responder = (request: Message, answer: Answer) => void;

const LIMITS = { frame: 16777216, file: 67108864, files: 10000, edits: 100000 };

/** A listening fake. */
export class FakeDaemon {
  readonly hellos: Message[] = [];
  readonly requests: Message[] = [];
  /** Replaces the reply to `hello`. */
  greet: Responder | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
    public respond: Responder,
  ) {}

  /** Listens in a temporary folder. */
  static async listen(respond: Responder): Promise<FakeDaemon> {
    const folder = mkdtempSync(join(tmpdir(), "editd-ts-"));
    const server = createServer();
    const daemon = new FakeDaemon(folder, server, respond);
    server.on("connection", (socket) => daemon.serve(socket));
    await new Promise<void>((resolve) => server.listen(daemon.options.socket, resolve));
    return daemon;
  }

  /** The settings of a client that connects here and starts nothing. */
  get options() {
    return { workspace: this.folder, socket: join(this.folder, "s.sock"), program: false, timeout: 5000 } as const;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) {
      socket.destroy();
    }
    await closed;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    const frames = new FrameReader();
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("data", (chunk) => {
      for (const body of frames.push(chunk)) {
        this.arrived(decodeBody(body), socket);
      }
    });
  }

  private arrived(request: Message, socket: Socket): void {
    const answer: Answer = {
      send: (fields, kind = request.kind, id = request.id) => socket.write(encodeFrame(id, kind, fields)),
      error: (code, message, id = request.id) => socket.write(encodeFrame(id, "error", { code, message })),
      raw: (bytes) => socket.write(bytes),
      end: () => socket.end(),
    };
    if (request.kind !== "hello") {
      this.requests.push(request);
      return this.respond(request, answer);
    }
    this.hellos.push(request);
    if (this.greet !== undefined) {
      return this.greet(request, answer);
    }
    answer.send({ protocol: 1, server: "0.1.0", workspace: this.folder, session: request["session"], limits: LIMITS });
  }
}
