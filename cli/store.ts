import { existsSync } from "node:fs";
import { join } from "node:path";
import { readFileBytes } from "../node/files.ts";
import type { Place, Store } from "../node/store/store.ts";
import { ColaError } from "../src/errors.ts";
import type { Given } from "../study/options.ts";

/** Where a server keeps everything: the database or folder that is named, else the database of the environment, else a folder. */
export function placeOf(given: Given): Place {
  const { store, database: named, blobs } = given;
  if (store !== undefined && named !== undefined)
    throw new ColaError(
      "OPTION_INVALID",
      "store: --store and --database name two places; give --store for the folder of one server, or --database for PostgreSQL.",
    );
  const database = named ?? (store === undefined ? process.env["DATABASE_URL"] : undefined);
  const key = given.auditKey ?? process.env["COLA_AUDIT_KEY"];
  const signed = key ? { auditKey: Buffer.from(readFileBytes(key, 2 ** 16)).toString() } : {};
  if (database) return { database, ...(blobs === undefined ? {} : { blobs }), ...signed };
  if (blobs === undefined) return { folder: store ?? "cola-store", ...signed };
  throw new ColaError(
    "OPTION_INVALID",
    "store: --blobs goes with --database; the files of a folder are in the folder of --store.",
  );
}

/** The store of a server that has kept something there; none is made, for an empty one would look like a whole trail. */
export async function openKept(given: Given): Promise<Store> {
  const place = placeOf(given);
  const { openStore } = await import("../node/store/store.ts");
  if (
    place.folder !== undefined &&
    !/^postgres/i.test(place.folder) &&
    !existsSync(join(place.folder, "database"))
  ) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `store: ${place.folder} is not the folder of a server; name the one that cola serve was given with --store.`,
      { folder: place.folder },
    );
  }
  return openStore(place);
}
