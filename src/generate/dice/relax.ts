import { rowOf } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";
import { legalise, type Move } from "../moves.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";

/**
 * A row made continuous: encoded(θ) = encoded(x) + Σ_p θ_p·D_p. A feature with an order has one θ in units of
 * its permitted range; a feature with levels one θ ≥ 0 per other level, the share of x's level that goes
 * there, together at most 1. θ = 0 is x.
 */
export interface Relaxed {
  readonly size: number;
  /** Cost of |θ_p| = 1 in the mixed metric. */
  readonly price: Float64Array;
  encode(thetas: readonly Float64Array[]): Matrix;
  /** Adds ∂/∂θ of a function with slope `slope` over the encoded columns. */
  pull(slope: Float64Array, weight: number, out: Float64Array): void;
  /** Moves θ back into its bounds. */
  project(theta: Float64Array): void;
  /** The legal table row θ stands for. */
  row(theta: Float64Array): Float64Array;
}

interface Knob {
  readonly move: Move;
  /** First parameter, and how many. */
  readonly at: number;
  readonly levels: readonly number[] | undefined;
  /** Table units of one unit of θ. */
  readonly span: number;
}

export function relax(run: Run, row: Row): Relaxed {
  const knobs = knobsOf(run, row);
  const size = knobs.reduce((sum, { levels }) => sum + (levels?.length ?? 1), 0);
  const { base, columns, directions } = directionsOf(run, row, knobs);
  const price = new Float64Array(size);
  for (const { move, at, levels, span } of knobs) {
    if (levels) price.fill(1, at, at + levels.length);
    else price[at] = span / run.metric.scale[move.k]!;
  }
  const encode = (thetas: readonly Float64Array[]): Matrix => {
    const data = new Float64Array(thetas.length * base.length);
    thetas.forEach((theta, i) => {
      data.set(base, i * base.length);
      columns.forEach((own, p) => {
        for (let c = 0; c < own.length; c++)
          data[i * base.length + own[c]!]! += theta[p]! * directions[p]![c]!;
      });
    });
    return { data, rows: thetas.length, cols: base.length };
  };
  const pull = (slope: Float64Array, weight: number, out: Float64Array): void => {
    columns.forEach((own, p) => {
      for (let c = 0; c < own.length; c++) out[p]! += weight * slope[own[c]!]! * directions[p]![c]!;
    });
  };
  return {
    size,
    price,
    encode,
    pull,
    project: (theta) => projectInto(row, knobs, theta),
    row: (theta) => round(run, row, knobs, theta),
  };
}

/** Missing values stay missing: there is no way along which they could move. */
function knobsOf(run: Run, row: Row): Knob[] {
  let at = 0;
  return row.moves
    .filter(({ k, low }) => !Number.isNaN(row.x[k]!) && Number.isFinite(low))
    .map((move) => {
      const { kind } = run.constraints.schema.features[move.k]!;
      const levels = kind === "categorical" || kind === "boolean" ? move.values : undefined;
      const from = row.x[move.k]!;
      const span = Math.max(move.high, from) - Math.min(move.low, from);
      const knob = { move, at, levels, span };
      at += levels?.length ?? 1;
      return knob;
    });
}

/** D_p over the encoded columns of its feature, from one call of the encoder. */
function directionsOf(
  run: Run,
  row: Row,
  knobs: readonly Knob[],
): { base: Float64Array; columns: (readonly number[])[]; directions: Float64Array[] } {
  const probes = knobs.flatMap(({ move, levels, span }) => {
    const { k, low, high } = move;
    const end = Math.abs(high - row.x[k]!) >= Math.abs(low - row.x[k]!) ? high : low;
    if (levels) return levels.map((value) => ({ k, value, unit: 1 }));
    return [{ k, value: end, unit: span / (end - row.x[k]!) }];
  });
  const cols = row.x.length;
  const data = new Float64Array((probes.length + 1) * cols);
  data.set(row.x);
  probes.forEach(({ k, value }, p) => {
    data.set(row.x.with(k, value), (p + 1) * cols);
  });
  const encoded = run.inner.encode({ data, rows: probes.length + 1, cols });
  const base = rowOf(encoded, 0).slice();
  const columns = probes.map(({ k }) => run.inner.players[k]!);
  const directions = probes.map(({ unit }, p) =>
    Float64Array.from(columns[p]!, (c) => (rowOf(encoded, p + 1)[c]! - base[c]!) * unit),
  );
  return { base, columns, directions };
}

function projectInto(row: Row, knobs: readonly Knob[], theta: Float64Array): void {
  for (const { move, at, levels, span } of knobs) {
    if (!levels) {
      const from = row.x[move.k]!;
      const [low, high] = [Math.min(move.low, from), Math.max(move.high, from)];
      theta[at] = Math.min((high - from) / span, Math.max((low - from) / span, theta[at]!));
      continue;
    }
    let sum = 0;
    for (let l = 0; l < levels.length; l++) {
      theta[at + l] = Math.max(0, theta[at + l]!);
      sum += theta[at + l]!;
    }
    if (sum > 1) for (let l = 0; l < levels.length; l++) theta[at + l]! /= sum;
  }
}

/** Nearest legal values, and the level with the largest share. */
function round(run: Run, row: Row, knobs: readonly Knob[], theta: Float64Array): Float64Array {
  const z = row.x.slice();
  for (const { move, at, levels, span } of knobs) {
    const { k } = move;
    if (!levels) {
      const gone = theta[at]! * span;
      const legal = legalise(run.constraints, k, row.x[k]! + gone, row.x[k]!);
      if (Math.abs(gone) * 2 >= Math.abs(legal - row.x[k]!)) z[k] = legal;
      continue;
    }
    let own = 1;
    let best = 0;
    levels.forEach((level, l) => {
      own -= theta[at + l]!;
      if (theta[at + l]! > best) [best, z[k]] = [theta[at + l]!, level];
    });
    if (own >= best) z[k] = row.x[k]!;
  }
  return z;
}
