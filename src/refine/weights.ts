import { ColaError } from "../errors.ts";
import { checkMatrix } from "../num/matrix.ts";
import type { Chain } from "./chain.ts";
import type { Problem, RefineOptions } from "./contract.ts";

/** φ̂ = |φ| / Σ|φ| over the whole matrix (zeros when all φ are 0). */
export function normalised(
  { attribution }: RefineOptions,
  rows: number,
  players: number,
): Float64Array | undefined {
  if (!attribution) return undefined;
  const values = "values" in attribution ? attribution.values : attribution;
  checkMatrix("refine", "attribution", values, true);
  if (values.rows !== rows || values.cols !== players) {
    throw new ColaError(
      "INPUT_SHAPE",
      `refine: attribution is ${values.rows} × ${values.cols}; give rows × players = ${rows} × ${players}.`,
      { rows: values.rows, cols: values.cols },
    );
  }
  const sum = values.data.reduce((total, v) => total + Math.abs(v), 0);
  return values.data.map((v) => (sum > 0 ? Math.abs(v) / sum : 0));
}

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
