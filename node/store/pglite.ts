import { closeSync, fsyncSync, openSync } from "node:fs";
import type { PGlite, Transaction } from "@electric-sql/pglite";
import { loadPeer, type Peer } from "../peers.ts";
import type { Database, Sql } from "./database.ts";

/** The package of the embedded database. */
export const embeddedPeer: Peer<typeof import("@electric-sql/pglite")> = {
  name: "@electric-sql/pglite",
  load: () => import("@electric-sql/pglite"),
};

/** The embedded PostgreSQL in a folder. One process at a time: see `lockFolder`. */
export async function openPglite(folder: string): Promise<Database> {
  const { PGlite } = await loadPeer("store: the embedded database", embeddedPeer);
  const db = await PGlite.create({ fs: await durableFiles(folder), startParams: durable(PGlite) });
  return {
    ...sqlOf(db),
    transaction: async (run) => db.transaction((tx) => run(sqlOf(tx))),
    close: () => db.close(),
  };
}

/** Its own parameters without `-F`, which turns fsync off; of the ways to sync, only fsync comes through to the disk. */
function durable({ defaultStartParams }: typeof PGlite): string[] {
  return [
    ...defaultStartParams.filter((word) => word !== "-F"),
    ...["-c", "fsync=on", "-c", "wal_sync_method=fsync"],
  ];
}

/** What its file system hands to `fsync`: a file with the system's number for it, a folder without. */
interface Stream {
  readonly nfd?: number;
  readonly node: object;
}

interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: Stream) => number };
  realPath(node: object): string;
}

/** The package's files in a folder, with the one thing they lack: what is synced is on the disk. */
async function durableFiles(folder: string) {
  const { NodeFS } = await import("@electric-sql/pglite/nodefs");
  return new (class extends NodeFS {
    override async init(...given: Parameters<InstanceType<typeof NodeFS>["init"]>) {
      const { emscriptenOpts } = await super.init(...given);
      const sync = (module: object): void => {
        const { NODEFS } = module as { readonly NODEFS: NodeFiles };
        NODEFS.stream_ops.fsync = ({ nfd, node }) => {
          if (nfd === undefined) syncFolder(NODEFS.realPath(node));
          else fsyncSync(nfd);
          return 0;
        };
      };
      return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), sync] } };
    }
  })(folder);
}

function syncFolder(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function sqlOf(db: PGlite | Transaction): Sql {
  return {
    query: async <T>(statement: string, values: readonly unknown[] = []) =>
      (await db.query<T>(statement, [...values])).rows,
    script: async <T>(statements: string) => ((await db.exec(statements)).at(-1)?.rows ?? []) as T[],
  };
}
