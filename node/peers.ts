import { ColaError, messageOf } from "../src/errors.ts";

/** Packages that a project installs when it needs them: what npm is told, and how they are loaded. */
const PEERS = {
  "@duckdb/node-api": { install: "@duckdb/node-api", load: () => import("@duckdb/node-api") },
  "@electric-sql/pglite": { install: "@electric-sql/pglite", load: () => import("@electric-sql/pglite") },
  // Its script would fetch libraries for graphics cards from elsewhere; nothing here uses them.
  "onnxruntime-node": {
    install: "--ignore-scripts onnxruntime-node",
    load: () => import("onnxruntime-node"),
  },
  pg: { install: "pg", load: () => import("pg") },
  "pg-boss": { install: "pg-boss@10", load: () => import("pg-boss") },
} as const;

export type Peer = keyof typeof PEERS;
type Loaded<K extends Peer> = Awaited<ReturnType<(typeof PEERS)[K]["load"]>>;

/** A package `who` needs, or PEER_MISSING with what to install. */
export async function loadPeer<K extends Peer>(who: string, name: K): Promise<Loaded<K>> {
  try {
    return (await PEERS[name].load()) as Loaded<K>;
  } catch (error) {
    throw missing(who, [{ name, error }]);
  }
}

/** Refuses to begin unless all of these are there, naming every one that is not. */
export async function needPeers(who: string, names: readonly Peer[]): Promise<void> {
  const tried = await Promise.all(
    names.map((name) =>
      PEERS[name].load().then(
        () => [],
        (error: unknown) => [{ name, error }],
      ),
    ),
  );
  const lacking = tried.flat();
  if (lacking.length > 0) throw missing(who, lacking);
}

function missing(
  who: string,
  lacking: readonly { readonly name: Peer; readonly error: unknown }[],
): ColaError {
  const names = lacking.map(({ name }) => name);
  const { error } = lacking[0]!;
  const [noun, pronoun] = names.length === 1 ? ["package", "it"] : ["packages", "them"];
  const why =
    (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND"
      ? ""
      : ` (${messageOf(error).slice(0, 120)})`;
  return new ColaError(
    "PEER_MISSING",
    `${who} needs the ${noun} ${names.join(" and ")}; install ${pronoun} with: npm install ${names.map((name) => PEERS[name].install).join(" ")}${why}`,
    { packages: names },
    error,
  );
}
