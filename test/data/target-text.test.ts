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
])("%s", (text, expected) => {
  expect(parseTarget(text, ["refused", "granted", "not sure"])).toEqual(expected);
});

test("what it is not is said with the classes there are", () => {
  expect(() => parseTarget("maybe", ["refused", "granted"])).toThrow(/refused, granted/);
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
