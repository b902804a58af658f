import { describe, expect, test } from "vitest";
import { proofSentence } from "../../show/sentences.ts";
import { pshap } from "../../src/attribute/index.ts";
import { divergence } from "../../src/evaluate/index.ts";
import { explain } from "../../src/explain.ts";
import { calibrate } from "../../src/model/calibrate.ts";
import { asModel } from "../../src/model/contract.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { reachOf } from "../../src/model/target.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix, Model, ModelLike, Target } from "../../src/types.ts";

const x = fromRows([
  [0, 0],
  [0, 1],
]);
const references = fromRows([
  [2, 2],
  [3, 1],
]);

/** Scores of half the sum, but for rows whose first cell is 2: what they get is not a score. */
const answering =
  (odd: unknown) =>
  ({ rows, cols, data }: Matrix): number[] =>
    Array.from({ length: rows }, (_, i) =>
      data[i * cols] === 2 ? (odd as number) : (data[i * cols]! + data[i * cols + 1]!) / 2,
    );

const holes = ({ rows }: Matrix): number[] => new Array<number>(rows);

describe("a score that is not a finite number is PREDICT_NAN, never 0", () => {
  const odd: [string, unknown][] = [
    ["null", null],
    ["undefined", undefined],
    ["a text", "0.9"],
    ["an empty text", ""],
    ["true", true],
    ["a list", [0.9]],
    ["Infinity", Number.POSITIVE_INFINITY],
  ];
  const kinds: [string, (answer: (rows: Matrix) => number[]) => ModelLike][] = [
    ["a function", (answer) => answer],
    ["a function that answers later", (answer) => (rows) => Promise.resolve(answer(rows))],
    ["a model", (answer) => ({ outputs: ["score"], predict: answer as never })],
    [
      "a calibrated model",
      (answer) =>
        calibrate({ outputs: ["score"], predict: answer as never }, [
          [0, 0],
          [3, 1],
        ]),
    ],
    [
      "three classes",
      (answer) => ({
        outputs: ["a", "b", "c"],
        predict: ((rows: Matrix, o = 0) => answer(rows).map((s) => (o === 1 ? s : 0.5))) as never,
      }),
    ],
    [
      "two of three classes",
      (answer) => ({
        outputs: ["a", "b", "c"],
        predict: ((rows: Matrix, o = 0) => answer(rows).map((s) => (o === 1 ? s : 0.5))) as never,
      }),
    ],
  ];
  const targets: Record<string, Target> = {
    "three classes": { class: "b" },
    "two of three classes": { class: ["b", "c"] },
  };
  for (const [kind, modelOf] of kinds) {
    test.each(odd)(`${kind}: %s`, async (_, value) => {
      const model = modelOf(answering(value));
      const goal = {
        kind: "each",
        target: targets[kind] ?? { min: 0.9 },
      } as const;
      const { rows } = await explain({ model, x, references, goal, coupling: "match" });
      // (2, ·) has no score; (0, 2) and (3, ·) have.
      for (const { edits, proof } of rows) {
        expect(edits).not.toContainEqual(expect.objectContaining({ to: 2, feature: "x0" }));
        expect(proof?.claim).not.toBe("none exists");
      }
      const known = asModel(model);
      const { model: scored, output } = goalScore(known, reachOf(known, goal.target));
      await expect(pshap(scored, x, fromRows([[2, 2]]), uniform(2, 1), { output })).rejects.toMatchObject({
        code: "PREDICT_NAN",
      });
    });
  }

  test("holes and typed arrays of other numbers", async () => {
    await expect(pshap(holes, x, references, uniform(2, 2))).rejects.toMatchObject({ code: "PREDICT_NAN" });
    const big = ({ rows }: Matrix) => new BigInt64Array(rows) as unknown as number[];
    await expect(pshap(big, x, references, uniform(2, 2))).rejects.toMatchObject({ code: "PREDICT_NAN" });
    const small = ({ rows }: Matrix) => new Float32Array(rows).fill(0.5);
    expect((await pshap(small, x, references, uniform(2, 2))).base[0]).toBe(0.5);
  });

  test("no proof is made of them", async () => {
    const { rows } = await explain({ model: answering(null), x, references: fromRows([[2, 0]]) });
    expect(rows.map(({ status, proof }) => [status, proof?.claim])).toEqual([
      ["model_error", "at least"],
      ["model_error", "at least"],
    ]);
  });
});

