import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noted, writeBill } from "./bill.ts";
import { buildWeb } from "./build-web.ts";
import { BODIES, bundle, COMMAND_LINE, PROCESSES, THREADS } from "./bundle.ts";
import { embedKernels } from "./kernels.ts";
import { keepOnly, reachable } from "./shipped.ts";

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

/** What is bundled with its packages over the plain compiler output: folder → entries. */
const BUNDLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cli: COMMAND_LINE,
  show: { index: "show/index.ts" },
  server: { index: "server/index.ts", ...PROCESSES, ...BODIES },
  node: { index: "node/index.ts", "table-process": "node/table-process.ts", ...THREADS },
};

await embedKernels();
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});

const bundled: string[] = [];
for (const [folder, entries] of Object.entries(BUNDLES))
  bundled.push(...(await bundle(join("dist", folder), entries, [noted])));
const entries = Object.values(exports).flatMap((paths) =>
  typeof paths === "string" ? [] : Object.values(paths),
);
keepOnly("dist", [...bundled, ...reachable(entries, bundled)]);
const main = "dist/cli/main.js";
const text = readFileSync(main, "utf8");
if (!text.startsWith("#!")) writeFileSync(main, `#!/usr/bin/env node\n${text}`);
chmodSync(main, 0o755);
await buildWeb("dist/web");
writeBill("dist");
