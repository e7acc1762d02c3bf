// Written by `editctl setup opencode --hooks`, which also replaces and removes this file.
//
// It tells editd which files the tools of opencode read and change, and stops the change of a file that another program or
// agent changed since this session read it. If editd is not available, every tool works as without this plugin.

import { spawn } from "node:child_process";

const COMMAND = ["editctl", "hook", "opencode"];
const TIMEOUT_MS = 10_000;
const CHANGES = new Set(["edit", "write", "multiedit", "patch", "apply_patch", "bash"]);
const SHOWS = new Set(["read", "grep"]);

/** Sends a call to the hook. Returns its reason to deny the call, or undefined. */
function ask(folder, payload) {
  return new Promise((resolve) => {
    const [program, ...words] = COMMAND;
    const stdio = ["pipe", "pipe", "ignore"];
    const child = spawn(program, words, { cwd: folder, stdio, timeout: TIMEOUT_MS, windowsHide: true });
    let answer = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => (answer += text));
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(undefined));
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).hookSpecificOutput.permissionDecisionReason);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

export const Editctl = async ({ directory }) => {
  // The calls that the hook has announced, without those that have ended.
  const announced = new Set();
  const payload = (event, { tool, sessionID, callID }, args, response) => ({
    hook_event_name: event,
    session_id: sessionID,
    tool_use_id: callID,
    tool_name: tool,
    tool_input: args,
    tool_response: response,
    cwd: directory,
  });
  return {
    "tool.execute.before": async (call, { args }) => {
      if (!CHANGES.has(call.tool)) return;
      const reason = await ask(directory, payload("PreToolUse", call, args));
      if (reason) throw new Error(reason);
      announced.add(call.callID);
    },
    "tool.execute.after": async (call, { output }) => {
      if (!CHANGES.has(call.tool) && !SHOWS.has(call.tool)) return;
      announced.delete(call.callID);
      // Only the result of a search is needed: it says which lines were shown.
      const response = call.tool === "grep" ? output : undefined;
      await ask(directory, payload("PostToolUse", call, call.args, response));
    },
    // A call that fails has no other sign of its end.
    event: async ({ event }) => {
      const part = event.type === "message.part.updated" ? event.properties.part : undefined;
      if (part?.type !== "tool" || part.state.status !== "error" || !announced.delete(part.callID)) return;
      await ask(directory, payload("PostToolUseFailure", part, part.state.input));
    },
  };
};
