/**
 * Builds the library and its tests, and runs the tests: `node test/run.mjs`, or `bun test/run.mjs` to run them with Bun.
 * EDITD_BIN and EDITCTL_BIN name the binaries for the tests with a daemon; these tests are skipped without them.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(top, "node_modules", "typescript", "bin", "tsc");

function run(...words) {
  const { status, error } = spawnSync(process.execPath, words, { cwd: top, stdio: "inherit" });
  if (status !== 0) {
    console.error(error?.message ?? `failed: ${words.join(" ")}`);
    process.exit(status ?? 1);
  }
}

if (!existsSync(compiler)) {
  console.error("node_modules is absent: run `npm ci` first");
  process.exit(1);
}
for (const folder of ["dist", "dist-test"]) {
  rmSync(join(top, folder), { recursive: true, force: true });
}
run(compiler, "-p", "tsconfig.json");
run(compiler, "-p", "tsconfig.test.json");
const names = readdirSync(join(top, "dist-test", "test")).filter((name) => name.endsWith(".test.js"));
const files = names.map((name) => `./dist-test/test/${name}`);
run(...(process.versions.bun ? ["test", "--timeout", "120000"] : ["--test", "--test-reporter=spec", "--test-timeout=120000"]), ...files);
