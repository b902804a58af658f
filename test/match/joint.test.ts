import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mostLikely } from "../../src/compose/most-likely.ts";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { transport } from "../../src/couple/transport.ts";
import { joint } from "../../src/match/index.ts";
import { fromRows, matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import type { Goal, Matrix, ModelLike, Progress } from "../../src/types.ts";
import { arbitrary, coarse, contest, forest, linear, seeds, smallRows } from "../refine/cases.ts";
import {
  boastfulBound,
  byPosition,
  capless,
  droppedEdit,
  idleBound,
  ownPair,
  reuses,
  wholeReference,
  withoutTransport,
} from "../support/mutants/joint.ts";
import { refuses } from "../support/refuses.ts";
import { allSets, applied, couplings, fewestOf, type Group, levelOf, scoresOf } from "./joint-cases.ts";

type Impl = typeof joint;

const EACH = { kind: "each", target: { above: 0.55 } } as const;

function groupGoal(on: "score" | "label", level = 0.8): Group {
  return { kind: "group", divergence: "mean", on, level };
}

function modelOf(seed: number, cols: number): ModelLike {
  const random = stream(seed, "model");
  return [arbitrary(seed), forest(random, cols, 8, 3), linear(random, cols), coarse(seed, 4)][seed % 4]!;
}

function squared(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, v, c) => sum + (v - b[c]!) ** 2, 0);
}

/** Rows without ties. */
function randomRows(random: Random, rows: number, cols: number): Matrix {
  return matrix(
    rows,
    cols,
    Float64Array.from({ length: cols * rows }, () => 3 * random.next()),
  );
}

/** As many rows as references: up to `most`, the widest with few columns, so that all sums can be tried. */
function someTables(random: Random, most: number): { x: Matrix; r: Matrix } {
  const n = 2 + random.int(most - 1);
  const cols = 2 + random.int(n > 3 ? 2 : 3);
  return { x: smallRows(random, n, cols), r: smallRows(random, n, cols) };
}

/** bound ≤ the optimum over all bijections and all sets ≤ value; the level really is reached with these edits. */
async function groupsAreBracketed(impl: Impl): Promise<void> {
  let [met, cases] = [0, 0];
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "joint");
      const { x, r } = someTables(random, seed % 2 ? 5 : 4);
      const model = modelOf(seed, x.cols);
      const goal = groupGoal(seed % 2 ? "label" : "score");
      const maxEdits = 1 + random.int(5);
      const found = await impl(model, x, r, { goal, cap: "none", maxEdits });
      const level = await levelOf(model, x, r, goal);
      const sets = await allSets(model, x, r, goal);
      const choices = sets.map((row) =>
        row.map((plans) => plans.map((p) => ({ edits: p.players.length, value: level.value(p.slack) }))),
      );
      let optimum = Number.POSITIVE_INFINITY;
      for (const partner of couplings(x.rows, r.rows, 1)) {
        const fewest = fewestOf(
          partner.map((j, i) => choices[i]![j]!),
          level.holds,
        );
        optimum = Math.min(optimum, fewest);
      }
      expect(found.bound).toBeLessThanOrEqual(optimum);
      if (goal.on === "label" && maxEdits > 2) expect(found.reached).toBe(optimum < Number.POSITIVE_INFINITY);
      if (!found.reached) return;
      expect(found.value).toBeGreaterThanOrEqual(optimum);
      expect(found.gap).toBe(found.value - found.bound);
      // What is printed of the coupling never promises more than is so.
      expect(found.value - found.coupling.gap).toBeLessThanOrEqual(optimum);
      expect(found.value).toBe(found.plans.reduce((sum, plan) => sum + plan.players.length, 0));
      const scores = await scoresOf(model, applied(x, r, found.plans));
      expect(level.holds(scores.map(level.value).reduce((a, b) => a + b, 0))).toBe(true);
      found.plans.forEach((plan, i) => {
        expect(plan.slack).toBe(scores[i]);
      });
      if (maxEdits < 3) return;
      cases++;
      met += Number(found.bound === optimum && found.value === optimum);
    }),
    { numRuns: 60, seed: 11 },
  );
  expect(met / cases).toBeGreaterThanOrEqual(0.85);
}

