import { rowStarts } from "../couple/rows.ts";
import type { Coupling, Feature, Matrix, Schema } from "../types.ts";
import { checkFit, checkPartners } from "./most-likely.ts";

/**
 * A_avg: q_ik = Σ_j p(j|i)·r_jk. With a schema, categorical and boolean features take the weighted mode
 * (ties: the smaller level), integer and ordinal ones the nearest whole number or level; a cell is missing where
 * missing values hold more than half of the mass.
 */
export function average(coupling: Coupling, r: Matrix, schema?: Schema): Matrix {
  checkFit("average", coupling, r);
  const partnered = new Uint8Array(coupling.n);
  coupling.rows.forEach((i, e) => {
    if (coupling.mass[e] !== 0) partnered[i] = 1;
  });
  checkPartners("average", partnered.indexOf(0));
  return averageRows(coupling, r, schema);
}

/** `average` of a coupling that fits r and gives every row a partner. */
export function averageRows(coupling: Coupling, r: Matrix, schema?: Schema): Matrix {
  const data = new Float64Array(coupling.n * r.cols);
  const start = rowStarts(coupling);
  for (let i = 0; i < coupling.n; i++) {
    for (let k = 0; k < r.cols; k++) {
      data[i * r.cols + k] = cell(coupling, r, start[i]!, start[i + 1]!, k, schema?.features[k]);
    }
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
