/** The library with a real daemon: edits, refusals, undo, clipboards, parallel calls. */

import assert from "node:assert/strict";
import test from "node:test";
import { type FileEntry, RefusedError } from "editd";
import { editctl, editd, skip, TestWorkspace, withWorkspace } from "./workspace.js";

const write = (path: string, text: string): FileEntry => ({ path, edits: { op: "write", text } });

test("a file is created, read, edited, undone and redone", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client({ name: "test", session: "s" });
    const made = await client.edit({ label: "make it", files: write("src/a.rs", "fn a() {}\nfn b() {}\n") });
    assert.equal(made.status, "applied");
    const read = await client.read("src/a.rs", { lines: [2, 2] });
    assert.deepEqual([read.text, read.first_line, read.lines], ["fn b() {}\n", 2, 2]);
    const edits = { op: "replace", old: "fn b", new: "fn c" } as const;
    const changed = await client.edit({ files: { path: "src/a.rs", edits }, diff: true });
    assert.match(changed.files[0]?.diff ?? "", /^-fn b\(\) \{\}\n\+fn c\(\) \{\}$/m);
    assert.equal(workspace.get("src/a.rs"), "fn a() {}\nfn c() {}\n");
    const undone = await client.undo();
    assert.equal(workspace.get("src/a.rs"), "fn a() {}\nfn b() {}\n");
    await client.redo({ jobs: [undone.job ?? 0] });
    assert.equal(workspace.get("src/a.rs"), "fn a() {}\nfn c() {}\n");

    const { entries, more } = await client.history({ path: "src/a.rs" });
    assert.deepEqual(
      entries.map(({ kind, client, session }) => [kind, client, session]),
      [["redo", "test", "s"], ["undo", "test", "s"], ["edit", "test", "s"], ["edit", "test", "s"]],
    );
    assert.equal(more, false);
    assert.equal(entries.at(-1)?.label, "make it");
    const { entry, changes } = await client.show(changed.job ?? 0);
    assert.equal(entry.id, changed.job);
    assert.match(changes[0]?.diff ?? "", /\+fn c/);
    const content = await client.content(made.job ?? 0, "src/a.rs");
    assert.equal(Buffer.from(content.bytes).toString(), "fn a() {}\nfn b() {}\n");
  }));

test("definitions are listed, read and replaced", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("a.py", "class A:\n    def f(self):\n        return 1\n\n\ndef g():\n    pass\n");
    const client = workspace.client();
    const { symbols, language } = await client.outline("a.py");
    assert.deepEqual([language, symbols.map((symbol) => symbol.name)], ["python", ["A", "A/f", "g"]]);
    assert.equal((await client.outline("a.py", { depth: 0 })).symbols.length, 2);
    const read = await client.read("a.py", { symbol: "A/f" });
    assert.deepEqual([read.symbol?.kind, read.first_line], ["method", 2]);
    const edits = { op: "symbol", name: "A/f", action: "replace_body", text: "return 2" } as const;
    await client.edit({ files: { path: "a.py", edits } });
    assert.match(workspace.get("a.py"), /^ {8}return 2$/m);
    await assert.rejects(client.read("a.py", { symbol: "A/h" }), (error) => {
      return error instanceof RefusedError && error.code === "symbol_not_found" && error.details.symbols !== undefined;
    });
  }));

test("an edit of a file that changed is refused, and can be sent again", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("a.txt", "one\ntwo\n");
    const client = workspace.client();
    const { version } = await client.read("a.txt");
    workspace.put("a.txt", "one\n2\n");
    const job = { files: { path: "a.txt", edits: { op: "lines", start: 1, end: 2, text: "x\n" } as const } };
    await assert.rejects(client.edit(job), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.deepEqual([error.code, error.path, error.details.by], ["stale", "a.txt", "outside"]);
      assert.notEqual(error.version, version);
      assert.match(error.diff ?? "", /^-two\n\+2$/m);
      return true;
    });
    assert.equal(workspace.get("a.txt"), "one\n2\n");
    const { version: present = "" } = await client.read("a.txt");
    await client.edit({ files: { ...job.files, base: present } });
    assert.equal(workspace.get("a.txt"), "x\n");
    await assert.rejects(client.edit({ files: { path: "../x", edits: { op: "delete" } } }), { code: "outside" });
  }));

test("a change of others is merged with on_stale", { skip }, () =>
  withWorkspace(async (workspace) => {
    workspace.put("a.txt", "one\n2\n3\n4\nfive\n");
    const client = workspace.client({ on_stale: "rebase" });
    await client.read("a.txt");
    workspace.put("a.txt", "1\n2\n3\n4\nfive\n");
    const receipt = await client.edit({ files: { path: "a.txt", edits: { op: "replace", old: "five", new: "5" } } });
    assert.equal(workspace.get("a.txt"), "1\n2\n3\n4\n5\n");
    assert.equal(receipt.rebased, true);
  }));

test("a verified job is applied exactly, or is stale", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    const job = { files: [write("a.txt", "a\n"), write("b.txt", "b\n")] };
    const checked = await client.verify(job);
    assert.deepEqual([checked.status, workspace.has("a.txt"), checked.files.length], ["verified", false, 2]);
    const token = { verified: checked.verified ?? "" };
    const applied = await client.edit({ ...job, ...token });
    assert.equal(applied.status, "applied");
    assert.equal(workspace.get("b.txt"), "b\n");
    assert.equal((await client.undo({ mode: "verify_only" })).status, "verified");
    assert.equal(workspace.has("b.txt"), true);
    workspace.put("a.txt", "changed\n");
    await assert.rejects(client.edit({ ...job, ...token }), { code: "stale" });
  }));

