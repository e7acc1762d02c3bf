/** Frames and replies that break the protocol. */

import assert from "node:assert/strict";
import test from "node:test";
import { decode, encode } from "@msgpack/msgpack";
import { decodeBody, encodeFrame, FrameReader } from "#internal/codec.js";
import { COUNT, DEPTH, FRAME } from "#internal/limits.js";
import { Client, type EditdError, ProtocolError, RefusedError, TimedOutError, UnreachableError } from "editd";
import { type Answer, FakeDaemon, type Responder } from "./fake.js";

const hex = (digits: string) => Buffer.from(digits.replaceAll(" ", ""), "hex");
const START = "82 a2 6964 01 a4 6b696e64 a1 78";
/** A message with one more field `a`, whose value follows. */
const FIELD = "83 a2 6964 01 a4 6b696e64 a1 78 a1 61";

function nested(levels: number): string {
  return "91".repeat(levels - 1) + "90";
}

test("a well-formed message is decoded", () => {
  assert.deepEqual(decodeBody(hex(START)), { id: 1, kind: "x" });
  assert.doesNotThrow(() => decodeBody(hex(FIELD + nested(DEPTH - 1))));
});

const BROKEN: Record<string, string> = {
  "nothing": "",
  "no map": "90",
  "a byte after the message": `${START}00`,
  "a message that is cut": START.slice(0, -2),
  "no number": "81 a4 6b696e64 a1 78",
  "a negative number": "82 a2 6964 ff a4 6b696e64 a1 78",
  "a number that is text": "82 a2 6964 a1 31 a4 6b696e64 a1 78",
  "no kind": "81 a2 6964 01",
  "a key twice": "83 a2 6964 01 a2 6964 01 a4 6b696e64 a1 78",
  "a key that is a number": "83 a2 6964 01 a4 6b696e64 a1 78 01 01",
  "an inner key that is a number": `${FIELD} 81 01 01`,
  "a text that is not UTF-8": `${FIELD} a1 ff`,
  "half of a surrogate pair": `${FIELD} a3 eda080`,
  "an extension type": `${FIELD} d4 00 00`,
  "a time stamp": `${FIELD} d6 ff 00000000`,
  "the type that does not exist": `${FIELD} c1`,
  "a level too many": FIELD + nested(DEPTH),
  "very many levels": FIELD + nested(100_000),
  "a list that declares too much": `${FIELD} dd ffffffff`,
  "a map that declares too much": `${FIELD} df ffffffff`,
  "a list that declares more than it has": `${FIELD} dc 0005 01`,
  "a text that declares too much": `${FIELD} db ffffffff 61`,
  "bytes that declare too much": `${FIELD} c6 ffffffff 61`,
};

for (const [name, digits] of Object.entries(BROKEN)) {
  test(`${name} is refused`, () => {
    assert.throws(() => decodeBody(hex(digits)), ProtocolError);
  });
}

test("a field with the name of the prototype is ignored", () => {
  const decoded = decodeBody(hex("83 a2 6964 01 a4 6b696e64 a1 78 a9 5f5f70726f746f5f5f 81 a1 61 01"));
  assert.deepEqual(decoded, { id: 1, kind: "x" });
  assert.equal(decoded["a"], undefined);
});

test("text is decoded as it is, also with U+FEFF at its start", () => {
  for (const count of [0, 1, 31, 32, 255, 256, 65535, 65536]) {
    for (const text of ["\ufeff", "\ufeff\ufeff", "é😀\u0000\r\n"].map((start) => start + "x".repeat(count))) {
      assert.equal(decodeBody(encodeFrame(1, "x", { text }).subarray(4))["text"], text);
    }
  }
});

