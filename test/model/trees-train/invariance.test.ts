import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyLink } from "../../../src/model/link.ts";
import type { FittedTrees } from "../../../src/model/trees/model.ts";
import { leafOf } from "../../../src/model/trees/structure.ts";
import { rowOf, takeRows } from "../../../src/num/matrix.ts";
import { stream } from "../../../src/num/random.ts";
import { loadModel } from "../../../src/read/load.ts";
import { fit as fitByName } from "../../../src/train/registry.ts";
import type { Matrix } from "../../../src/types.ts";
import { repeatRows, sampleClasses } from "../../support/classes.ts";
import { slowClock } from "../../support/clock.ts";
import {
  forgetsFirstRow,
  halved,
  ownSeed,
  savesSingles,
  shiftedInside,
  type TreeFit,
  unweighted,
} from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";
import { smallTables } from "../../support/tables.ts";
import { both, certain, drawn, families } from "./families.ts";

const scoresOf = (model: FittedTrees, x: Matrix): Float64Array[] =>
  model.outputs.map((_, k) => model.predict(x, k));

describe("the order of the rows", () => {
  const law = (fit: TreeFit): void =>
    fc.assert(
      fc.property(smallTables(3), fc.integer(), ({ x, y, weights }, seed) => {
        const order = stream(seed).permutation(x.rows);
        const moved = {
          x: takeRows(x, order),
          y: Array.from(order, (i) => y[i]!),
          weights: Array.from(order, (i) => weights[i]!),
        };
        const [a, b] = [fit(x, y, { weights }, 3), fit(moved.x, moved.y, { weights: moved.weights }, 3)];
        expect(scoresOf(b, x)).toEqual(scoresOf(a, x));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  test.each(families)("cannot change a bit: %s", (_, fit) => law(fit));
  test.each(families)("a fit that knows it is refused: %s", (_, fit) =>
    refuses(() => law(forgetsFirstRow(fit))),
  );
});

describe("weights", () => {
  const seeds = [1, 2, 3, 4, 5];
  const repeatLaw = (name: string, fit: TreeFit): void => {
    // A least number of rows of a leaf counts rows, not weight; AdaBoost keeps weights above a least one.
    const options =
      name === "lightgbm" ? { minSamplesLeaf: 1 } : { maxDepth: name.startsWith("adaboost") ? 1 : 2 };
    for (const seed of seeds) {
      const sample = sampleClasses(40, 3, seed % 2 === 0 ? 2 : 3, seed);
      const random = stream(seed, "times");
      const times = Array.from(sample.y, () => 1 + random.int(3));
      const many = repeatRows(sample, times);
      const weighted = fit(sample.x, sample.y, { ...options, weights: times });
      const repeated = fit(many.x, many.y, options);
      scoresOf(weighted, sample.x).forEach((scores, k) => {
        const other = repeated.predict(sample.x, k);
        scores.forEach((s, i) => void expect(s).toBeCloseTo(other[i]!, 9));
      });
    }
  };
  test.each(certain)("count rows: %s", repeatLaw);
  test.each(certain)("a fit that ignores them is refused: %s", (name, fit) =>
    refuses(() => repeatLaw(name, unweighted(fit))),
  );

  test.each(families)("of zero take rows away: %s", (_, fit) => {
    const { x, y } = sampleClasses(50, 3, 2, 3);
    const kept = Array.from({ length: 40 }, (_, i) => i);
    const weights = Array.from(y, (_, i) => Number(i < 40));
    const fewer = fit(takeRows(x, kept), y.slice(0, 40), {}, 2);
    expect(JSON.stringify(fit(x, y, { weights }, 2))).toBe(JSON.stringify(fewer));
  });

  const classLaw = (fit: TreeFit): void => {
    for (const seed of seeds) {
      const { x, y } = sampleClasses(40, 3, 3, seed);
      const factors = [1, 2.5, 0.5];
      const counts = factors.map((_, k) => y.filter((label) => label === k).length);
      const by = (weight: (k: number) => number): Float64Array[] =>
        scoresOf(fit(x, y, { maxDepth: 2, weights: Array.from(y, weight) }, 1), x);
      const given = (classWeight: "balanced" | number[]): Float64Array[] =>
        scoresOf(fit(x, y, { maxDepth: 2, classWeight }, 1), x);
      expect(given(factors)).toEqual(by((k) => factors[k]!));
      expect(given("balanced")).toEqual(by((k) => 40 / (3 * counts[k]!)));
    }
  };
  test.each(families)("of classes are weights of their rows: %s", (_, fit) => classLaw(fit));
  test.each(families)("a fit that ignores those of classes is refused: %s", (_, fit) =>
    refuses(() =>
      classLaw((x, y, options, random) => {
        const { classWeight: _class, ...rest } = { classWeight: 0, ...options };
        return fit(x, y, rest, random);
      }),
    ),
  );
});

describe("the seed", () => {
  const law = (fit: TreeFit): void => {
    const { x, y } = sampleClasses(60, 4, 3, 5);
    const [a, b] = [fit(x, y, {}, 7), fit(x, y, {}, 7)];
    expect(JSON.stringify(b)).toBe(JSON.stringify(a));
    const random = stream(9, "mine");
    const [c, d] = [fit(x, y, {}, random), fit(x, y, {}, random)];
    expect(JSON.stringify(d)).toBe(JSON.stringify(c));
  };
  test.each(families)("decides everything: %s", (_, fit) => law(fit));
  test.each(drawn)("a stream of one's own is refused: %s", (_, fit) => refuses(() => law(ownSeed(fit))));

  test.each(drawn)("another one draws other rows: %s", (_, fit) => {
    const { x, y } = sampleClasses(60, 4, 2, 5);
    expect(JSON.stringify(fit(x, y, {}, 1))).not.toBe(JSON.stringify(fit(x, y, {}, 2)));
  });

  test.each(drawn)("the first trees of a larger ensemble are those of a smaller one: %s", (_, fit) => {
    const { x, y } = sampleClasses(60, 4, 2, 5);
    const [few, many] = [3, 9].map((trees) => fit(x, y, { trees }, 1).structure(1));
    expect(many!.feature.slice(0, few!.feature.length)).toEqual(few!.feature);
    expect(many!.threshold.slice(0, few!.feature.length)).toEqual(few!.threshold);
  });

  test.each(drawn)("each tree has a stream of its own, whatever the others drew: %s", (_, fit) => {
    const { x, y } = sampleClasses(60, 4, 2, 5);
    const roots = [1, 6].map((maxDepth) => {
      const { roots, feature, threshold } = fit(x, y, { maxDepth, maxFeatures: 2 }, 1).structure(1);
      return Array.from(roots, (root) => [feature[root], threshold[root]]);
    });
    expect(roots[1]).toEqual(roots[0]);
  });

  test("subsample and colsample draw from it", () => {
    const { x, y } = sampleClasses(60, 4, 2, 5);
    for (const [name, fit] of both.filter(([n]) => /boost|lightgbm/.test(n))) {
      const options = name === "gradboost" ? { subsample: 0.6 } : { subsample: 0.6, colsample: 0.5 };
      const [a, again, b] = [1, 1, 2].map((seed) => JSON.stringify(fit(x, y, options, seed)));
      expect(again).toBe(a);
      expect(b).not.toBe(a);
    }
  });
});

describe("long work", () => {
  const { x, y } = sampleClasses(3000, 5, 2, 1);
  test.each(["forest", "adaboost", "gradboost", "xgboost", "lightgbm"] as const)(
    "hears an abort: %s",
    async (name) => {
      slowClock();
      const controller = new AbortController();
      const onProgress = (): void => controller.abort();
      const work = fitByName(name, x, y, { trees: 200, signal: controller.signal, onProgress });
      await expect(work).rejects.toMatchObject({ code: "ABORTED" });
    },
  );
});

describe("a saved model", () => {
  const law = (fit: TreeFit): void =>
    fc.assert(
      fc.property(smallTables(3), ({ x, y }) => {
        const model = fit(x, y, {}, 1);
        const loaded = loadModel(JSON.parse(JSON.stringify(model))) as FittedTrees;
        expect(scoresOf(loaded, x)).toEqual(scoresOf(model, x));
        expect(loaded.structure(1)).toEqual(model.structure(1));
        expect(JSON.stringify(loaded)).toBe(JSON.stringify(model));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  test.each(families)("loads to the same bits: %s", (_, fit) => law(fit));
  test.each(certain)("values in single precision are refused: %s", (_, fit) =>
    refuses(() => law(savesSingles(fit))),
  );

  test.each(both)("of a regression loads too: %s", (_, fit) => {
    const { x } = sampleClasses(30, 3, 2, 1);
    const model = fit(x, x.data.subarray(0, 30), { task: "regression" }, 1);
    expect(model.outputs).toEqual(["value"]);
    expect((loadModel(JSON.stringify(model)) as FittedTrees).predict(x)).toEqual(model.predict(x));
  });
});

describe("the inside", () => {
  const law =
    (classes: 2 | 3) =>
    (fit: TreeFit): void => {
      const { x, y } = sampleClasses(50, 3, classes, 4);
      const model = fit(x, y, {}, 1);
      const margins = model.outputs.map((_, k) => {
        const trees = model.structure(k);
        return Array.from({ length: x.rows }, (_, i) => {
          const leaves = Array.from(trees.roots, (root) => trees.value[leafOf(trees, root, rowOf(x, i))]!);
          return leaves.reduce((a, b) => a + b, 0) + trees.base;
        });
      });
      model.outputs.forEach((_, k) => {
        const { link } = model.structure(k);
        if (link !== "identity") expect(Array.from(model.margin!(x, k))).toEqual(margins[k]);
        model.predict(x, k).forEach((score, i) => {
          const all = margins.map((m) => Math.exp(m[i]!));
          if (link === "softmax") expect(score).toBeCloseTo(all[k]! / all.reduce((a, b) => a + b), 12);
          else expect(score).toBe(applyLink(link, margins[k]![i]!));
        });
      });
    };
  const laws = ([2, 3] as const).flatMap((k) => families.map(([name, fit]) => [name, k, fit] as const));
  test.each(laws)("says what it scores: %s, %i classes", (_, k, fit) => law(k)(fit));
  test.each(laws)("one that is off is refused: %s, %i classes", (_, k, fit) =>
    refuses(() => law(k)(shiftedInside(fit))),
  );

  const sumLaw = (fit: TreeFit): void =>
    fc.assert(
      fc.property(smallTables(3), ({ x, y }) => {
        const scores = scoresOf(fit(x, y, {}, 1), x);
        for (let i = 0; i < x.rows; i++) {
          const row = scores.map((s) => s[i]!);
          expect(row.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
          expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
          expect(Math.max(...row)).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  test.each(families)("scores of three classes sum to one: %s", (_, fit) => sumLaw(fit));
  test.each(families)("halved scores are refused: %s", (_, fit) => refuses(() => sumLaw(halved(fit))));

  test.each(families)("two classes are complements: %s", (_, fit) => {
    const { x, y } = sampleClasses(80, 3, 2, 8);
    const [no, yes] = scoresOf(fit(x, y, {}, 1), x);
    yes!.forEach((p, i) => void expect(no![i]).toBeCloseTo(1 - p, 15));
  });
});
