/** Every example of the protocol's page, byte by byte. */

import assert from "node:assert/strict";
import test from "node:test";
import { decodeBody, encodeFrame, FrameReader, type Message } from "#internal/codec.js";
import { checkShape } from "#internal/shapes.js";
import { Client, type Edit } from "editd";
import { FakeDaemon } from "./fake.js";
import { samples } from "./samples.js";

const all = samples();

/** Returns a message without the class of its byte lists, which differs between runtimes. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return { bytes: [...value] };
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const pairs = Object.entries(value).map(([key, field]) => [key, plain(field)]);
  return Array.isArray(value) ? pairs.map(([, field]) => field) : Object.fromEntries(pairs);
}

test("the pages have every example", () => {
  assert.deepEqual(
    all.map((sample) => sample.number),
    Array.from({ length: 53 }, (_, at) => at + 1),
  );
});

for (const { number, kind, side, frame, message } of all) {
  test(`example ${number}: ${kind} of the ${side} is decoded`, () => {
    const bodies = new FrameReader().push(frame);
    assert.equal(bodies.length, 1);
    const decoded = decodeBody(bodies[0] ?? new Uint8Array());
    assert.deepEqual(plain(decoded), plain(message));
    if (side === "server") {
      checkShape(decoded);
    }
  });

  test(`example ${number}: ${kind} of the ${side} is encoded`, () => {
    // The page may show the fields in another order than the frame has them.
    const { id, kind: name, ...fields } = decodeBody(frame.subarray(4));
    assert.equal(Buffer.from(encodeFrame(id, name, fields)).toString("hex"), Buffer.from(frame).toString("hex"));
  });
}

const edits: Edit[] = [
  { op: "replace", old: "fn a", new: "fn b" },
  { op: "insert", text: "// b\n", at: { line: 1 } },
];
const payload = '{"path": "a.txt", "patches": [{"operation": "append_eof", "newText": "b"}]}';

/** The calls of the library that make the examples. */
const CALLS: Record<number, (client: Client) => Promise<unknown>> = {
  4: (client) => client.read("src/a.rs", { lines: [1, 40] }),
  6: (client) => client.read("src/a.rs", { symbol: "S/new", body: true }),
  9: (client) => client.read(Uint8Array.of(99, 97, 102, 233)),
  10: (client) =>
    client.edit({ key: "k-1", label: "rename", files: [{ path: "src/a.rs", base: "af1349b9f5f9", edits }] }),
  13: (client) => client.edit({ payload: { dialect: "patch", text: payload } }),
  16: (client) => client.undo({ jobs: [17], on_stale: "reject" }),
  17: (client) => client.redo({ on_stale: "reject" }),
  18: (client) => client.history({ path: "src/a.rs", limit: 10 }),
  20: (client) => client.show(17),
  21: (client) => client.clip({ action: "set", name: "/shared", text: "abc" }),
  23: (client) => client.content(17, "logo.png"),
  25: (client) => client.request("export", { since: 17 }),
  27: (client) => client.request("forget", { path: "secret.env" }),
  29: (client) =>
    client.note({ phase: "begin", paths: ["src/a.rs"], session: "s", label: "Edit", call: "t-1", check: true }),
  30: (client) => client.note({ phase: "end", paths: ["src/a.rs"], session: "s", call: "t-1" }),
  32: (client) => client.request("dialects"),
  34: (client) => client.outline("src/a.rs", { depth: 1 }),
  36: (client) => client.events(["src/**/*.rs"]),
  39: (client) => client.wait(17, { timeout_ms: 5000 }),
  40: (client) => client.cancel(17),
  41: (client) => client.status(),
  44: (client) => client.checks({ job: 17, timeout_ms: 5000 }),
  47: (client) => client.config(),
  49: (client) => client.request("trust"),
  51: (client) => client.mark("before refactoring"),
};

test("the library makes every example of a client", async () => {
  const daemon = await FakeDaemon.listen((_, reply) => reply.error("limit", "enough"));
  const client = new Client({ ...daemon.options, session: "s", name: "example" });
  try {
    for (const { number, kind, frame, message } of all.filter(({ side }) => side === "client")) {
      if (kind === "hello") {
        await assert.rejects(client.status());
        sameBytes(daemon.hellos.at(-1), frame, message.id);
        continue;
      }
      const call = CALLS[number];
      assert.ok(call, `no call makes example ${number}`);
      await assert.rejects(call(client), { code: "limit" });
      const sent = { ...daemon.requests.at(-1) } as Message;
      if (message["key"] === undefined) {
        // The library gives a key to each job that has none.
        delete sent["key"];
      }
      sameBytes(sent, frame, message.id);
    }
  } finally {
    client.close();
    await daemon.close();
  }
});

/** Compares the frame of a message under another number. */
function sameBytes(sent: Message | undefined, frame: Uint8Array, id: number): void {
  const { kind, id: _id, ...fields } = sent as Message;
  assert.equal(Buffer.from(encodeFrame(id, kind, fields)).toString("hex"), Buffer.from(frame).toString("hex"));
}
