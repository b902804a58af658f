import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { sizesOf } from "../sizes.ts";
import { untilStopped } from "../stop.ts";
import { placeOf } from "../store.ts";

/** Starts the server; the first SIGINT or SIGTERM stops it gracefully, a second one at once. */
export const serveCommand: CommandSpec = {
  name: "serve",
  summary: "HTTP API and page: explain now, jobs, uploads, audit trail",
  options: [
    "host",
    "port",
    "store",
    "database",
    "blobs",
    "auditKey",
    "allowHosts",
    "page",
    "workers",
    "keepDays",
    "maxRows",
    "maxColumns",
    "config",
  ],
  examples: [
    "cola serve",
    "COLA_API_KEYS=risk:$SECRET cola serve --host 0.0.0.0 --port 8080 --store /srv/cola",
    "cola serve --database postgres://cola@db.example/cola --workers 0",
  ],
  async run(given) {
    const { createApp, listen, settingsFrom } = await import("../../server/index.ts");
    const { host = "127.0.0.1", port = 8080, allowHosts = [], workers, keepDays } = given;
    const settings = settingsFrom(given.config, process.env);
    const page = given.page ?? pageFolder();
    const app = await createApp({
      ...placeOf(given),
      host,
      allowHosts,
      ...settings,
      log: { write: (line) => process.stderr.write(line) },
      limits: {
        ...settings.limits,
        ...(workers === undefined ? {} : { jobs: workers }),
        ...sizesOf(given),
      },
      ...(keepDays === undefined ? {} : { keepDays }),
      ...(page ? { page } : {}),
    });
    const stopped = untilStopped(() => app.close());
    try {
      process.stdout.write(`cola listens on ${await listen(app, host, port)}\n`);
    } catch (error) {
      await app.close();
      throw error;
    }
    await stopped;
    return EXIT.ok;
  },
};

/** The built page: beside the bundled command, or in dist/ when run from source. */
function pageFolder(): string | undefined {
  const here = fileURLToPath(new URL(".", import.meta.url));
  return [join(here, "../web"), join(here, "../../dist/web")].find((folder) =>
    existsSync(join(folder, "index.html")),
  );
}
