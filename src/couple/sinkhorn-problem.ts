import type { Work } from "../budget.ts";
import type { Cost, Coupling } from "../types.ts";
import { dedupe, firstRows, type Groups, idleLast, singles, spreadOver, unitsOfGroups } from "./dedupe.ts";
import { finiteRow } from "./finite-row.ts";
import { signature } from "./signature.ts";

/** An entropic problem over distinct rows and columns of positive weight, in canonical order. */
export interface EntropicProblem {
  /** Row-major c_ij − min_j c_ij. */
  readonly cost: Float64Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
  /** Mean and largest of `cost`. */
  readonly mean: number;
  readonly top: number;
  /** Σ_i a_i min_j c_ij, which was taken off the costs. */
  readonly floor: number;
  readonly rows: GroupedWeights;
  readonly cols: GroupedWeights;
}

/** The caller's rows (or columns) behind those of the problem. */
interface GroupedWeights {
  readonly groups: Groups;
  /** Each group's weight. */
  readonly weights: Float64Array;
  /** The share of its group's weight each of the caller's has. */
  readonly share: Float64Array;
}

/** A sparse plan, rows one after another: row i owns entries start[i] … start[i+1]. */
export interface Entries {
  readonly start: Int32Array;
  readonly cols: Int32Array;
  readonly mass: Float64Array;
}

export async function entropicProblem(
  cost: Cost,
  a: Float64Array,
  b: Float64Array,
  work: Work,
): Promise<EntropicProblem> {
  const { points } = cost;
  const order = points ? undefined : await signature("sinkhorn", cost, a, b, work);
  const rows = sideOf(points ? dedupe(points.x, a) : singles(order!.rows), a);
  const cols = sideOf(points ? dedupe(points.r, b) : singles(order!.cols), b);
  const n = rows.weights.length;
  const m = cols.weights.length;
  work.reserve(n * m * 20, "the costs and the plan");
  const cells = new Float64Array(n * m);
  const [firsts, columns] = [firstRows(rows.groups), firstRows(cols.groups)];
  const row = new Float64Array(cost.m);
  let [floor, sum, top] = [0, 0, 0];
  for (let p = 0; p < n; p++) {
    finiteRow("sinkhorn", cost, firsts[p]!, row);
    let least = Number.POSITIVE_INFINITY;
    for (let q = 0; q < m; q++) {
      const c = row[columns[q]!]!;
      cells[p * m + q] = c;
      if (c < least) least = c;
    }
    for (let at = p * m; at < (p + 1) * m; at++) {
      const c = cells[at]! - least;
      cells[at] = c;
      sum += c;
      if (c > top) top = c;
    }
    floor += rows.weights[p]! * least;
    if (work.due()) await work.pause(0, 1);
  }
  return { cost: cells, a: rows.weights, b: cols.weights, mean: sum / (n * m), top, floor, rows, cols };
}

/** The entries under the caller's row and column numbers, sorted; equal rows share by their weights. */
export async function expanded(
  entries: Entries,
  { rows, cols }: EntropicProblem,
  work: Work,
): Promise<Pick<Coupling, "rows" | "cols" | "mass">> {
  const { order, start } = cols.groups;
  const groupOf = new Int32Array(rows.share.length).fill(-1);
  let size = 0;
  for (let p = 0; p < rows.weights.length; p++) {
    const members = membersOf(rows.groups, p);
    for (const i of members) groupOf[i] = p;
    for (let e = entries.start[p]!; e < entries.start[p + 1]!; e++) {
      const q = entries.cols[e]!;
      size += members.length * (start[q + 1]! - start[q]!);
    }
  }
  const out = { rows: new Int32Array(size), cols: new Int32Array(size), mass: new Float64Array(size) };
  const row = new Float64Array(cols.share.length);
  let end = 0;
  for (let i = 0; i < groupOf.length; i++) {
    const p = groupOf[i]!;
    if (p < 0) continue;
    if (work.due()) await work.pause(i, groupOf.length);
    for (let e = entries.start[p]!; e < entries.start[p + 1]!; e++) {
      const mass = entries.mass[e]! * rows.share[i]!;
      const q = entries.cols[e]!;
      for (let t = start[q]!; t < start[q + 1]!; t++) row[order[t]!] = mass * cols.share[order[t]!]!;
    }
    for (let j = 0; j < row.length; j++) {
      if (row[j] === 0) continue;
      out.rows[end] = i;
      out.cols[end] = j;
      out.mass[end++] = row[j]!;
      row[j] = 0;
    }
  }
  if (end === size) return out;
  return { rows: out.rows.slice(0, end), cols: out.cols.slice(0, end), mass: out.mass.slice(0, end) };
}

/** The groups of positive weight. */
function sideOf(all: Groups, given: Float64Array): GroupedWeights {
  const { order, start } = idleLast(all, given);
  const weights = unitsOfGroups({ order, start }, given).filter((sum) => sum > 0);
  const groups = { order, start: start.subarray(0, weights.length + 1) };
  const share = spreadOver(groups, weights).map((sum, i) => (sum > 0 ? given[i]! / sum : 0));
  return { groups, weights, share };
}

function membersOf({ order, start }: Groups, g: number): Int32Array {
  return order.subarray(start[g]!, start[g + 1]!);
}
