import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import type { Feature, Schema } from "../../src/types.ts";

const numeric = (rest: Partial<Feature> = {}): Schema => ({
  features: [{ name: "a", kind: "numeric", ...rest }],
});
const levels = (rest: Partial<Feature> = {}): Schema => ({
  features: [{ name: "a", kind: "ordinal", categories: ["low", "mid", "high"], ...rest }],
});

describe("allows and snap", () => {
  test("immutable features stay", () => {
    const c = compileConstraints(numeric({ immutable: true }));
    expect(c.allows(0, 1, 2)).toBe(false);
    expect(c.allows(0, 1, 1)).toBe(true);
    expect(c.snap(0, 5, 1)).toBe(1);
  });

  test("ranges hold even when the factual lies outside", () => {
    const c = compileConstraints(numeric({ min: 0, max: 10 }));
    expect(c.allows(0, 20, 12)).toBe(false);
    expect(c.allows(0, 20, 10)).toBe(true);
    expect(c.allows(0, 20, 20)).toBe(true);
    expect(c.snap(0, 15, 20)).toBe(10);
  });

  test("steps are counted from min and carry no rounding dust", () => {
    const c = compileConstraints(numeric({ min: 0.05, step: 0.1 }));
    expect(c.snap(0, 0.34, 1.05)).toBe(0.35);
    expect(c.allows(0, 1.05, 0.35)).toBe(true);
    expect(c.allows(0, 1.05, 0.3)).toBe(false);
    expect(compileConstraints(numeric({ step: 0.1 })).snap(0, 38.94, 0)).toBe(38.9);
  });

  test("integers, directions, allowed values, transitions", () => {
    expect(compileConstraints({ features: [{ name: "a", kind: "integer" }] }).snap(0, 2.6, 0)).toBe(3);
    const up = compileConstraints(numeric({ direction: "up" }));
    expect([up.allows(0, 3, 2), up.allows(0, 3, 4), up.snap(0, 1, 3)]).toEqual([false, true, 3]);
    const list = compileConstraints(numeric({ allowed: [1, 5] }));
    expect([list.allows(0, 3, 5), list.allows(0, 3, 4), list.snap(0, 4.4, 3)]).toEqual([true, false, 5]);
    const moves = compileConstraints(levels({ transitions: { low: ["mid"] } }));
    expect([moves.allows(0, 0, 1), moves.allows(0, 0, 2), moves.allows(0, 1, 2)]).toEqual([
      true,
      false,
      false,
    ]);
    const none = compileConstraints(levels({ allowed: [] }));
    expect([none.allows(0, 0, 1), none.snap(0, 2, 0)]).toEqual([false, 0]);
  });

  test("edits to and from missing need permission", () => {
    const no = compileConstraints(numeric());
    expect([no.allows(0, 1, Number.NaN), no.allows(0, Number.NaN, 1)]).toEqual([false, false]);
    const yes = compileConstraints(numeric({ editMissing: true, max: 3 }));
    expect([
      yes.allows(0, 1, Number.NaN),
      yes.allows(0, Number.NaN, 1),
      yes.allows(0, Number.NaN, 4),
    ]).toEqual([true, true, false]);
    expect(no.allows(0, Number.NaN, Number.NaN)).toBe(true);
  });

  test("law: what snap returns is always allowed", () => {
    const feature = fc.record(
      {
        min: fc.double({ min: -10, max: 0, noNaN: true }),
        max: fc.double({ min: 0, max: 10, noNaN: true }),
        step: fc.constantFrom(0.1, 0.25, 1, 3),
        direction: fc.constantFrom("up" as const, "down" as const),
        allowed: fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 4 }),
        immutable: fc.boolean(),
        editMissing: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const value = fc.oneof(fc.double({ min: -20, max: 20, noNaN: true }), fc.constant(Number.NaN));
    const law = (snap: (s: Schema, value: number, from: number) => number): void =>
      fc.assert(
        fc.property(feature, value, value, fc.boolean(), (rest, to, from, integer) => {
          const schema: Schema = {
            features: [{ name: "a", kind: integer ? "integer" : "numeric", ...rest }],
          };
          return compileConstraints(schema).allows(0, from, snap(schema, to, from));
        }),
        { numRuns: 500, seed: 1 },
      );
    law((schema, to, from) => compileConstraints(schema).snap(0, to, from));
    expect(() => law((_, to) => Math.round(to))).toThrow();
  });
});