test("every form of a value is decoded as by the MessagePack library", () => {
  const numbers = [0, -1, 127, 128, -32, -33, -128, -129, 255, 256, -32768, -32769, 65536, -(2 ** 31), 2 ** 32, 0.5, -1e300];
  const lists = [0, 15, 16, 65535, 65536].map((count) => Array.from({ length: count }, () => null));
  const maps = [0, 15, 16, 70000].map((count) => Object.fromEntries(lists[4]?.slice(0, count).map((_, at) => [`k${at}`, true]) ?? []));
  const value = { numbers, lists, maps, bytes: [0, 255, 256, 65536].map((count) => new Uint8Array(count)), no: false };
  const body = encode({ id: 1, kind: "x", value });
  assert.deepEqual(decodeBody(body), decode(body));
  const floats = encode({ id: 1, kind: "x", value: [0.5, 1.5] }, { forceFloat32: true });
  assert.deepEqual(decodeBody(floats)["value"], [0.5, 1.5]);
  assert.equal(decodeBody(encode({ id: 1, kind: "x", value: -(2n ** 63n) }, { useBigInt64: true }))["value"], -(2n ** 63n));
});

test("more values than a message may have are refused", () => {
  const list = Array.from({ length: COUNT }, () => 0);
  const body = encode({ id: 1, kind: "x", lists: Array.from({ length: 10 }, () => list) });
  assert.throws(() => decodeBody(body), ProtocolError);
});

test("frames are cut at any place", () => {
  const frames = [encodeFrame(1, "a", {}), encodeFrame(2, "b", { text: "x".repeat(300) }), encodeFrame(3, "c", {})];
  const stream = Buffer.concat(frames);
  for (const size of [1, 2, 3, 5, 64, stream.length]) {
    const reader = new FrameReader();
    const found: number[] = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...reader.push(stream.subarray(at, at + size)).map((body) => decodeBody(body).id));
    }
    assert.deepEqual(found, [1, 2, 3], `pieces of ${size} bytes`);
  }
  const long = hex((FRAME + 1).toString(16).padStart(8, "0"));
  assert.throws(() => new FrameReader().push(long), ProtocolError);
});

test("whole numbers of 64 bits are exact", () => {
  const largest = 2n ** 64n - 1n;
  for (const value of [0, 0x7fffffff, 0x80000000, 0xffffffff, 2 ** 53 - 1, largest, 2n ** 53n]) {
    const body = encodeFrame(1, "x", { value }).subarray(4);
    assert.equal(decodeBody(body)["value"], value);
  }
  assert.equal(decodeBody(encodeFrame(1, "x", { value: 7n }).subarray(4))["value"], 7);
  for (const value of [2 ** 53, largest + 1n, Number.NaN, () => 0, "\ud800"]) {
    assert.throws(() => encodeFrame(1, "x", { value }), TypeError);
  }
});

test("a request above a limit is not sent", async () => {
  await withFake((_, answer) => answer.error("limit", "sent"), async (client, daemon) => {
    const text = "x".repeat(FRAME);
    const job = { files: { path: "a", edits: { op: "write", text } as const } };
    await assert.rejects(client.edit(job), { name: "ProtocolError", code: "too_large" });
    assert.equal(daemon.requests.length, 0);
    await assert.rejects(client.status(), { code: "limit" });
  });
});

const REPLIES: Record<string, Responder> = {
  "a reply to another request": (_, answer) => answer.send({ pid: 1 }, "status", 99),
  "a reply of another kind": (_, answer) => answer.send({ pid: 1 }, "stop"),
  "a reply without its fields": (_, answer) => answer.send({ pid: "x" }),
  "an error without a message": (_, answer) => answer.send({ code: "stale" }, "error"),
  "a frame that is too long": (_, answer) => answer.raw(hex("01 00 00 01")),
  "a frame that is no message": (_, answer) => answer.raw(hex("00 00 00 01 c1")),
};

for (const [name, respond] of Object.entries(REPLIES)) {
  test(`${name} ends the call and the connection`, async () => {
    await withFake(respond, async (client, daemon) => {
      await assert.rejects(client.status(), ProtocolError);
      daemon.respond = (_, answer) => answer.error("limit", "enough");
      await assert.rejects(client.status(), { code: "limit" });
      assert.equal(daemon.hellos.length, 2);
    });
  });
}

test("a daemon with another version is refused", async () => {
  await withFake(() => {}, async (client, daemon) => {
    daemon.greet = (_, answer) =>
      answer.send({ protocol: 2, server: "9", workspace: "/", session: "s", limits: {} });
    await assert.rejects(client.status(), ProtocolError);
    daemon.greet = (_, answer) => answer.error("unsupported", "no common version", 0);
    await assert.rejects(client.status(), { name: "RefusedError", code: "unsupported" });
  });
});

