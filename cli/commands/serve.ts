import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";

/** Starts the server; the first SIGINT or SIGTERM stops it gracefully, a second one at once. */
export const serveCommand: CommandSpec = {
  name: "serve",
  summary: "HTTP API and page: explain now, jobs, uploads, audit trail",
  options: ["host", "port", "store", "allowHosts", "page", "workers", "keepDays"],
  examples: [
    "cola serve",
    "COLA_API_KEYS=risk:$SECRET cola serve --host 0.0.0.0 --port 8080 --store /srv/cola",
  ],
  async run(given) {
    const { createApp, listen, parseKeys } = await import("../../server/index.ts");
    const {
      host = "127.0.0.1",
      port = 8080,
      store = "cola-store",
      allowHosts = [],
      workers,
      keepDays,
    } = given;
    const page = given.page ?? pageFolder();
    const app = await createApp({
      folder: store,
      host,
      allowHosts,
      keys: parseKeys(process.env["COLA_API_KEYS"] ?? ""),
      log: { write: (line) => process.stderr.write(line) },
      ...(workers === undefined ? {} : { limits: { jobs: workers } }),
      ...(keepDays === undefined ? {} : { keepDays }),
      ...(page ? { page } : {}),
    });
    const stopped = new Promise<void>((done, fail) => {
      let stopping = false;
      const stop = (): void => {
        if (stopping) process.exit(130);
        stopping = true;
        app.close().then(done, fail);
      };
      process.on("SIGINT", stop);
      process.on("SIGTERM", stop);
    });
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
