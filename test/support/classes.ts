import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";

export interface Sample {
  readonly x: Matrix;
  readonly y: Int32Array;
}

/** Rows from N(0, 1) with noisy classes of u = x_0 + ½ x_1²: two or three of them. */
export function sampleClasses(rows: number, cols: number, classes: 2 | 3, seed: number): Sample {
  const random = stream(seed, "classes");
  const x = matrix(
    rows,
    cols,
    Float64Array.from({ length: rows * cols }, () => random.normal()),
  );
  const y = Int32Array.from({ length: rows }, (_, i) => {
    const u = x.data[i * cols]! + 0.5 * (x.data[i * cols + 1] ?? 0) ** 2 + 0.3 * random.normal();
    return classes === 2 ? Number(u > 0.3) : Number(u > 0) + Number(u > 0.8);
  });
  // Every class has rows, whatever the seed.
  for (let k = 0; k < classes; k++) y[k] = k;
  y[classes] = 0;
  y[classes + 1] = 1;
  return { x, y };
}

/** Every row as often as its weight says. */
export function repeatRows({ x, y }: Sample, times: ArrayLike<number>): Sample {
  const order = Array.from(y, (_, i) => i).flatMap((i) => Array.from({ length: times[i]! }, () => i));
  const cells = order.flatMap((i) => Array.from(x.data.subarray(i * x.cols, (i + 1) * x.cols)));
  return {
    x: matrix(order.length, x.cols, Float64Array.from(cells)),
    y: Int32Array.from(order, (i) => y[i]!),
  };
}
