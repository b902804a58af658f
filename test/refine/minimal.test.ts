import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sizeOf } from "../../src/match/sets.ts";
import { fromRows, matrix, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import type { Matrix, ModelLike, Target } from "../../src/types.ts";
import { firstThatWorks } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import { everyPlan, preferred } from "./brute-force.ts";
import { arbitrary, coarse, contest, forest, linear, seeds, smallRows, someGroups } from "./cases.ts";
import type { Refine } from "./laws.ts";

const kinds = fc.constantFrom("arbitrary", "coarse", "forest", "boosted", "linear", "contest");
const targets: Target[] = [
  { class: 1 },
  { class: 0, not: true },
  { above: 0.6 },
  { min: 0.5 },
  { below: 0.3 },
  { min: 0.4, max: 0.6 },
];

function modelOf(kind: string, seed: number, cols: number): ModelLike {
  const random = stream(seed, "model");
  if (kind === "arbitrary") return arbitrary(seed);
  if (kind === "coarse") return coarse(seed, 6);
  if (kind === "linear") return linear(random, cols);
  if (kind === "contest") return contest(random, cols);
  return forest(random, cols, 8, 3, kind === "boosted" ? "logistic" : "identity");
}

const legal = (rows: Matrix): Uint8Array =>
  Uint8Array.from(toRows(rows), (row) => Number(row.reduce((sum, v) => sum + (v || 0), 0) % 4 !== 2));

/** Fewest edits (least cost), the preferred plan among them, and the right words about it. */
async function minimalIsBruteForce(impl: Refine, runs: number): Promise<void> {
  const one = async (kind: string, seed: number, cols: number, target: Target): Promise<void> => {
    const random = stream(seed, "case");
    const model = modelOf(kind, seed, cols);
    const groups = someGroups(random, cols);
    const missing = kind === "linear" || kind === "contest" ? 0 : 0.1;
    const [x, q] = [smallRows(random, 2, cols, missing), smallRows(random, 2, cols, missing)];
    const minMargin = random.next() < 0.3 ? 0.1 : 0;
    const prefer = random.next() < 0.5 ? "near" : "margin";
    const costs = groups.map(() => 1 + random.int(3) / 2);
    const objective = random.next() < 0.3 ? "cost" : "edits";
    const allowed = Uint8Array.from({ length: 2 * groups.length }, () => Number(random.next() < 0.9));
    const maxDistance = random.next() < 0.3 ? 3 : 100;
    const rules = random.next() < 0.3 ? { legal } : {};
    const goal = { kind: "each", target, minMargin } as const;
    const result = await impl({
      model,
      x,
      q,
      groups,
      prefer,
      costs,
      objective,
      allowed,
      maxDistance,
      goal,
      ...rules,
    });
    for (let i = 0; i < 2; i++) {
      const question = {
        ...{ model, x: toRows(x)[i]!, references: [toRows(q)[i]!], groups, target, minMargin, maxDistance },
        ...(objective === "cost" ? { costs } : {}),
        ...rules,
        allowed: allowed.subarray(i * groups.length, (i + 1) * groups.length),
      };
      const { atTarget, plans } = await everyPlan(question);
      const best = preferred(plans, Number.POSITIVE_INFINITY, prefer);
      const got = result.rows[i]!;
      const edits = [...got.edits].sort((a, b) => a - b);
      if (atTarget) {
        expect(got).toMatchObject({ status: "ok", edits: [], valid: true });
        expect(got.proof).toMatchObject({ claim: "optimal" });
      } else if (best) {
        expect(got.status).toBe("ok");
        expect(got.proof).toMatchObject({ claim: "optimal" });
        expect(edits).toEqual(best.players);
        expect(toRows(result.z)[i]).toEqual(best.row);
        expect(got.slack).toBeCloseTo(best.slack, 12);
        expect(got.cost).toBeCloseTo(best.cost, 12);
      } else {
        expect(got).toMatchObject({ status: "infeasible", edits: [], valid: false });
        expect(got.proof).toMatchObject({ claim: "none exists", scope: "references" });
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(kinds, seeds, fc.integer({ min: 1, max: 10 }), fc.constantFrom(...targets), one),
    { numRuns: runs },
  );
}

describe("minimal equals brute force", () => {
  test("interactions, grouped players, costs, rules and missing values included", () =>
    minimalIsBruteForce(refine, 150));
  test("kills the first edits that work", () => refuses(() => minimalIsBruteForce(firstThatWorks, 60)));

  test("over several references, within the distance of q first", async () => {
    await fc.assert(
      fc.asyncProperty(kinds, seeds, async (kind, seed) => {
        const random = stream(seed, "references");
        const model = modelOf(kind, seed, 5);
        const [x, q, rows] = [smallRows(random, 1, 5), smallRows(random, 1, 5), smallRows(random, 4, 5)];
        const target: Target = { above: 0.55 };
        const references = { rows, candidates: [[2, 0, 3]] };
        const { rows: found, z } = await refine({ model, x, q, references, goal: { kind: "each", target } });
        const groups = [[0], [1], [2], [3], [4]];
        const searched = [2, 0, 3].map((j) => toRows(rows)[j]!);
        const { atTarget, plans } = await everyPlan({
          model,
          x: toRows(x)[0]!,
          references: searched,
          groups,
          target,
        });
        const cap = Math.hypot(...Array.from(x.data, (v, c) => v - q.data[c]!));
        const best = preferred(plans, cap);
        if (atTarget) expect(found[0]!.edits).toEqual([]);
        else if (!best)
          expect(found[0]!.proof).toEqual({
            claim: "none exists",
            scope: "references",
            references: [2, 0, 3],
          });
        else {
          expect(found[0]).toMatchObject({
            status: "ok",
            reference: [2, 0, 3][best.reference],
            edits: best.players,
          });
          const edits = best.players.length;
          expect(found[0]!.proof).toEqual({
            ...{ claim: "optimal", edits },
            ...(edits === 1 ? { scope: "model" } : { scope: "references", references: [2, 0, 3] }),
          });
          expect([...z.data]).toEqual(best.row);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("branch and bound beyond the tables: 15 and 16 players", async () => {
    for (let seed = 0; seed < 4; seed++) {
      const random = stream(seed, "branch");
      const k = 15 + random.int(3);
      const model =
        seed % 3 === 2 ? linear(random, k) : forest(random, k, 12, 4, seed % 3 ? "logistic" : "identity");
      const x = smallRows(random, 1, k);
      const q = fromRows([Array.from(x.data, (v) => (v + 1 + random.int(3)) % 4)]);
      const all = matrix(2 ** k, k);
      for (let mask = 0; mask < all.rows; mask++) {
        for (let c = 0; c < k; c++) all.data[mask * k + c] = ((mask >> c) & 1 ? q : x).data[c]!;
      }
      const best = new Float64Array(k + 1).fill(Number.NEGATIVE_INFINITY);
      (model.predict(all, 1) as Float64Array).forEach((score, mask) => {
        const size = sizeOf(mask);
        best[size] = Math.max(best[size]!, score);
      });
      const above = Math.max(...best.slice(0, 5));
      const need = best.findIndex((score) => score > above);
      const { rows } = await refine({ model, x, q, goal: { kind: "each", target: { above } } });
      if (need < 0) expect(rows[0]!.proof).toMatchObject({ claim: "none exists" });
      else {
        expect(rows[0]!.edits).toHaveLength(need);
        expect(rows[0]!.after).toBeCloseTo(best[need]!, 12);
        expect(rows[0]!.proof).toMatchObject({ claim: "optimal" });
      }
    }
  });
});

describe("what is said of a plan", () => {
  const sum = (rows: Matrix): Float64Array =>
    Float64Array.from(toRows(rows), (row) => row.reduce((a, b) => a + b, 0));
  const ones = (rows: number, cols: number): Matrix =>
    matrix(rows, cols, new Float64Array(rows * cols).fill(1));

  test("a search that outgrows its effort keeps its bound and a plan without proof", async () => {
    const model = (rows: Matrix): Float64Array => sum(rows).map((s) => s / 25);
    const { rows } = await refine({
      ...{ model, x: matrix(1, 25), q: ones(1, 25), effort: 400 },
      goal: { kind: "each", target: { min: 0.4 } },
    });
    expect(rows[0]).toMatchObject({ status: "ok", valid: true });
    expect(rows[0]!.edits).toHaveLength(10);
    expect(rows[0]!.proof).toEqual({ claim: "at least", edits: 3, scope: "references" });
  });

  test("plausible asks for a ranking and follows it", async () => {
    const plausibility = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), (row) => (row[2] === 1 ? 1 : 0));
    const base = {
      model: sum,
      x: matrix(1, 4),
      q: ones(1, 4),
      goal: { kind: "each", target: { min: 1 } },
    } as const;
    const { rows } = await refine({ ...base, prefer: "plausible", plausibility });
    expect(rows[0]!.edits).toEqual([2]);
    await expect(refine({ ...base, prefer: "plausible" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  test("for linear models the closed form speaks of any legal value", async () => {
    const model = linear(stream(5, "domain"), 4);
    const structure = model.structure!(1)!;
    if (structure.kind !== "linear") throw new Error("not linear");
    const x = matrix(1, 4);
    const q = fromRows([Array.from(structure.weights, (w) => Math.sign(w))]);
    const goal = { kind: "each", target: { class: 1 } } as const;
    const narrow = await refine({ model, x, q, goal, domain: () => ({ min: -1, max: 1 }) });
    expect(narrow.rows[0]!.proof).toEqual({
      claim: "optimal",
      edits: narrow.rows[0]!.edits.length,
      scope: "model",
    });
    const wide = await refine({ model, x, q, goal, domain: () => ({ min: -100, max: 100 }) });
    if (wide.rows[0]!.edits.length > 1) expect(wide.rows[0]!.proof).toMatchObject({ scope: "references" });
    const stuck = await refine({
      model,
      x,
      q,
      goal: { kind: "each", target: { above: 0.9999 } },
      domain: () => ({ min: -1, max: 1 }),
    });
    expect(stuck.rows[0]!.proof).toEqual({ claim: "none exists", scope: "model" });
    const open = await refine({
      model,
      x,
      q,
      goal: { kind: "each", target: { above: 0.9999 } },
      domain: () => ({ min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }),
    });
    expect(open.rows[0]!.proof).toEqual({ claim: "none exists", scope: "references" });
  });

  test("plans found by match are kept, and looked for again when they no longer hold", async () => {
    const { best } = await import("../../src/match/index.ts");
    const random = stream(3, "plans");
    const model = forest(random, 6, 8, 3);
    const [x, rows] = [smallRows(random, 6, 6), smallRows(random, 20, 6)];
    const target: Target = { above: 0.5 };
    const matches = await best(model, x, rows, { target, candidates: 8 });
    const q = fromRows(matches.map((m) => toRows(rows)[m.reference]!));
    const references = { rows, candidates: matches.map((m) => m.candidates), plans: matches };
    const kept = await refine({ model, x, q, references, goal: { kind: "each", target } });
    kept.rows.forEach((row, i) => {
      expect(row.edits).toEqual(matches[i]!.players);
      expect(row.proof).toEqual(matches[i]!.proof);
      if (row.status === "ok") expect(row.slack).toBe(matches[i]!.slack);
    });
    const stricter = await refine({
      model,
      x,
      q,
      references,
      goal: { kind: "each", target, minMargin: 0.2 },
    });
    for (const row of stricter.rows) expect(row.valid ? row.slack : 0.2).toBeGreaterThanOrEqual(0.2);
  });
});