test("a daemon that is busy or starts is awaited", async () => {
  await withFake((_, answer) => answer.error("limit", "enough"), async (client, daemon) => {
    daemon.greet = (_, answer) => {
      answer.error(["busy", "starting", "stopping"][daemon.hellos.length % 3] ?? "", "wait", 0);
      answer.end();
      if (daemon.hellos.length === 6) {
        daemon.greet = undefined;
      }
    };
    await assert.rejects(client.status(), { code: "limit" });
    assert.equal(daemon.hellos.length, 7);
  });
});

test("a caller is told of a long wait", async () => {
  const told: string[] = [];
  const daemon = await FakeDaemon.listen((_, answer) => answer.error("limit", "enough"));
  const client = new Client({ ...daemon.options, onWait: (message) => told.push(message) });
  try {
    daemon.greet = (_, answer) => answer.error("starting", "the log is read: 10%", 0);
    setTimeout(() => (daemon.greet = undefined), 1300);
    await assert.rejects(client.status(), { code: "limit" });
    assert.deepEqual(told, ["the log is read: 10%"]);
  } finally {
    client.close();
    await daemon.close();
  }
});

test("a lost edit is in doubt if it cannot be sent again", async () => {
  await withFake((_, answer) => answer.end(), async (client, daemon) => {
    daemon.respond = (_, answer) => {
      daemon.greet = (_, later) => later.error("busy", "too many connections", 0);
      answer.end();
    };
    await assert.rejects(client.undo({ key: "k" }, { timeout: 300 }), { name: "TimedOutError", key: "k" });
    daemon.greet = undefined;
    daemon.respond = (_, answer) => {
      daemon.respond = (_, later) => later.error("busy", "later");
      answer.end();
    };
    await assert.rejects(client.undo({ key: "k" }, { timeout: 300 }), { name: "DisconnectedError", key: "k" });
  });
});

test("a request is sent again after busy, stopping and a lost connection", async () => {
  const refusals: ((answer: Answer) => void)[] = [
    (answer) => answer.error("busy", "later"),
    (answer) => answer.send({ status: "refused", error: { code: "busy", message: "later" } }),
    (answer) => answer.error("stopping", "the daemon exits"),
    (answer) => {
      answer.error("stopping", "the daemon exits", 0);
      answer.end();
    },
    (answer) => answer.end(),
  ];
  const respond: Responder = (_, answer) => {
    const next = refusals.shift();
    return next === undefined ? answer.send({ status: "applied", job: 1 }) : next(answer);
  };
  await withFake(respond, async (client, daemon) => {
    const receipt = await client.edit({ files: { path: "a", edits: { op: "delete" } } });
    assert.deepEqual(receipt, { status: "applied", job: 1, files: [] });
    assert.equal(new Set(daemon.requests.map((request) => request["key"])).size, 1);
    assert.equal(daemon.requests.length, 6);
  });
});

test("a request without a key is not sent again after a lost connection", async () => {
  await withFake((_, answer) => answer.end(), async (client, daemon) => {
    await assert.rejects(client.clip({ action: "rm", name: "a" }), { name: "DisconnectedError" });
    assert.equal(daemon.requests.length, 1);
    const lost = await client.edit({ key: "k", files: [] }).catch((error: EditdError) => error);
    assert.equal((lost as { key?: string }).key, "k");
    assert.equal(daemon.requests.length, 5);
  });
});

