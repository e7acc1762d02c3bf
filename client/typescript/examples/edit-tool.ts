/**
 * The edit tool of an agent, on editd: reads one tool call per line from standard input, as JSON, and prints the text for
 * the model. `{"tool": "read", "path": "a.txt"}`, `{"tool": "edit", "path": "a.txt", "old": "one", "new": "two"}`
 */

import { createInterface } from "node:readline";
import { Client, type Edit, RefusedError } from "editd";

interface ToolCall {
  tool: "read" | "edit";
  path: string;
  old?: string;
  new?: string;
}

const client = new Client({ name: "edit-tool", session: process.env["AGENT_ID"] ?? `agent-${process.pid}`, on_stale: "rebase" });

/** Runs a call of the model, and returns its result. */
async function run({ tool, path, old, new: text = "" }: ToolCall): Promise<string> {
  if (tool === "read") {
    return (await client.read(path)).text ?? "(the file is not text)";
  }
  const edits: Edit = old === undefined ? { op: "write", text } : { op: "replace", old, new: text };
  const { job, files } = await client.edit({ files: { path, edits }, label: "edit tool" });
  const warnings = files.flatMap((file) => file.warnings ?? []);
  return [`job ${job ?? "without a change"}: ${path}, lines ${files[0]?.lines ?? "none"}`, ...warnings].join("\n");
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(await run(JSON.parse(line) as ToolCall));
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    // The message says what to do next; the diff shows what others changed.
    console.log([`${error.code}: ${error.message}`, error.diff ?? ""].join("\n").trimEnd());
  }
}
client.close();
