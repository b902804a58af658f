import { ColaError } from "../errors.ts";
import type { Coupling, Feature, Matrix, Schema } from "../types.ts";
import { checkFit } from "./most-likely.ts";

/**
 * A_avg: q_ik = Σ_j p(j|i)·r_jk. With a schema, categorical and boolean features take the weighted mode
 * (ties: the smaller level), integer and ordinal ones the nearest whole number or level; a cell is missing where
 * missing values hold more than half of the mass.
 */
export function average(coupling: Coupling, r: Matrix, schema?: Schema): Matrix {
  checkFit("average", coupling, r);
  const data = new Float64Array(coupling.n * r.cols);
  const filled = new Uint8Array(coupling.n);
  for (let e = 0; e < coupling.rows.length; ) {
    const i = coupling.rows[e]!;
    let end = e;
    while (end < coupling.rows.length && coupling.rows[end] === i) end++;
    for (let k = 0; k < r.cols; k++) {
      data[i * r.cols + k] = cell(coupling, r, e, end, k, schema?.features[k]);
    }
    filled[i] = 1;
    e = end;
  }
  const empty = filled.indexOf(0);
  if (empty >= 0) {
    throw new ColaError(
      "WEIGHTS_INVALID",
      `average: row ${empty} of the coupling has no mass; give it a weight above 0.`,
      {
        row: empty,
      },
    );
  }
  return { data, rows: coupling.n, cols: r.cols };
}

function cell(coupling: Coupling, r: Matrix, from: number, to: number, k: number, feature?: Feature): number {
  const byLevel = feature?.kind === "categorical" || feature?.kind === "boolean";
  const levels = new Map<number, number>();
  let present = 0;
  let gaps = 0;
  let sum = 0;
  for (let e = from; e < to; e++) {
    const v = r.data[coupling.cols[e]! * r.cols + k]!;
    const mass = coupling.mass[e]!;
    if (Number.isNaN(v)) gaps += mass;
    else {
      present += mass;
      sum += mass * v;
      if (byLevel) levels.set(v, (levels.get(v) ?? 0) + mass);
    }
  }
  if (gaps > present) return Number.NaN;
  if (byLevel) return mode(levels);
  return feature?.kind === "ordinal" || feature?.kind === "integer"
    ? Math.round(sum / present)
    : sum / present;
}

function mode(levels: ReadonlyMap<number, number>): number {
  let best = Number.NaN;
  let mass = -1;
  for (const [level, m] of levels) {
    if (m > mass || (m === mass && level < best)) [best, mass] = [level, m];
  }
  return best;
}
