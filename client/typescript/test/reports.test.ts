/** Marks, announcements, checks, settings and counters, with a real daemon. */

import assert from "node:assert/strict";
import test from "node:test";
import { type FileEntry, RefusedError } from "editd";
import { skip, withWorkspace } from "./workspace.js";

const write = (path: string, text: string): FileEntry => ({ path, edits: { op: "write", text } });

test("everything after a mark is undone", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    await client.edit({ files: write("a.txt", "1\n") });
    const mark = await client.mark("before");
    assert.equal(mark.name, "before");
    assert.equal((await client.show(mark.job)).entry.kind, "mark");
    await workspace.client().edit({ files: write("b.txt", "b\n") });
    await client.edit({ files: write("a.txt", "2\n") });
    assert.equal((await client.undo({ to: "before" })).status, "applied");
    assert.deepEqual([workspace.get("a.txt"), workspace.has("b.txt")], ["1\n", false]);
    await assert.rejects(client.undo({ to: "never" }), { code: "not_found", message: /before/ });
    await assert.rejects(client.mark("two\nlines"), { code: "malformed" });
  }));

test("changes of an announced call belong to its session", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("a.txt", "1\n");
    const client = workspace.client({ session: "s" });
    await client.read("a.txt");
    const begun = await client.note({ phase: "begin", paths: ["a.txt"], label: "Edit", call: "c", check: true });
    assert.deepEqual(begun, { announced: true });
    workspace.put("a.txt", "2\n");
    const { announced, entries = [] } = await client.note({ phase: "end", call: "c" });
    assert.deepEqual([announced, entries.map(({ path }) => path)], [true, ["a.txt"]]);
    const { entry } = await client.show(entries[0]?.job ?? 0);
    assert.deepEqual([entry.kind, entry.session, entry.label], ["external", "s", "Edit"]);
    workspace.put("a.txt", "3\n");
    await assert.rejects(client.note({ phase: "begin", paths: ["a.txt"], check: true }), (error) => {
      return error instanceof RefusedError && error.code === "stale" && /^\+3$/m.test(error.diff ?? "");
    });
    assert.equal((await client.note({ phase: "end", paths: ["a.txt"] })).announced, false);
  }));

test("the results of checks are returned", { skip }, () =>
  withWorkspace(async (workspace) => {
    const command = ["sh", "-c", `grep -nH bad "$@" | sed 's/:bad/: bad/'`, "sh", "{files}"];
    const check = `[[check]]\nname = "words"\nfiles = ["*.txt"]\ncommand = ${JSON.stringify(command)}\n`;
    workspace.put(".editd.toml", check);
    const client = workspace.client();
    assert.deepEqual(await client.checks(), { checks: [] });
    const { hash } = await client.request("trust");
    await client.request("trust", { hash });
    const { job = 0 } = await client.edit({ files: write("a.txt", "good\nbad\n") });
    const { checks } = await client.checks({ job, timeout_ms: 30_000 });
    assert.deepEqual(
      checks.map((one) => [one.check, one.status, one.jobs, one.new]),
      [["words", "passed", [job], [{ path: "a.txt", line: 2, message: "bad" }]]],
    );
    assert.equal((await client.checks()).checks.length, 1);
    assert.deepEqual((await client.checks({ unseen: true })).checks.map((one) => one.jobs), [[job]]);
    assert.deepEqual(await client.checks({ unseen: true }), { checks: [] });
    await assert.rejects(client.checks({ job: 4711 }), { code: "not_found" });
  }));

test("settings, counters and the times of a job are returned", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put(".editd.toml", 'unread = "allow"\n');
    const client = workspace.client();
    const { job = 0 } = await client.edit({ files: write("a.txt", "1\n") });
    await assert.rejects(client.read("none"), { code: "missing" });
    const { counters, refusals, latency, trace } = await client.status({ trace: job });
    assert.deepEqual([counters?.["edit_applied"], refusals?.["missing"]], [1, 1]);
    assert.deepEqual([latency?.["job"]?.count, trace?.job, trace?.kind], [1, job, "edit"]);
    assert.ok(trace?.steps.every(({ us }) => us >= 0));
    assert.equal((await client.status()).trace, undefined);
    await assert.rejects(client.status({ trace: 4711 }), { code: "not_found" });
    assert.match(await client.metrics(), /\n# EOF\n$/);

    const { settings, changed } = await client.config();
    const unread = settings.find(({ name }) => name === "unread");
    assert.equal(changed, false);
    assert.deepEqual([unread?.source, unread?.written, unread?.waits], ["default", "allow", "trust"]);
    workspace.put(".editd.toml", "unread = 1\n");
    const { problem, changed: isOther } = await client.config();
    assert.equal(isOther, true);
    assert.match(problem ?? "", /unread/);
  }));