test("a job is applied to all files or to none", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    workspace.put("b.txt", "b\n");
    const files: FileEntry[] = [write("a.txt", "a\n"), { path: "b.txt", edits: { op: "replace", old: "c", new: "d" } }];
    await assert.rejects(client.edit({ files }), { code: "not_found", path: "b.txt" });
    assert.equal(workspace.has("a.txt"), false);
    const partial = await client.edit({ files, partial: true });
    assert.deepEqual([partial.status, workspace.get("a.txt")], ["partial", "a\n"]);
  }));

test("clipboards, detached jobs and payloads of other tools", { skip }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    await client.clip({ action: "set", name: "c", text: "kept\n" });
    await client.edit({ files: { path: "a.txt", edits: { op: "write", from_clipboard: "c" } } });
    assert.equal(workspace.get("a.txt"), "kept\n");
    assert.equal((await client.clip({ action: "show", name: "c" })).text, "kept\n");
    assert.deepEqual((await client.clip({ action: "list" })).clips?.map((clip) => [clip.name, clip.size]), [["c", 5]]);

    const queued = await client.edit({ detach: true, files: write("b.txt", "b\n") });
    assert.equal(queued.status, "queued");
    const done = await client.wait(queued.job ?? 0);
    assert.deepEqual([done.status, workspace.get("b.txt")], ["applied", "b\n"]);

    const text = JSON.stringify({ path: "a.txt", patches: [{ operation: "append_eof", newText: "more\n" }] });
    const receipt = await client.edit({ payload: { dialect: "patch", text } });
    assert.deepEqual([receipt.dialect, workspace.get("a.txt")], ["patch", "kept\nmore\n"]);
    const { dialects } = await client.request("dialects", {}, { isRepeatable: true });
    assert.ok(Array.isArray(dialects) && dialects.length > 1);
  }));

test("a file name that is not UTF-8 is bytes", { skip: skip || (process.platform !== "linux" && "not on Linux") }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client();
    const path = Uint8Array.of(99, 97, 102, 233);
    const receipt = await client.edit({ files: { path, edits: { op: "create", text: "x\n" } } });
    assert.deepEqual(Uint8Array.from(receipt.files[0]?.path as Uint8Array), path);
    assert.equal((await client.read(path)).text, "x\n");
  }));

test("many calls of many clients run at the same time", { skip }, () =>
  withWorkspace(async (workspace) => {
    const clients = Array.from({ length: 8 }, () => workspace.client());
    const line = (number: number) => ({ op: "insert", at: "end", text: `${number}\n` }) as const;
    const first = clients[0] ?? workspace.client();
    await first.edit({ files: { path: "all.txt", edits: { op: "create" } } });
    const calls = clients.flatMap((client, of) =>
      Array.from({ length: 25 }, (_, at) => [
        client.edit({ files: { path: "all.txt", base: "any", edits: line(of * 25 + at) } }),
        client.edit({ files: write(`own/${of}-${at}.txt`, "x\n") }),
        client.status(),
      ]).flat(),
    );
    await Promise.all(calls);
    const lines = workspace.get("all.txt").trimEnd().split("\n").map(Number);
    assert.deepEqual(lines.sort((a, b) => a - b), Array.from({ length: 200 }, (_, at) => at));
    const pids = await Promise.all(clients.map((client) => workspace.pid(client)));
    assert.equal(new Set(pids).size, 1, "clients that connect at the same time share one daemon");
  }));

test("editctl sees the edits of the library", { skip: skip || (editctl === undefined && "EDITCTL_BIN is absent") }, () =>
  withWorkspace(async (workspace) => {
    const client = workspace.client({ name: "interplay" });
    await client.edit({ label: "from the library", files: write("a.txt", "one\n") });
    assert.equal(workspace.editctl("read", "a.txt"), "one\n");
    assert.match(workspace.editctl("log"), /from the library/);
    workspace.editctl("replace", "a.txt", "one", "two");
    assert.equal((await client.read("a.txt")).text, "two\n");
  }));

test("a daemon with another runtime folder is found by the lock file of its workspace", { skip }, () =>
  withWorkspace(async (workspace) => {
    const pid = await workspace.pid(workspace.client());
    const environment = { ...workspace.environment, XDG_RUNTIME_DIR: workspace.top };
    const other = workspace.client({ environment, program: false });
    assert.equal((await other.status()).pid, pid);

    const foreign = new TestWorkspace();
    try {
      foreign.put(".editd/lock", `${(await other.status()).socket}\n`);
      const client = foreign.client({ program: false });
      await assert.rejects(client.status(), { name: "UnreachableError" });
    } finally {
      await foreign.close();
    }
  }));

test("a program that cannot be started, or that exits, is named", { skip }, () =>
  withWorkspace(async (workspace) => {
    const absent = workspace.client({ program: "/nowhere/editd" });
    await assert.rejects(absent.status(), { name: "UnreachableError", message: /nowhere\/editd cannot be started/ });
    const wrong = workspace.client({ program: "false" });
    await assert.rejects(wrong.status(), { name: "UnreachableError", message: /exited without serving/ });
    assert.ok(editd);
  }));
