import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/pshap.ts";
import { average } from "../../src/compose/average.ts";
import { likeliest } from "../../src/couple/likeliest.ts";
import { conditionals } from "../../src/couple/rows.ts";
import { explain } from "../../src/explain.ts";
import { joint } from "../../src/match/joint.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/refine.ts";
import type { Coupling, Matrix, Model } from "../../src/types.ts";

/** A model told by what it says of one row. */
const by =
  (score: (...cells: number[]) => number) =>
  (rows: Matrix): number[] =>
    Array.from({ length: rows.rows }, (_, i) =>
      score(...rows.data.subarray(i * rows.cols, (i + 1) * rows.cols)),
    );
const names = (row: { edits: readonly { feature: string }[] }): string[] => row.edits.map((e) => e.feature);

describe("units do not matter", () => {
  test("a largest distance holds however small it is", async () => {
    const ask = (maxDistance: number) =>
      explain({
        model: by((a) => Number(a > 0)),
        x: fromRows([[0, 0]]),
        references: fromRows([[2e-5, 1]]),
        training: fromRows([
          [0, 0],
          [2, 0],
        ]),
        maxDistance,
      });
    expect((await ask(1e-6)).rows[0]).toMatchObject({ status: "infeasible", edits: [] });
    const { distance, status } = (await ask(2e-5)).rows[0]!;
    expect(status).toBe("ok");
    expect(distance.z).toBeLessThanOrEqual(2e-5 * (1 + 1e-12));
  });

  test("the cheapest plan is the cheapest however small costs are", async () => {
    for (const unit of [1, 1e-10, 1e10]) {
      const e = await explain({
        model: by((a, b) => Number(a + b > 0.5)),
        x: fromRows([[0, 0]]),
        references: fromRows([[1, 1]]),
        objective: "cost",
        schema: {
          features: [
            { name: "a", kind: "numeric", cost: 4 * unit },
            { name: "b", kind: "numeric", cost: unit },
          ],
        },
      });
      expect(names(e.rows[0]!)).toEqual(["b"]);
    }
  });

  test.each([1e-60, 1, 1e60])(
    "of two plans the one with the larger margin is not taken for ten times the cost of %d",
    async (unit) => {
      const e = await explain({
        model: by((a, b, c) => c * Math.max(2 * a, b)),
        x: fromRows([[0, 0, 0]]),
        references: fromRows([
          [1, 0, 1],
          [0, 1, 1],
        ]),
        objective: "cost",
        schema: {
          features: [
            { name: "a", kind: "numeric", cost: 10 * unit },
            { name: "b", kind: "numeric", cost: unit },
            { name: "c", kind: "numeric", cost: unit },
          ],
        },
      });
      expect(names(e.rows[0]!)).toEqual(["b", "c"]);
      expect(e.rows[0]!.proof).toMatchObject({ claim: "optimal", least: "cost" });
    },
  );

  test.each([
    [1, "at least"],
    [2, "optimal"],
  ])("a plan is not called cheapest where more than %d edits might cost less: %s", async (perRow, claim) => {
    const e = await explain({
      model: by((a, b, c) => Number(a + b / 2 + c / 2 >= 1)),
      x: fromRows([[0, 0, 0]]),
      references: fromRows([[1, 1, 1]]),
      objective: "cost",
      budget: { perRow },
      schema: {
        features: [
          { name: "a", kind: "numeric", cost: 10 },
          { name: "b", kind: "numeric", cost: 1 },
          { name: "c", kind: "numeric", cost: 1 },
        ],
      },
    });
    expect(e.rows[0]).toMatchObject({ status: "ok", proof: { claim } });
  });

  test.each(["top", "greedy"])(
    "%s: a row of huge attributions does not change another's plan",
    async (policy) => {
      const model = by((a, b, c, d) => Number(a > 0 && b > 0) * 1e-3 + Number(c > 0) * 1.2e-3 + d);
      const shared = { model, policy, goal: { kind: "each", target: { above: 0.0009, below: 1 } } } as const;
      const alone = await explain({
        ...shared,
        x: fromRows([[0, 0, 0, 0]]),
        references: fromRows([[1, 1, 1, 0]]),
        pairs: [0],
      });
      const together = await explain({
        ...shared,
        x: fromRows([
          [0, 0, 0, 0],
          [0, 0, 0, -1e12],
        ]),
        references: fromRows([
          [1, 1, 1, 0],
          [0, 0, 0, 0.5],
        ]),
        pairs: [0, 1],
      });
      expect(names(together.rows[0]!)).toEqual(names(alone.rows[0]!));
      expect(together.method.dependsOnGroup).toBe(false);
    },
  );

  test("the joint bound is no more than the value, also for scores that are not probabilities", async () => {
    const f = by((a, b, c, d, e) => a! + b! + c! + d! - 10 * e!);
    const model: Model = {
      outputs: ["no", "yes"],
      predict: (rows, output = 1) => Float64Array.from(f(rows), (v) => (output === 1 ? v : -v)),
    };
    const found = await joint(model, fromRows([[0, 0, 0, 0, 0]]), fromRows([[1, 1, 1, 1, 1]]), {
      goal: { kind: "group", divergence: "mean", desired: [4] },
      cap: "none",
    });
    expect(found.reached).toBe(true);
    expect(found.bound).toBeLessThanOrEqual(found.value);
  });
});