describe("rules and derived columns", () => {
  const schema: Schema = {
    features: [
      { name: "debt", kind: "numeric" },
      { name: "income", kind: "numeric" },
      { name: "ratio", kind: "numeric", derived: "debt / income" },
      { name: "twice", kind: "numeric", derived: "2 * ratio" },
    ],
    rules: ["debt <= income"],
  };

  test("derived columns are recomputed in order and are not editable", () => {
    const c = compileConstraints(schema);
    const full = c.complete({ data: Float64Array.of(1, 4, 9, 9), rows: 1, cols: 4 });
    expect([...full.data]).toEqual([1, 4, 0.25, 0.5]);
    expect([...c.editable]).toEqual([1, 1, 0, 0]);
  });

  test("legal and violations speak of whole rows", () => {
    const c = compileConstraints(schema);
    const rows = { data: Float64Array.of(1, 4, 0.25, 0.5, 5, 4, 1.25, 2.5), rows: 2, cols: 4 };
    expect([...c.legal(rows)]).toEqual([1, 0]);
    const x = Float64Array.of(1, 4, 0.25, 0.5);
    expect(c.violations(x, x)).toEqual([]);
    expect(c.violations(x, Float64Array.of(5, 4, 1.25, 2.5))).toEqual([
      "the rule debt <= income does not hold",
    ]);
    expect(c.violations(x, Float64Array.of(2, 4, 0.25, 0.5))).toEqual([
      "ratio was not recomputed",
      "twice was not recomputed",
    ]);
  });

  test("a derived column is computed from conditions and booleans, too; missing stays missing", () => {
    const c = compileConstraints({
      features: [
        { name: "savings", kind: "ordinal", categories: ["none", "some", "ample"] },
        { name: "owner", kind: "boolean" },
        { name: "safe", kind: "boolean", derived: "owner or savings >= 'some'" },
        { name: "points", kind: "integer", derived: "2 * owner + (savings == 'ample')" },
      ],
      rules: ["points <= 2"],
    });
    const gap = Number.NaN;
    const rows = { data: Float64Array.of(2, 0, gap, gap, 2, 1, gap, gap, 0, gap, 1, 1), rows: 3, cols: 4 };
    const full = c.complete(rows);
    expect([...full.data]).toEqual([2, 0, 1, 1, 2, 1, 1, 3, 0, gap, 0, gap]);
    expect([...c.legal(full)]).toEqual([1, 0, 0]);
  });

  const derived = (feature: Partial<Feature>): Schema => ({
    features: [
      ...numeric().features,
      ...levels({ name: "l" }).features,
      { name: "d", kind: "numeric", ...feature },
    ],
  });

  test.each<[string, Schema]>([
    ["levels as numbers", derived({ derived: "l" })],
    ["a text", derived({ derived: "'low'" })],
    ["a misspelt level", derived({ derived: "a + (l == 'lo')" })],
    ["a boolean from a number", derived({ kind: "boolean", derived: "a" })],
    ["levels from a number", derived({ kind: "ordinal", categories: ["x", "y"], derived: "a" })],
    ["levels from levels", derived({ kind: "ordinal", categories: ["low", "mid", "high"], derived: "l" })],
    ["unknown feature in a rule", { features: [{ name: "a", kind: "numeric" }], rules: ["b < 1"] }],
    ["min above max", numeric({ min: 2, max: 1 })],
    ["infinite cost", numeric({ cost: Number.POSITIVE_INFINITY })],
    ["cost 0", numeric({ cost: 0 })],
    ["negative step", numeric({ step: -1 })],
    ["negative tolerance", numeric({ tolerance: -1 })],
    ["allowed level unknown", levels({ allowed: ["giant"] })],
    ["transition level unknown", levels({ transitions: { low: ["giant"] } })],
    [
      "circle",
      {
        features: [
          { name: "a", kind: "numeric", derived: "b" },
          { name: "b", kind: "numeric", derived: "a" },
        ],
      },
    ],
    [
      "direction without order",
      { features: [{ name: "a", kind: "categorical", categories: ["x"], direction: "up" }] },
    ],
  ])("refuses: %s", (_, bad) => {
    expect(() => compileConstraints(bad)).toThrow(expect.objectContaining({ code: "CONSTRAINT_INVALID" }));
  });
});
