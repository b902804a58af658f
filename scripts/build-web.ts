import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, type InlineConfig, type Plugin, type Rollup } from "vite";
import { hashSource } from "../show/report/policy.ts";
import { offers } from "../study/offers.ts";
import { noted } from "./bill.ts";
import { withClientScript } from "./client-bundle.ts";

const ROOT = resolve("web");
const RUNTIME = "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm";

/** Exports by which onnxruntime-web's own bundle refers to its code; ours is handed to it as bytes. */
const quietRuntime: Plugin = {
  name: "runtime-by-hand",
  enforce: "pre",
  transform(code, id) {
    if (!/onnxruntime-web[\\/]dist[\\/]ort.*\.mjs/.test(id)) return undefined;
    return code.replaceAll(/new URL\("ort-wasm[^"]*\.wasm",\s*import\.meta\.url\)\.href/g, '""');
  },
};

/** Arrow compiles its test for missing values from text, which the page's policy forbids. A set says the same. */
const plainArrow: Plugin = {
  name: "arrow-without-eval",
  enforce: "pre",
  load(id) {
    if (!/apache-arrow[\\/]builder[\\/]valid\.mjs/.test(id)) return undefined;
    return "export function createIsValidFunction(none) { const set = new Set(none ?? []); return (x) => !set.has(x); }";
  },
};

/** Maps, forests, forces and clouds of words: what vega brings along and no figure of ours uses. */
const ourVega: Plugin = {
  name: "vega-of-our-figures",
  enforce: "pre",
  load(id) {
    if (/[\\/]vega-(crossfilter|force|geo|hierarchy|label|regression|voronoi|wordcloud)[\\/]/.test(id))
      return "export {};";
    if (/[\\/]vega-projection[\\/]/.test(id)) return "export const projection = undefined;";
    return /[\\/]d3-geo[\\/]src[\\/]index\.js/.test(id)
      ? "export const geoArea = undefined, geoBounds = undefined, geoCentroid = undefined;"
      : undefined;
  },
  // Our figures name every colour: none is of a scheme.
  transform: (code, id) =>
    /[\\/]vega-scale[\\/]build[\\/]vega-scale\.js$/.test(id)
      ? code.replace(/^apply\((discrete|continuous), .*\);$/gm, "")
      : undefined,
};

/** The worker is told the language of every file it writes, so it carries none to fall back to. */
const withoutLanguage: Plugin = {
  name: "without-language",
  enforce: "pre",
  load: (id) => (/[\\/]show[\\/]locales[\\/]en\.ts$/.test(id) ? "export const en = undefined;" : undefined),
};

/** The worker asks the option table for parts and defaults, never for what the command line says of them. */
const withoutHelp: Plugin = {
  name: "without-help",
  enforce: "pre",
  transform: (code, id) =>
    /[\\/]study[\\/]options\.ts$/.test(id)
      ? code.replace(/\bhelp:\s*(?:`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g, 'help: ""')
      : undefined,
};

const own = [quietRuntime, plainArrow, ourVega, withClientScript, noted];

/** What can be chosen, as values: the page itself loads neither models nor generators. */
const plainOffers: Plugin = {
  name: "offers-as-values",
  enforce: "pre",
  load: (id) =>
    /web[\\/]offers\.ts$/.test(id) ? `export const offers = ${JSON.stringify(offers())};` : undefined,
};

const common = (plugins: Plugin[] = []): InlineConfig => ({
  root: ROOT,
  configFile: false,
  mode: "production",
  // A test run says otherwise, and would get a page for developers.
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "error",
  plugins: [react(), ...own, plainOffers, ...plugins],
  worker: { format: "es", plugins: () => [...own, withoutLanguage, withoutHelp, ...plugins] },
});

/** The page as the server gives it: a small first load, everything else in chunks. */
async function buildPage(folder: string): Promise<void> {
  await build({
    ...common(),
    base: "./",
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      target: "es2022",
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 20_000,
    },
  });
}

/** One classic script with everything it imports. */
async function script(entry: string, plugins: Plugin[]): Promise<{ code: string; css: string }> {
  const built = (await build({
    ...common(plugins),
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 20_000,
      lib: { entry: resolve(ROOT, entry), formats: ["iife"], name: "studio" },
      rolldownOptions: {
        output: { codeSplitting: false },
        transform: { define: { "import.meta": "{}" } },
      },
    },
  })) as Rollup.RollupOutput[];
  const { output } = built[0]!;
  const css = output.find((part) => part.type === "asset" && part.fileName.endsWith(".css"));
  return {
    code: output[0].code,
    css: css?.type === "asset" ? String(css.source) : "",
  };
}

/** Another file in place of one of ours. */
function instead(from: string, to: string): Plugin {
  return {
    name: `instead-of-${from}`,
    enforce: "pre",
    resolveId: (id) => (id.endsWith(from) ? resolve(ROOT, to) : undefined),
  };
}

function text(id: string, name: string, value: string): Plugin {
  return {
    name: id,
    resolveId: (asked) => (asked === id ? `\0${id}` : undefined),
    load: (asked) => (asked === `\0${id}` ? `export const ${name} = ${JSON.stringify(value)};` : undefined),
  };
}

/**
 * The page as one file that opens from disk: script and style inline under their hashes, the worker from a blob,
 * the ONNX runtime packed inside. Nothing can be loaded or sent.
 */
async function buildStudio(file: string): Promise<void> {
  const runtime = gzipSync(readFileSync(RUNTIME), { level: 9 }).toString("base64");
  const worker = await script("engine/worker.ts", [
    withoutLanguage,
    instead("/onnx-bytes.ts", "engine/onnx-packed.ts"),
    text("virtual:onnx-runtime", "packedRuntime", runtime),
  ]);
  const page = await script("main.tsx", [
    instead("/start-worker.ts", "engine/start-blob-worker.ts"),
    instead("/find-server.ts", "remote/no-server.ts"),
    text("virtual:worker-script", "workerScript", worker.code),
  ]);
  const code = page.code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const css = page.css.trim();
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(code)} 'wasm-unsafe-eval'`,
    `style-src ${hashSource(css)}`,
    "worker-src blob:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = readFileSync(join(ROOT, "index.html"), "utf8")
    .replace(
      '<meta charset="utf-8" />',
      () => `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    )
    .replace("</head>", () => `<style>${css}</style>\n  </head>`)
    .replace(/<script type="module"[^>]*><\/script>/, () => `<script>${code}</script>`);
  writeFileSync(file, html);
}

/** The served page, and beside it, where it is wanted, the page as one file. */
export async function buildWeb(folder = "dist/web", oneFile = true): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await inProduction(() => buildPage(folder));
  if (oneFile) await buildStudioFile(join(folder, "studio.html"));
}

/** The page as one file alone. */
export const buildStudioFile = (file: string): Promise<void> => inProduction(() => buildStudio(file));

/** As users get it: React without its warnings. */
async function inProduction(work: () => Promise<void>): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env["NODE_ENV"] = "production";
  try {
    await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = NODE_ENV;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildWeb(process.argv[2]);
