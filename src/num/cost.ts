import type { Cost, Matrix } from "../basic-types.ts";

/** The cost whose rows are written by `row`; its matrix and its points, where it has any, are made when asked for. */
export function rowCost(n: number, m: number, row: Cost["row"], points?: () => Cost["points"]): Cost {
  let made: { readonly points: Cost["points"] } | undefined;
  return {
    n,
    m,
    row,
    get points() {
      made ??= { points: points?.() };
      return made.points;
    },
    dense(): Matrix {
      const data = new Float64Array(n * m);
      for (let i = 0; i < n; i++) row(i, data.subarray(i * m, (i + 1) * m));
      return { data, rows: n, cols: m };
    },
  };
}
