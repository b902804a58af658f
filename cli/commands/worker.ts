import { ColaError } from "../../src/errors.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { sizesOf } from "../sizes.ts";
import { untilStopped } from "../stop.ts";
import { placeOf } from "../store.ts";

/** Works off the jobs of a database without answering requests; stops like the server. */
export const workerCommand: CommandSpec = {
  name: "worker",
  summary: "work on the jobs of servers on a PostgreSQL database, beside other workers",
  options: ["database", "blobs", "auditKey", "allowHosts", "workers", "maxRows", "maxColumns", "config"],
  examples: ["cola worker --database postgres://cola@db.example/cola --workers 4"],
  async run(given) {
    const { settingsFrom, startWorker } = await import("../../server/index.ts");
    const place = placeOf(given);
    if (place.database === undefined)
      throw new ColaError(
        "OPTION_INVALID",
        "worker: name the PostgreSQL server of the jobs with --database or in $DATABASE_URL; a folder belongs to one process, whose jobs cola serve does itself.",
      );
    const { allowHosts = [], workers } = given;
    const settings = settingsFrom(given.config, process.env);
    const worker = await startWorker({
      ...place,
      allowHosts,
      ...(settings.tokens ? { tokens: settings.tokens } : {}),
      log: { write: (line) => process.stderr.write(line) },
      limits: {
        ...settings.limits,
        ...(workers === undefined ? {} : { jobs: Math.max(1, workers) }),
        ...sizesOf(given),
      },
    });
    const stopped = untilStopped(() => worker.stop());
    process.stdout.write("cola works\n");
    await stopped;
    return EXIT.ok;
  },
};
