import { ColaError } from "../../src/errors.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
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
      throw new ColaError("OPTION_INVALID", `audit: ${action} is no action; write "cola audit verify".`);
    const { openStore } = await import("../../node/store/store.ts");
    const { verifyAudit } = await import("../../node/audit.ts");
    const store = await openStore(given.store ?? "cola-store");
    try {
      const report = await verifyAudit(store, given.head);
      if (given.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else {
        for (const problem of report.problems) process.stdout.write(`${paint.bad("✘")} ${problem}\n`);
        const mark = report.ok ? paint.good("✔") : paint.bad("✘");
        process.stdout.write(`${mark} ${report.records} records, head ${report.head}\n`);
      }
      return report.ok ? EXIT.ok : EXIT.someRows;
    } finally {
      await store.close();
    }
  },
};
