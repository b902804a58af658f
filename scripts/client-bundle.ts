import { fileURLToPath } from "node:url";
import { build, type Plugin as Loader } from "esbuild";
import type { Plugin } from "vite";

const entry = fileURLToPath(new URL("../show/report/client.ts", import.meta.url));

/** A report carries the language it is written in, so its script needs none to fall back to. */
const withoutLanguage: Loader = {
  name: "without-language",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]show[\\/]locales[\\/]en\.ts$/ }, () => ({
      contents: "export const en = undefined;",
    }));
  },
};

/** show/report/client.ts with all it imports, as one classic script. The same sources give the same bytes. */
export async function clientBundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    plugins: [withoutLanguage],
  });
  return outputFiles[0]!.text.trim();
}

/** Replaces the file that bundles the script on demand by the finished script. */
export const withClientScript: Plugin = {
  name: "report-script",
  enforce: "pre",
  async load(id) {
    if (!/[\\/]show[\\/]report[\\/]client-script\.ts$/.test(id)) return undefined;
    return `const text = ${JSON.stringify(await clientBundle())};\nexport const clientScript = async () => text;`;
  },
};
