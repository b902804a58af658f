import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { openKept } from "../store.ts";

/** Computes a stored explanation again and compares the bytes. */
export const replayCommand: CommandSpec = {
  name: "replay",
  summary: "compute a stored explanation again and compare the bytes",
  arguments: "<id>",
  options: ["store", "database", "blobs", "allowHosts", "config", "json"],
  examples: ["cola replay 0b7c1d9e-3f0a-4a55-9d0e-0b1f6f4c2a11 --store cola-store"],
  run: (given, id) =>
    withWork(given, async ({ signal, onProgress }) => {
      const { replay, settingsFrom } = await import("../../server/index.ts");
      const { tokens = {} } = settingsFrom(given.config, process.env);
      const store = await openKept(given);
      try {
        const watch = { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) };
        const report = await replay(store, id ?? "", { allowHosts: given.allowHosts ?? [], tokens }, watch);
        if (given.json) process.stdout.write(`${JSON.stringify(report)}\n`);
        else {
          const mark = report.same ? paint.good("✔ the same bytes") : paint.bad("✘ other bytes");
          process.stdout.write(`${mark} (${report.bytes}) for ${report.id}\n`);
          for (const note of report.notes) process.stdout.write(`${paint.dim(note)}\n`);
        }
        return report.same ? EXIT.ok : EXIT.someRows;
      } finally {
        await store.close();
      }
    }),
};
