import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeTable } from "../../formats/index.ts";
import { writeFileWhole } from "../../node/files.ts";
import { explanationTables } from "../../show/export.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { decodeText, readCsv } from "../../src/data/csv.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

/** A model with an interaction between a number, an ordinal and a level. */
const model = (rows: Matrix): number[] =>
  Array.from({ length: rows.rows }, (_, i) => {
    const [a, b, c, d] = rowOf(rows, i) as unknown as [number, number, number, number];
    return 1 / (1 + Math.exp(1.5 - (Number.isNaN(a) ? 0 : a) * 0.4 - b * (c === 1 ? 0.9 : 0.3) - d * 0.5));
  });

const numeric = fc.record(
  {
    immutable: fc.boolean(),
    min: fc.constantFrom(-2, 0),
    max: fc.constantFrom(3, 6),
    step: fc.constantFrom(0.1, 0.5),
    direction: fc.constantFrom("up" as const, "down" as const),
    editMissing: fc.boolean(),
  },
  { requiredKeys: [] },
);
const levels = fc.record(
  {
    immutable: fc.boolean(),
    allowed: fc.subarray(["low", "mid", "high"]),
    transitions: fc.constant({ low: ["mid"], mid: ["high"] }),
  },
  { requiredKeys: [] },
);
const row = fc.tuple(
  fc.oneof(
    fc.integer({ min: -20, max: 60 }).map((v) => v / 10),
    fc.constant(null),
  ),
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 0, max: 1 }),
  fc.integer({ min: 0, max: 5 }),
);

test("zero violations, and every ok row is valid when the written file is read back and scored again", async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      numeric,
      levels,
      numeric.map(({ step: _, editMissing: __, ...rest }) => rest),
      fc.array(row, { minLength: 1, maxLength: 3 }),
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("match", "transport", "nearest", "uniform", "joint"),
      fc.constantFrom("minimal", "greedy", "top"),
      fc.boolean(),
      async (a, b, d, x, r, coupling, policy, ruled) => {
        const schema: Schema = {
          features: [
            { name: "a", kind: "numeric", ...a },
            { name: "b", kind: "ordinal", categories: ["low", "mid", "high"], ...b },
            { name: "c", kind: "categorical", categories: ["red", "=blue"] },
            { name: "d", kind: "integer", ...d },
          ],
          ...(ruled ? { rules: ["d <= 4 or c == 'red'"] } : {}),
        };
        const told = await explain({
          model,
          x: fromRows(x),
          references: fromRows(r),
          schema,
          coupling,
          policy,
        });
        const path = join(folder, "z.csv");
        writeFileWhole(path, writeTable(explanationTables(told).z, "csv", { formulaSafe: false }));
        const z = tableToMatrix(schema, readCsv(decodeText(readFileSync(path))));
        const scores = model(z);
        const constraints = compileConstraints(schema);
        told.rows.forEach((plan, i) => {
          expect(constraints.violations(rowOf(fromRows(x), i), rowOf(z, i))).toEqual([]);
          if (plan.status !== "ok") return;
          checked++;
          expect(scores[i]).toBeGreaterThan(0.5);
          expect(scores[i]).toBe(plan.after);
        });
      },
    ),
    { numRuns: process.env["COLA_SOAK"] ? 10_000 : 500, seed: 9 },
  );
  expect(checked).toBeGreaterThan(100);
});
