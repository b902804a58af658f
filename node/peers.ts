import { ColaError, messageOf } from "../src/errors.ts";

/** A package that a project installs when it needs it. */
export interface Peer<T> {
  readonly name: string;
  /** What npm is told. Default: the name. */
  readonly install?: string;
  load(): Promise<T>;
}

/** A package `who` needs, or PEER_MISSING with what to install. */
export async function loadPeer<T>(who: string, peer: Peer<T>): Promise<T> {
  try {
    return await peer.load();
  } catch (error) {
    throw missing(who, [peer], error);
  }
}

/** Refuses to begin unless all of these are there, naming every one that is not. */
export async function needPeers(who: string, peers: readonly Peer<unknown>[]): Promise<void> {
  const tried = await Promise.allSettled(peers.map((peer) => peer.load()));
  const lacking = peers.filter((_, k) => tried[k]!.status === "rejected");
  const failed = tried.find((result) => result.status === "rejected");
  if (failed) throw missing(who, lacking, failed.reason);
}

function missing(who: string, peers: readonly Peer<unknown>[], error: unknown): ColaError {
  const names = peers.map(({ name }) => name);
  const command = `npm install ${peers.map(({ name, install = name }) => install).join(" ")}`;
  const [noun, pronoun] = names.length === 1 ? ["package", "it"] : ["packages", "them"];
  const absent = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
  const why = absent ? "" : ` (${messageOf(error).slice(0, 120)})`;
  return new ColaError(
    "PEER_MISSING",
    `${who} needs the ${noun} ${names.join(" and ")}; install ${pronoun} with: ${command}${why}`,
    { packages: names },
    error,
  );
}
