import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { best, frontier } from "../../src/match/index.ts";
import { asModel } from "../../src/model/contract.ts";
import { fromRows, matrix, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, ModelLike, Target } from "../../src/types.ts";
import { everyPlan, preferred } from "../refine/brute-force.ts";
import { arbitrary, forest, linear, seeds, smallRows, someGroups } from "../refine/cases.ts";
import {
  byPosition,
  counting,
  frontierOfPrefixes,
  nearestOnly,
  oneTooMany,
  sharesReferences,
  watchesTheBatch,
} from "../support/mutants/match.ts";
import { refuses } from "../support/refuses.ts";

type Best = typeof best;
type Frontier = typeof frontier;

const target: Target = { above: 0.55 };

function modelOf(seed: number, cols: number): ModelLike {
  const random = stream(seed, "model");
  return [arbitrary(seed), forest(random, cols, 8, 3), linear(random, cols)][seed % 3]!;
}

function squaredDistance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, v, c) => sum + (v - b[c]!) ** 2, 0);
}

/** The nearest references are searched, and the preferred of the fewest edits is found among them. */
async function bestIsBruteForce(impl: Best): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "pool");
      const cols = 2 + random.int(5);
      const groups = someGroups(random, cols);
      const [x, r] = [smallRows(random, 2, cols), smallRows(random, 7, cols)];
      const model = modelOf(seed, cols);
      const matches = await impl(model, x, r, { target, groups, candidates: 4 });
      for (const [i, row] of toRows(x).entries()) {
        const pool = toRows(r);
        const reach = matches[i]!.candidates.map((j) => squaredDistance(row, pool[j]!));
        const all = pool.map((other) => squaredDistance(row, other)).sort((a, b) => a - b);
        expect(reach).toEqual(all.slice(0, 4));
        const references = matches[i]!.candidates.map((j) => pool[j]!);
        const { atTarget, plans } = await everyPlan({ model, x: row, references, groups, target });
        const found = preferred(plans, Math.sqrt(reach[0]!));
        const got = matches[i]!;
        if (atTarget) expect(got).toMatchObject({ status: "ok", players: [] });
        else if (!found) {
          expect(got.proof).toEqual({
            claim: "none exists",
            scope: "references",
            references: got.candidates,
          });
        } else {
          expect(got).toMatchObject({ status: "ok", players: found.players });
          expect(got.reference).toBe(got.candidates[found.reference]);
          expect(got.slack).toBeCloseTo(found.slack, 12);
          expect(got.distance).toBeCloseTo(found.distance, 12);
          // One edit is the fewest for any values, since x itself is short of the target.
          expect(got.proof).toEqual({
            ...{ claim: "optimal", edits: found.players.length },
            ...(found.players.length === 1
              ? { scope: "model" }
              : { scope: "references", references: got.candidates }),
          });
        }
      }
    }),
    { numRuns: 60 },
  );
}

/** A match is a function of the row and of the set of references: other rows and the order of r change nothing. */
async function matchesStandAlone(impl: Best): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "alone");
      const [x, r] = [smallRows(random, 4, 4), smallRows(random, 9, 4)];
      const model = modelOf(seed, 4);
      const whole = await impl(model, x, r, { target, candidates: 5 });
      for (let i = 0; i < 4; i++) {
        const [alone] = await impl(model, takeRows(x, [i]), r, { target, candidates: 5 });
        expect(alone).toEqual(whole[i]);
      }
      const order = random.permutation(9);
      const moved = await impl(model, x, takeRows(r, order), { target, candidates: 5 });
      moved.forEach((match, i) => {
        expect(match.players).toEqual(whole[i]!.players);
        const [here, there] = [order[match.reference]!, whole[i]!.reference];
        expect(toRows(r)[here]).toEqual(toRows(r)[there]);
      });
    }),
    { numRuns: 40 },
  );
}

