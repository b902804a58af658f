import { describe, expect, test } from "vitest";
import { compileExpression } from "../../src/data/expression.ts";
import { isColaError } from "../../src/errors.ts";
import type { Schema } from "../../src/types.ts";

const AMOUNTS = ["none", "some", "ample"];
const SCHEMA: Schema = {
  features: [
    { name: "debt", kind: "numeric" },
    { name: "income", kind: "integer" },
    { name: "Credit amount", kind: "numeric" },
    { name: "élan", kind: "numeric" },
    { name: "savings", kind: "ordinal", categories: AMOUNTS },
    { name: "wealth", kind: "ordinal", categories: AMOUNTS },
    { name: "fewer", kind: "ordinal", categories: ["ample", "some"] },
    { name: "job", kind: "categorical", categories: ["none", "clerk", "cook"] },
    { name: "former", kind: "categorical", categories: ["cook", "none", "pilot"] },
    { name: "town", kind: "categorical", categories: ["Bonn", "Ulm"] },
    { name: "rooms", kind: "categorical", categories: ["1", "2"] },
    { name: "owner", kind: "boolean" },
    { name: "guarantor", kind: "boolean" },
    { name: "smoker", kind: "boolean", categories: ["no", "yes"] },
  ],
};

/** A row of codes: those named, and 0 elsewhere. */
const row = (values: Readonly<Record<string, number>>): Float64Array =>
  Float64Array.from(SCHEMA.features, ({ name }) => values[name] ?? 0);
const value = (text: string, values: Readonly<Record<string, number>>, numeric = false): number =>
  compileExpression(text, SCHEMA, numeric ? { name: "sum", kind: "numeric" } : undefined).evaluate(
    row(values),
  );
const [none, some, ample] = [0, 1, 2];
const missing = Number.NaN;

describe("compileExpression", () => {
  test.each([
    ["1 + 2 * 3", {}, 7],
    ["(1 + 2) * 3", {}, 9],
    ["2 - 3 - 4", {}, -5],
    ["8 / 4 / 2", {}, 1],
    ["-debt + 1", { debt: 3 }, -2],
    ["1e-2 * 100", {}, 1],
    ["owner + guarantor", { owner: 1, guarantor: 1 }, 2],
    ["2 * (debt > 1)", { debt: 3 }, 2],
    ["debt", { debt: missing }, missing],
    ["debt / debt", {}, missing],
    ["1 / debt", {}, missing],
  ] as const)("%s is a number", (text, values, expected) => {
    expect(value(text, values, true)).toBe(expected);
  });

  test.each<[string, Readonly<Record<string, number>>, boolean]>([
    ["debt <= 0.4 * income", { debt: 4, income: 10 }, true],
    ["debt <= 0.4 * income", { debt: 4.1, income: 10 }, false],
    ["debt < income or income < debt", { debt: 1, income: 1 }, false],
    ["1 / debt > 0", { debt: 0 }, false],
    ["`Credit amount` >= 10", { "Credit amount": 10 }, true],
    ["élan == 1", { élan: 1 }, true],
    ["not (job == 'none' and savings == 'ample')", { job: 0, savings: ample }, false],
    ["not (job == 'none' and savings == 'ample')", { job: 0, savings: some }, true],
    ["not job == 'none'", { job: 1 }, true],
    ["not job == 'none'", { job: 0 }, false],
    ["job != 'clerk'", { job: 2 }, true],
    ["rooms == 2", { rooms: 1 }, true],
    ["rooms == '2'", { rooms: 0 }, false],
    ["smoker == 'yes'", { smoker: 1 }, true],
  ])("%s, at %j: %s", (text, values, expected) => {
    expect(value(text, values)).toBe(Number(expected));
  });

  test("ordinals are ordered by their levels, on either side", () => {
    const upTo = (text: string): number[] =>
      [none, some, ample].filter((savings) => value(text, { savings }) === 1);
    expect(upTo("savings <= 'some'")).toEqual([none, some]);
    expect(upTo("savings < 'some'")).toEqual([none]);
    expect(upTo("savings > 'none'")).toEqual([some, ample]);
    expect(upTo("'some' <= savings")).toEqual([some, ample]);
    expect(upTo('savings != "ample"')).toEqual([none, some]);
  });

  test("two features meet by the names of their levels", () => {
    expect(value("savings <= wealth", { savings: some, wealth: ample })).toBe(1);
    expect(value("savings <= wealth", { savings: ample, wealth: some })).toBe(0);
    expect(value("savings == fewer", { savings: ample, fewer: 0 })).toBe(1);
    expect(value("savings == fewer", { savings: none, fewer: 0 })).toBe(0);
    expect(value("job == former", { job: 2, former: 0 })).toBe(1);
    expect(value("job == former", { job: 0, former: 0 })).toBe(0);
    expect(value("job != former", { job: 1, former: 2 })).toBe(1);
    expect(value("owner == guarantor", { owner: 1, guarantor: 0 })).toBe(0);
    expect(value("owner == (debt > 1)", { owner: 1, debt: 2 })).toBe(1);
  });

  test.each(["1", "true", "'true'", "'TRUE'", "'yes'", "'1'"])("a boolean may be compared with %s", (yes) => {
    for (const owner of [0, 1]) {
      expect(value(`owner == ${yes}`, { owner })).toBe(owner);
      expect(value(`${yes} != owner`, { owner })).toBe(1 - owner);
    }
  });

  test.each(["0", "false", "'false'", "'no'"])("a boolean may be compared with %s", (no) => {
    for (const owner of [0, 1]) expect(value(`owner == ${no}`, { owner })).toBe(1 - owner);
  });

  test("a boolean is a condition and a number, too", () => {
    for (const owner of [0, 1]) {
      expect(value("owner", { owner })).toBe(owner);
      expect(value("not owner", { owner })).toBe(1 - owner);
      expect(value("owner and debt < 1", { owner })).toBe(owner);
      expect(value("owner < 1", { owner })).toBe(1 - owner);
      expect(value("owner + guarantor <= 1", { owner, guarantor: 1 })).toBe(1 - owner);
    }
  });

  test("a feature called true is that feature", () => {
    const schema: Schema = { features: [{ name: "true", kind: "numeric" }] };
    expect(compileExpression("true > 5", schema).evaluate(Float64Array.of(7))).toBe(1);
  });

  test("lists the features it reads", () => {
    expect(compileExpression("debt + `Credit amount` * 2 <= income or true", SCHEMA).names).toEqual([
      "debt",
      "Credit amount",
      "income",
    ]);
  });

  test.each([
    "",
    "1 +",
    "(1",
    "1)",
    "debt ! income",
    "'open",
    "1 2",
    "debt == ",
    "1..2",
    "(".repeat(100),
    `owner${" and owner".repeat(5000)}`,
  ])("refuses %j with its place", (text) => {
    try {
      compileExpression(text, SCHEMA);
      expect.unreachable();
    } catch (error) {
      expect(isColaError(error) && error.code).toBe("CONSTRAINT_INVALID");
      expect(String(error)).toContain("character");
    }
  });

  test("a comparison with a missing value fails, but != holds; a missing boolean is not true", () => {
    for (const comparison of ["<", "<=", ">", ">=", "=="]) {
      expect(value(`debt ${comparison} 1`, { debt: missing })).toBe(0);
      expect(value(`savings ${comparison} 'some'`, { savings: missing })).toBe(0);
      expect(value(`savings ${comparison} wealth`, { savings: missing, wealth: missing })).toBe(0);
    }
    expect(value("debt != 1", { debt: missing })).toBe(1);
    expect(value("job != former", { job: 0, former: missing })).toBe(1);
    expect(value("owner and true", { owner: missing })).toBe(0);
    expect(value("not owner", { owner: missing })).toBe(1);
  });
});

