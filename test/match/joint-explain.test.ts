import { describe, expect, test } from "vitest";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { type ExplainInput, loans, tableToMatrix } from "../../src/index.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import type { Goal, Model } from "../../src/types.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

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

  test("capped: each row stays within its transport proposal, and some would not otherwise", async () => {
    const surely: Goal = { kind: "each", target: { class: "granted" }, minMargin: 0.2 };
    const farther = async (given: Partial<ExplainInput>): Promise<number> => {
      const ours = await explain({ ...input, goal: surely, coupling: "joint", ...given });
      return ours.rows.filter((row, i) => row.distance.z > old.rows[i]!.distance.q + 1e-9).length;
    };
    const old = await explain({ ...input, goal: surely, coupling: "transport" });
    expect(await farther({ reuse: "free" })).toBeGreaterThan(0);
    for (const reuse of [undefined, 2, "free"] as const)
      expect(await farther({ capped: true, ...(reuse ? { reuse } : {}) })).toBe(0);
  });

  test("reuse: at most so many rows share a reference; free needs the fewest edits", async () => {
    const joined = (given: Partial<ExplainInput>) =>
      explain({ ...input, goal: target, coupling: "joint", ...given });
    const most = (found: Explanation): number =>
      Math.max(...partners(found).map((j) => partners(found).filter((k) => k === j).length));
    const [once, twice, free] = [
      await joined({}),
      await joined({ reuse: 2 }),
      await joined({ reuse: "free" }),
    ];
    expect([most(once), most(twice)]).toEqual([1, 2]);
    expect(most(free)).toBeGreaterThan(2);
    expect(free.totals.edits).toBeLessThanOrEqual(twice.totals.edits);
    expect(twice.totals.edits).toBeLessThanOrEqual(once.totals.edits);
    expect(free.options).toMatchObject({ reuse: "free", capped: null });
    const wrong = [
      { reuse: 0 },
      { reuse: 1.5 },
      { coupling: "transport", reuse: 2 },
      { coupling: "match", capped: true },
    ];
    for (const given of wrong) await expect(joined(given)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

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
    const free = ["--coupling", "joint", "--reuse", "free", "--capped", "--json", "--out", folder];
    const told = await cola("explain", "--rows", "4", ...free);
    expect(JSON.parse(told.out).options).toMatchObject({ reuse: "free", capped: true });
    const few = await cola(
      "explain",
      "--rows",
      "4",
      "--coupling",
      "joint",
      "--reuse",
      "some",
      "--out",
      folder,
    );
    expect([few.code, few.err]).toEqual([2, expect.stringContaining("reuse must be a whole number ≥ 1")]);
  });
});
