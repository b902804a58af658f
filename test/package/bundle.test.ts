import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Worker as Thread } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
let code = "";

/** `import { explain } from "cola-xai"` as a page would bundle it, plus a tiny run that reports its edits. */
beforeAll(async () => {
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { explain } from ${JSON.stringify(resolve("src/index.ts"))};
     const rows = (r, c, data) => ({ rows: r, cols: c, data: Float64Array.from(data) });
     const model = (m) => Array.from({ length: m.rows }, (_, i) => (m.data[2 * i] + m.data[2 * i + 1]) / 2);
     explain({ model, x: rows(1, 2, [0, 0]), references: rows(1, 2, [2, 1]) }).then((e) => globalThis.report(JSON.stringify(e.rows[0].edits)));`,
  );
  const made = await build({
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      minify: true,
      target: "es2022",
      lib: { entry, formats: ["iife"], name: "cola", fileName: "b" },
    },
  });
  const output = (Array.isArray(made) ? made : [made])[0] as { output: { code: string }[] };
  code = output.output[0]!.code;
});

test("explain in one file, all couplings included, is at most 66 kB gzip", () => {
  const size = gzipSync(code).length;
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThanOrEqual(66_000);
});

test("the bundle runs in a bare worker", async () => {
  const source = `const { parentPort } = require("node:worker_threads"); globalThis.report = (t) => parentPort.postMessage(t); ${code}`;
  const worker = new Thread(source, { eval: true });
  const answer = await new Promise<string>((done, fail) => {
    worker.once("message", done);
    worker.once("error", fail);
  });
  await worker.terminate();
  expect(JSON.parse(answer)).toEqual([{ feature: "x0", from: 0, to: 2, attribution: -1 }]);
});

test("the bundle runs in a browser's worker", async (context) => {
  const launched = await launchBrowser();
  if ("missing" in launched) return context.skip(launched.missing);
  const { browser } = launched;
  try {
    const page = await browser.newPage();
    const answer = await page.evaluate((source) => {
      const url = URL.createObjectURL(new Blob([`globalThis.report = (t) => postMessage(t); ${source}`]));
      const worker = new Worker(url);
      return new Promise<string>((done, fail) => {
        worker.onmessage = (event) => done(event.data as string);
        worker.onerror = (event) => fail(new Error(event.message));
      });
    }, code);
    expect(JSON.parse(answer)).toEqual([{ feature: "x0", from: 0, to: 2, attribution: -1 }]);
  } finally {
    await browser.close();
  }
});

test("the package asks for no runtime dependency", async () => {
  const { default: manifest } = (await import("../../package.json", { with: { type: "json" } })) as {
    default: Record<string, unknown>;
  };
  expect(manifest["dependencies"]).toBeUndefined();
  const meta = manifest["peerDependenciesMeta"] as Record<string, { optional: boolean }>;
  for (const peer of Object.keys(manifest["peerDependencies"] as object))
    expect(meta[peer]!.optional).toBe(true);
});