describe("a group", () => {
  const random = stream(5, "group");
  const model = by((...cells) => 1 / (1 + Math.exp(1 - cells.reduce((s, v, k) => s + (k - 1.7) * v, 0))));
  const rows = (count: number): Matrix =>
    fromRows(Array.from({ length: count }, () => Array.from({ length: 5 }, () => 2 * random.next())));

  test("minimal reaches all of the effect where y* is f(q)", async () => {
    for (let t = 0; t < 12; t++) {
      const [x, q] = [rows(8), rows(8)];
      const goal = { kind: "group", divergence: "mean" } as const;
      const { reached } = await refine({ model, x, q, goal, policy: "minimal" });
      expect(reached.goal).toBe(true);
    }
  });

  test("a plan that misses its level is never farther from y* than x", async () => {
    for (let t = 0; t < 12; t++) {
      const [x, q] = [rows(6), rows(6)];
      const goal = { kind: "group", desired: [0.99] } as const;
      const { reached, curve } = await refine({ model, x, q, goal, policy: "greedy", attribution: rows(6) });
      expect(reached.D).toBeLessThanOrEqual(curve[0]!.D);
    }
  });

  test("joint chooses an optimum, and it is refined as one where that is known", async () => {
    const [x, references] = [rows(5), rows(5)];
    const ask = (divergence: "mean" | "w1") =>
      explain({ model, x, references, coupling: "joint", goal: { kind: "group", divergence, level: 0.8 } });
    expect((await ask("mean")).method.policy).toBe("minimal");
    expect((await ask("w1")).method.policy).toBe("greedy");
  });
});

