import { describe, expect, test } from "vitest";
import { compileExpression } from "../../src/data/expression.ts";
import { isColaError } from "../../src/errors.ts";

const at = (values: Record<string, number | string | boolean>) => (name: string) => values[name]!;

describe("compileExpression", () => {
  test.each([
    ["1 + 2 * 3", {}, 7],
    ["(1 + 2) * 3", {}, 9],
    ["2 - 3 - 4", {}, -5],
    ["8 / 4 / 2", {}, 1],
    ["-a + 1", { a: 3 }, -2],
    ["1e-2 * 100", {}, 1],
    ["debt <= 0.4 * income", { debt: 4, income: 10 }, true],
    ["debt <= 0.4 * income", { debt: 4.1, income: 10 }, false],
    ["not (job == 'none' and savings == 'rich')", { job: "none", savings: "rich" }, false],
    ["not (job == 'none' and savings == 'rich')", { job: "none", savings: "little" }, true],
    ["a < b or b < a", { a: 1, b: 1 }, false],
    ["`Credit amount` >= 10", { "Credit amount": 10 }, true],
    ["a != 'x'", { a: "y" }, true],
    ["élan == 1", { élan: 1 }, true],
  ] as const)("%s", (text, values, expected) => {
    expect(compileExpression(text).evaluate(at(values))).toBe(expected);
  });

  test("lists the features it reads", () => {
    expect(compileExpression("a + `b c` * 2 <= d").names).toEqual(["a", "b c", "d"]);
  });

  test.each(["", "1 +", "(1", "1)", "a ! b", "'open", "1 2", "a == ", "1..2", "(".repeat(100)])(
    "refuses %j with its place",
    (text) => {
      try {
        compileExpression(text);
        expect.unreachable();
      } catch (error) {
        expect(isColaError(error) && error.code).toBe("CONSTRAINT_INVALID");
        expect(String(error)).toContain("character");
      }
    },
  );

  test("missing values make a comparison false", () => {
    expect(compileExpression("a <= 1").evaluate(() => Number.NaN)).toBe(false);
  });
});
