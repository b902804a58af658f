import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { gemmFile } from "../../support/onnx-files.ts";
import { freshFolder } from "../../support/server.ts";

const folder = temporaryFolder();
const file = join(folder, "model.onnx");
writeFileSync(file, gemmFile([1, -1], 0));

const text = (value: string): string => JSON.stringify(value);
const from = (path: string): string => text(pathToFileURL(resolve(path)).href);
const READ = `import { readFileSync } from "node:fs"; const bytes = readFileSync(${text(file)});`;

/** Runs a program in a process with a home and a temporary folder of its own: what it said, and what it left there. */
function leftBy(name: string, program: string): { said: string; left: string[] } {
  const home = join(folder, name);
  mkdirSync(home);
  const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: __, ...rest } = process.env;
  const env = { ...rest, HOME: home, TMPDIR: home, TSX_DISABLE_CACHE: "1" };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", `${READ} ${program}`],
    { encoding: "utf8", env },
  );
  expect(stderr).toBe("");
  return { said: stdout, left: readdirSync(home) };
}

test("scoring an ONNX model leaves nothing in the home and temporary folders", () => {
  const { said, left } = leftBy(
    "alone",
    `import { readOnnx } from ${from("node/model/onnx.ts")};
     const model = await readOnnx(bytes);
     console.log((await model.predict({ rows: 1, cols: 2, data: new Float64Array(2) }, 0))[0]);`,
  );
  expect(said.trim()).toBe("0.5");
  expect(left).toEqual([]);
});

test("nor do the processes of the server", async () => {
  const store = await freshFolder();
  try {
    const { said, left } = leftBy(
      "served",
      `import { createApp } from ${from("server/app.ts")};
       const app = await createApp({ folder: ${text(store)} });
       const headers = { "content-type": "application/octet-stream" };
       console.log((await app.inject({ method: "POST", url: "/v1/models", payload: bytes, headers })).statusCode);
       await app.close();`,
    );
    expect(said.trim()).toBe("201");
    expect(left).toEqual([]);
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
}, 180_000);
