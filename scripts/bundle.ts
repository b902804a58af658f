import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type Plugin, type Rollup } from "vite";
import { withClientScript } from "./client-bundle.ts";

const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** Packages a user installs when they need them; everything else is bundled. */
const OPTIONAL = Object.keys(peerDependencies);
const OUTSIDE = [...OPTIONAL, ...builtinModules, ...builtinModules.map((name) => `node:${name}`)];

/** Entries that lie beside whatever starts them as a process or a thread. */
export const PROCESSES = {
  "table-process": "node/table-process.ts",
  "work-process": "server/work/work-process.ts",
};
export const THREADS = { "part-worker": "node/part-worker.ts" };
export const BODIES = { "body-thread": "server/body-thread.ts" };
/** The command line with all that it starts. */
export const COMMAND_LINE = { main: "cli/main.ts", ...PROCESSES, ...THREADS, ...BODIES };

/** Bundles entries with their packages into a folder, and tells the files it wrote there. */
export async function bundle(
  folder: string,
  entries: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
): Promise<string[]> {
  const made = await build({
    logLevel: "error",
    configFile: false,
    publicDir: false,
    plugins: [withClientScript, ...plugins],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rollupOptions: {
        input: entries,
        external: OUTSIDE,
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", format: "es" },
      },
    },
    ssr: { noExternal: true, external: OPTIONAL },
  });
  return (made as Rollup.RollupOutput).output.map(({ fileName }) => join(folder, fileName));
}

const [, self, folder] = process.argv;
if (self?.endsWith("bundle.ts") && folder) await bundle(folder, COMMAND_LINE);
