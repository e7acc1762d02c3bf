/**
 * Uses `editctl-mcp` through the official TypeScript SDK: mcp_test.mjs CLIENT SERVER WORKSPACE. CLIENT is `sdk` (the
 * package @modelcontextprotocol/sdk, which begins with `initialize`), `client` (its successor
 * @modelcontextprotocol/client, which does so too by default) or `stateless` (the same with the revision 2026-07-28).
 */

import assert from "node:assert";

const [kind, server, workspace] = process.argv.slice(2);
const name = kind === "sdk" ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client } = await import(kind === "sdk" ? `${name}/index.js` : name);
const { StdioClientTransport } = await import(`${name}/stdio${kind === "sdk" ? ".js" : ""}`);

const revision = kind === "stateless" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: `test-of-${kind}`, version: "1" }, { capabilities: {}, ...revision });
await client.connect(new StdioClientTransport({ command: server, args: ["--workspace", workspace] }));

/** Calls a tool and returns the text of its reply, which must not be an error. */
async function call(tool, words) {
  const reply = await client.callTool({ name: tool, arguments: words });
  assert(!reply.isError, JSON.stringify(reply));
  return reply.content[0].text;
}

const { tools } = await client.listTools();
assert.deepStrictEqual(tools.map((tool) => tool.name), ["read", "edit", "undo", "history"]);
assert.match(await call("read", { path: "greet.py" }), /def greet/);
const applied = await call("edit", { edits: [{ path: "greet.py", old: "Bye", new: "Goodbye" }], why: "politer" });
assert.match(applied, /applied/);

const paths = Array.from({ length: 16 }, (_, nth) => `${kind}-${nth}.txt`);
const made = paths.map((path) => call("edit", { edits: [{ path, content: `${path}\n` }] }));
for (const reply of await Promise.all(made)) {
  assert.match(reply, /applied/);
}
assert.match(await call("undo", {}), /undone/);

const missing = await client.callTool({ name: "edit", arguments: { edits: [{ path: "greet.py", old: "Bonjour", new: "-" }] } });
assert(missing.isError, JSON.stringify(missing));
assert.match(missing.content[0].text, /greet\.py/);
assert.match(await call("history", { path: "greet.py" }), /politer/);
const { contents } = await client.readResource({ uri: "editd://session/diff" });
assert.match(contents[0].text, /\+.*Goodbye/);
await client.close();
console.log(`the client ${kind} was served`);
