/** The library while daemons are killed and stopped. */

import assert from "node:assert/strict";
import test from "node:test";
import type { ChangeEvent, EventStream, Receipt } from "editd";
import { isRunning, skip, until, withWorkspace } from "./workspace.js";

test("an edit is applied once, although the daemon is killed while it runs", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    await client.edit({ files: { path: "a.txt", edits: { op: "create" } } });
    const expected: string[] = [];
    let repeated = 0;
    for (let round = 0; round < 12; round += 1) {
      const pid = await workspace.pid(client);
      const lines = [0, 1, 2].map((at) => `${round}-${at}`);
      expected.push(...lines);
      const calls = lines.map((line) =>
        client.edit({ files: { path: "a.txt", edits: { op: "insert", at: "end", text: `${line}\n` } } }),
      );
      const done = Promise.all(calls);
      done.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, round % 6));
      process.kill(pid, "SIGKILL");
      const receipts: Receipt[] = await done;
      repeated += receipts.filter((receipt) => receipt.repeated).length;
      assert.ok(receipts.every((receipt) => receipt.status === "applied"));
    }
    assert.deepEqual(workspace.get("a.txt").trimEnd().split("\n").sort(), expected.sort());
    const { entries } = await client.history({ path: "a.txt", limit: 1000 });
    assert.equal(entries.length, expected.length + 1);
    console.log(`${repeated} of ${expected.length} edits were done before the kill`);
  }));

test("the session keeps its reads, clipboards and undo over a new daemon", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("a.txt", "one\ntwo\n");
    const client = workspace.client();
    await client.read("a.txt");
    await client.clip({ action: "set", name: "c", text: "kept" });
    await workspace.kill(client);
    const edits = { op: "lines", start: 2, end: 2, text: "2\n" } as const;
    await client.edit({ files: { path: "a.txt", edits } });
    assert.equal(workspace.get("a.txt"), "one\n2\n");
    await workspace.kill(client);
    assert.equal((await client.clip({ action: "show", name: "c" })).text, "kept");
    await client.undo();
    assert.equal(workspace.get("a.txt"), "one\ntwo\n");
  }));

test("calls go on over a daemon that is stopped", { skip }, () =>
  withWorkspace(async (workspace) => {
    const [client, other] = [workspace.client(), workspace.client()];
    await client.edit({ files: { path: "a.txt", edits: { op: "create" } } });
    const pid = await workspace.pid(client);
    const calls = Array.from({ length: 60 }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, at * 3));
      return client.edit({ files: { path: "a.txt", edits: { op: "insert", at: "end", text: `${at}\n` } } });
    });
    const done = Promise.all(calls);
    done.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 60));
    await other.stop();
    await done;
    assert.equal(workspace.get("a.txt").trimEnd().split("\n").length, 60);
    assert.ok(!isRunning(pid));
    assert.notEqual(await workspace.pid(client), pid);
  }));

test("stop returns when the process has ended, and starts none", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    assert.equal(await client.stop(), undefined);
    const pid = await workspace.pid(client);
    assert.equal(await client.stop(), pid);
    // This process started it: until it has taken the exit status, the system lists the process.
    await until(() => !isRunning(pid));
    assert.equal(await client.stop(), undefined);
  }));

test("events tell of changes by the library and by other programs", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("src/a.rs", "one\n");
    const client = workspace.client({ session: "s" });
    await client.read("src/a.rs");
    const events = await client.events(["src/**"]);
    const { job } = await client.edit({ files: { path: "src/a.rs", edits: { op: "write", text: "two\n" } } });
    const own = await eventOf(events, (event) => event.entry === job);
    assert.deepEqual([own.change, own.path, own.by, own.session], ["changed", "src/a.rs", "edit", "s"]);
    workspace.put("src/a.rs", "three\n");
    const outside = await eventOf(events, (event) => event.path === "src/a.rs" && event.by !== "edit");
    assert.notEqual(outside.version, own.version);
    events.close();
    assert.deepEqual(await events.next(), { done: true, value: undefined });
    await assert.rejects(client.events(Array.from({ length: 65 }, () => "*")), { code: "too_large" });
  }));

test("events go on after the daemon was killed or stopped", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    const abort = new AbortController();
    const events = await client.events([], { signal: abort.signal });
    for (const [round, end] of [() => workspace.kill(client), () => client.stop()].entries()) {
      await end();
      await client.status();
      await eventOf(events, (event) => event.change === "overflow");
      await client.edit({ files: { path: `${round}.txt`, edits: { op: "create", text: "x\n" } } });
      await eventOf(events, (event) => event.path === `${round}.txt`);
    }
    const next = events.next();
    abort.abort(new Error("enough"));
    await assert.rejects(next, { message: "enough" });
  }));

test("a stream does not start a daemon that was stopped", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    const events = await client.events();
    await client.stop();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const quiet = workspace.client({ program: false });
    await assert.rejects(quiet.status(), { name: "UnreachableError" });
    events.close();
  }));

/** Returns the first event that fits. */
async function eventOf(events: EventStream, fits: (event: ChangeEvent) => boolean): Promise<ChangeEvent> {
  let found: ChangeEvent | undefined;
  const search = (async () => {
    while (found === undefined) {
      const { value, done } = await events.next();
      assert.ok(!done, "the stream ended");
      found = fits(value) ? value : undefined;
    }
  })();
  search.catch(() => {});
  const failed = search.catch((error: unknown) => assert.fail(error as Error));
  await Promise.race([failed, until(() => found !== undefined)]);
  assert.ok(found);
  return found;
}
