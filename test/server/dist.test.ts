import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { freshFolder } from "../support/server.ts";

const built = existsSync("dist/cli/main.js");

test.skipIf(!built)(
  "the built command finds its processes, answers and stops (skipped before npm run build)",
  async () => {
    for (const name of [
      "cli/work-process",
      "cli/table-process",
      "cli/part-worker",
      "node/part-worker",
      "server/work-process",
      "server/table-process",
    ])
      expect(existsSync(`dist/${name}.js`), name).toBe(true);
    const folder = await freshFolder();
    const child = spawn(
      process.execPath,
      ["dist/cli/main.js", "serve", "--port", "0", "--store", folder, "--workers", "1", "--keep-days", "30"],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    try {
      const gone = once(child, "exit");
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const url = /listens on (\S+)/.exec(String(line))![1];
      const answer = await fetch(`${url}/v1/explanations`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ options: { rows: 2 } }),
      });
      expect(answer.status).toBe(200);
      expect(((await answer.json()) as { rows: unknown[] }).rows).toHaveLength(2);
      child.kill("SIGTERM");
      expect((await gone)[0]).toBe(0);
    } finally {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
