// Runs a hook of a plugin as opencode does: `opencode_call.mjs PLUGIN FOLDER before|after|failed CALL`. Prints the reason for
// which the call is denied, or `allowed`. With `failed`, the call fails after the hook before it.

import { pathToFileURL } from "node:url";

const [plugin, directory, moment, json] = process.argv.slice(2);
const { tool, args, output } = JSON.parse(json);
const { Editctl } = await import(pathToFileURL(plugin));
const hooks = await Editctl({ directory, worktree: directory });
const call = { tool, sessionID: "ses_1", callID: "call_1" };
try {
  if (moment === "after") {
    await hooks["tool.execute.after"]({ ...call, args }, { title: "", output, metadata: {} });
  } else {
    await hooks["tool.execute.before"](call, { args });
  }
  if (moment === "failed") {
    const part = { type: "tool", ...call, state: { status: "error", input: args, error: "no match" } };
    await hooks.event({ event: { type: "message.part.updated", properties: { part } } });
  }
  console.log("allowed");
} catch (error) {
  console.log(error.message);
}
