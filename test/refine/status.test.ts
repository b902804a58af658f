import { describe, expect, test } from "vitest";
import { fromRows, matrix, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { type RefineOptions, refine } from "../../src/refine/index.ts";
import type { Goal, Matrix } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { spreadsFailure } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import { arbitrary, forest, linear, smallRows } from "./cases.ts";
import type { Refine } from "./laws.ts";

const each: Goal = { kind: "each", target: { above: 0.5 } };
const group: Goal = { kind: "group", divergence: "mean" };
const policies = ["sample", "top", "greedy", "minimal"] as const;
const mean = (rows: Matrix): Float64Array =>
  Float64Array.from(toRows(rows), (row) => row.reduce((a, b) => a + b, 0) / row.length);

function ones(rows: number, cols: number): Matrix {
  return matrix(rows, cols, new Float64Array(rows * cols).fill(1));
}

function base(rows: number, cols: number, more: Partial<RefineOptions> = {}): RefineOptions {
  return {
    model: mean,
    x: matrix(rows, cols),
    q: ones(rows, cols),
    attribution: ones(rows, cols),
    goal: each,
    ...more,
  };
}

describe("what is not an error", () => {
  test.each(policies)("x at the goal: ok with no edits (%s)", async (policy) => {
    const { rows, plan } = await refine(base(2, 3, { policy, x: ones(2, 3), q: matrix(2, 3) }));
    for (const row of rows) expect(row).toMatchObject({ status: "ok", edits: [], valid: true, distance: 0 });
    expect(plan.every((c) => c === 0)).toBe(true);
    if (policy === "minimal") expect(rows[0]!.proof).toEqual({ claim: "optimal", edits: 0, scope: "model" });
  });

  test("q not at the goal: mixtures are still searched", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), ([a, b]) => Number(a !== b));
    const { rows } = await refine(base(1, 2, { model }));
    expect(rows[0]).toMatchObject({ status: "ok", edits: [0] });
  });

  test.each(policies)("q not at the goal and no mixture either: infeasible (%s)", async (policy) => {
    const { rows, z, x } = {
      ...(await refine(base(1, 3, { policy, model: () => [0.2] as never, goal: each }))),
      x: 0,
    };
    expect(rows[0]).toMatchObject({ status: "infeasible", valid: false, edits: [] });
    expect([...z.data]).toEqual([x, x, x]);
  });

  test.each(policies)("a constant model (%s)", async (policy) => {
    const model = (rows: Matrix): Float64Array => new Float64Array(rows.rows).fill(0.3);
    const { rows } = await refine(base(3, 4, { policy, model }));
    for (const row of rows)
      expect(row).toMatchObject({ status: "infeasible", edits: [], before: 0.3, after: 0.3 });
    const all = await refine(base(3, 4, { policy, model, goal: group }));
    expect(all.reached).toMatchObject({ C: 0, D: 0, effect: null, goal: true });
  });

  test.each(policies)("x = q, missing values included (%s)", async (policy) => {
    const x = fromRows([[0, Number.NaN, 2]]);
    const { rows, order } = await refine(base(1, 3, { policy, model: () => [0.1] as never, x, q: x }));
    expect(rows[0]).toMatchObject({ status: "infeasible", edits: [] });
    expect(order).toHaveLength(0);
  });

  test.each([0, 1, 2, 25, 200])("%i differing features", async (k) => {
    const cols = Math.max(1, k);
    const random = stream(k, "wide");
    const x = smallRows(random, 1, cols);
    const q = fromRows([Array.from(x.data, (v) => (k === 0 ? v : v + 1))]);
    for (const model of [arbitrary(k), linear(random, cols), forest(random, cols, 10, 4)]) {
      for (const policy of policies) {
        const { rows } = await refine({ ...base(1, cols), x, q, model, policy });
        expect(["ok", "infeasible", "budget"]).toContain(rows[0]!.status);
        expect(rows[0]!.status === "ok").toBe(rows[0]!.valid);
        if (policy === "minimal") expect(rows[0]!.proof).toBeDefined();
      }
    }
  });

  test("200 features of which 120 are needed", async () => {
    const { rows } = await refine(
      base(1, 200, { goal: { kind: "each", target: { min: 0.6 } }, effort: 300 }),
    );
    expect(rows[0]).toMatchObject({
      status: "ok",
      proof: { claim: "at least", edits: 2, scope: "references" },
    });
    expect(rows[0]!.edits).toHaveLength(120);
  });

  test.each(policies)("a budget larger than n·d, and one of nothing (%s)", async (policy) => {
    const rich = await refine(base(2, 3, { policy, budget: { total: 1000, perRow: 1000 } }));
    expect(rich.rows.every((row) => row.status === "ok")).toBe(true);
    const poor = await refine(base(2, 3, { policy, budget: { total: 0 } }));
    for (const row of poor.rows) expect(row).toMatchObject({ status: "budget", edits: [], valid: false });
  });

  test("a row that needs more than its budget says how many", async () => {
    const { rows } = await refine(base(1, 4, { budget: { perRow: 2 } }));
    expect(rows[0]).toMatchObject({ status: "budget", proof: { claim: "at least", edits: 3 } });
  });

  test("a total budget brings most rows to the target", async () => {
    const x = fromRows([
      [0, 0, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 1, 1],
      [0, 1, 0, 0],
    ]);
    const { rows, reached } = await refine(base(4, 4, { x, budget: { total: 3 } }));
    expect(rows.map((row) => [row.status, row.edits.length])).toEqual([
      ["budget", 0],
      ["ok", 1],
      ["ok", 0],
      ["ok", 2],
    ]);
    expect(reached).toMatchObject({ C: 3, D: 0.25, goal: false });
  });
});

