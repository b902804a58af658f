import { describe, expect, test } from "vitest";
import { isColaError } from "../../src/errors.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import type { Matrix } from "../../src/types.ts";
import { FUZZ_RUNS, mutate } from "../support/fuzz.ts";

/** x0 ≤ 1.5 (a gap goes left) → −1; else the categories 1 and 3 of x1 → 2, others → 0.25. */
const TREE = {
  feature: [0, -1, 1, -1, -1],
  threshold: [1.5, 0],
  left: [1, 3],
  right: [2, 4],
  missingLeft: [1, 0],
  categories: { 2: [1, 3] },
};
const FOREST = {
  ...{ type: "forest", version: 1, outputs: ["no", "yes"], cols: 2, link: "logistic", float32: false },
  trees: [TREE],
  forests: [{ base: 0.5, first: 0, values: [[-1, 2, 0.25]] }],
};
const LINEAR = {
  ...{ type: "linear", version: 1, outputs: ["score"], link: "identity", cols: 2 },
  ...{ weights: [2, -1], intercepts: [0.5] },
};
const LOGISTIC = {
  ...{ type: "logistic", version: 1, outputs: ["no", "yes"], link: "logistic", cols: 2 },
  ...{ weights: [1, -1], intercepts: [0] },
};
const MEAN = {
  ...{ type: "mean", version: 1, outputs: ["no", "yes"] },
  members: [
    { weight: 0.25, model: FOREST },
    { weight: 0.75, model: LOGISTIC },
  ],
};
const CALIBRATED = {
  ...{ type: "calibrated", version: 1, outputs: ["no", "yes"], model: LOGISTIC },
  table: [
    [0.2, 0.1],
    [0.8, 0.9],
  ],
};
const FILES: Readonly<Record<string, object>> = { FOREST, LINEAR, MEAN, CALIBRATED };

const scored = (file: unknown, some: Matrix): Float64Array => loadModel(file).predict(some) as Float64Array;
const rows = fromRows([
  [1, 0],
  [1.5, 3],
  [2, 3],
  [2, 2],
  [Number.NaN, 1],
]);

test("a forest goes left at the threshold, with its categories and with gaps where it says so", () => {
  const model = loadModel(FOREST);
  const margins = [-0.5, -0.5, 2.5, 0.75, -0.5];
  expect([...model.margin!(rows)]).toEqual(margins);
  expect(model.structure!(1)!.kind).toBe("trees");
  const single = loadModel({ ...FOREST, float32: true });
  const near = fromRows([[1.5 + 1e-9, 3]]);
  expect([...model.margin!(near), ...single.margin!(near)]).toEqual([2.5, -0.5]);
});

test("a mean, a calibration and a linear score are what their parts make", () => {
  const whole = rows.data.slice(0, 8);
  const some = { data: whole, rows: 4, cols: 2 };
  const [forest, logistic] = [scored(FOREST, some), scored(LOGISTIC, some)];
  expect([...scored(MEAN, some)]).toEqual(
    Array.from({ length: 4 }, (_, i) => 0.25 * forest[i]! + 0.75 * logistic[i]!),
  );
  const table = (p: number): number => (p <= 0.2 ? 0.1 : p >= 0.8 ? 0.9 : 0.1 + ((p - 0.2) * 0.8) / 0.6);
  [...scored(CALIBRATED, some)].forEach((p, i) => {
    expect(p).toBeCloseTo(table(logistic[i]!), 14);
  });
  expect([...scored(LINEAR, some)]).toEqual([2.5, 0.5, 1.5, 2.5]);
});

describe.each(Object.entries(FILES))("a file %s", (_, file) => {
  test("is saved as it was", () => {
    const again = loadModel(JSON.stringify(loadModel(file).toJSON!()));
    const some = { data: rows.data.slice(0, 8), rows: 4, cols: 2 };
    expect(again.predict(some)).toEqual(loadModel(file).predict(some));
  });

  test(`${FUZZ_RUNS} mutated copies are refused with a code or score`, () => {
    const random = stream(4, "others");
    const bytes = new TextEncoder().encode(JSON.stringify(file));
    const some = { data: rows.data.slice(0, 8), rows: 4, cols: 2 };
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const text = new TextDecoder().decode(mutate(random, bytes));
      try {
        const model = loadModel(text);
        model.predict(some, model.outputs.length - 1);
      } catch (error) {
        expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
      }
    }
  });
});
