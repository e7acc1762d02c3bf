// Packs a stage of client/packaging/build for npm: npm.mjs STAGE OUT VERSION. Makes `editd-bin`, which people install, and the package
// with the programs for this platform, on which it depends.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [stage, out, version] = process.argv.slice(2);
// Packages for other platforms are built there, and listed here.
const PLATFORMS = ["linux-x64", "linux-arm64"];
const platform = `${process.platform}-${process.arch}`;
if (!PLATFORMS.includes(platform)) {
  throw new Error(`${platform} is not listed in client/packaging/npm.mjs`);
}
const programs = readdirSync(join(stage, "bin"));
const shared = { version, license: "MIT OR Apache-2.0" };

function pack(name, fields, fill) {
  const folder = join(out, "npm", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) {
    cpSync(join(stage, "doc", file), join(folder, file));
  }
  fill(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, ...shared, ...fields }, null, 2) + "\n");
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out, folder], { stdio: "inherit" });
}

const description = "The programs of editd, the daemon that applies the file edits of coding agents";
pack(
  `editd-bin-${platform}`,
  { description: `${description}, for ${platform}`, os: [process.platform], cpu: [process.arch] },
  (folder) => cpSync(join(stage, "bin"), join(folder, "bin"), { recursive: true }),
);
pack(
  "editd-bin",
  {
    description,
    engines: { node: ">=20" },
    bin: Object.fromEntries(programs.map((name) => [name, `${name}.cjs`])),
    optionalDependencies: Object.fromEntries(PLATFORMS.map((one) => [`editd-bin-${one}`, version])),
  },
  (folder) => programs.forEach((name) => writeFileSync(join(folder, `${name}.cjs`), starter(name), { mode: 0o755 })),
);

// A script that runs a program of the platform's package in its place, as far as Node can.
function starter(name) {
  return `#!/usr/bin/env node
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const platform = \`editd-bin-\${process.platform}-\${process.arch}\`;
let program;
try {
  program = require.resolve(\`\${platform}/bin/${name}\`);
} catch {
  console.error(\`${name}: the package \${platform} is not installed; build editd from its sources if there is none\`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The program gets the signals, and decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(\`${name}: \${error.message}\`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
`;
}
