import { matrix, rowOf } from "../src/num/matrix.ts";
import type { Random } from "../src/num/random.ts";
import { fitForest } from "../src/train/forest.ts";
import type { Matrix, Model } from "../src/types.ts";

/** Rows of normal numbers around `centre`. */
export function normalRows(random: Random, rows: number, cols: number, centre = 0): Matrix {
  return matrix(
    rows,
    cols,
    Float64Array.from({ length: rows * cols }, () => random.normal() + centre),
  );
}

/** 100 unpruned trees on rows with a curved, noisy border. */
export function unprunedForest(random: Random, rows: Matrix): Model {
  const labels = Int32Array.from({ length: rows.rows }, (_, i) => {
    const z = rowOf(rows, i);
    return z[0]! * z[1]! + z[2]! - z[3]! ** 2 + 0.5 * z[4]! + 1 + 1.2 * random.normal() > 0 ? 1 : 0;
  });
  return fitForest(rows, labels, {}, random) as Model;
}