test("a call ends at its timeout and with its signal", async () => {
  const answers: Answer[] = [];
  await withFake((_, answer) => answers.push(answer), async (client, daemon) => {
    await assert.rejects(client.undo({ key: "k" }, { timeout: 50 }), (error) => {
      return error instanceof TimedOutError && error.key === "k";
    });
    const abort = new AbortController();
    const call = client.status({ signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await assert.rejects(call, { message: "enough" });
    await assert.rejects(client.status({ signal: AbortSignal.abort() }), { name: "AbortError" });
    // Late replies do no harm.
    answers[0]?.send({ status: "applied" });
    daemon.respond = (_, answer) => answer.error("limit", "enough");
    await assert.rejects(client.status(), { code: "limit" });
    assert.equal(daemon.hellos.length, 1);
    daemon.respond = (_, answer) => answer.error("busy", "later");
    await assert.rejects(client.status({ timeout: 200 }), { name: "RefusedError", code: "busy" });
  });
});

test("no more requests are open than a daemon reads", async () => {
  const answers: Answer[] = [];
  await withFake((_, answer) => answers.push(answer), async (client) => {
    const calls = Array.from({ length: 200 }, () => client.request("dialects"));
    let most = 0;
    for (let done = 0; done < 200; ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      most = Math.max(most, answers.length);
      for (const answer of answers.splice(0)) {
        answer.send({ dialects: [] });
        done += 1;
      }
    }
    assert.equal((await Promise.all(calls)).length, 200);
    assert.ok(most <= 64, `${most} were open`);
  });
});

test("a request whose turn comes too late is not sent", async () => {
  const answers: Answer[] = [];
  await withFake((_, answer) => answers.push(answer), async (client, daemon) => {
    const open = Array.from({ length: 64 }, () => client.request("dialects"));
    await assert.rejects(client.edit({ files: [] }, { timeout: 50 }), TimedOutError);
    const last = assert.rejects(client.status(), { code: "limit" });
    for (const answer of answers.splice(0)) {
      answer.send({ dialects: [] });
    }
    await Promise.all(open);
    daemon.respond = (_, answer) => answer.error("limit", "enough");
    await new Promise((resolve) => setTimeout(resolve, 50));
    answers[0]?.error("limit", "enough");
    await last;
    assert.deepEqual(daemon.requests.filter((request) => request.kind === "edit"), []);
  });
});

test("a flood of events is bounded and ends with an overflow", async () => {
  const respond: Responder = (request, answer) => {
    answer.send({ folders: 1 });
    for (let count = 0; count < 3000; count += 1) {
      answer.send({ change: "changed", path: `f${count}` }, "event", request.id);
    }
    answer.send({ change: "damage", message: "last" }, "event", request.id);
  };
  await withFake(respond, async (client) => {
    const events = await client.events();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const changes: string[] = [];
    for await (const event of events) {
      changes.push(event.change);
      if (event.change === "overflow") {
        break;
      }
    }
    assert.equal(changes.length, 1024);
  });
});

test("a subscription is tried again while the daemon is busy", async () => {
  const respond: Responder = (_, answer) => answer.error("busy", "too many subscriptions");
  await withFake(respond, async (client, daemon) => {
    await assert.rejects(client.events([], { timeout: 200 }), TimedOutError);
    setTimeout(() => (daemon.respond = (_, answer) => answer.end()), 100);
    setTimeout(() => (daemon.respond = (_, answer) => answer.send({ folders: 1 })), 700);
    const events = await client.events();
    await events.return();
    daemon.respond = (_, answer) => answer.error("malformed", "no glob");
    await assert.rejects(client.events(["["]), { code: "malformed" });
  });
});

test("a refusal has the fields of the protocol", async () => {
  const error = { code: "stale", message: "it changed", path: "a", version: "0123456789ab", diff: "@@", by: "outside" };
  await withFake((_, answer) => answer.send({ status: "refused", error }), async (client) => {
    await assert.rejects(client.undo(), (refused) => {
      assert.ok(refused instanceof RefusedError);
      assert.deepEqual(refused.details, error);
      assert.equal(refused.receipt?.status, "refused");
      const { code, message, path, version, diff } = refused;
      assert.deepEqual({ code, message, path, version, diff, by: "outside" }, error);
      return true;
    });
  });
});

test("a client that may start nothing says that nobody serves", async () => {
  const daemon = await FakeDaemon.listen(() => {});
  const client = new Client(daemon.options);
  await daemon.close();
  await assert.rejects(client.status(), UnreachableError);
  assert.equal(await client.stop(), undefined);
  client.close();
  await assert.rejects(client.status(), { name: "EditdError" });
});

/** Runs a test with a fake daemon and a client of it. */
async function withFake(respond: Responder, body: (client: Client, daemon: FakeDaemon) => Promise<void>) {
  const daemon = await FakeDaemon.listen(respond);
  const client = new Client(daemon.options);
  try {
    await body(client, daemon);
  } finally {
    client.close();
    await daemon.close();
  }
}
