/** The code of README.md and the example run as they are. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { packageFolder } from "./samples.js";
import { skip, type TestWorkspace, withWorkspace } from "./workspace.js";

/** Runs a module in a workspace, with the library installed there, and returns its output. */
async function run(workspace: TestWorkspace, module: string, input = ""): Promise<string> {
  const child = spawn(process.execPath, [module], { cwd: workspace.folder, env: workspace.environment });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  child.stdin.end(input);
  const status = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(status, 0, output);
  return output;
}

/** Writes a module beside the workspace, where it finds the library by its name. */
function installed(workspace: TestWorkspace, name: string, text: string): string {
  const modules = join(workspace.top, "node_modules");
  mkdirSync(modules);
  symlinkSync(packageFolder, join(modules, "editd"), "junction");
  const module = join(workspace.top, name);
  writeFileSync(module, text);
  return module;
}

const page = readFileSync(join(packageFolder, "README.md"), "utf8");
const blocks = [...page.matchAll(/^## ([^\n]+)\n(?:(?!^## )[\s\S])*?^```js\n([\s\S]*?)^```$/gm)];

/** Words of the output of each section's code. */
const OUTPUTS: Record<string, RegExp> = {
  "First edit": /^hello\n 2 1\n$/,
  "Errors": /^(missing|not_found) /,
  "Events": /^(created|changed) seen.txt edit\n$/m,
};

test("README.md has code in each section with one", () => {
  assert.deepEqual(blocks.map(([, title]) => title), Object.keys(OUTPUTS));
});

for (const [, title = "", code = ""] of blocks) {
  test(`the code of "${title}" runs`, { skip }, () =>
    withWorkspace(async (workspace) => {
      assert.match(await run(workspace, installed(workspace, "page.mjs", code)), OUTPUTS[title] ?? /^never$/);
    }));
}

test("the example runs", { skip }, () =>
  withWorkspace(async (workspace) => {
    const compiled = readFileSync(join(packageFolder, "dist-test", "examples", "edit-tool.js"), "utf8");
    const module = installed(workspace, "edit-tool.mjs", compiled);
    workspace.put("a.txt", "one\ntwo\n");
    const calls = [
      { tool: "read", path: "a.txt" },
      { tool: "edit", path: "a.txt", old: "two", new: "2" },
      { tool: "edit", path: "a.txt", old: "absent", new: "x" },
      { tool: "edit", path: "b/new.txt", new: "made\n" },
    ];
    const output = await run(workspace, module, calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
    assert.match(output, /^one\ntwo\n\njob \d+: a.txt, lines 2\nnot_found: /);
    assert.deepEqual([workspace.get("a.txt"), workspace.get("b/new.txt")], ["one\n2\n", "made\n"]);
  }));
