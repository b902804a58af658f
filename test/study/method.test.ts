import { expect, test } from "vitest";
import { asModel } from "../../src/model/contract.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { methodOf } from "../../study/method.ts";
import type { Given } from "../../study/options.ts";
import { generated, studyOf } from "../../study/study.ts";

const target = { above: 0.5 };
const first = (rows: Matrix): number[] => Array.from({ length: rows.rows }, (_, i) => rows.data[2 * i]!);
const rows = { chosen: [0], x: fromRows([[0, 0]]), ids: [0] };
const data = dataOf({
  table: {
    source: "three rows",
    table: {
      names: ["a", "b"],
      rows: 3,
      columns: [
        [1, 0, 0.9],
        [0.5, 1.5, 2],
      ],
    },
  },
  schema: plainFeatures("a", "b"),
  options: {},
});
const asking = (options: Given) =>
  studyOf(data, { model: asModel(first), title: "first", digest: "", close: () => {} }, options);

function plainFeatures(...names: readonly string[]): Schema {
  return { features: names.map((name) => ({ name, kind: "numeric" })) };
}

test("choices become what explain takes, and what was not chosen stays unsaid", () => {
  expect(methodOf({}, target)).toEqual({ goal: { kind: "each", target }, seed: 0, budget: {} });
  expect(
    methodOf(
      { coupling: "joint", policy: "minimal", budget: 0, perRow: 2, alternatives: 3, seed: 7 },
      target,
    ),
  ).toEqual({
    goal: { kind: "each", target },
    seed: 7,
    alternatives: 3,
    coupling: "joint",
    policy: "minimal",
    budget: { total: 0, perRow: 2 },
  });
  expect(methodOf({ alternatives: 0 }, target)).not.toHaveProperty("alternatives");
});

test("a share of the effect is asked of the group, by the policy that is named", () => {
  expect(methodOf({ effect: 0.8, policy: "minimal" }, target)).toEqual({
    goal: { kind: "group", level: 0.8 },
    policy: "minimal",
    seed: 0,
    budget: {},
  });
  expect(methodOf({ effect: 0, policy: "greedy" }, target)).toMatchObject({
    goal: { kind: "group", level: 0 },
    policy: "greedy",
  });
});

test("how scores are compared is asked of a group alone", () => {
  expect(methodOf({ effect: 1, divergence: "mmd" }, target).goal).toMatchObject({ divergence: "mmd" });
  expect(() => methodOf({ divergence: "mmd" }, target)).toThrow(/options\.effect/);
});

test("counterfactuals come from the generator; where it finds none, from the rows themselves", async () => {
  const made = await generated(asking({}), rows, {});
  expect(made.references.rows).toBe(2);
  expect(Array.from(made.pairs!)).toEqual([0, 0]);
  const none = await generated(asking({ generator: "knn", target: "score > 5" }), rows, {});
  expect(none).toEqual({ references: data.rows });
  await expect(generated(asking({ generator: "nobody" }), rows, {})).rejects.toMatchObject({
    code: "NAME_UNKNOWN",
  });
});