describe("what is said is so", () => {
  test("an entry without mass is not a partner", async () => {
    const coupling: Coupling = {
      name: "own",
      n: 2,
      m: 1,
      rows: Int32Array.of(0, 1),
      cols: Int32Array.of(0, 0),
      mass: Float64Array.of(1, 0),
      cost: 0,
      gap: 0,
      converged: true,
      iterations: 0,
    };
    expect(Array.from(conditionals(coupling).start)).toEqual([0, 1, 1]);
    expect(Array.from(likeliest(coupling))).toEqual([0, -1]);
    expect(() => average(coupling, fromRows([[0.1]]))).toThrow(/no mass/);
    const phi = await pshap(
      by((a) => a!),
      fromRows([[0.9], [0.3]]),
      fromRows([[0.1]]),
      coupling,
    );
    expect(phi.values.data[1]).toBe(0);
    expect(phi.base[1]).toBe(0.3);
  });

  test("no alternative is the plan or holds another", async () => {
    for (const policy of ["greedy", "top", "sample", "minimal"]) {
      const e = await explain({
        model: by((a, b, c) => 0.1 + 0.6 * a! + 0.55 * b! + 0.5 * c!),
        x: fromRows([[0, 0, 0]]),
        references: fromRows([[1, 1, 1]]),
        policy,
        prefer: "near",
        alternatives: 4,
      });
      const plans = [
        names(e.rows[0]!),
        ...e.rows[0]!.alternatives.map(({ edits }) => edits.map((x) => x.feature)),
      ];
      expect(plans.length).toBeGreaterThan(1);
      plans.forEach((plan, a) => {
        plans.forEach((other, b) => {
          if (a !== b) expect(plan.every((name) => other.includes(name))).toBe(false);
        });
      });
    }
  });

  test("a budget that is spent past the target says so", async () => {
    const { rows } = await refine({
      model: by((a) => a!),
      x: fromRows([[0.9]]),
      q: fromRows([[0.1]]),
      goal: { kind: "each", target: { above: 0.5 } },
      policy: "top",
      attribution: fromRows([[1]]),
      stop: "budget",
    });
    expect(rows[0]).toMatchObject({ status: "budget", valid: false });
    expect(rows[0]!.reason).toMatch(/spent past the target, which 0 edits reach/);
  });

  test("a row the total budget leaves out has no plan that is optimal", async () => {
    const e = await explain({
      model: by((a) => a!),
      x: fromRows([[0], [0.1]]),
      references: fromRows([[1]]),
      budget: { total: 1 },
    });
    const left = e.rows.find((row) => row.status === "budget")!;
    expect(left.proof).toMatchObject({ claim: "at least", edits: 1 });
  });

  test("a proof names no reference where values are averages", async () => {
    const e = await explain({
      model: by((a) => a!),
      x: fromRows([[0]]),
      references: fromRows([[1], [0.8]]),
      coupling: "uniform",
      value: "average",
    });
    expect(e.rows[0]).toMatchObject({ status: "ok", reference: null });
    expect(e.rows[0]!.proof).not.toHaveProperty("references");
  });

  test("an effect of rounding is none", async () => {
    const { curve } = await refine({
      model: by((a) => a!),
      x: fromRows([[0.1], [0.2], [0.4]]),
      q: fromRows([[1], [1], [1]]),
      goal: { kind: "group", divergence: "mmd", desired: [0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4] },
      policy: "top",
      attribution: fromRows([[1], [1], [1]]),
      stop: "budget",
    });
    expect(curve.every(({ effect }) => effect === null)).toBe(true);
  });
});

describe("a word that is not known is refused, not passed over", () => {
  const ask = (rest: object) =>
    explain({ model: by((a) => a!), x: fromRows([[0]]), references: fromRows([[1]]), ...rest });
  test.each([
    ["budget", { budget: { perrow: 0 } }],
    ["limits", { limits: { timeMS: 50 } }],
    ["attribution", { attribution: { foo: 1 } }],
    ["goal", { goal: { kind: "each", target: {}, minmargin: 1 } }],
    ["group goal", { goal: { kind: "group", levels: 1 } }],
    ["what it looks at", { goal: { kind: "group", on: "labels" } }],
    ["target", { goal: { kind: "each", target: { abov: 0.9 } } }],
    ["schema", { schema: { features: [{ name: "a", kind: "numeric" }], rule: ["a < 1"] } }],
    ["feature", { schema: { features: [{ name: "a", kind: "numeric", immutible: true }] } }],
    ["two targets", { goal: { kind: "each", target: { class: 1, above: 0.9 } } }],
  ])("%s", async (_, rest) => {
    await expect(ask(rest)).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
  });

  test.each([
    ["OPTION_INVALID", { limits: { modelRows: Number.NaN } }],
    ["OPTION_INVALID", { limits: { timeMs: -1 } }],
    ["OPTION_INVALID", { goal: { kind: "group", on: "label", threshold: Number.NaN } }],
    ["OPTION_INVALID", { goal: { kind: "each", target: { class: 1, threshold: Number.NaN } } }],
    ["TARGET_INVALID", { goal: { kind: "each", target: { class: [0, 1] } } }],
    ["TARGET_INVALID", { goal: { kind: "each", target: { class: [0, "granted"] } } }],
    ["TARGET_INVALID", { goal: { kind: "each", target: { above: 0.5, below: 0.5 } } }],
    ["TARGET_INVALID", { goal: { kind: "each", target: { above: 0.5, max: 0.5 } } }],
  ])("%s: %j", async (code, rest) => {
    await expect(ask(rest)).rejects.toMatchObject({ code });
  });
});