/** Rows that are repeated, each with references of its own, some equal but elsewhere: each has the match it has alone. */
async function equalRowsStandAlone(impl: Best): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "equal rows");
      const x = takeRows(smallRows(random, 2, 4), [0, 1, 0, 0, 1, 0]);
      const r = takeRows(smallRows(random, 5, 4), [0, 1, 2, 3, 4, 0, 1, 2]);
      const lists = [
        [0, 1, 2],
        [5, 6, 7],
        [3, 4],
        [2, 1, 0],
      ];
      const among = Array.from({ length: 6 }, () => lists[random.int(4)]!);
      const model = modelOf(seed, 4);
      const whole = await impl(model, x, r, { target, among });
      for (let i = 0; i < 6; i++) {
        const [alone] = await impl(model, takeRows(x, [i]), r, { target, among: [among[i]!] });
        expect(whole[i]).toEqual(alone);
      }
    }),
    { numRuns: 60 },
  );
}

/** slack[c] is the best of all mixtures of at most c players. */
async function frontierIsBruteForce(impl: Frontier): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "frontier");
      const cols = 2 + random.int(5);
      const groups = someGroups(random, cols);
      const [x, r] = [smallRows(random, 2, cols), smallRows(random, 3, cols)];
      const model = modelOf(seed, cols);
      const pairs = await impl(model, x, r, { target, groups });
      expect(pairs).toHaveLength(6);
      for (const { row, reference, slack, players, complete } of pairs) {
        expect(complete).toBe(true);
        const { all } = await everyPlan({
          ...{ model, x: toRows(x)[row]!, references: [toRows(r)[reference]!], groups, target },
        });
        slack.forEach((value, c) => {
          const within = all.filter((plan) => plan.players.length <= c);
          expect(value).toBeCloseTo(Math.max(...within.map((plan) => plan.slack)), 12);
          expect(players[c]!.length).toBeLessThanOrEqual(c);
          const same = all.find((plan) => plan.players.join() === players[c]!.join())!;
          expect(same.slack).toBeCloseTo(value, 12);
        });
      }
    }),
    { numRuns: 50 },
  );
}