/** A model that breaks on one value; rows without it keep their plans. */
async function failuresStayAlone(impl: Refine, fail: () => number): Promise<void> {
  const model = (rows: Matrix): Float64Array =>
    Float64Array.from(toRows(rows), (row) =>
      row[0] === 13 ? fail() : row.reduce((a, b) => a + b, 0) / row.length,
    );
  for (const policy of policies) {
    const ids = [1, 2, 3, 4, 5, 6];
    const healthy = await refine(base(6, 3, { policy, ids }));
    const x = matrix(6, 3);
    x.data[3] = 13;
    const q = ones(6, 3);
    q.data[3] = 13;
    const { rows } = await impl(base(6, 3, { policy, ids, model, x, q }));
    rows.forEach((row, i) => {
      if (i === 1) expect(row).toMatchObject({ status: "model_error", edits: [], valid: false });
      else expect(row).toMatchObject({ status: "ok", edits: healthy.rows[i]!.edits });
    });
  }
}

describe("one failing row never takes the others with it", () => {
  const throws = (): number => {
    throw new Error("no");
  };
  test("the model throws", () => failuresStayAlone(refine, throws));
  test("the model returns NaN", () => failuresStayAlone(refine, () => Number.NaN));
  test("kills a failure that spreads", () => refuses(() => failuresStayAlone(spreadsFailure, throws)));

  test("a mixture the model fails on weakens the proof, not the plan", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), ([a, b, c]) => {
        if (a === 1 && b === 0 && c === 0) throw new Error("no");
        return (a! + b! + c!) / 3;
      });
    const { rows } = await refine(base(1, 3, { model }));
    expect(rows[0]).toMatchObject({ status: "ok", proof: { claim: "at least", edits: 1 } });
    expect(rows[0]!.edits).toHaveLength(2);
    expect(rows[0]!.reason).toContain("no");
  });

  test("a group goes on without the rows that fail; with none left it throws", async () => {
    const model = (rows: Matrix): Float64Array =>
      mean(rows).map((s, i) => (toRows(rows)[i]![0] === 13 ? Number.NaN : s));
    const x = matrix(4, 3);
    x.data[0] = 13;
    const { rows, reached } = await refine(
      base(4, 3, { model, x, goal: { ...group, desired: [1] }, policy: "top" }),
    );
    expect(rows[0]!.status).toBe("model_error");
    expect(reached).toMatchObject({ D: 0, goal: true });
    const broken = refine(
      base(2, 2, { model: () => Float64Array.of(Number.NaN), goal: group, policy: "top" }),
    );
    await expect(broken).rejects.toMatchObject({ code: "PREDICT_NAN" });
  });
});