/** Most rows at the target, then the fewest edits, over all bijections and all sets. */
async function eachIsBruteForce(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "each");
      const { x, r } = someTables(random, 4);
      const model = seed % 5 === 0 ? contest(random, x.cols) : modelOf(seed, x.cols);
      const goal: Goal = seed % 5 === 0 ? { kind: "each", target: { class: "b" } } : EACH;
      const found = await impl(model, x, r, { goal });
      const sets = await allSets(model, x, r, goal);
      const least = sets.map((row) =>
        row.map((plans) =>
          Math.min(
            Number.POSITIVE_INFINITY,
            ...plans.filter((p) => p.slack > 0).map((p) => p.players.length),
          ),
        ),
      );
      let best = { served: -1, edits: 0 };
      for (const partner of couplings(x.rows, r.rows, 1)) {
        const edits = partner.map((j, i) => least[i]![j]!).filter(Number.isFinite);
        const sum = edits.reduce((a, b) => a + b, 0);
        if (edits.length > best.served || (edits.length === best.served && sum < best.edits))
          best = { served: edits.length, edits: sum };
      }
      expect(found.plans.filter(({ status }) => status === "ok")).toHaveLength(best.served);
      expect(found).toMatchObject({ value: best.edits, bound: best.edits, gap: 0 });
      expect(found.reached).toBe(best.served === x.rows);
      found.plans.forEach(({ status, players, reference }, i) => {
        if (status !== "ok") return;
        const plan = sets[i]![reference]!.find((p) => p.players.join() === players.join())!;
        expect(plan.slack).toBeGreaterThan(0);
      });
    }),
    { numRuns: 50 },
  );
}

/** No reference serves more rows than the mode allows, and `reuse` counts them. */
async function modesAreKept(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "modes");
      const [n, m] = [2 + random.int(6), 2 + random.int(6)];
      const [x, r] = [smallRows(random, n, 3), smallRows(random, m, 3)];
      const goal = [EACH, groupGoal("label"), groupGoal("score")][random.int(3)]!;
      const least = Math.ceil(n / m);
      const capacity = least + random.int(2);
      for (const [mode, most] of [["one-to-one", least] as const, [{ capacity }, capacity] as const]) {
        const found = await impl(modelOf(seed, 3), x, r, { goal, mode, candidates: 2 });
        const { coupling, plans, reuse } = found;
        for (const { candidates, reference } of plans) expect(candidates).toContain(reference);
        if (goal.kind === "each" || found.reached) expect(found.bound).toBeLessThanOrEqual(found.value);
        expect(coupling.name).toBe("joint");
        expect(Array.from(coupling.rows)).toEqual(Array.from({ length: n }, (_, i) => i));
        expect(plans.map(({ reference }) => reference)).toEqual(Array.from(coupling.cols));
        const used = new Array<number>(m).fill(0);
        for (const j of coupling.cols) used[j]!++;
        expect(Array.from(reuse)).toEqual(used);
        expect(Math.max(...used)).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 50 },
  );
}

/** ‖z_i − x_i‖ ≤ ‖q_i^OT − x_i‖ for every mixture of x and q, and the transport partner was looked at. */
async function capsAreKept(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "cap");
      const [n, m] = [3 + random.int(4), 4 + random.int(4)];
      const [x, r] = [randomRows(random, n, 4), randomRows(random, m, 4)];
      const goal = [EACH, groupGoal("label"), groupGoal("score")][random.int(3)]!;
      const cost = squaredEuclidean(x, r);
      const options = { goal, cost, candidates: 2, cap: "transport" } as const;
      const { plans, q } = await impl(modelOf(seed, 4), x, r, options);
      const z = applied(x, r, plans);
      const partner = mostLikely(await transport(cost), r, cost).index;
      plans.forEach((plan, i) => {
        const from = rowOf(x, i);
        const cap = squared(from, rowOf(r, partner[i]!));
        expect(plan.candidates).toContain(partner[i]);
        expect(plan.distance ** 2).toBeCloseTo(squared(from, rowOf(z, i)), 9);
        expect(squared(from, rowOf(z, i))).toBeLessThanOrEqual(cap + 1e-9);
        expect(squared(from, rowOf(q, i))).toBeLessThanOrEqual(cap + 1e-9);
        for (const p of plan.players) expect(rowOf(q, i)[p]).toBe(rowOf(z, i)[p]);
      });
    }),
    { numRuns: 60 },
  );
}