function uniform(n: number, m: number) {
  const at = Array.from({ length: n * m }, (_, e) => e);
  return {
    ...{ name: "uniform", n, m, cost: 0, gap: 0, converged: true, iterations: 0 },
    rows: Int32Array.from(at, (e) => Math.floor(e / m)),
    cols: Int32Array.from(at, (e) => e % m),
    mass: new Float64Array(n * m).fill(1 / (n * m)),
  };
}

describe("scores beyond the range of numbers", () => {
  const huge: Model = {
    outputs: ["score"],
    predict: ({ data, rows, cols }) =>
      Float64Array.from({ length: rows }, (_, i) => 1e300 * (data[i * cols]! + data[i * cols + 1]!)),
  };

  test("a divergence of theirs is an error or a number", async () => {
    expect(() => divergence("transport", [0], [1e300])).toThrow(
      expect.objectContaining({ code: "PREDICT_OVERFLOW" }),
    );
    expect(divergence("w1", [0], [1e300])).toBe(1e300);
    const goal = { kind: "group", divergence: "transport" } as const;
    await expect(explain({ model: huge, x, references, goal })).rejects.toMatchObject({
      code: "PREDICT_OVERFLOW",
    });
    const { effect, rows } = await explain({ model: huge, x, references, goal: { kind: "group" } });
    expect(effect.before).toBeGreaterThan(1e299);
    expect(rows.every(({ valid }) => valid)).toBe(true);
  });

  test("φ are finite or an error", async () => {
    const wide = ({ data, rows }: Matrix): number[] =>
      Array.from({ length: rows }, (_, i) => (data[2 * i]! > 1 ? -1.5e308 : 1.5e308));
    await expect(pshap(wide, x, references, uniform(2, 2))).rejects.toMatchObject({
      code: "PREDICT_OVERFLOW",
    });
    const { values } = await pshap(huge, x, references, uniform(2, 2));
    expect(values.data.every(Number.isFinite)).toBe(true);
  });

  test("all rows count whose three scores are numbers, whatever their sum", async () => {
    const model: Model = {
      outputs: ["score"],
      predict: ({ data, rows }) =>
        Float64Array.from({ length: rows }, (_, i) => 1e308 + 1e307 * data[2 * i]!),
    };
    const goal = { kind: "each", target: { min: 1.15e308 } } as const;
    const { effect } = await explain({ model, x, references, goal, coupling: "match" });
    expect(effect.before).toBeGreaterThan(1e307);
  });
});

describe("what a proof over a proposal says", () => {
  test("an average is not a reference, and not none of them", async () => {
    const model = ({ data, rows }: Matrix): number[] =>
      Array.from({ length: rows }, (_, i) => Math.min(data[2 * i]!, data[2 * i + 1]!));
    const goal = { kind: "each", target: { min: 1 } } as const;
    const asked = { model, x: fromRows([[0, 0]]), references, goal, coupling: "uniform" } as const;
    const { rows } = await explain({ ...asked, value: "average" });
    expect(rows[0]!.proof).toEqual({ claim: "optimal", edits: 2, scope: "references" });
    expect(proofSentence(rows[0]!.proof!)).toBe(
      "no plan with fewer edits exists that takes its values from the row's counterfactual",
    );
  });

  test("a capped reference is not searched whole, so nothing is said of it", async () => {
    const model = ({ data, rows }: Matrix): number[] =>
      Array.from({ length: rows }, (_, i) => Math.min(data[2 * i]!, data[2 * i + 1]!));
    const goal = { kind: "each", target: { min: 1 } } as const;
    const asked = { model, x: fromRows([[0, 0]]), references, goal } as const;
    const { rows } = await explain({ ...asked, coupling: "joint", capped: true });
    expect(rows[0]!.proof).toEqual({ claim: "optimal", edits: 2, scope: "references" });
    expect(rows[0]!.reference).not.toBeNull();
  });
});