describe("best", () => {
  test("equals brute force over the nearest references", () => bestIsBruteForce(best));
  test("kills the nearest reference alone", () => refuses(() => bestIsBruteForce(nearestOnly)));
  test("kills one edit too many", () => refuses(() => bestIsBruteForce(oneTooMany)));
  test("does not depend on other rows or on the order of the references", () => matchesStandAlone(best));
  test("kills matches that watch the batch", () => refuses(() => matchesStandAlone(watchesTheBatch)));
  test("kills ties by position", () => refuses(() => matchesStandAlone(byPosition)));

  test("gives equal rows the matches they have alone", () => equalRowsStandAlone(best));
  test("kills equal rows that share references", () => refuses(() => equalRowsStandAlone(sharesReferences)));

  test("32 references are searched by default, all when there are fewer", async () => {
    const random = stream(1, "default");
    const model = arbitrary(4);
    const far = await best(model, smallRows(random, 1, 5), smallRows(random, 60, 5), { target });
    expect(new Set(far[0]!.candidates).size).toBe(32);
    const few = await best(model, smallRows(random, 1, 5), smallRows(random, 3, 5), { target });
    expect([...few[0]!.candidates].sort()).toEqual([0, 1, 2]);
  });

  test("near means what the cost says", async () => {
    const x = matrix(1, 2);
    const r = fromRows([
      [1, 1],
      [9, 9],
    ]);
    const cost = {
      n: 1,
      m: 2,
      row: (_: number, out: Float64Array) => out.set([5, 1]),
      dense: () => matrix(1, 2),
    };
    const [match] = await best((rows) => rows.data.filter((_, c) => c % 2 === 0), x, r, {
      target,
      cost,
      candidates: 1,
    });
    expect(match).toMatchObject({ reference: 1, candidates: [1], players: [0] });
  });

  test("edits a row may not make are not proposed", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), (row) => row.reduce((a, b) => a + b, 0));
    const options = { target, allows: (column: number, _: number, to: number) => column > 0 && to < 3 };
    const [match] = await best(model, matrix(1, 3), fromRows([[1, 3, 2]]), options);
    expect(match).toMatchObject({ status: "ok", players: [2] });
    const [none] = await best(model, matrix(1, 3), fromRows([[1, 3, 2]]), { ...options, allowed: [1, 1, 0] });
    expect(none).toMatchObject({ status: "infeasible", players: [], reference: 0 });
  });

  test("more edits than allowed: the bound is said", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), (row) => row.reduce((a, b) => a + b, 0) / 3);
    const r = fromRows([[1, 1, 1]]);
    const [match] = await best(model, matrix(1, 3), r, { target, maxEdits: 1 });
    expect(match).toMatchObject({
      status: "budget",
      proof: { claim: "at least", edits: 2, references: [0] },
    });
  });

  test("errors name what is wrong", async () => {
    const x = matrix(1, 2);
    await expect(best(arbitrary(1), x, matrix(1, 3), { target })).rejects.toMatchObject({
      code: "INPUT_SHAPE",
    });
    await expect(best(arbitrary(1), x, x, { target, candidates: 0 })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
    await expect(best(arbitrary(1), x, x, { target, prefer: "first" as never })).rejects.toMatchObject({
      code: "NAME_UNKNOWN",
    });
    await expect(best(arbitrary(1), x, x, { target, allowed: [1] })).rejects.toMatchObject({
      code: "INPUT_SHAPE",
    });
    await expect(
      best(arbitrary(1), x, { ...x, rows: 0, data: new Float64Array(0) }, { target }),
    ).rejects.toMatchObject({
      code: "INPUT_EMPTY",
    });
  });

  test("equal mixtures are scored once", async () => {
    const { model, seen } = counting((rows) => new Float64Array(rows.rows));
    const r = fromRows([
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
    await best(model, matrix(1, 2), r, { target });
    // x, then {1}, {2}, {3}, {4} of the columns and the three pairs.
    expect(seen()).toBe(1 + 4 + 3);
  });
});

describe("frontier", () => {
  test("equals brute force", () => frontierIsBruteForce(frontier));
  test("kills the prefixes of one order", () => refuses(() => frontierIsBruteForce(frontierOfPrefixes)));

  test("takes the pairs of a coupling, and refuses pairs that are not there", async () => {
    const x = smallRows(stream(2, "pairs"), 3, 3);
    const some = await frontier(arbitrary(2), x, x, { target, pairs: { rows: [0, 2], cols: [1, 0] } });
    expect(some.map(({ row, reference }) => [row, reference])).toEqual([
      [0, 1],
      [2, 0],
    ]);
    const wrong = frontier(arbitrary(2), x, x, { target, pairs: { rows: [0], cols: [3] } });
    await expect(wrong).rejects.toMatchObject({ code: "PAIRS_INVALID" });
  });

  test("20 players: linear models to the end, forests to three edits", async () => {
    const random = stream(7, "many");
    const [x, r] = [matrix(1, 20), matrix(1, 20, new Float64Array(20).fill(1))];
    const model = linear(random, 20);
    const [line] = await frontier(model, x, r, { target });
    expect(line!.complete).toBe(true);
    const structure = asModel(model).structure!(1)!;
    if (structure.kind !== "linear") throw new Error("not linear");
    const falling = structure.weights.toSorted().reverse();
    let margin = structure.intercept;
    line!.slack.forEach((slack, c) => {
      if (c > 0) margin += Math.max(0, falling[c - 1]!);
      expect(slack).toBeCloseTo(1 / (1 + Math.exp(-margin)) - 0.55, 10);
    });
    const [wood] = await frontier(forest(random, 20, 10, 4), x, r, { target });
    expect(wood!.slack).toHaveLength(4);
    expect(wood!.complete).toBe(false);
  });
});
