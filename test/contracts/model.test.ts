import { describe, expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { copyOf, takeRows } from "../../src/num/matrix.ts";
import { fitLogistic } from "../../src/train/logistic.ts";
import { fit as fitModel, type ModelEntry, type ModelName, models } from "../../src/train/registry.ts";
import type { FitOptions } from "../../src/train/training.ts";
import type { Model } from "../../src/types.ts";
import { sampleClasses } from "../support/classes.ts";
import { slowClock } from "../support/clock.ts";
import { modelMutants } from "../support/mutants/model.ts";

const entries = Object.entries<ModelEntry>(models) as [ModelName, ModelEntry][];
/** Enough for the contract, short to train. */
const SMALL: Readonly<Partial<Record<ModelName, object>>> = {
  mlp: { hidden: [8], epochs: 20 },
  rbf: { units: 10 },
  forest: { trees: 8 },
  gradboost: { trees: 8 },
  xgboost: { trees: 8 },
  lightgbm: { trees: 8, minSamplesLeaf: 2 },
  adaboost: { trees: 8 },
};
const small = (name: ModelName): FitOptions => SMALL[name] ?? {};

describe.each(entries)("%s", (name, entry) => {
  const [two, three] = [sampleClasses(50, 3, 2, 1), sampleClasses(50, 3, 3, 2)];
  const scores = (model: Model, o?: number): Promise<Float64Array> | Float64Array => model.predict(two.x, o);

  test.each(entry.multiclass ? [2, 3] : [2])("keeps the contract with %i classes", async (classes) => {
    const { x, y } = classes === 2 ? two : three;
    const names = ["no", "maybe", "yes"].slice(0, classes);
    const model = entry.fit(x, y, { ...small(name), classes: names }, 5);
    expect(model.outputs).toEqual(names);
    const results = await checkModel(model, x, { tolerance: 1e-9 });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    const said = Object.fromEntries(results.map(({ law, message }) => [law, message]));
    expect(said["gradient"] !== "not offered").toBe(entry.differentiable);
    expect(said["missing values"]).toMatch(
      entry.missing ? /are scored/ : /refused: .*column 0 .*fill missing/,
    );
    expect(said["save and load"]).toMatch(/same scores/);
  });

  test("same seed, same bytes; the rows it is fitted on are not written", async () => {
    const [x, y] = [copyOf(two.x), two.y.slice()];
    const first = entry.fit(x, y, small(name), 5);
    expect(x).toEqual(two.x);
    expect(y).toEqual(two.y);
    const again = await fitModel(name, x, y, small(name), 5);
    expect(JSON.stringify(again.toJSON!())).toBe(JSON.stringify(first.toJSON!()));
    expect(await scores(again)).toEqual(await scores(first));
  });

  test("what it learned is not luck: it ranks its own rows, and weights of 0 take rows away", async () => {
    const model = entry.fit(two.x, two.y, small(name), 5);
    const mean = (s: ArrayLike<number>, k: number): number => {
      const own = Array.from(two.y).flatMap((label, i) => (label === k ? [s[i]!] : []));
      return own.reduce((a, b) => a + b, 0) / own.length;
    };
    const s = await scores(model);
    expect(mean(s, 1) - mean(s, 0)).toBeGreaterThan(0.1);
    // Flipped labels without weight must not be felt; the rows stay, so that nothing is drawn differently.
    if (name === "mlp") return;
    const half = Float64Array.from(two.y, (_, i) => Number(i < 40));
    const flipped = two.y.map((label, i) => (i < 40 ? label : 1 - label));
    const [a, b] = [two.y, flipped].map((y) => entry.fit(two.x, y, { ...small(name), weights: half }, 5));
    const [p, q] = [await scores(a!), await scores(b!)];
    p.forEach((v, i) => void expect(v).toBeCloseTo(q[i]!, 8));
  });

  test("missing values in training are learned from or refused by name", async () => {
    const x = copyOf(two.x);
    x.data[3 * 3 + 2] = Number.NaN;
    const fitted = async (): Promise<Model> => entry.fit(x, two.y, small(name), 5);
    if (entry.missing) expect((await scores(await fitted())).every(Number.isFinite)).toBe(true);
    else
      await expect(fitted()).rejects.toMatchObject({
        code: "INPUT_NOT_FINITE",
        details: { row: 3, column: 2 },
      });
  });

  test("answers bad rows, labels, weights and options with an error that says what to do", async () => {
    const refused = (code: string, ...args: Parameters<ModelEntry["fit"]>): void =>
      expect(() => entry.fit(...args)).toThrowError(expect.objectContaining({ code }) as Error);
    refused("INPUT_EMPTY", { data: new Float64Array(0), rows: 0, cols: 3 }, []);
    refused("INPUT_SHAPE", two.x, [0, 1]);
    refused(
      "VALUE_INVALID",
      two.x,
      Array.from(two.y, (k) => k + 0.5),
    );
    refused(
      "VALUE_INVALID",
      two.x,
      Array.from(two.y, (k) => k - 1),
    );
    refused("INPUT_SHAPE", two.x, two.y, { classes: ["only"] });
    refused("INPUT_SHAPE", two.x, two.y, { classWeight: [1, 2, 3] });
    refused("INPUT_SHAPE", two.x, two.y, { weights: [1] });
    refused("WEIGHTS_INVALID", two.x, two.y, { weights: two.y.map((k) => -k) });
    refused("FIT_FAILED", two.x, new Int32Array(50));
    refused("OPTION_INVALID", two.x, two.y, { tress: 3 } as FitOptions);
    const model = entry.fit(two.x, two.y, small(name), 5);
    expect(() => model.predict({ data: new Float64Array(4), rows: 2, cols: 2 })).toThrowError(/3 columns/);
    expect(() => model.predict(two.x, 7)).toThrowError(/no output 7/);
    expect((await model.predict({ data: new Float64Array(0), rows: 0, cols: 3 })).length).toBe(0);
  });

  test.runIf(entry.task === "both")("fits numbers too", async () => {
    const y = Float64Array.from(two.y, (_, i) => 3 * two.x.data[3 * i]! + 10);
    const model = entry.fit(two.x, y, { ...small(name), task: "regression" } as FitOptions, 5);
    expect(model.outputs.length).toBe(1);
    const results = await checkModel(model, two.x, { tolerance: 1e-9 });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe("fit", () => {
  const { x, y } = sampleClasses(400, 3, 2, 3);

  test("names the models it knows", async () => {
    const unknown = fitModel("oracle" as ModelName, x, y);
    await expect(unknown).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
    await expect(unknown).rejects.toThrow(/logistic, svm, mlp, rbf, qda, gp, tree, bagging, forest/);
    await expect(fitModel("constructor" as ModelName, x, y)).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
  });

  test.each(["mlp", "gp", "rbf"] as const)("%s hears an abort while it works", async (name) => {
    slowClock();
    const controller = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ done }: { done: number }): void => {
      seen.push(done);
      controller.abort();
    };
    const slow = {
      mlp: { epochs: 100_000, patience: 100_000 },
      gp: { optimise: true },
      rbf: { variant: "authors" },
    };
    const work = fitModel(name, x, y, { ...slow[name], signal: controller.signal, onProgress } as FitOptions);
    await expect(work).rejects.toMatchObject({ code: "ABORTED" });
    expect(seen.length).toBe(1);
  });

  test("is stopped before it starts by a signal that has fired", async () => {
    const work = fitModel("logistic", x, y, { signal: AbortSignal.abort() });
    await expect(work).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("refuses a kernel matrix larger than limits.bytes", async () => {
    const work = fitModel("gp", x, y, { limits: { bytes: 1e6 } });
    await expect(work).rejects.toMatchObject({ code: "LIMIT_BYTES" });
  });
});

describe("checkModel", () => {
  const { x, y } = sampleClasses(30, 3, 2, 4);
  const model = fitLogistic(x, y);
  const reference = model.predict(x);

  test("a sound model passes every law", async () => {
    const results = await checkModel(model, x, { reference, tolerance: 1e-9 });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBe(15);
    expect(results.every(({ message }) => message !== "" && message !== "not offered")).toBe(true);
  });

  test.each(Object.entries(modelMutants))("a model that %s is refused", async (_, { law, mutate }) => {
    const results = await checkModel(mutate(model), x, { reference });
    const broken = results.find((result) => result.law === law);
    expect(broken).toMatchObject({ ok: false });
    expect(broken!.message).not.toBe("");
  });

  test("every law has a mutant it refuses", async () => {
    const laws = (await checkModel(model, x, { reference })).map(({ law }) => law);
    expect(new Set(Object.values(modelMutants).map(({ law }) => law))).toEqual(new Set(laws));
  });

  test("a plain function, and a function that returns nothing", async () => {
    const good = await checkModel(
      (rows) => Array.from({ length: rows.rows }, (_, i) => rows.data[3 * i]!),
      x,
    );
    expect(good.filter(({ ok }) => !ok)).toEqual([]);
    const bad = await checkModel(() => [], x);
    expect(bad).toEqual([
      { law: "shape", ok: false, message: expect.stringContaining("30 rows were given") },
    ]);
  });

  test("noise between answers is allowed as far as it is named", async () => {
    let call = 0;
    const noisy: Model = {
      outputs: ["score"],
      predict: (rows) => Float64Array.from({ length: rows.rows }, () => 1e-9 * (call++ % 7)),
    };
    const failed = async (noise: number): Promise<string[]> =>
      (await checkModel(noisy, takeRows(x, [0, 1, 2]), { noise })).filter((r) => !r.ok).map((r) => r.law);
    expect(await failed(1e-8)).toEqual([]);
    expect(await failed(0)).toContain("determinism");
  });

  test("limits are the caller's: they end the check", async () => {
    await expect(checkModel(model, x, { limits: { modelRows: 100 } })).rejects.toMatchObject({
      code: "LIMIT_MODEL_ROWS",
    });
  });
});