describe("what does not fit the schema is refused", () => {
  test("a text that is not a level, with the rule, the text, the feature and its levels", () => {
    expect(() => compileExpression("savings != 'ampel'", SCHEMA)).toThrow(
      expect.objectContaining({
        code: "CONSTRAINT_INVALID",
        message: `rule "savings != 'ampel'": savings has no level "ampel" (character 9); compare savings with one of none, some, ample.`,
      }),
    );
  });

  test.each<[string, RegExp]>([
    ["'ampel' == savings", /savings has no level "ampel"/],
    ["savings > 1", /savings has no level "1".*one of none, some, ample/],
    ["rooms == 3", /rooms has no level "3"/],
    ["owner == 2", /owner has no level "2".*one of false, true/],
    ["owner == 'maybe'", /owner has no level "maybe"/],
    ["smoker == 1", /smoker has no level "1".*one of no, yes/],
    ["smoker == true", /smoker has no level "true"/],
    ["job < 'cook'", /job has no order as ordinals have, use == or !=/],
    ["job >= former", /job has no order/],
    ["smoker > 'no'", /smoker has no order/],
    ["0 <= debt <= 1", /two comparisons stand in a row .*; join two by `and`/],
    ["10 < debt < 20", /two comparisons stand in a row.* and b/],
    ["debt == income == 3", /two comparisons stand in a row/],
    ["debt == income == élan", /a comparison and élan cannot be compared/],
    ["debt <= 'high'", /debt is a number, not "high"/],
    ["debt == '9'", /debt is a number, not "9"/],
    ["debt == true", /debt is a number, not "true"/],
    ["debt + 1 == 'x'", /a number is a number, not "x"/],
    ["'x' == 'x'", /'x' has no level "x"/],
    ["savings + 1 < 3", /\+ needs a number, but savings is not one.*one of none, some, ample/],
    ["2 * job > 1", /\* needs a number, but job is not one/],
    ["-smoker < 1", /- needs a number, but smoker is not one/],
    ["debt + 'x' > 1", /\+ needs a number, but 'x' is not one/],
    ["savings <= debt", /savings and debt cannot be compared.*one of none, some, ample/],
    ["debt == savings", /debt and savings cannot be compared.*one of none, some, ample/],
    ["savings == owner", /savings and owner cannot be compared/],
    ["smoker == owner", /smoker and owner cannot be compared/],
    ["savings == job", /savings and job cannot be compared/],
    ["savings <= fewer", /savings and fewer cannot be compared/],
    ["job != town", /job and town cannot be compared/],
    ["job == 'cook' or 'clerk'", /or needs a condition, but 'clerk' is not one/],
    ["debt == 1 or 2", /or needs a condition, but 2 is not one/],
    ["debt and owner", /and needs a condition, but debt is not one/],
    ["not savings", /not needs a condition, but savings is not one/],
    ["debt", /a rule needs a condition, but debt is not one/],
    ["savings", /a rule needs a condition, but savings is not one/],
    ["smoker", /a rule needs a condition, but smoker is not one/],
    ["job == cook", /there is no feature "cook"/],
  ])("%s", (text, message) => {
    expect(() => compileExpression(text, SCHEMA)).toThrow(
      expect.objectContaining({ code: "CONSTRAINT_INVALID", message: expect.stringMatching(message) }),
    );
  });
});