describe("limits and aborts", () => {
  test.each(policies)("model rows run out: partial, and the limit is kept (%s)", async (policy) => {
    for (const modelRows of [0, 5, 12, 20, 40]) {
      let asked = 0;
      const model = (rows: Matrix): Float64Array => {
        asked += rows.rows;
        return mean(rows);
      };
      const { rows, evaluations } = await refine(base(4, 5, { policy, model, limits: { modelRows } }));
      expect(asked).toBeLessThanOrEqual(modelRows);
      expect(evaluations).toBe(asked);
      for (const row of rows) expect(["ok", "budget"]).toContain(row.status);
      if (modelRows === 0) for (const row of rows) expect(row).toMatchObject({ status: "budget", edits: [] });
    }
  });

  test.each([...policies])(
    "a model that never settles leaves rows with the status budget (%s)",
    async (policy) => {
      const model = (): Promise<Float64Array> => new Promise(() => {});
      const { rows } = await refine(base(2, 2, { policy, model, limits: { timeMs: 30 } }));
      for (const row of rows) expect(row).toMatchObject({ status: "budget", edits: [], valid: false });
    },
  );

  test("the model stops answering: rows finished before keep their plans", async () => {
    // Only the wait for an answer ends the time: the work before it may take as long as it likes.
    slowClock(0);
    let calls = 0;
    const model = (rows: Matrix): Float64Array | Promise<Float64Array> =>
      calls++ < 2 ? mean(rows) : new Promise(() => {});
    const x = fromRows([
      [1, 1, 1, 1],
      [0, 0, 0, 0],
    ]);
    const { rows } = await refine(base(2, 4, { model, x, limits: { timeMs: 30 } }));
    expect(rows[0]).toMatchObject({ status: "ok", valid: true });
    expect(rows[1]).toMatchObject({ status: "budget", edits: [], proof: { claim: "at least", edits: 2 } });
  });

  test.each(policies)("an abort stops the work and says what was done (%s)", async (policy) => {
    const control = new AbortController();
    let calls = 0;
    const model = async (rows: Matrix): Promise<Float64Array> => {
      if (++calls === 2) control.abort(new Error("enough"));
      await new Promise((resolve) => setTimeout(resolve, 0));
      return mean(rows);
    };
    const run = refine(base(3, 12, { policy, model, signal: control.signal }));
    await expect(run).rejects.toMatchObject({ code: "ABORTED", details: { total: 3 } });
    expect(calls).toBeLessThanOrEqual(3);
  });

  test("an abort is heard inside branch and bound", async () => {
    slowClock();
    const model = forest(stream(8, "abort"), 30, 60, 6);
    const [x, q] = [matrix(1, 30), matrix(1, 30, new Float64Array(30).fill(3))];
    const control = new AbortController();
    const goal: Goal = { kind: "each", target: { above: 0.85 } };
    const onProgress = (): void => control.abort();
    const run = refine({ model, x, q, goal, signal: control.signal, onProgress });
    await expect(run).rejects.toMatchObject({ code: "ABORTED", details: { done: 0, total: 1 } });
  });
});

describe("errors", () => {
  const wrong: [string, Partial<RefineOptions>, string][] = [
    ["a negative budget", { budget: { total: -1 } }, "BUDGET_INVALID"],
    ["a fractional budget", { budget: { perRow: 1.5 } }, "BUDGET_INVALID"],
    ["a budget that is not a number", { budget: { total: Number.NaN } }, "BUDGET_INVALID"],
    ["an unknown policy", { policy: "best" }, "NAME_UNKNOWN"],
    ["an inherited name", { policy: "toString" }, "NAME_UNKNOWN"],
    ["an unknown preference", { prefer: "nice" as never }, "NAME_UNKNOWN"],
    ["an unknown objective", { objective: "fun" as never }, "NAME_UNKNOWN"],
    ["an unknown divergence", { goal: { kind: "group", divergence: "kl" as never } }, "NAME_UNKNOWN"],
    ["an unknown stop", { stop: "never" as never }, "OPTION_INVALID"],
    ["a level above one", { goal: { kind: "group", level: 1.1 } }, "OPTION_INVALID"],
    ["a negative margin", { minMargin: -0.1 }, "OPTION_INVALID"],
    ["a negative distance", { maxDistance: -1 }, "OPTION_INVALID"],
    ["no effort", { effort: 0 }, "OPTION_INVALID"],
    ["negative costs", { objective: "cost", costs: [1, -1] }, "OPTION_INVALID"],
    ["too few costs", { objective: "cost", costs: [1] }, "OPTION_INVALID"],
    ["y* that is not finite", { goal: { kind: "group", desired: [Number.NaN] } }, "OPTION_INVALID"],
    ["an optimum nobody knows", { goal: { kind: "group", divergence: "w1" } }, "OPTION_INVALID"],
    ["no rows", { x: matrix(0, 2) }, "INPUT_EMPTY"],
    ["other columns in q", { q: matrix(2, 3) }, "INPUT_SHAPE"],
    ["another number of rows in q", { q: matrix(3, 2) }, "INPUT_SHAPE"],
    ["an attribution of another shape", { attribution: matrix(2, 3) }, "INPUT_SHAPE"],
    ["flags of another shape", { allowed: [1] }, "INPUT_SHAPE"],
    ["too few ids", { ids: ["a"] }, "INPUT_SHAPE"],
    [
      "an infinite cell",
      {
        x: fromRows([
          [Number.POSITIVE_INFINITY, 0],
          [0, 0],
        ]),
      },
      "INPUT_NOT_FINITE",
    ],
    [
      "an attribution that is NaN",
      {
        attribution: fromRows([
          [Number.NaN, 0],
          [0, 0],
        ]),
      },
      "INPUT_NOT_FINITE",
    ],
    ["a column in two groups", { groups: [[0], [0, 1]] }, "OPTION_INVALID"],
    ["an unknown class", { goal: { kind: "each", target: { class: "perhaps" } } }, "TARGET_INVALID"],
  ];
  test.each(wrong)("%s", async (_, options, code) => {
    await expect(refine({ ...base(2, 2), policy: "minimal", ...options })).rejects.toMatchObject({ code });
  });

  test.each(["sample", "top", "greedy"])("%s asks for an attribution", async (policy) => {
    const { attribution: _, ...bare } = base(2, 2);
    await expect(refine({ ...bare, policy })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
