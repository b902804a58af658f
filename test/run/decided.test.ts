import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { explain } from "../../src/explain.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import type { Feature, Model, Target } from "../../src/types.ts";
import { tableOf } from "../support/exact-studies.ts";

const FEATURES: readonly Feature[] = ["a", "b", "c", "d"].map((name) => ({ name, kind: "integer" }));
const TARGETS: readonly Target[] = [{ output: 1, min: 0.5 }, { class: 1 }, { class: 0, not: true }];

test("votes that are exactly at the edge of the target are asked about where a model answers later, and proofs are as if it had answered at once", async () => {
  const tally = { doubted: 0, proven: 0 };
  for (let seed = 0; seed < 12; seed++) {
    const random = stream(seed, "later");
    const constraints = compileConstraints({ features: FEATURES });
    const rows = tableOf(random, FEATURES, 80);
    const encoder = fitEncoder(constraints.schema, rows, { numeric: "raw", missing: "keep" });
    const labels = Int32Array.from({ length: rows.rows }, (_, i) => {
      const [a = 0, b = 0, c = 0] = rows.data.subarray(4 * i, 4 * i + 3);
      return (a || 0) + (b || 0) - (c || 0) + random.normal() > 1 ? 1 : 0;
    });
    const fitted = fitForest(encodeRows(encoder, rows), labels, { trees: 4 }, seed);
    const once = bind(fitted, encoder, constraints);
    const later: Model = {
      ...once,
      predict: async (asked, output) => once.predict(asked, output) as Float64Array,
    };
    const scores = once.predict(rows, 1) as Float64Array;
    if (scores.some((score) => score === 0.5)) tally.doubted++;
    const at = (wanted: boolean): number[] => [...scores.keys()].filter((i) => scores[i]! > 0.5 === wanted);
    const task = {
      x: takeRows(rows, at(false).slice(0, 5)),
      references: takeRows(rows, at(true)),
      schema: constraints.schema,
      goal: { kind: "each" as const, target: TARGETS[seed % TARGETS.length]! },
      training: rows,
      alternatives: "all" as const,
      front: 1,
    };
    const told = await explain({ ...task, model: later });
    expect(told.rows, `seed ${seed}`).toEqual((await explain({ ...task, model: once })).rows);
    for (const { proof } of told.rows)
      if (proof?.claim === "optimal" && proof.change === "least") tally.proven++;
  }
  expect(tally.doubted).toBeGreaterThan(6);
  expect(tally.proven).toBeGreaterThan(30);
});
