import type { Coupling } from "../types.ts";
import { lcm } from "./units.ts";

/** p(j|i), rows one after another: row i owns entries start[i] … start[i+1] of `cols` and `weight`. */
export interface Conditionals {
  readonly start: Int32Array;
  readonly cols: Int32Array;
  /** p(j|i) = p_ij / Σ_j p_ij; a row's weights sum to one. */
  readonly weight: Float64Array;
}

/**
 * p(j|i) = p_ij / Σ_j p_ij for every row of a coupling. A row without mass (its weight was zero) has no
 * entries. A row with one partner has weight exactly 1.
 */
export function conditionals(coupling: Coupling): Conditionals {
  const { cols, mass } = coupling;
  if (mass.includes(0)) return conditionals(withMass(coupling));
  const start = rowStarts(coupling);
  const weight = new Float64Array(mass.length);
  for (let i = 0; i < coupling.n; i++) {
    let sum = 0;
    for (let e = start[i]!; e < start[i + 1]!; e++) sum += mass[e]!;
    for (let e = start[i]!; e < start[i + 1]!; e++) weight[e] = mass[e]! / sum;
  }
  return { start, cols, weight };
}

/** A coupling without its entries of no mass. */
function withMass({ rows, cols, mass, ...rest }: Coupling): Coupling {
  const heavy = (_: number, e: number): boolean => mass[e] !== 0;
  return { ...rest, rows: rows.filter(heavy), cols: cols.filter(heavy), mass: mass.filter(heavy) };
}

/** The entries of row i are start[i] … start[i+1], for i = 0 … n−1. */
export function rowStarts({ n, rows }: Coupling): Int32Array {
  const start = new Int32Array(n + 1);
  for (const i of rows) start[i + 1]!++;
  for (let i = 0; i < n; i++) start[i + 1]! += start[i]!;
  return start;
}

/**
 * The coupling of row marginals 1/n in which row i is spread evenly over its partners
 * `cols[start[i]] … cols[start[i+1]−1]` (at least one, rising). Masses are whole units where these fit.
 */
export function evenRows(
  name: string,
  m: number,
  start: Int32Array,
  cols: Int32Array,
  cost = Number.NaN,
): Coupling {
  const n = start.length - 1;
  const rows = new Int32Array(cols.length);
  for (let i = 0; i < n; i++) rows.fill(i, start[i]!, start[i + 1]!);
  let each = 1;
  for (let i = 0; i < n && each * n <= Number.MAX_SAFE_INTEGER; i++)
    each = lcm(each, start[i + 1]! - start[i]!);
  const rest = { name, n, m, rows, cols, cost, gap: 0, converged: true, iterations: 0 };
  const total = each * n;
  if (total > Number.MAX_SAFE_INTEGER) {
    return { ...rest, mass: Float64Array.from(rows, (i) => 1 / (n * (start[i + 1]! - start[i]!))) };
  }
  const units = Float64Array.from(rows, (i) => each / (start[i + 1]! - start[i]!));
  return { ...rest, mass: units.map((u) => u / total), units, total };
}

/** `evenRows` with one partner per row. */
export function onePartner(name: string, m: number, partners: Int32Array, cost = Number.NaN): Coupling {
  return evenRows(
    name,
    m,
    Int32Array.from({ length: partners.length + 1 }, (_, i) => i),
    partners,
    cost,
  );
}
