import { expect, test } from "vitest";
import { de } from "../../show/locales/de.ts";
import { translate } from "../../show/messages.ts";
import { explanationText } from "../../show/text.ts";
import { explain } from "../../src/explain.ts";
import { linearModel } from "../../src/model/linear.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Schema } from "../../src/types.ts";

const model = linearModel(
  "logistic",
  ["no", "yes"],
  { weights: fromRows([[1, 1]]), intercepts: Float64Array.of(-5) },
  "logistic",
);
const input = { model, x: fromRows([[1, 1]]), references: fromRows([[9, 9]]) };
const goal = { kind: "each", target: { class: 1 } } as const;

test("of a run without time for any row nothing is summed up, and the reason counts nothing", async () => {
  const stopped = await explain({ ...input, goal, limits: { timeMs: 0 } });
  const text = explanationText(stopped);
  expect(text).toContain("0 of 1 row");
  expect(text).not.toMatch(/instead of|of the way|of 0\b|–/);
  const [{ reason = "" } = {}] = stopped.rows;
  expect(reason).toMatch(/^the time ran out during \w+; raise limits\.timeMs/);
  expect(translate(reason, de)).toMatch(/^Die Zeit war während/);
});

test("that no values reach the goal is said once", async () => {
  const frozen: Schema = {
    features: [
      { name: "a", kind: "numeric", max: 2 },
      { name: "b", kind: "numeric", immutable: true },
    ],
  };
  const text = explanationText(await explain({ ...input, goal, schema: frozen }));
  expect(text.match(/no permitted values reach/g)).toHaveLength(1);
});
