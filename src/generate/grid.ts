import type { Constraints } from "../data/constraints.ts";
import { hasLevels } from "../data/schema.ts";
import { distinctOf, sortedColumn } from "../num/column.ts";
import { rowOf } from "../num/matrix.ts";
import { sorted } from "../num/stats.ts";
import type { Matrix, Trees } from "../types.ts";
import { legalise, type Move } from "./moves.ts";
import type { Run } from "./run.ts";

/**
 * Values of a feature worth trying: one cell per stretch on which the model cannot tell values apart (or per
 * training value), with its smallest and largest training value.
 */
export interface Grid {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Grids of all features that may change, at most `most` cells each; undefined for features with levels. */
export async function gridsOf(run: Run, most: number): Promise<(Grid | undefined)[]> {
  const { references, constraints, vary, side } = run;
  const trees = run.reach.outputs.map((output) => run.inner.model.structure?.(output));
  const forests = trees.filter((structure) => structure?.kind === "trees");
  const grids: (Grid | undefined)[] = [];
  for (let k = 0; k < references.cols; k++) {
    const feature = constraints.schema.features[k]!;
    const skip = !vary[k] || hasLevels(feature);
    const values = skip ? undefined : distinctOf(sortedColumn(references, k));
    const known = values?.filter((v) => !feature.missing?.includes(v));
    grids.push(known && gridOf(known, cutsOf(run, forests, k), most));
    if (side.due()) await side.pause(k, references.cols);
  }
  return grids;
}

function gridOf(values: Float64Array, cuts: Float64Array | undefined, most: number): Grid {
  if (!cuts) {
    const some = evenly(values, most);
    return { low: some, high: some };
  }
  const low: number[] = [];
  const high: number[] = [];
  let from = 0;
  for (let c = 0; c <= cuts.length; c++) {
    let to = from;
    while (to < values.length && (c === cuts.length || values[to]! <= cuts[c]!)) to++;
    const between = c > 0 && c < cuts.length ? (cuts[c - 1]! + cuts[c]!) / 2 : undefined;
    if (to > from || between !== undefined) {
      low.push(to > from ? values[from]! : between!);
      high.push(to > from ? values[to - 1]! : between!);
    }
    from = to;
  }
  return { low: evenly(Float64Array.from(low), most), high: evenly(Float64Array.from(high), most) };
}

/** `most` of the values, evenly by position, the ends among them. */
function evenly(values: Float64Array, most: number): Float64Array {
  if (values.length <= most) return values;
  return Float64Array.from({ length: most }, (_, t) => {
    return values[Math.round((t * (values.length - 1)) / Math.max(1, most - 1))]!;
  });
}

/**
 * Thresholds at which trees ask about feature k, in table units and order; undefined without trees, or where
 * the encoded columns do not move linearly with the feature.
 */
function cutsOf(run: Run, forests: readonly Trees[], k: number): Float64Array | undefined {
  if (forests.length === 0) return undefined;
  const line = lineOf(run, k);
  if (!line) return undefined;
  const cuts: number[] = [];
  for (const trees of forests) {
    trees.feature.forEach((column, node) => {
      const slope = line.slope.get(column);
      if (slope) cuts.push(line.at + (trees.threshold[node]! - line.base.get(column)!) / slope);
    });
  }
  return distinctOf(sorted(cuts));
}

interface Line {
  readonly at: number;
  readonly base: ReadonlyMap<number, number>;
  readonly slope: ReadonlyMap<number, number>;
}

/** encoded(v) = base + slope·(v − at) for each encoded column of feature k, checked at a third value. */
function lineOf(run: Run, k: number): Line | undefined {
  const values = distinctOf(sortedColumn(run.references, k));
  if (values.length < 2) return undefined;
  const [from, to] = [values[0]!, values.at(-1)!];
  const { cols } = run.references;
  const probes: Matrix = { data: new Float64Array(3 * cols), rows: 3, cols };
  [from, to, (from + to) / 2].forEach((value, t) => {
    probes.data.set(rowOf(run.references, 0).with(k, value), t * cols);
  });
  const encoded = run.inner.encode(probes);
  const cell = (t: number, c: number): number => encoded.data[t * encoded.cols + c]!;
  const columns = run.inner.players[k]!;
  const straight = columns.every((c) => {
    const bend = (cell(0, c) + cell(1, c)) / 2 - cell(2, c);
    return Math.abs(bend) <= 1e-9 * Math.max(1, Math.abs(cell(0, c)), Math.abs(cell(1, c)));
  });
  if (!straight) return undefined;
  return {
    at: from,
    base: new Map(columns.map((c) => [c, cell(0, c)])),
    slope: new Map(columns.map((c) => [c, (cell(1, c) - cell(0, c)) / (to - from)])),
  };
}

/** Permitted values of a move worth trying, nearest side of every cell, each once. */
export function valuesOf(
  constraints: Constraints,
  grid: Grid | undefined,
  move: Move,
  from: number,
): number[] {
  const { k, low, high } = move;
  const values = new Set<number>(move.values ?? []);
  const add = (v: number): void => {
    const legal = legalise(constraints, k, Math.min(high, Math.max(low, v)), from);
    if (!constraints.same(k, legal, from)) values.add(legal);
  };
  if (!move.values) {
    add(low);
    add(high);
    for (let c = 0; grid && c < grid.low.length; c++) {
      if (grid.low[c]! > from || Number.isNaN(from)) add(grid.low[c]!);
      else if (grid.high[c]! < from) add(grid.high[c]!);
    }
  }
  if (move.missing) values.add(Number.NaN);
  return [...values];
}
