import { describe, expect, test } from "vitest";
import { asModel, openModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import type { Model, Target } from "../../src/types.ts";

const model = (outputs: string[]): Model => ({ outputs, predict: (m) => new Float64Array(m.rows) });
const at = (m: Model, target: Target, ...scores: number[]): [number, boolean] => {
  const reach = reachOf(m, target);
  const slack = reach.slack(
    reach.outputs.map((o) => Float64Array.of(scores[o]!)),
    0,
  );
  return [slack, reach.reached(slack)];
};

describe("targets", () => {
  const binary = model(["no", "yes"]);
  const three = model(["a", "b", "c"]);

  test("binary classes are strict at the threshold", () => {
    expect(at(binary, { class: "yes" }, 0.5, 0.5)).toEqual([-Number.MIN_VALUE, false]);
    expect(at(binary, { class: 1 }, 0.4, 0.6)[1]).toBe(true);
    expect(at(binary, { class: "no" }, 0.6, 0.4)[1]).toBe(true);
    expect(at(binary, { class: "yes", not: true }, 0.6, 0.4)[1]).toBe(true);
    expect(at(binary, { class: 1, threshold: 0.7 }, 0.4, 0.6)[1]).toBe(false);
  });

  test("a class of many must beat every other strictly; sets and negations too", () => {
    expect(at(three, { class: "b" }, 0.4, 0.4, 0.2)[1]).toBe(false);
    expect(at(three, { class: "b" }, 0.3, 0.4, 0.3)[1]).toBe(true);
    expect(at(three, { class: ["b", "c"] }, 0.4, 0.1, 0.5)[1]).toBe(true);
    expect(at(three, { class: "a", not: true }, 0.4, 0.1, 0.5)[1]).toBe(true);
  });

  test("ranges", () => {
    const one = asModel(() => []);
    expect(at(one, { max: 0.04 }, 0.04)).toEqual([0, true]);
    expect(at(one, { below: 0.04 }, 0.04)[1]).toBe(false);
    expect(at(one, { min: 1, below: 2 }, 1)).toEqual([0, true]);
    expect(at(one, { min: 1, below: 2 }, 2)[1]).toBe(false);
    expect(at(one, { min: 1, max: 2 }, 1.5)).toEqual([0.5, true]);
    expect(at(one, { min: 1, max: 2 }, 2.5)[1]).toBe(false);
    expect(at(one, {}, 0.6)[1]).toBe(true);
    expect(at(one, { class: 0 }, 0.4)[1]).toBe(true);
    expect(reachOf(one, { above: 3 }).reached(0.5, 0.6)).toBe(false);
  });

  test.each<[Model, Target]>([
    [binary, { class: "maybe" }],
    [binary, { class: 2 }],
    [three, { class: ["a", "b", "c"] }],
    [three, { class: [] }],
    [three, { min: 2, max: 1 }],
    [three, { output: "d", above: 1 }],
    [three, { above: Number.NaN }],
    [asModel(() => []), { class: "yes" }],
  ])("nonsense is refused", (m, target) => {
    expect(() => reachOf(m, target)).toThrow(expect.objectContaining({ code: "TARGET_INVALID" }));
  });
});

test("openModel maps players to the columns the model reads, and refuses overlapping groups", () => {
  const inner = model(["s"]);
  const bound: Model = { ...inner, encoding: { model: inner, encode: (m) => m, groups: [[0, 1], [2]] } };
  expect(openModel(bound, 2).players).toEqual([[0, 1], [2]]);
  expect(openModel(bound, 2, [[1, 0]]).players).toEqual([[2, 0, 1]]);
  expect(() => openModel(inner, 2, [[0], [0]])).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  expect(() => openModel(inner, 2, [[5]])).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
