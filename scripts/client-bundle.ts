import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Plugin } from "vite";

const entry = fileURLToPath(new URL("../show/report/client.ts", import.meta.url));

/** show/report/client.ts with all it imports, as one classic script. The same sources give the same bytes. */
export function clientBundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  return outputFiles[0]!.text.trim();
}

/** Puts the finished script in the place of the file that bundles it on demand. */
export const withClientScript: Plugin = {
  name: "report-script",
  enforce: "pre",
  load(id) {
    if (!/[\\/]show[\\/]report[\\/]client-script\.ts$/.test(id)) return undefined;
    return `const text = ${JSON.stringify(clientBundle())};\nexport const clientScript = async () => text;`;
  },
};
