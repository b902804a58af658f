import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { plainSchema } from "../../src/data/schema.ts";
import { asModel } from "../../src/model/contract.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { methodOf, referencesFor } from "../../src/run/choices.ts";
import type { Matrix } from "../../src/types.ts";

const target = { above: 0.5 };
const first = (rows: Matrix): number[] => Array.from({ length: rows.rows }, (_, i) => rows.data[2 * i]!);
const x = fromRows([[0, 0]]);
const references = fromRows([
  [1, 0],
  [0, 1],
  [0.9, 2],
]);
const constraints = compileConstraints(plainSchema(2));

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

test("counterfactuals come from the generator; where it finds none, from the rows themselves", async () => {
  const task = { model: asModel(first), x, references, constraints, target };
  const made = await referencesFor(task, {}, {});
  expect(made.references.rows).toBe(2);
  expect(Array.from(made.pairs!)).toEqual([0, 0]);
  const none = await referencesFor({ ...task, target: { above: 5 } }, { generator: "knn" }, {});
  expect(none).toEqual({ references });
  await expect(referencesFor(task, { generator: "nobody" }, {})).rejects.toMatchObject({
    code: "NAME_UNKNOWN",
  });
});
