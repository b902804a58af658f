import { describe, expect, test } from "vitest";
import { type PshapOptions, pshap } from "../../src/attribute/index.ts";
import { exact, uniform } from "../../src/couple/index.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import type { Coupling, Matrix, ModelLike, PredictFunction, Progress } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { gaussian } from "../support/couple.ts";
import { wildForest } from "../support/forests.ts";

const sum: PredictFunction = (rows) =>
  Float64Array.from({ length: rows.rows }, (_, i) =>
    rows.data.subarray(i * rows.cols, (i + 1) * rows.cols).reduce((s, v) => s + v, 0),
  );
const [x, r] = [gaussian(3, 4, 1, "x"), gaussian(3, 4, 1, "r")];

interface Call {
  readonly model?: ModelLike;
  readonly x?: Matrix;
  readonly r?: Matrix;
  readonly coupling?: Coupling;
  readonly options?: PshapOptions;
}

const call = (given: Call): Promise<unknown> =>
  pshap(given.model ?? sum, given.x ?? x, given.r ?? r, given.coupling ?? exact(3), given.options ?? {});

describe("bad input is refused at the door", () => {
  const cases: [name: string, code: string, given: Call][] = [
    ["no rows", "INPUT_EMPTY", { x: matrix(0, 4) }],
    ["no references", "INPUT_EMPTY", { r: matrix(0, 4) }],
    ["other columns", "INPUT_SHAPE", { r: gaussian(3, 5, 1, "r") }],
    ["an infinite cell", "INPUT_NOT_FINITE", { x: fromRows([[1, 2, Number.POSITIVE_INFINITY, 0]]) }],
    ["a coupling of other rows", "INPUT_SHAPE", { coupling: exact(2) }],
    ["an entry outside", "PAIRS_INVALID", { coupling: { ...exact(3), cols: Int32Array.of(0, 1, 3) } }],
    ["entries out of order", "PAIRS_INVALID", { coupling: { ...exact(3), rows: Int32Array.of(0, 2, 1) } }],
    ["a NaN mass", "WEIGHTS_INVALID", { coupling: { ...exact(3), mass: Float64Array.of(1, Number.NaN, 1) } }],
    ["a negative mass", "WEIGHTS_INVALID", { coupling: { ...exact(3), mass: Float64Array.of(1, -1, 1) } }],
    ["an unknown space", "OPTION_INVALID", { options: { space: "logit" as "score" } }],
    ["a negative tolerance", "OPTION_INVALID", { options: { tolerance: -1 } }],
    ["half a player", "OPTION_INVALID", { options: { exactPlayers: 2.5 } }],
    ["a column in two groups", "OPTION_INVALID", { options: { groups: [[0, 1], [1]] } }],
    ["flags of another shape", "INPUT_SHAPE", { options: { allowed: new Uint8Array(5) } }],
    ["flags of a transposed shape", "INPUT_SHAPE", { options: { allowed: matrix(4, 3) } }],
    ["an unknown output", "TARGET_INVALID", { options: { output: "other" } }],
    ["no model", "OPTION_INVALID", { model: {} as ModelLike }],
  ];
  test.each(cases)("%s: %s", async (_, code, given) => {
    await expect(call(given)).rejects.toMatchObject({ name: "ColaError", code });
  });
});

describe("a model that misbehaves is told apart from us", () => {
  const cases: [name: string, code: string, model: ModelLike][] = [
    [
      "it throws",
      "PREDICT_FAILED",
      () => {
        throw new Error("no");
      },
    ],
    ["it rejects", "PREDICT_FAILED", () => Promise.reject(new Error("no"))],
    ["it answers NaN", "PREDICT_NAN", (rows) => new Float64Array(rows.rows).fill(Number.NaN)],
    ["it answers too little", "PREDICT_SHAPE", () => new Float64Array(1)],
  ];
  test.each(cases)("%s: %s", async (_, code, model) => {
    await expect(call({ model })).rejects.toMatchObject({ code });
  });

  test("it never settles: PREDICT_TIMEOUT", async () => {
    slowClock(0); // Only the wait for an answer ends the time.
    await expect(
      call({ model: () => new Promise(() => {}), options: { limits: { timeMs: 30 } } }),
    ).rejects.toMatchObject({
      code: "PREDICT_TIMEOUT",
    });
  });

  test("more rows than allowed: LIMIT_MODEL_ROWS", async () => {
    await expect(call({ options: { limits: { modelRows: 20 } } })).rejects.toMatchObject({
      code: "LIMIT_MODEL_ROWS",
    });
    await expect(call({ options: { limits: { modelRows: 48 } } })).resolves.toMatchObject({
      evaluations: 48,
    });
  });

  test("too little memory for the answer: LIMIT_BYTES", async () => {
    await expect(call({ options: { limits: { bytes: 100 } } })).rejects.toMatchObject({
      code: "LIMIT_BYTES",
    });
  });

  test("little memory means small batches", async () => {
    const sizes: number[] = [];
    const model: PredictFunction = (rows) => {
      sizes.push(rows.rows);
      return sum(rows);
    };
    await call({ model, options: { limits: { bytes: 8 * 8 * 4 * 5 } } });
    expect(Math.max(...sizes)).toBe(5);
  });
});

describe("long work", () => {
  const forest = treeModel({
    name: "forest",
    outputs: ["score"],
    cols: 20,
    forests: [wildForest(1, { cols: 20, count: 60, depth: 8, tame: true })],
  });
  const [many, pool] = [gaussian(400, 20, 1, "x"), gaussian(50, 20, 1, "r")];
  const slow: PredictFunction = (rows) => sum(rows);

  test.each([
    ["the pair walk", forest, {}],
    ["enumeration", slow, { maxEnumeration: 2 ** 20 }],
    ["sampling", slow, {}],
  ] as [string, ModelLike, PshapOptions][])(
    "%s hears an abort in the middle and says what was done",
    async (_, model, options) => {
      slowClock();
      const controller = new AbortController();
      const reports: Progress[] = [];
      const onProgress = (progress: Progress): void => {
        if (reports.push(progress) === 2) controller.abort();
      };
      const run = pshap(model, many, pool, uniform(400, 50), {
        ...options,
        signal: controller.signal,
        onProgress,
      });
      await expect(run).rejects.toMatchObject({ code: "ABORTED" });
      expect(reports.length).toBe(2);
      for (const { stage, done, total } of reports) {
        expect(stage).toBe("attribute");
        expect(total).toBe(400);
        expect(done).toBeLessThan(400);
      }
    },
  );

  test("a wall clock that runs out: LIMIT_TIME", async () => {
    slowClock();
    const run = pshap(forest, many, pool, uniform(400, 50), { limits: { timeMs: 50 } });
    await expect(run).rejects.toMatchObject({ code: "LIMIT_TIME" });
  });
});

test("rules that do not answer for every row are refused; an abort while the model thinks says how far", async () => {
  const [a, b] = [fromRows([[0, 1]]), fromRows([[1, 2]])];
  const first = (rows: Matrix): Float64Array => rows.data.filter((_, c) => c % rows.cols === 0);
  await expect(pshap(first, a, b, exact(1), { legal: () => new Uint8Array(1) })).rejects.toThrow(
    expect.objectContaining({ code: "OPTION_INVALID" }),
  );
  const controller = new AbortController();
  const call = pshap(() => new Promise<number[]>(() => {}), a, b, exact(1), { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await expect(call).rejects.toThrow(
    expect.objectContaining({ code: "ABORTED", details: expect.objectContaining({ done: 0, total: 1 }) }),
  );
});
