import fc from "fast-check";
import { expect } from "vitest";
import { asModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import { matrix, rowOf, sameValue, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { RefineOptions, refine } from "../../src/refine/index.ts";
import type { Goal, Matrix, Target } from "../../src/types.ts";
import { arbitrary, coarse, forest, linear, seeds, smallRows, someGroups } from "./cases.ts";

export type Refine = typeof refine;

const POLICIES = ["sample", "top", "greedy", "minimal"] as const;
const DIVERGENCES = ["w1", "transport", "mmd", "mean", "median"] as const;
const each: Goal = { kind: "each", target: { above: 0.55 } };
const group: Goal = { kind: "group", divergence: "mean", level: 0.8 };

/** Rows, proposals, players, a model and attributions without ties. */
export function problemOf(seed: number, rows = 5): RefineOptions & { readonly groups: number[][] } {
  const random = stream(seed, "problem");
  const cols = 1 + random.int(7);
  const groups = someGroups(random, cols);
  const kind = random.int(4);
  const model =
    kind === 0
      ? arbitrary(seed)
      : kind === 1
        ? coarse(seed, 5)
        : kind === 2
          ? linear(random, cols)
          : forest(random, cols, 6, 3);
  const missing = kind < 2 ? 0.15 : 0;
  const x = smallRows(random, rows, cols, missing);
  // Equal rows could not be told apart after a permutation.
  for (let i = 0; i < rows; i++) x.data[i * cols] = (x.data[i * cols] || 0) + i / 64;
  const q = smallRows(random, rows, cols, missing);
  const attribution = matrix(
    rows,
    groups.length,
    Float64Array.from({ length: rows * groups.length }, () => random.normal()),
  );
  return { model, x, q, groups, attribution, goal: random.next() < 0.5 ? each : group };
}

function everyCase(
  run: (options: RefineOptions & { readonly groups: number[][] }, seed: number) => Promise<void>,
  runs: number,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(seeds, fc.constantFrom(...POLICIES), async (seed, policy) => {
      const stop = seed % 2 === 0 ? "goal" : "budget";
      const options = problemOf(seed);
      const goal =
        options.goal.kind === "group" && policy !== "minimal"
          ? { ...options.goal, divergence: DIVERGENCES[seed % 5]!, on: seed % 3 === 0 ? "label" : "score" }
          : options.goal;
      await run({ ...options, goal, policy, stop, seed } as typeof options, seed);
    }),
    { numRuns: runs },
  );
}

function differs(a: Matrix, b: Matrix, i: number, columns: readonly number[]): boolean {
  return columns.some((c) => !sameValue(rowOf(a, i)[c]!, rowOf(b, i)[c]!));
}

/** z is x or q cell by cell, player by player; the plan says which; z is no farther from x than q in L0, L1, L2. */
export async function cellsAreXOrQ(impl: Refine, runs = 80): Promise<void> {
  await everyCase(async (options) => {
    const { x, q, groups } = options;
    const { z, plan, rows, order, reached } = await impl(options);
    for (let i = 0; i < x.rows; i++) {
      const edited = groups.flatMap((columns, p) => (differs(x, z, i, columns) ? [p] : []));
      const planned = groups.flatMap((_, p) => (plan[i * groups.length + p] ? [p] : []));
      expect(planned).toEqual(edited);
      expect([...rows[i]!.edits].sort((a, b) => a - b)).toEqual(edited);
      for (const p of edited) expect(differs(q, z, i, groups[p]!)).toBe(false);
      const norms = (m: Matrix): number[] => normsOf(rowOf(x, i), rowOf(m, i));
      norms(z).forEach((norm, t) => {
        expect(norm).toBeLessThanOrEqual(norms(q)[t]! + 1e-12);
      });
      expect(rows[i]!.distance).toBeCloseTo(norms(z)[2]!, 12);
    }
    expect([...order].sort((a, b) => a - b)).toEqual([...plan.keys()].filter((cell) => plan[cell]));
    expect(reached.C).toBe(order.length);
  }, runs);
}

function normsOf(a: Float64Array, b: Float64Array): number[] {
  const gaps = Array.from(a, (v, c) =>
    sameValue(v, b[c]!) ? 0 : Number.isNaN(v - b[c]!) ? 1 : Math.abs(v - b[c]!),
  );
  return [
    gaps.filter((g) => g > 0).length,
    gaps.reduce((s, g) => s + g, 0),
    Math.sqrt(gaps.reduce((s, g) => s + g * g, 0)),
  ];
}

/** Scores, slack and validity are what the model says of exactly the rows returned. */
export async function resultsAreRescored(impl: Refine, runs = 60): Promise<void> {
  await everyCase(async (options) => {
    const { x } = options;
    const model = asModel(options.model);
    const { z, rows, reached, curve } = await impl(options);
    const ask = async (m: Matrix): Promise<Float64Array> =>
      model.predict(
        m,
        options.goal.kind === "each"
          ? reachOf(model, (options.goal as { target: Target }).target).primary
          : undefined,
      );
    const [before, after] = [await ask(x), await ask(z)];
    for (let i = 0; i < x.rows; i++) {
      expect(rows[i]!.before).toBe(before[i]);
      expect(rows[i]!.after).toBe(after[i]);
      if (options.goal.kind !== "each") continue;
      const reach = reachOf(model, options.goal.target);
      expect(rows[i]!.slack).toBe(reach.slack([after], i));
      expect(rows[i]!.valid).toBe(reach.reached(rows[i]!.slack));
      expect(rows[i]!.status === "ok").toBe(rows[i]!.valid);
    }
    expect(reached.D).toBeLessThanOrEqual(Math.max(...curve.map(({ D }) => D)) + 1e-9);
  }, runs);
}

/** Total and per-row budgets hold; sampling and top use the whole budget where they are told to. */
export async function budgetsHold(impl: Refine, runs = 80): Promise<void> {
  await everyCase(async (options, seed) => {
    const [total, perRow] = [seed % 7, seed % 3];
    const { rows, plan } = await impl({ ...options, prune: false, budget: { total, perRow } });
    const spent = plan.reduce((a, b) => a + b, 0);
    expect(spent).toBeLessThanOrEqual(total);
    for (const row of rows) expect(row.edits.length).toBeLessThanOrEqual(perRow);
    if (options.stop === "budget" && (options.policy === "sample" || options.policy === "top")) {
      const cells = rows.map(
        (_, i) => options.groups.filter((columns) => differs(options.x, options.q, i, columns)).length,
      );
      expect(spent).toBe(
        Math.min(
          total,
          cells.reduce((sum, k) => sum + Math.min(k, perRow), 0),
        ),
      );
    }
  }, runs);
}

/** Forbidden players stay, rules between columns hold in every row that changed, distances are kept. */
export async function constraintsHold(impl: Refine, runs = 80): Promise<void> {
  const legal = (rows: Matrix): Uint8Array =>
    Uint8Array.from(toRows(rows), (row) =>
      Number(row.reduce((sum, v) => sum + (Number.isNaN(v) ? 0 : v), 0) % 3 !== 1),
    );
  await everyCase(async (options, seed) => {
    const random = stream(seed, "allowed");
    const allowed = Uint8Array.from({ length: options.x.rows * options.groups.length }, () =>
      Number(random.next() < 0.7),
    );
    const maxDistance = 1 + 2 * random.next();
    const { z, plan, rows } = await impl({ ...options, allowed, legal, maxDistance });
    plan.forEach((c, cell) => {
      expect(c && !allowed[cell]).toBeFalsy();
    });
    legal(z).forEach((ok, i) => {
      expect(ok || rows[i]!.edits.length === 0).toBeTruthy();
    });
    for (const row of rows) expect(row.distance).toBeLessThanOrEqual(maxDistance + 1e-9);
  }, runs);
}

/** The plans of C = 0, 1, 2, … contain each other and have C cells. */
export async function plansAreNested(impl: Refine, runs = 25): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, fc.constantFrom("sample", "top", "greedy"), async (seed, policy) => {
      const options = { ...problemOf(seed, 3), policy, stop: "budget", prune: false, seed } as const;
      const whole = await impl(options);
      let held: Uint8Array = new Uint8Array(whole.plan.length);
      for (let total = 0; total <= whole.order.length; total++) {
        const { plan, reached } = await impl({ ...options, budget: { total } });
        expect(reached.C).toBe(total);
        held.forEach((c, cell) => {
          expect(plan[cell]!).toBeGreaterThanOrEqual(c);
        });
        if (options.goal.kind === "group") expect(reached.D).toBeCloseTo(whole.curve[total]!.D, 12);
        held = plan;
      }
    }),
    { numRuns: runs },
  );
}

