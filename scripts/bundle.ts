import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { build, type Plugin, type Rollup } from "vite";
import { withClientScript } from "./client-bundle.ts";

const BUILT_IN = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)];

/** Packages a user installs when they need them; everything else is bundled. */
function optionalOf(root: string): string[] {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(peerDependencies);
}

/** Entries that lie beside whatever starts them as a process or a thread. */
export const PROCESSES = {
  "table-process": "node/table-process.ts",
  "work-process": "server/work/work-process.ts",
};
export const THREADS = { "part-worker": "node/part-worker.ts" };
export const BODIES = { "body-thread": "server/body-thread.ts" };
/** The command line with all that it starts. */
export const COMMAND_LINE = { main: "cli/main.ts", ...PROCESSES, ...THREADS, ...BODIES };

/** Bundles entries of a copy of the sources with their packages into a folder, and tells the files it wrote there. */
export async function bundle(
  folder: string,
  entries: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
  root = ".",
): Promise<string[]> {
  const optional = optionalOf(root);
  const made = await build({
    root,
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
        input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(root, path)])),
        external: [...optional, ...BUILT_IN],
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", format: "es" },
      },
    },
    ssr: { noExternal: true, external: optional },
  });
  return (made as Rollup.RollupOutput).output.map(({ fileName }) => join(folder, fileName));
}

const [, self, folder] = process.argv;
if (self?.endsWith("bundle.ts") && folder) await bundle(folder, COMMAND_LINE);
