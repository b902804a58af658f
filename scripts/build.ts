import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { build } from "vite";

/** Packages a user installs when they need them; everything else the command line uses is bundled. */
const OPTIONAL = Object.keys(
  (JSON.parse(readFileSync("package.json", "utf8")) as { peerDependencies?: Record<string, string> })
    .peerDependencies ?? {},
);

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});

await build({
  logLevel: "warn",
  configFile: false,
  build: {
    ssr: "cli/main.ts",
    outDir: "dist/cli",
    emptyOutDir: false,
    target: "node20",
    minify: false,
    rollupOptions: {
      external: [...OPTIONAL, ...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
      output: { entryFileNames: "main.js", format: "es" },
    },
  },
  ssr: { noExternal: true, external: OPTIONAL },
});
const main = "dist/cli/main.js";
const text = readFileSync(main, "utf8");
if (!text.startsWith("#!")) writeFileSync(main, `#!/usr/bin/env node\n${text}`);
chmodSync(main, 0o755);
