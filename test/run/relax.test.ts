import { expect, test } from "vitest";
import { de } from "../../show/locales/de.ts";
import { translate } from "../../show/messages.ts";
import { explain } from "../../src/explain.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { nearestReasons } from "../../src/run/reasons.ts";
import type { Feature, Matrix } from "../../src/types.ts";

const schema = {
  features: [
    { name: "sex", kind: "categorical", categories: ["f", "m"], immutable: true },
    { name: "income", kind: "numeric", immutable: true },
    { name: "debt", kind: "numeric" },
  ] satisfies Feature[],
};

/** One refused woman; every reference has another sex and more income. */
const relaxed = async (says: (sex: number, income: number) => boolean) => {
  const model = ({ data, rows }: Matrix) =>
    Array.from({ length: rows }, (_, i) => Number(says(data[3 * i]!, data[3 * i + 1]!)));
  const references = fromRows([
    [1, 60, 5],
    [1, 70, 9],
  ]);
  const { rows } = await explain({
    model,
    x: fromRows([[0, 20, 5]]),
    references,
    schema,
    reasons: nearestReasons,
  });
  return rows[0]!;
};

test("no protected attribute is proposed to be unlocked where another lock can be lifted instead", async () => {
  const row = await relaxed((sex, income) => sex === 1 || income > 50);
  expect(row.relaxation).toEqual({ feature: "income", edits: 1 });
  expect(row.reason).not.toMatch(/sex/);
});

test("where only a protected attribute would help, it is not named, and it is said that no plan is in people's reach", async () => {
  for (const says of [
    (sex: number) => sex === 1,
    (sex: number, income: number) => sex === 1 && income > 50,
  ]) {
    const row = await relaxed(says);
    expect(row.status).toBe("infeasible");
    expect(row.relaxation).toBeUndefined();
    expect(row.reason).toMatch(/No plan was found within what people may change\.$/);
    expect(row.reason).not.toMatch(/sex/);
    expect(translate(row.reason!, de)).toMatch(
      /Innerhalb dessen, was Menschen ändern dürfen, wurde kein Plan gefunden\.$/,
    );
  }
});

test("where nothing would help, nothing is said of it", async () => {
  const row = await relaxed(() => false);
  expect([row.relaxation, /within what people/.test(row.reason!)]).toEqual([undefined, false]);
});
