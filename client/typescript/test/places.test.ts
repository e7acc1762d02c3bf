/** The addresses of daemons that depend on the system (proto/WIRE.md, Connecting). */

import assert from "node:assert/strict";
import test from "node:test";
import { EditdError } from "#internal/errors.js";
import { findWorkspace, pipe, resolveWorkspace, securityId, workspaceTag } from "#internal/places.js";

test("a workspace has the tag of the page", () => {
  assert.equal(workspaceTag("/home/me/project"), "225df3094012a213");
  assert.equal(workspaceTag("C:\\Users\\me\\project"), "4f84c462a1ce40f5");
});

test("a pipe has the user in its name", () => {
  const user = securityId('"host\\me","S-1-5-21-1-2-3-1001"\r\n');
  assert.equal(pipe(user, "4f84c462a1ce40f5"), "\\\\.\\pipe\\editd-S-1-5-21-1-2-3-1001-4f84c462a1ce40f5");
  assert.throws(() => securityId("ERROR: access denied"), /give the option socket/);
});

test("a folder that does not exist is named", () => {
  for (const find of [findWorkspace, resolveWorkspace]) {
    assert.throws(
      () => find("/absent/folder"),
      (error) => error instanceof EditdError && error.message.startsWith("the workspace /absent/folder cannot be found"),
    );
  }
});
