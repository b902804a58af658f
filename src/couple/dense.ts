import { ColaError } from "../errors.ts";
import { checkMatrix, matrix } from "../num/matrix.ts";
import type { Coupling, Matrix } from "../types.ts";

/** How far from one the cells may sum. */
const SUM_TOLERANCE = 1e-9;

/** The coupling whose p_ij is cell (i, j): cells ≥ 0 that sum to one. They are kept as they are given. */
export function fromDense(p: Matrix, name = "given"): Coupling {
  checkMatrix("fromDense", "the matrix", p);
  const rows: number[] = [];
  const cols: number[] = [];
  let sum = 0;
  p.data.forEach((mass, at) => {
    const i = Math.floor(at / p.cols);
    const j = at % p.cols;
    if (!(mass >= 0)) {
      throw invalid(`cell (${i}, ${j}) is ${mass}, but probabilities are not negative`, {
        row: i,
        column: j,
      });
    }
    if (mass === 0) return;
    rows.push(i);
    cols.push(j);
    sum += mass;
  });
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
    throw invalid(`the cells sum to ${sum}, but a joint distribution sums to one; divide by the sum`, {
      sum,
    });
  }
  return {
    name,
    n: p.rows,
    m: p.cols,
    rows: Int32Array.from(rows),
    cols: Int32Array.from(cols),
    mass: p.data.filter((mass) => mass > 0),
    cost: Number.NaN,
    gap: 0,
    converged: true,
    iterations: 0,
  };
}

/** p as an n × m matrix. */
export function toDense({ n, m, rows, cols, mass }: Coupling): Matrix {
  const p = matrix(n, m);
  for (let e = 0; e < mass.length; e++) p.data[rows[e]! * m + cols[e]!]! += mass[e]!;
  return p;
}

function invalid(what: string, details: Record<string, unknown>): ColaError {
  return new ColaError("WEIGHTS_INVALID", `fromDense: ${what}.`, details);
}
