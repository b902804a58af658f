import { ColaError } from "../errors.ts";
import type { Coupling } from "../types.ts";
import { evenRows } from "./rows.ts";
import { checkSizes } from "./uniform.ts";

/** Partner j of each row i, or pairs [i, j] in any order. */
export type Pairs = ArrayLike<number> | readonly (readonly [number, number])[];

/**
 * p_ij = 1/(n k_i) where i and j are known to belong together and row i has k_i partners: the paper's
 * p_Ect. `exact(n)` pairs row i with reference i. A pair named twice counts once. With a list of [i, j],
 * n is one more than the largest i.
 */
export function exact(n: number): Coupling;
export function exact(pairs: Pairs, m: number): Coupling;
export function exact(given: number | Pairs, m?: number): Coupling {
  if (typeof given === "number")
    return exact(
      Int32Array.from({ length: checked(given) }, (_, i) => i),
      given,
    );
  const size = m ?? Number.NaN;
  checkSizes("exact", given.length, size);
  const pairs = Array.from(given as ArrayLike<number | readonly [number, number]>, (pair, i) =>
    typeof pair === "number" ? ([i, pair] as const) : pair,
  );
  for (const [i, j] of pairs) checkPair(i, j, pairs.length, size);
  return partnered(1 + pairs.reduce((most, [i]) => Math.max(most, i), 0), size, pairs);
}

/** `exact` of pairs that lie in n × m; every row must have a partner. */
export function partnered(n: number, m: number, pairs: readonly (readonly [number, number])[]): Coupling {
  const partners = Array.from({ length: n }, () => new Set<number>());
  for (const [i, j] of pairs) partners[i]!.add(j);
  const start = new Int32Array(n + 1);
  partners.forEach((set, i) => {
    if (set.size === 0) throw invalid(`row ${i} has no partner; give each row at least one`, { row: i });
    start[i + 1] = start[i]! + set.size;
  });
  const cols = partners.flatMap((set) => [...set].sort((j, k) => j - k));
  return evenRows("exact", m, start, Int32Array.from(cols));
}

function checked(n: number): number {
  checkSizes("exact", n, n);
  return n;
}

function checkPair(i: number, j: number, count: number, m: number): void {
  if (!(Number.isInteger(i) && i >= 0 && Number.isInteger(j) && j >= 0 && j < m)) {
    throw invalid(`row ${i} with reference ${j} is outside the tables (m = ${m}); count both from 0`, {
      i,
      j,
      m,
    });
  }
  if (i >= count) {
    throw invalid(`${count} pairs cannot give each of the rows 0 … ${i} a partner`, { i, pairs: count });
  }
}

function invalid(what: string, details: Record<string, unknown>): ColaError {
  return new ColaError("PAIRS_INVALID", `exact: ${what}.`, details);
}
