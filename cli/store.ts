import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../node/store/store.ts";
import { ColaError } from "../src/errors.ts";

/** The store of a server that has kept something there; none is made, for an empty one would look like a whole trail. */
export async function openKept(folder = "cola-store"): Promise<Store> {
  if (!existsSync(join(folder, "database"))) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `store: ${folder} is not the folder of a server; name the one that cola serve was given by --store.`,
      { folder },
    );
  }
  const { openStore } = await import("../node/store/store.ts");
  return openStore(folder);
}
