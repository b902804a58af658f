import { ColaError } from "../../src/errors.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { openKept } from "../store.ts";
import { paint } from "../tell.ts";

/** Walks the audit trail: nothing changed, removed, reordered or cut off. */
export const auditCommand: CommandSpec = {
  name: "audit",
  summary: "verify the audit trail of a server's folder",
  arguments: "<action>",
  options: ["store", "head", "json"],
  examples: ["cola audit verify --store cola-store", "cola audit verify --head 5f0c…"],
  async run(given, action) {
    if (action !== "verify")
      throw new ColaError("OPTION_INVALID", `audit: ${action} is not an action; write "cola audit verify".`);
    const { verifyAudit } = await import("../../node/audit.ts");
    const store = await openKept(given.store);
    try {
      const report = await verifyAudit(store, given.head);
      if (given.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else {
        for (const problem of report.problems) process.stdout.write(`${paint.bad("✘")} ${problem}\n`);
        const mark = !report.ok
          ? paint.bad("✘")
          : report.records > 0
            ? paint.good("✔")
            : "nothing to verify:";
        process.stdout.write(`${mark} ${report.records} records, head ${report.head}\n`);
      }
      return report.ok ? EXIT.ok : EXIT.someRows;
    } finally {
      await store.close();
    }
  },
};
