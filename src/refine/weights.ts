import { ColaError } from "../errors.ts";
import type { Chain } from "./chain.ts";
import type { Problem } from "./contract.ts";

/** φ̂ of a member of a row's pair. */
export function weightsOf(
  { weights, players, pairs }: Problem,
  owner: string,
): (row: number, member: number) => number {
  if (!weights) {
    throw new ColaError(
      "OPTION_INVALID",
      `refine: the policy ${owner} orders cells by their attribution; give \`attribution\` (n × players), or use the policy minimal.`,
      { policy: owner },
    );
  }
  return (row, member) => weights[row * players + pairs[row]!.pair.players[member]!]!;
}

/** Rows in the order their cells are taken when all cells are sorted by `key`, ties by row, then along the chain. */
export function sequenceBy(chains: readonly Chain[], key: (row: number, member: number) => number): number[] {
  const cells = chains.flatMap((chain) =>
    chain.members.map((member, t) => ({ row: chain.row, t, key: key(chain.row, member) })),
  );
  cells.sort((a, b) => (a.key === b.key ? a.row - b.row || a.t - b.t : a.key - b.key));
  return cells.map(({ row }) => row);
}