/** Transport followed by the best choice of edits is among what is compared. */
async function neverWorseThanTransport(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "never");
      const cols = 3 + random.int(3);
      const [x, r] = [smallRows(random, 6, cols), smallRows(random, 6, cols)];
      const model = modelOf(seed, cols);
      const goal = [EACH, groupGoal("label"), groupGoal("score", 0.6)][random.int(3)]!;
      const cost = squaredEuclidean(x, r);
      const q = mostLikely(await transport(cost), r, cost);
      const desired = goal.kind === "group" ? { desired: await scoresOf(model, r) } : {};
      const old = await refine({ model, x, q, goal, policy: "minimal", ...desired });
      const found = await impl(model, x, r, { goal, cost, candidates: 3, maxEdits: 2, cap: "transport" });
      if (goal.kind === "each") {
        const served = (rows: readonly { readonly status: string }[]): number =>
          rows.filter(({ status }) => status === "ok").length;
        expect(served(found.plans)).toBeGreaterThanOrEqual(served(old.rows));
        if (served(found.plans) > served(old.rows)) return;
      } else if (!old.reached.goal) return;
      else expect(found.reached).toBe(true);
      expect(found.value).toBeLessThanOrEqual(old.reached.C);
      expect(found.bound).toBeLessThanOrEqual(found.value);
    }),
    { numRuns: 60 },
  );
}

/** Permuting rows and references permutes the result. */
async function permutesWithTheRows(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "permute");
      const [x, r] = [randomRows(random, 5, 3), randomRows(random, 6, 3)];
      const model = modelOf(seed, 3);
      const goal = [EACH, groupGoal("label"), groupGoal("score")][random.int(3)]!;
      const [rows, cols] = [random.permutation(5), random.permutation(6)];
      const plain = await impl(model, x, r, { goal, candidates: 3 });
      const moved = await impl(model, takeRows(x, rows), takeRows(r, cols), { goal, candidates: 3 });
      expect([moved.value, moved.bound]).toEqual([plain.value, plain.bound]);
      moved.plans.forEach((plan, t) => {
        const own = plain.plans[rows[t]!]!;
        expect(cols[plan.reference]).toBe(own.reference);
        expect(plan.players).toEqual(own.players);
        expect(plan.candidates.map((j) => cols[j])).toEqual(own.candidates);
        expect(rowOf(moved.q, t)).toEqual(rowOf(plain.q, rows[t]!));
      });
    }),
    { numRuns: 40 },
  );
}

/** A model that fails on some rows for a while: a set that could not be scored then may do all when it can be. */
async function boundForgivesFailures(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "recovers");
      const [x, r] = [smallRows(random, 2, 4), smallRows(random, 2, 4)];
      const asked = new Map(Array.from({ length: 2 }, (_, i) => [rowOf(x, i).join(), 9]));
      const [scores, luck] = [arbitrary(seed), arbitrary(seed + 1)];
      const model = (rows: Matrix): Float64Array => {
        const [score, chance] = [scores(rows), luck(rows)] as [Float64Array, Float64Array];
        return score.map((s, i) => {
          const key = rowOf(rows, i).join();
          const times = asked.get(key) ?? 0;
          asked.set(key, times + 1);
          return times < 7 && chance[i]! < 0.5 ? Number.NaN : s;
        });
      };
      const { bound, value } = await impl(model, x, r, { goal: EACH });
      expect(bound).toBeLessThanOrEqual(value);
    }),
    { numRuns: 300 },
  );
}

