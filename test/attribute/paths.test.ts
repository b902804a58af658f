import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PshapOptions, pshap } from "../../src/attribute/index.ts";
import { exact, fromDense, uniform } from "../../src/couple/index.ts";
import { asModel } from "../../src/model/contract.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import type { Matrix, Model, Trees } from "../../src/types.ts";
import { COLS, closed, farthest, forestModel, GROUPS, linearModel } from "../support/attribute.ts";
import { gaussian, weights } from "../support/couple.ts";
import { wildForest, wildRows } from "../support/forests.ts";

const seeds = fc.nat(1e6);

describe("a model's structure gives what its black box gives", () => {
  test.each(["identity", "logistic", "exp", "softmax"] as const)("trees, link %s", async (link) => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom(undefined, GROUPS), async (seed, groups) => {
        const model = forestModel(seed, link);
        const [x, r] = [wildRows(seed, 3, COLS), wildRows(seed + 1, 4, COLS)];
        const coupling = fromDense(matrix(3, 4, weights(12, seed)));
        const options: PshapOptions = { output: 0, ...(groups ? { groups } : {}) };
        const inside = await pshap(model, x, r, coupling, options);
        const outside = await pshap(closed(model, 0), x, r, coupling, options);
        expect(inside).toMatchObject({ exact: true, space: "score" });
        const size = 1 + outside.values.data.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
        expect(farthest(inside.values, outside.values) / size).toBeLessThan(1e-12);
        expect(inside.residual / size).toBeLessThan(1e-12);
        expect(inside.evaluations).toBeLessThan(outside.evaluations);
      }),
      { numRuns: 12 },
    );
  });

  test("a forest that comes without its kernels is a black box with the same answer", async () => {
    const whole = forestModel(5, "logistic");
    const { kernels: _, ...bare } = whole.structure!(0) as Trees;
    const model: Model = { ...asModel(closed(whole, 0)), structure: () => bare as Trees };
    const [x, r] = [wildRows(5, 3, COLS), wildRows(6, 3, COLS)];
    const outside = await pshap(model, x, r, exact(3));
    expect(outside).toEqual(await pshap(closed(whole, 0), x, r, exact(3)));
    const inside = await pshap(whole, x, r, exact(3), { output: 0 });
    expect(inside.evaluations).toBeLessThan(outside.evaluations);
    expect(farthest(inside.values, outside.values)).toBeLessThan(1e-12);
  });

  test.each([
    ["identity", 1],
    ["logistic", 1],
    ["logistic", 400],
    ["exp", 0.3],
  ] as const)("linear, link %s, weights × %i", async (link, scale) => {
    const model = linearModel(3, link, scale);
    const [x, r] = [gaussian(4, COLS, 1, "x"), gaussian(4, COLS, 1, "r")];
    const inside = await pshap(model, x, r, uniform(4, 4));
    expect(inside).toMatchObject({ exact: true, space: "score", evaluations: 8 });
    expect(farthest(inside.values, (await pshap(closed(model), x, r, uniform(4, 4))).values)).toBeLessThan(
      1e-12,
    );
  });

  test("margins: the pair walk equals the enumeration of margin()", async () => {
    const trees = wildForest(8, { cols: COLS, link: "logistic" });
    const model = treeModel({ name: "gradboost", outputs: ["a", "b"], cols: COLS, forests: [trees] });
    const [x, r] = [wildRows(1, 3, COLS), wildRows(2, 3, COLS)];
    const walk = await pshap(model, x, r, uniform(3, 3), { space: "margin" });
    const asked: Model = {
      outputs: ["a"],
      predict: closed(model) as Model["predict"],
      margin: (rows) => predictTrees(trees, rows),
    };
    const listed = await pshap(asked, x, r, uniform(3, 3), { space: "margin" });
    expect(listed).toMatchObject({ exact: true, space: "margin" });
    expect(farthest(walk.values, listed.values)).toBeLessThan(1e-12);
    expect(farthest(matrix(1, 3, walk.base), matrix(1, 3, listed.base))).toBeLessThan(1e-12);
  });
});

describe("the space", () => {
  const wide = (k: number): { x: Matrix; r: Matrix } => {
    const x = gaussian(2, 20, 1, "x");
    const r = matrix(
      2,
      20,
      x.data.map((v, at) => (at % 20 < (at < 20 ? k : 3) ? v + 1 : v)),
    );
    return { x, r };
  };
  const model = treeModel({
    name: "gradboost",
    outputs: ["a", "b"],
    cols: 20,
    forests: [wildForest(2, { cols: 20, count: 40, link: "logistic", tame: true })],
  });

  test("auto: the score up to exactPlayers, beyond it the exact margin", async () => {
    const near = wide(14);
    expect(await pshap(model, near.x, near.r, exact(2))).toMatchObject({ exact: true, space: "score" });
    const far = wide(15);
    const found = await pshap(model, far.x, far.r, exact(2));
    expect(found).toMatchObject({ exact: true, space: "margin" });
    expect(found.spaces).toBeUndefined();
    expect(found.residual).toBeLessThan(1e-12);
    expect(await pshap(model, far.x, far.r, exact(2), { exactPlayers: 15 })).toMatchObject({
      space: "score",
    });
  });

  test("each: a row's answer is the one it gets alone", async () => {
    const { x, r } = wide(15);
    const found = await pshap(model, x, r, exact(2), { space: "each" });
    expect(found.spaces).toEqual(["margin", "score"]);
    for (const i of [0, 1]) {
      const alone = await pshap(model, takeRows(x, [i]), takeRows(r, [i]), exact(1));
      expect(alone.space).toBe(found.spaces![i]);
      expect(Array.from(alone.values.data)).toEqual(Array.from(rowOf(found.values, i)));
      expect(alone.base[0]).toBe(found.base[i]);
    }
  });

  test("score: beyond exactPlayers it is sampled and says so", async () => {
    const { x, r } = wide(15);
    const found = await pshap(model, x, r, exact(2), { space: "score", maxEvaluations: 66 });
    expect(found).toMatchObject({ exact: false, space: "score" });
    expect(rowOf(found.stderr!, 1).every((v) => v === 0)).toBe(true);
    expect(found.residual).toBeLessThan(1e-9);
  });

  test("margin of a model that has none is refused", async () => {
    const { x, r } = wide(3);
    await expect(pshap(closed(model), x, r, exact(2), { space: "margin" })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});
