import { describe, expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Feature, Model, Trees } from "../../src/types.ts";

/** Σ_k weight_k · [z_k ≥ 0.5]: one stump per column, scores as they are. */
function stumps(weights: readonly number[]): Model {
  const nodes = 3 * weights.length;
  const feature = Int32Array.from({ length: nodes }, (_, v) => (v % 3 === 0 ? v / 3 : -1));
  const trees: Trees = {
    kind: "trees",
    base: 0,
    link: "identity",
    roots: Int32Array.from(weights, (_, k) => 3 * k),
    feature,
    threshold: new Float64Array(nodes).fill(0.5),
    left: feature.map((k, v) => (k < 0 ? 0 : v + 1)),
    right: feature.map((k, v) => (k < 0 ? 0 : v + 2)),
    value: Float64Array.from({ length: nodes }, (_, v) => (v % 3 === 2 ? weights[(v - 2) / 3]! : 0)),
    flags: new Uint8Array(nodes),
    inclusive: false,
    float32: false,
    kernels: treeKernels,
  };
  return treeModel({ name: "forest", outputs: ["score"], cols: weights.length, forests: [trees] });
}

function numeric(count: number, costs: readonly number[] = []): Feature[] {
  return Array.from({ length: count }, (_, k) => ({
    name: `f${k}`,
    kind: "numeric",
    ...(costs[k] === undefined ? {} : { cost: costs[k] }),
  }));
}

const constant = (count: number, value: number): number[] => new Array<number>(count).fill(value);

describe("only a legal plan stands in the way of others", () => {
  const rules = Array.from({ length: 10 }, (_, k) => `f${k} != 1`);
  const features = numeric(16);
  const x = fromRows([constant(16, 0)]);
  // Every mixture with the near reference breaks a rule; the far one differs in more players than a cube holds.
  const references = fromRows([[...constant(10, 1), ...constant(6, 0)], constant(16, 2)]);
  const goal = { kind: "each", target: { min: 3.5 } } as const;

  const asked = {
    ...{ model: stumps(constant(16, 1)), x, references, goal, schema: { features, rules } },
    // One unit is as far in every column.
    training: fromRows([constant(16, 0), constant(16, 2)]),
  };

  test.each(["margin", "near"] as const)("with the preference %s", async (prefer) => {
    const { rows } = await explain({ ...asked, values: "reference", prefer });
    expect(rows[0]!.edits).toHaveLength(4);
    expect(rows[0]).toMatchObject({ valid: true, proof: { claim: "optimal", edits: 4 } });
  });

  test("a row with a plan within its budget is not called one without", async () => {
    const { rows } = await explain({ ...asked, values: "reference", budget: { perRow: 4 } });
    expect(rows[0]).toMatchObject({ status: "ok", valid: true, reference: 1 });
  });

  test("a set on which the model fails does not either", async () => {
    const plain = stumps(constant(16, 1));
    // The preferred four edits (nearest, and most at the target) are the ones the model has no answer for.
    const model: Model = {
      ...plain,
      predict: (rows, output) =>
        (plain.predict(rows, output) as Float64Array).map((score, i) =>
          rows.data.subarray(16 * i, 16 * i + 4).every((v) => v === 1) && score === 4 ? Number.NaN : score,
        ),
    };
    const { rows } = await explain({
      ...{ model, x, goal, prefer: "near" },
      references: fromRows([[...constant(4, 1), ...constant(12, 2)]]),
      schema: { features },
    });
    expect(rows[0]).toMatchObject({ status: "ok", valid: true });
    expect(rows[0]!.edits).toHaveLength(4);
  });
});

describe("the least cost says nothing of the number of edits", () => {
  const features = numeric(3, [10, 1, 1]);
  const x = fromRows([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  const references = fromRows([[1, 1, 1]]);
  const goal = { kind: "each", target: { min: 2 } } as const;

  test("a row the total budget leaves out", async () => {
    const { rows } = await explain({
      ...{ model: stumps([2, 1, 1]), x, references, goal, objective: "cost", budget: { total: 2 } },
      schema: { features },
    });
    expect(rows.map(({ status }) => status).sort()).toEqual(["budget", "ok"]);
    for (const row of rows) {
      // The one edit of f0 reaches the target too, at ten times the cost.
      if (row.status === "ok") expect(row.proof).toMatchObject({ claim: "optimal", least: "cost", edits: 2 });
      else expect(row.proof).toMatchObject({ claim: "at least", edits: 1 });
      if (row.status !== "ok") expect(row.proof).not.toHaveProperty("least");
    }
  });

  test.each(["forest", "black box"])("a search that ran out of effort: %s", async (kind) => {
    // Seven cheap edits reach the target for less than the dear one does, beyond what the effort allows to see.
    const inside = stumps([2, ...constant(15, 0.3)]);
    const model: Model = kind === "forest" ? inside : { outputs: inside.outputs, predict: inside.predict };
    const { rows } = await explain({
      ...{ model, goal, objective: "cost", values: "reference", effort: kind === "forest" ? 1 : 200 },
      x: fromRows([constant(16, 0)]),
      references: fromRows([constant(16, 1)]),
      schema: { features: numeric(16, [10, ...constant(15, 1)]) },
    });
    expect(rows[0]!.valid).toBe(true);
    expect(rows[0]!.edits).toHaveLength(1);
    expect(rows[0]!.proof).toMatchObject({ claim: "at least", edits: 1, scope: "references" });
  });
});

describe("one edit is the fewest for any legal values", () => {
  const goal = { kind: "each", target: { min: 2 } } as const;
  const x = fromRows([[0, 0, 0]]);
  const references = fromRows([[1, 1, 1]]);
  const inside = stumps([2, 1, 1]);
  const box: Model = { outputs: inside.outputs, predict: inside.predict };

  test.each([
    ["a forest", inside],
    ["a black box", box],
  ])("%s", async (_, model) => {
    const { rows } = await explain({
      ...{ model, x, references, goal, values: "reference" },
      schema: { features: numeric(3) },
    });
    expect(rows[0]!.proof).toEqual({ claim: "optimal", edits: 1, scope: "model" });
  });

  test("also where the effort ran out", async () => {
    const { rows } = await explain({
      ...{ model: box, x, references, goal, effort: 1 },
      schema: { features: numeric(3) },
    });
    expect(rows[0]!.edits).toHaveLength(1);
    expect(rows[0]!.proof).toEqual({ claim: "optimal", edits: 1, scope: "model" });
  });

  test("the least cost only where no edit is cheaper", async () => {
    const asked = {
      model: stumps([2, 1, 1]),
      x,
      references,
      goal,
      objective: "cost",
      values: "reference",
    } as const;
    const dear = await explain({ ...asked, schema: { features: numeric(3, [1.5, 1, 1]) } });
    expect(dear.rows[0]!.proof).toEqual({
      ...{ claim: "optimal", edits: 1, least: "cost", scope: "references", references: [0] },
    });
    const cheap = await explain({ ...asked, schema: { features: numeric(3, [1, 1.5, 1]) } });
    expect(cheap.rows[0]!.proof).toEqual({ claim: "optimal", edits: 1, least: "cost", scope: "model" });
  });
});
