import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type Rollup } from "vite";
import { noted, writeBill } from "./bill.ts";
import { buildWeb } from "./build-web.ts";
import { withClientScript } from "./client-bundle.ts";
import { embedKernels } from "./kernels.ts";
import { keepOnly, reachable } from "./shipped.ts";

const { peerDependencies, exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

/** Packages a user installs when they need them; everything else is bundled. */
const OPTIONAL = Object.keys(peerDependencies);
const OUTSIDE = [...OPTIONAL, ...builtinModules, ...builtinModules.map((name) => `node:${name}`)];

/** Entries that lie beside whatever starts them as a process or a thread. */
const PROCESSES = { "table-process": "node/table-process.ts", "work-process": "server/work/work-process.ts" };
const THREADS = { "part-worker": "node/part-worker.ts" };
const BODIES = { "body-thread": "server/body-thread.ts" };

/** What is bundled with its packages over the plain compiler output: folder → entries. */
const BUNDLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cli: { main: "cli/main.ts", ...PROCESSES, ...THREADS, ...BODIES },
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
for (const [folder, input] of Object.entries(BUNDLES)) {
  const made = await build({
    logLevel: "error",
    configFile: false,
    publicDir: false,
    plugins: [withClientScript, noted],
    build: {
      ssr: true,
      outDir: `dist/${folder}`,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rollupOptions: {
        input,
        external: OUTSIDE,
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", format: "es" },
      },
    },
    ssr: { noExternal: true, external: OPTIONAL },
  });
  for (const { fileName } of (made as Rollup.RollupOutput).output)
    bundled.push(join("dist", folder, fileName));
}
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
