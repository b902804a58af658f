import { ColaError } from "../../src/errors.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { openKept, placeOf } from "../store.ts";

/** Writes everything a server keeps into one file. */
export const backupCommand: CommandSpec = {
  name: "backup",
  summary: "write everything a server keeps into one file; on PostgreSQL while it runs",
  arguments: "<file>",
  options: ["store", "database", "blobs", "json"],
  examples: ["cola backup cola.backup --database postgres://cola@db.example/cola"],
  async run(given, file) {
    const { backup } = await import("../../node/backup.ts");
    const store = await openKept(given);
    try {
      const done = await backup(store, file!);
      process.stdout.write(
        given.json
          ? `${JSON.stringify(done)}\n`
          : `${paint.good("✔")} ${done.rows} rows and ${done.files} files in ${file}\n`,
      );
      return EXIT.ok;
    } finally {
      await store.close();
    }
  },
};

/** Reads such a file into a store that has nothing yet: a folder or a PostgreSQL server, whichever it came from. */
export const restoreCommand: CommandSpec = {
  name: "restore",
  summary: "read a backup into an empty store, a folder or a PostgreSQL server",
  arguments: "<file>",
  options: ["store", "database", "blobs", "json"],
  examples: ["cola restore cola.backup --store cola-store"],
  async run(given, file) {
    const { existsSync } = await import("node:fs");
    if (!existsSync(file!))
      throw new ColaError("FILE_UNREADABLE", `${file}: does not exist; name a file that cola backup wrote.`);
    const { restore } = await import("../../node/backup.ts");
    const { openStore } = await import("../../node/store/store.ts");
    const store = await openStore(placeOf(given));
    try {
      const done = await restore(store, file!);
      process.stdout.write(
        given.json
          ? `${JSON.stringify(done)}\n`
          : `${paint.good("✔")} ${done.rows} rows and ${done.files} files\n`,
      );
      return EXIT.ok;
    } finally {
      await store.close();
    }
  },
};
