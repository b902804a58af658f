import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { isColaError } from "../../src/errors.ts";
import { generate, generators } from "../../src/generate/registry.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { Matrix } from "../../src/types.ts";

const rows = tableToMatrix(loanSchema, loans().table);
const few = (count: number): Matrix =>
  takeRows(
    rows,
    Array.from({ length: count }, (_, i) => i),
  );
const income = loanSchema.features.findIndex(({ name }) => name === "income");
/** A model that asks for income alone. */
const model = {
  outputs: ["score"],
  predict: ({ data, rows: count, cols }: Matrix) =>
    Float64Array.from({ length: count }, (_, i) => data[i * cols + income]! / 10_000),
};
const task = {
  model,
  x: few(2),
  references: few(60),
  constraints: compileConstraints(loanSchema),
  target: { above: 0.3 },
};

describe.each(Object.keys(generators).filter((name) => name !== "dice-gradient"))("%s", (name) => {
  test("tells its caller of the rows it has scored", async () => {
    let asked = 0;
    const within = {
      charge(count: number) {
        asked += count;
      },
    };
    const { report } = await generate(name, task, { within }, 1);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBe(report.evaluations);
  });

  test("takes no option of the training of models", async () => {
    const made = generate(name, task, { classWeight: "balanced" } as object, 1);
    const error = await made.catch((thrown: unknown) => thrown);
    expect(isColaError(error) && error.message).toMatch(/no option "classWeight"/);
  });
});
