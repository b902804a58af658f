import { ColaError } from "../../src/errors.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { openKept } from "../store.ts";

/** Removes one person from what a server keeps; a record says that it was done. */
export const forgetCommand: CommandSpec = {
  name: "forget",
  summary: "remove one person from explanations, jobs and inline data of a server",
  options: ["id", "tables", "store", "database", "blobs", "auditKey", "json"],
  examples: ["cola forget --id 4711 --store cola-store", "cola forget --id 4711 --tables"],
  async run(given) {
    const { id, tables = false } = given;
    if (id === undefined)
      throw new ColaError(
        "OPTION_INVALID",
        "forget: name the person with --id, by the id that the tables have.",
      );
    const { forget } = await import("../../node/forget.ts");
    const store = await openKept(given);
    try {
      const gone = await forget(store, id, tables);
      if (given.json) process.stdout.write(`${JSON.stringify(gone)}\n`);
      else {
        process.stdout.write(
          `${paint.good("✔")} ${gone.explanations} explanations and ${gone.jobs} jobs removed\n`,
        );
        for (const table of gone.tables)
          process.stdout.write(
            `${gone.tablesRemoved ? "removed" : paint.bad("still holds the id:")} ${table.id} (${table.name}) of ${table.owner}\n`,
          );
        if (gone.tables.length > 0 && !gone.tablesRemoved)
          process.stdout.write("Give --tables to remove these uploads, too.\n");
      }
      return gone.tables.length > 0 && !gone.tablesRemoved ? EXIT.someRows : EXIT.ok;
    } finally {
      await store.close();
    }
  },
};
