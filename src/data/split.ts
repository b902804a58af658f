import { ColaError } from "../errors.ts";
import type { Random } from "../num/random.ts";

/** Row indices of a training and a test part, each in ascending order. */
export interface Split {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Draws ⌈testShare·n⌉ rows for the test part, the rest for training. */
export function splitRows(n: number, testShare: number, random: Random): Split {
  if (!(testShare > 0 && testShare < 1) || n < 2) {
    throw new ColaError(
      "OPTION_INVALID",
      `split: needs at least 2 rows and a test share inside (0, 1), but got ${n} rows and ${testShare}.`,
      { rows: n, testShare },
    );
  }
  const count = Math.min(n - 1, Math.ceil(testShare * n));
  const order = random.permutation(n);
  return { test: order.slice(0, count).sort(), train: order.slice(count).sort() };
}