describe("joint", () => {
  test("the bound holds for sets that could not be scored", () => boundForgivesFailures(joint));
  test("kills a bound too high for them", () => refuses(() => boundForgivesFailures(boastfulBound)));
  test("a group's edits lie between the bound and brute force", () => groupsAreBracketed(joint));
  test("a coupling that is not the best says by how many edits it may not be", async () => {
    const random = stream(50, "joint-audit");
    const n = 2 + random.int(4);
    const cols = 2 + random.int(n > 3 ? 2 : 3);
    const [x, r] = [smallRows(random, n, cols), smallRows(random, n, cols)];
    const model = modelOf(50, cols);
    const found = await joint(model, x, r, { goal: groupGoal("score"), cap: "none", maxEdits: 5 });
    // Brute force over all couplings and sets finds one edit.
    expect(found).toMatchObject({ value: 2, bound: 1, gap: 1, coupling: { gap: 1, converged: true } });
  });
  test("kills a bound too high", () => refuses(() => groupsAreBracketed(boastfulBound)));
  test("kills a bound that says nothing", () => refuses(() => groupsAreBracketed(idleBound)));
  test("kills an edit forgotten", () => refuses(() => groupsAreBracketed(droppedEdit)));
  test("each row at the target equals brute force", () => eachIsBruteForce(joint));
  test("kills references used again", () => refuses(() => eachIsBruteForce(reuses)));
  test("a matching, or as many rows per reference as allowed", () => modesAreKept(joint));
  test("kills modes that are not kept", () => refuses(() => modesAreKept(reuses)));
  test("no row goes farther than its transport proposal", () => capsAreKept(joint));
  test("kills rows that go as far as they like", () => refuses(() => capsAreKept(capless)));
  test("kills a proposal beyond the cap", () => refuses(() => capsAreKept(wholeReference)));
  test("kills candidates without the transport partner", () => refuses(() => capsAreKept(withoutTransport)));
  test("never needs more edits than transport", () => neverWorseThanTransport(joint));
  test("kills row i with reference i", () => refuses(() => neverWorseThanTransport(ownPair)));
  test("permuting the rows permutes the result", () => permutesWithTheRows(joint));
  test("kills candidates by position", () => refuses(() => permutesWithTheRows(byPosition)));

  test("free rows may share the reference that serves them best", async () => {
    const model = (rows: Matrix): Float64Array => rows.data.filter((_, c) => c % 2 === 0);
    const x = fromRows([
      [0, 0],
      [0, 1],
    ]);
    const r = fromRows([
      [1, 2],
      [0, 2],
    ]);
    const goal = { kind: "each", target: { above: 0.5 } } as const;
    const free = await joint(model, x, r, { goal, mode: "free" });
    expect(free).toMatchObject({ value: 2, bound: 2, reached: true });
    expect(Array.from(free.reuse)).toEqual([2, 0]);
    const once = await joint(model, x, r, { goal });
    expect(once).toMatchObject({ value: 1, reached: false });
    expect(once.plans.filter(({ status }) => status === "infeasible")).toHaveLength(1);
  });

  test("scores that must fall, and labels by MMD", async () => {
    const random = stream(3, "fall");
    const [x, r] = [smallRows(random, 8, 4), smallRows(random, 8, 4)];
    const sum = (rows: Matrix): Float64Array =>
      Float64Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i).reduce((a, b) => a + b, 0) / 12);
    const goal = { kind: "group", divergence: "mean", desired: [0.1], level: 0.5 } as const;
    const found = await joint(sum, x, r, { goal, cap: "none", mode: "free" });
    const meanOf = (rows: Matrix): number => sum(rows).reduce((a, b) => a + b, 0) / rows.rows;
    const z = applied(x, r, found.plans);
    expect(found.reached).toBe(true);
    expect(Math.abs(meanOf(z) - 0.1)).toBeLessThanOrEqual(0.5 * Math.abs(meanOf(x) - 0.1) + 1e-9);
    const labels = { kind: "group", on: "label", threshold: 0.5, desired: [1], level: 0.75 } as const;
    const byMmd = await joint(sum, x, r, { goal: { ...labels, divergence: "mmd" }, cap: "none" });
    const byMean = await joint(sum, x, r, {
      goal: { ...labels, divergence: "mean", level: 0.5 },
      cap: "none",
    });
    expect(byMmd.value).toBe(byMean.value);
  });

  test("the bound speaks of all sets, also of those that were not searched", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i).reduce((a, b) => a + b, 0));
    const [x, r] = [matrix(2, 7), matrix(2, 7, new Float64Array(14).fill(1))];
    const labels = { ...groupGoal("label", 1), threshold: 3.5 };
    for (const goal of [{ kind: "each", target: { above: 3.5 } }, labels] as const) {
      const some = await joint(model, x, r, { goal, cap: "none", maxEdits: 1 });
      // A set of two might have done for all that was searched.
      expect(some).toMatchObject({ value: 8, bound: 4, reached: true });
      const all = await joint(model, x, r, { goal, cap: "none", maxEdits: 7 });
      expect(all).toMatchObject({ value: 8, bound: 8, gap: 0 });
    }
    const scores = { ...groupGoal("score", 0.5), desired: [7] };
    // Nothing is known of the largest score of a function.
    expect(await joint(model, x, r, { goal: scores, cap: "none", maxEdits: 1 })).toMatchObject({ bound: 0 });
    expect(await joint(model, x, r, { goal: scores, cap: "none" })).toMatchObject({ value: 7 });
  });

  test("a number caps the distance, perRow the edits, allowed the players", async () => {
    const random = stream(4, "limits");
    const [x, r] = [smallRows(random, 6, 4), smallRows(random, 6, 4)];
    const goal = groupGoal("score", 1);
    const allowed = Uint8Array.from({ length: 24 }, (_, t) => Number(t % 4 !== 0));
    const { plans } = await joint(arbitrary(5), x, r, { goal, cap: 2, perRow: 2, allowed });
    expect(plans.some(({ players }) => players.length > 0)).toBe(true);
    for (const { distance, players } of plans) {
      expect(distance).toBeLessThanOrEqual(2 + 1e-9);
      expect(players.length).toBeLessThanOrEqual(2);
      expect(players).not.toContain(0);
    }
  });

  test("rows that break a rule are not proposed", async () => {
    const random = stream(6, "legal");
    const [x, r] = [smallRows(random, 5, 4), smallRows(random, 5, 4)];
    const legal = (rows: Matrix): Uint8Array =>
      Uint8Array.from({ length: rows.rows }, (_, i) => Number(rowOf(rows, i)[0]! <= rowOf(rows, i)[1]!));
    for (const model of [arbitrary(2), forest(random, 4, 8, 3)]) {
      for (const goal of [EACH, groupGoal("score")]) {
        const { plans } = await joint(model, x, r, { goal, legal, cap: "none" });
        const z = applied(x, r, plans);
        plans.forEach(({ players }, i) => {
          if (players.length > 0) expect(legal(takeRows(z, [i]))[0]).toBe(1);
        });
      }
    }
  });

  test("a row the model fails on costs nobody else a plan", async () => {
    const x = fromRows([
      [0, 0],
      [9, 0],
      [0, 1],
    ]);
    const r = fromRows([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const first = rowOf(rows, i)[0]!;
        return first === 9 ? Number.NaN : first;
      });
    for (const goal of [EACH, { ...groupGoal("label"), desired: [1] }]) {
      const { plans, value } = await joint(model, x, r, { goal, cap: "none" });
      expect(plans.map(({ status }) => status)).toEqual(["ok", "model_error", "ok"]);
      expect(value).toBe(2);
    }
  });

  test("an abort stops it, progress is told, limits are kept", async () => {
    const random = stream(8, "abort");
    const [x, r] = [smallRows(random, 12, 5), smallRows(random, 12, 5)];
    const seen: Progress[] = [];
    const onProgress = (progress: Progress): number => seen.push(progress);
    await joint(arbitrary(1), x, r, { goal: EACH, onProgress });
    for (const done of [1, 6, 12]) expect(seen).toContainEqual({ stage: "joint", done, total: 12 });
    const stop = new AbortController();
    const slow = async (rows: Matrix): Promise<ArrayLike<number>> => {
      stop.abort();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return arbitrary(1)(rows);
    };
    const aborted = joint(slow, x, r, { goal: EACH, signal: stop.signal });
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    const short = joint(arbitrary(1), x, r, { goal: EACH, limits: { modelRows: 20 } });
    await expect(short).rejects.toMatchObject({ code: "LIMIT_MODEL_ROWS" });
  });

  test("errors name what is wrong", async () => {
    const x = smallRows(stream(1, "wrong"), 4, 2);
    const wrong = [
      { candidates: 0 },
      { maxEdits: 0.5 },
      { perRow: -1 },
      { cap: -1 },
      { objective: "cost" },
      { mode: { capacity: 0 } },
      { goal: { kind: "group", divergence: "median" } },
      { goal: { kind: "group", divergence: "mean", level: 2 } },
    ];
    for (const options of wrong) {
      const asked = joint(arbitrary(1), x, x, { goal: EACH, ...options } as never);
      await expect(asked).rejects.toMatchObject({ code: "OPTION_INVALID" });
    }
    const few = joint(arbitrary(1), x, takeRows(x, [0]), { goal: EACH, mode: { capacity: 2 } });
    await expect(few).rejects.toMatchObject({ code: "OPTION_INVALID" });
    const shape = joint(arbitrary(1), x, matrix(1, 3), { goal: EACH });
    await expect(shape).rejects.toMatchObject({ code: "INPUT_SHAPE" });
  });
});
