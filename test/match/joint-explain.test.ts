import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { type ExplainInput, loans, tableToMatrix } from "../../src/index.ts";
import { fitForest } from "../../src/model/forest.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Goal, Model } from "../../src/types.ts";
import { cola } from "../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-joint-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { table, schema, labels } = loans({ rows: 300 });
const all = tableToMatrix(schema, table);
const encoder = fitEncoder(schema, all);
const classes = ["refused", "granted"];
const forest = fitForest(encodeRows(encoder, all), labels, { classes, trees: 10 }, stream(1)) as Model;
const model = bind(forest, encoder);
const scores = model.predict(all) as Float64Array;
const pick = (test: (score: number) => boolean): number[] =>
  Array.from(scores.keys())
    .filter((i) => test(scores[i]!))
    .slice(0, 12);
const input: ExplainInput = {
  model,
  x: takeRows(
    all,
    pick((s) => s < 0.5),
  ),
  references: takeRows(
    all,
    pick((s) => s > 0.6),
  ),
  training: all,
  schema,
};
const target: Goal = { kind: "each", target: { class: "granted" } };
const group: Goal = { kind: "group", divergence: "mean", on: "label", level: 0.7 };
const partners = ({ rows }: Explanation): (number | null)[] => rows.map(({ reference }) => reference);

describe("explain with the joint coupling", () => {
  test("each: every reference is used once, and no more edits are needed than with transport", async () => {
    const ours = await explain({ ...input, goal: target, coupling: "joint" });
    const old = await explain({ ...input, goal: target, coupling: "transport" });
    expect(ours.method).toMatchObject({ coupling: "joint", dependsOnGroup: true });
    expect(new Set(partners(ours)).size).toBe(ours.rows.length);
    expect(ours.totals.ok).toBeGreaterThanOrEqual(old.totals.ok);
    expect(ours.totals.ok).toBeGreaterThan(0);
    if (ours.totals.ok === old.totals.ok) expect(ours.totals.edits).toBeLessThanOrEqual(old.totals.edits);
    for (const { proof, reference, status } of ours.rows) {
      if (status === "ok" && proof?.scope === "references") expect(proof.references).toEqual([reference]);
    }
  });

  test.each([undefined, "minimal"])(
    "group, policy %s: no row goes farther than by transport",
    async (policy) => {
      const given = { ...input, goal: group, ...(policy ? { policy } : {}) };
      const ours = await explain({ ...given, coupling: "joint" });
      const old = await explain({ ...given, coupling: "transport" });
      expect(new Set(partners(ours)).size).toBe(ours.rows.length);
      ours.rows.forEach((row, i) => {
        expect(row.distance.z).toBeLessThanOrEqual(old.rows[i]!.distance.q + 1e-9);
      });
      expect(ours.effect.share).toBeGreaterThanOrEqual(0.7 - 1e-9);
      if (policy === "minimal") expect(ours.totals.edits).toBeLessThanOrEqual(old.totals.edits);
    },
  );

  test("W1 on scores is coupled by the mean", async () => {
    const ours = await explain({ ...input, goal: { kind: "group", level: 0.5 }, coupling: "joint" });
    expect(ours.coupling?.name).toBe("joint");
    expect(ours.effect.share).toBeGreaterThan(0);
  });

  test("costs are refused, unknown names are told", async () => {
    const dear = explain({ ...input, goal: target, coupling: "joint", objective: "cost" });
    await expect(dear).rejects.toMatchObject({ code: "OPTION_INVALID" });
    const odd = explain({ ...input, goal: target, coupling: "jiont" });
    await expect(odd).rejects.toThrow("match, joint, transport");
  });

  test("from the command line", async () => {
    const { code, out, err } = await cola("explain", "--rows", "4", "--coupling", "joint", "--out", folder);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("4 of 4 rows reach the goal");
  });
});
