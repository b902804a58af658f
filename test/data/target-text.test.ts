import { expect, test } from "vitest";
import { parseTarget, withConstraints } from "../../src/data/index.ts";
import type { Schema } from "../../src/types.ts";

test.each([
  ["granted", { class: "granted" }],
  ["not refused", { class: "refused", not: true }],
  ["refused or granted", { class: ["refused", "granted"] }],
  ["not sure", { class: "not sure" }],
  ["score <= 0.04", { max: 0.04 }],
  ["score>0.5", { above: 0.5 }],
  ["score < -1e-3", { below: -0.001 }],
  ["score in [0.2, 0.4]", { min: 0.2, max: 0.4 }],
  [" 0.2 <= score < 0.4 ", { min: 0.2, below: 0.4 }],
  ["0.2 < granted <= 0.4", { output: "granted", above: 0.2, max: 0.4 }],
  ["refused <= 0.1", { output: "refused", max: 0.1 }],
  ["not sure in [0, 0.1]", { output: "not sure", min: 0, max: 0.1 }],
])("%s", (text, expected) => {
  expect(parseTarget(text, ["refused", "granted", "not sure"])).toEqual(expected);
});

test("what it is not is said with the classes there are", () => {
  for (const text of ["maybe", "maybe >= 0.5", "score >= high", "0.1 < maybe < 0.2"])
    expect(() => parseTarget(text, ["refused", "granted"])).toThrow(/refused, granted/);
  expect(parseTarget("score <= 50k", ["score <= 50k", "more"])).toEqual({ class: "score <= 50k" });
  expect(parseTarget("<=50K", ["<=50K", ">50K"])).toEqual({ class: "<=50K" });
  expect(parseTarget(">50", ["<=50", ">50"])).toEqual({ class: ">50" });
});

test("constraints are laid over a schema; unknown and contradictory ones are refused", () => {
  const schema: Schema = {
    features: [
      { name: "a", kind: "numeric", immutable: true },
      { name: "b", kind: "numeric" },
    ],
    rules: ["a < 9"],
  };
  const laid = withConstraints(schema, { features: { b: { min: 1 } }, rules: ["b < 2"], freeze: ["b"] });
  expect(laid).toEqual({
    features: [
      { name: "a", kind: "numeric", immutable: true },
      { name: "b", kind: "numeric", min: 1, immutable: true },
    ],
    rules: ["a < 9", "b < 2"],
  });
  expect(withConstraints(schema, { vary: ["a"] }).features.map((f) => f.immutable)).toEqual([false, true]);
  expect(() => withConstraints(schema, { freeze: ["c"] })).toThrow(/a, b/);
  expect(() => withConstraints(schema, { freeze: ["a"], vary: ["a"] })).toThrow(/both/);
});
