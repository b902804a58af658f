import { describe, expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { type ExplainInput, loadExplainer, prepare } from "../../src/index.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Goal, Matrix, Model, Schema } from "../../src/types.ts";

const code = (c: string) => expect.objectContaining({ code: c });
const x = fromRows([
  [-2, -1, -1],
  [-1, -2, 0],
  [-1, -1, -2],
  [-2, 0, -1],
]);
const references = fromRows(
  Array.from({ length: 12 }, (_, j) => [1 + (j % 3), 2 - (j % 2), 1 + (j % 5) / 2]),
);
const score = (rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) => {
    const [a, b, c] = rows.data.subarray(3 * i, 3 * i + 3);
    return 1 / (1 + Math.exp(-(a! + b! + c!)));
  });
const input = (rest: Partial<ExplainInput> = {}): ExplainInput => ({ model: score, x, references, ...rest });
const goals: readonly Goal[] = [{ kind: "each", target: { above: 0.5 } }, { kind: "group" }];

describe("limits of a whole run", () => {
  test("model rows are counted once over all stages, never exceeded, and what is left out says so", async () => {
    for (const goal of goals) {
      for (const modelRows of [0, 1, 4, 11, 20, 40, 80, 160, 320, 5000]) {
        let asked = 0;
        const model = (rows: Matrix): Float64Array => {
          asked += rows.rows;
          return score(rows);
        };
        let charged = 0;
        const within = {
          charge: (rows: number): void => {
            charged += rows;
          },
        };
        const e = await explain(input({ model, goal, alternatives: 1, limits: { modelRows }, within }));
        expect(asked).toBeLessThanOrEqual(modelRows);
        expect(charged).toBe(asked);
        if (modelRows === 0) expect(e.rows.every((row) => row.status === "budget")).toBe(true);
        if (modelRows === 5000) expect(e.rows.some((row) => row.status === "budget")).toBe(false);
      }
    }
  });

  test("with the joint coupling too, model rows that run out leave rows with the status budget", async () => {
    const told = goals.map(
      (goal) => ({ ...goal, ...(goal.kind === "group" ? { divergence: "mean" } : {}) }) as Goal,
    );
    for (const goal of told) {
      for (const modelRows of [0, 1, 4, 11, 20, 40, 80, 5000]) {
        let asked = 0;
        const model = (rows: Matrix): Float64Array => {
          asked += rows.rows;
          return score(rows);
        };
        const e = await explain(input({ model, goal, coupling: "joint", limits: { modelRows } }));
        expect(asked).toBeLessThanOrEqual(modelRows);
        const left = e.rows.filter((row) => row.status === "budget");
        if (modelRows < 20) expect(left.map((row) => row.edits)).toEqual([[], [], [], []]);
        if (modelRows === 5000) expect(left).toEqual([]);
      }
    }
  });

  test("a clock that runs out in any stage leaves rows with the status budget", async () => {
    for (const goal of goals) {
      for (const coupling of ["match", "joint", "transport", "sinkhorn"]) {
        const e = await explain(input({ goal, coupling, limits: { timeMs: 0 } }));
        expect(e.rows.map((row) => row.status)).toEqual(["budget", "budget", "budget", "budget"]);
      }
    }
  });
});

describe("rows that cannot be explained", () => {
  test("a call of invalid rows alone has rows that say so", async () => {
    const e = await explain(input({ x: fromRows([[Number.POSITIVE_INFINITY, 0, 0]]) }));
    expect(e.rows.map((row) => row.status)).toEqual(["invalid_input"]);
    const row = await prepare({ model: score, references }).row([0, Number.NEGATIVE_INFINITY, 0]);
    expect(row.status).toBe("invalid_input");
  });

  test("a reference the model fails on does not spoil y*", async () => {
    const fussy = (rows: Matrix): Float64Array => {
      if (rows.data.includes(3)) throw new Error("three");
      return score(rows);
    };
    const e = await explain(input({ model: fussy, goal: { kind: "group", divergence: "mean", level: 0.5 } }));
    expect(e.rows.some((row) => row.valid)).toBe(true);
  });
});

describe("the caller's own objects", () => {
  test("they are copied, not frozen; typed arrays become arrays in the result", async () => {
    const goal: Goal = { kind: "group", desired: new Float64Array([0.9, 0.8]) };
    const schema: Schema = { features: ["a", "b", "c"].map((name) => ({ name, kind: "numeric" })) };
    const budget = { total: 5 };
    const e = await explain(input({ goal, schema, budget }));
    for (const own of [goal, schema, schema.features[0], budget]) expect(Object.isFrozen(own)).toBe(false);
    expect(JSON.parse(JSON.stringify(e))).toEqual(e);
    const prepared = prepare({ model: score, references, options: { goal } });
    const again = loadExplainer(JSON.parse(JSON.stringify(prepared.toJSON())), score);
    expect((await again.rows(x)).rows).toEqual((await prepared.rows(x)).rows);
  });

  test("one id per row, one known row or −1 per reference, a partner for every row of exact", async () => {
    await expect(explain(input({ ids: ["a"] }))).rejects.toThrow(code("INPUT_SHAPE"));
    await expect(explain(input({ pairs: [0, 1] }))).rejects.toThrow(code("PAIRS_INVALID"));
    await expect(explain(input({ pairs: new Array(12).fill(4) }))).rejects.toThrow(code("PAIRS_INVALID"));
    const some = Array.from({ length: 12 }, (_, j) => (j < 3 ? j : -1));
    await expect(explain(input({ pairs: some, coupling: "exact" }))).rejects.toThrow(code("PAIRS_INVALID"));
    expect((await explain(input({ pairs: some }))).rows[2]!.reference).toBe(2);
  });

  test("a budget for all rows makes a plan depend on the group", async () => {
    expect((await explain(input({ budget: { total: 3 } }))).method.dependsOnGroup).toBe(true);
    expect((await explain(input({ budget: { perRow: 3 } }))).method.dependsOnGroup).toBe(false);
  });

  test("constraints without a schema are laid over plain columns", async () => {
    const locked = prepare({ model: score, references, constraints: { freeze: ["x0"] } });
    const { rows } = await locked.rows(x);
    expect(rows.flatMap((row) => row.edits.map((edit) => edit.feature))).not.toContain("x0");
    expect(() => prepare({ model: score, references, constraints: { freeze: ["y"] } })).toThrow();
  });
});