/** For the goal `each`, a row explained alone, in halves and in the whole batch gives the same bytes. */
export async function rowsAreAlone(impl: Refine, runs = 40): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const options: RefineOptions = { ...problemOf(seed), goal: each };
      const { attribution: _, ...rest } = options;
      const whole = await impl(rest);
      const parts = [[0], [1], [0, 1], [2, 3, 4], [4]];
      for (const part of parts) {
        const some = await impl({ ...rest, x: takeRows(rest.x, part), q: takeRows(rest.q, part) });
        part.forEach((i, t) => {
          expect(some.rows[t]).toEqual(whole.rows[i]);
          expect(rowOf(some.z, t)).toEqual(rowOf(whole.z, i));
        });
      }
    }),
    { numRuns: runs },
  );
}

/** Permuting the rows permutes the result; the size of the model's batches changes nothing. */
export async function orderDoesNotMatter(impl: Refine, runs = 60): Promise<void> {
  await everyCase(async (options, seed) => {
    const whole = await impl(options);
    const order = stream(seed, "order").permutation(options.x.rows);
    const moved = await impl({
      ...options,
      x: takeRows(options.x, order),
      q: takeRows(options.q, order),
      attribution: takeRows(options.attribution as Matrix, order),
      batchRows: 1 + (seed % 5),
    });
    order.forEach((from, to) => {
      expect(rowOf(moved.z, to)).toEqual(rowOf(whole.z, from));
      expect(moved.rows[to]).toEqual(whole.rows[from]);
    });
  }, runs);
}
