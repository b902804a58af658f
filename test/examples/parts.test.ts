import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parts } from "../../examples/make-parts.ts";
import { bindInputs } from "../../src/data/binding.ts";
import { inferSchema } from "../../src/data/infer.ts";
import { loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { readXgboost } from "../../src/read/xgboost.ts";

const made = await parts();

describe("examples/parts", () => {
  test.each(Object.keys(made))("%s is what the script writes, and small", (name) => {
    const path = join("examples/parts", name);
    expect(readFileSync(path).equals(Buffer.from(made[name]!))).toBe(true);
    expect(statSync(path).size).toBeLessThan(60_000);
  });

  test("the XGBoost file decides most applications as the data do", async () => {
    const { table, labels } = loans();
    const { schema } = inferSchema(table);
    const model = bindInputs(readXgboost(made["xgboost.json"] as string), schema);
    const scores = await model.predict(tableToMatrix(schema, table), 1);
    const right = labels.filter((label, i) => label === Number(scores[i]! > 0.5)).length;
    expect(right / labels.length).toBeGreaterThan(0.85);
  });

  test("the XGBoost file names its one-hot inputs", () => {
    const { inputs } = readXgboost(made["xgboost.json"] as string);
    expect(inputs).toContain("housing_rent");
    expect(inputs).toContain("income");
  });
});