test("derived columns are recomputed in every hybrid: their effect belongs to what they are made from", async () => {
  const schema: Schema = {
    features: [
      { name: "debt", kind: "numeric" },
      { name: "income", kind: "numeric" },
      { name: "ratio", kind: "numeric", derived: "debt / income" },
    ],
  };
  const ratioOnly = (rows: Matrix): Float64Array =>
    Float64Array.from({ length: rows.rows }, (_, i) => 1 - rows.data[3 * i + 2]!);
  const e = await explain({
    model: ratioOnly,
    schema,
    x: fromRows([[8, 10, 0.8]]),
    references: fromRows([[2, 20, 0.1]]),
  });
  const [row] = e.rows;
  // f(x) − f(q) = 0.2 − 0.9, shared by debt and income over both orders.
  expect(row!.attributions[0]! + row!.attributions[1]!).toBeCloseTo(-0.7, 12);
  expect(row!.attributions[0]).toBeCloseTo((0.2 - 0.8 + (0.6 - 0.9)) / 2, 12);
  expect(row!.base).toBeCloseTo(0.9, 12);
});

test("what a locked feature could do counts for nothing in a proof over any legal value", async () => {
  const weights = new Float64Array([1, 1, 1]);
  const model: Model = {
    outputs: ["no", "yes"],
    predict: (rows, output = 1) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const [a, b, c] = rows.data.subarray(3 * i, 3 * i + 3);
        const yes = 1 / (1 + Math.exp(1.5 - a! - b! - c!));
        return output === 1 ? yes : 1 - yes;
      }),
    structure: () => ({ kind: "linear", intercept: -1.5, weights, link: "logistic", kernels: linearKernels }),
  };
  const features: Schema["features"] = [
    { name: "age", kind: "numeric", min: 0, max: 10, immutable: true },
    { name: "b", kind: "numeric", min: 0, max: 1 },
    { name: "c", kind: "numeric", min: 0, max: 1 },
  ];
  const plan = async (schema: Schema) =>
    (
      await explain({
        model,
        schema,
        x: fromRows([[0, 0, 0]]),
        references: fromRows([[0, 1, 1]]),
        values: "reference",
      })
    ).rows[0]!;
  expect((await plan({ features })).proof).toEqual({ claim: "optimal", edits: 2, scope: "model" });
  const free = features.map((feature) => ({ ...feature, immutable: false }));
  expect((await plan({ features: free })).proof).toMatchObject({ edits: 2, scope: "references" });
});

test("a model object may answer with any list of numbers, watched or not", async () => {
  const predict = ((rows: Matrix) => Array.from(score(rows))) as unknown as Model["predict"];
  const model: Model = { outputs: ["score"], predict };
  const plain = await explain(input({ model }));
  const watched = await explain(input({ model, signal: new AbortController().signal }));
  expect(plain.rows.every((row) => row.status === "ok")).toBe(true);
  expect(watched.rows).toEqual(plain.rows);
});

test("prefer plausible takes the plan nearest to training rows", async () => {
  // Either edit alone is enough; only rows with a = 0 and b = 1 have been seen.
  const either = (rows: Matrix): Float64Array =>
    Float64Array.from({ length: rows.rows }, (_, i) => Math.max(rows.data[2 * i]!, rows.data[2 * i + 1]!));
  const training = fromRows(Array.from({ length: 8 }, (_, i) => [0 + i / 100, 1 + i / 100]));
  const question = { model: either, x: fromRows([[0, 0]]), references: fromRows([[1.2, 1]]), training };
  const edited = async (prefer: "margin" | "plausible") =>
    (await explain({ ...question, prefer })).rows[0]!.edits.map((edit) => edit.feature);
  expect(await edited("margin")).toEqual(["x0"]);
  expect(await edited("plausible")).toEqual(["x1"]);
});

test.each<[string, Partial<ExplainInput>]>([
  ["NAME_UNKNOWN", { value: "mean" as "average" }],
  ["OPTION_INVALID", { alternatives: -1 }],
  ["INPUT_SHAPE", { training: fromRows([[1]]) }],
  ["INPUT_SHAPE", { x: undefined as unknown as Matrix }],
  ["NAME_UNKNOWN", { goal: { kind: "every" } as unknown as Goal }],
])("bad input is %s", async (expected, rest) => {
  await expect(explain(input(rest))).rejects.toThrow(code(expected));
});
