import { scaledRows } from "../src/data/metric.ts";
import { distance } from "../src/evaluate/distance.ts";
import { redundancy } from "../src/evaluate/redundancy.ts";
import { sparsity } from "../src/evaluate/sparsity.ts";
import { validity } from "../src/evaluate/validity.ts";
import { yNN } from "../src/evaluate/ynn.ts";
import { takeRows } from "../src/num/matrix.ts";
import { mean } from "../src/num/stats.ts";
import type { Matrix } from "../src/types.ts";
import type { Arena } from "./contest-setup.ts";
import { rounded } from "./curves.ts";
import { withoutGaps } from "./judge.ts";

/** The field's names. Means over the rows that reach the target, null where none does; validity is over all rows. */
export interface Measures {
  readonly validity: number;
  /** Edits, and their distance in the mixed metric. */
  readonly l0: number | null;
  readonly l1: number | null;
  readonly l2: number | null;
  /** Edits of a row that can be undone one at a time with the target still reached. */
  readonly redundancy: number | null;
  readonly yNN: number | null;
  /** Rows the model scored for one factual row; for refined rows, by the refinement alone. */
  readonly modelRows: number;
}

/** Training rows that yNN looks among, at most. */
const NEIGHBOUR_ROWS = 2000;

/** Measures rows z against x; what all calls share is made once. */
export async function measurer(arena: Arena): Promise<(z: Matrix, modelRows: number) => Promise<Measures>> {
  const { model, x, metric, train, target } = arena;
  const first = Array.from({ length: Math.min(train.rows, NEIGHBOUR_ROWS) }, (_, i) => i);
  const real = takeRows(train, first);
  const among = withoutGaps(scaledRows(metric, real));
  const there = (await validity(model, real, target)).valid;
  const reaches = async (rows: Matrix) => (await validity(model, rows, target)).valid;
  return async (z, modelRows) => {
    const valid = await reaches(z);
    const good = Array.from(valid, (_, i) => i).filter((i) => valid[i]);
    const all = { validity: rounded(good.length / x.rows), modelRows: rounded(modelRows / x.rows) };
    if (good.length === 0) return { ...all, l0: null, l1: null, l2: null, redundancy: null, yNN: null };
    const [from, to] = [takeRows(x, good), takeRows(z, good)];
    const scaled = scaledRows(metric, to);
    const { l1, l2 } = distance(scaledRows(metric, from), scaled);
    return {
      ...all,
      l0: rounded(sparsity(from, to).mean),
      l1: rounded(mean(l1)),
      l2: rounded(mean(l2)),
      redundancy: rounded(mean(await redundancy(from, to, reaches))),
      yNN: rounded((await yNN(withoutGaps(scaled), among, there)).mean),
    };
  };
}
