import type { Matrix } from "../types.ts";
import type { Chain, Problem, RefineOptions } from "./contract.ts";

/** φ̂ = |φ| / Σ|φ| over the whole matrix (zeros when all φ are 0). */
export function normalised({ attribution }: RefineOptions): Float64Array | undefined {
  if (!attribution) return undefined;
  const { data } = valuesOf(attribution);
  const sum = data.reduce((total, v) => total + Math.abs(v), 0);
  return data.map((v) => (sum > 0 ? Math.abs(v) / sum : 0));
}

/** φ, n × players. */
export function valuesOf(attribution: NonNullable<RefineOptions["attribution"]>): Matrix {
  return "values" in attribution ? attribution.values : attribution;
}

/** φ̂ of a member of a row's pair. */
export function weightsOf({ weights, players, pairs }: Problem): (row: number, member: number) => number {
  return (row, member) => weights![row * players + pairs[row]!.pair.players[member]!]!;
}

/** Weights that agree to twelve decimals are tied. */
const TIE = 1e12;

/** The larger φ̂, the smaller. */
export function rankOf(problem: Problem): (row: number, member: number) => number {
  const weight = weightsOf(problem);
  return (row, member) => -Math.round(weight(row, member) * TIE);
}

/** The same within a row, by |φ| beside the row's largest: other rows cannot change it. */
export function rankIn({ options, players, pairs }: Problem): (row: number, member: number) => number {
  const { data } = valuesOf(options.attribution!);
  const size = (row: number, player: number): number => Math.abs(data[row * players + player]!);
  const most = pairs.map(({ pair }, row) => Math.max(...pair.players.map((p) => size(row, p))) || 1);
  return (row, member) => -Math.round((size(row, pairs[row]!.pair.players[member]!) / most[row]!) * TIE);
}

/** Rows in the order their cells are taken when all cells are sorted by `key`, ties by row, then along the chain. */
export function sequenceBy(chains: readonly Chain[], key: (row: number, member: number) => number): number[] {
  const cells = chains.flatMap((chain) =>
    chain.members.map((member, t) => ({ row: chain.row, t, key: key(chain.row, member) })),
  );
  cells.sort((a, b) => (a.key === b.key ? a.row - b.row || a.t - b.t : a.key - b.key));
  return cells.map(({ row }) => row);
}
