import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { squaredDistance } from "../../src/data/metric.ts";
import type { Task } from "../../src/generate/contract.ts";
import { type KnnOptions, knn } from "../../src/generate/knn.ts";
import { type NiceOptions, nice } from "../../src/generate/nice.ts";
import { openRun } from "../../src/generate/run.ts";
import { rankSpace } from "../../src/generate/space.ts";
import { fromRows, rowOf, sameValue, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { editsPerRow, loanTask, plainTask } from "../support/generate.ts";
import { knnMutants, niceMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

const SCHEMA: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "integer" },
    { name: "c", kind: "categorical", categories: ["u", "v", "w"] },
  ],
};
const random = () => stream(8, "neighbours");
const cells = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 30 }) },
      { weight: 1, arbitrary: fc.constant(Number.NaN) },
    ),
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 2 }),
  ),
  { minLength: 4, maxLength: 30 },
);
const value = (row: ArrayLike<number>): number =>
  (Number.isNaN(row[0]) ? 5 : row[0]!) / 30 + row[1]! / 24 + (row[2] === 1 ? 0.2 : 0) - 0.35;

/** ½(#{< v} + #{≤ v})/N at a value of the column. */
function countRank(column: readonly number[], v: number): number {
  const known = column.filter((w) => !Number.isNaN(w));
  return (known.filter((w) => w < v).length + known.filter((w) => w <= v).length) / 2 / known.length;
}

type Place = (schema: Schema, references: Matrix) => Promise<(rows: Matrix) => Matrix>;
const real: Place = async (schema, references) =>
  (await rankSpace(schema, references, startWork("test"))).place;

describe("mid-ranks", () => {
  const midRankLaw = (placing: Place): Promise<void> =>
    fc.assert(
      fc.asyncProperty(cells, async (rows) => {
        const references = fromRows(rows);
        const place = await placing(SCHEMA, references);
        const placed = place(references);
        rows.forEach((row, j) => {
          const [a, b, c] = rowOf(placed, j);
          const expected = Number.isNaN(row[0])
            ? Number.NaN
            : countRank(
                rows.map((r) => r[0]),
                row[0],
              );
          expect(sameValue(a!, expected) || Math.abs(a! - expected) < 1e-12).toBe(true);
          expect(b).toBeCloseTo(
            countRank(
              rows.map((r) => r[1]),
              row[1],
            ),
            12,
          );
          expect(c).toBe(row[2]);
        });
      }),
    );
  test("are counted on the references", () => midRankLaw(real));
  test("ranks that count ties as below are refused", () => refuses(() => midRankLaw(knnMutants.lastRank)));

  test("are linear between values and constant outside", async () => {
    const schema: Schema = { features: [{ name: "a", kind: "numeric" }] };
    const place = await real(schema, fromRows([[1], [1], [2], [5]]));
    const at = (v: number): number => place(fromRows([[v]])).data[0]!;
    expect([at(1), at(2), at(5)]).toEqual([0.25, 0.625, 0.875]);
    expect(at(3)).toBeCloseTo(0.625 + 0.25 / 3, 12);
    expect([at(-9), at(99)]).toEqual([0.25, 0.875]);
  });
});

describe("knn", () => {
  type Find = (task: Task, options: KnnOptions) => ReturnType<typeof knn>;
  /** Without constraints: the references at the target a full scan finds nearest in the rank space. */
  const nearestLaw = (find: Find): Promise<void> =>
    fc.assert(
      fc.asyncProperty(cells, cells, async (given, rows) => {
        const free = { features: SCHEMA.features.map((f) => ({ ...f, editMissing: true })) };
        const x = fromRows(given.slice(0, 3));
        const task = plainTask(free, x, fromRows(rows), value);
        const { rows: found, pairs, report } = await find(task, { neighbours: 2 });
        const place = (await rankSpace(free, task.references, startWork("test"))).place;
        const ranks = toRows(place(task.references));
        const far = (i: number, j: number): number => {
          const from = toRows(place(x))[i]!;
          return from.reduce((sum, v, k) => {
            const w = ranks[j]![k]!;
            if (Number.isNaN(v) || Number.isNaN(w)) return sum + Number(Number.isNaN(v) !== Number.isNaN(w));
            return sum + (k === 2 ? Number(v !== w) : Math.abs(v - w));
          }, 0);
        };
        const unlike = rows.flatMap((row, j) => (value(row) > 0.5 ? [j] : []));
        given.slice(0, 3).forEach((row, i) => {
          if (value(row) > 0.5) return;
          const mine = [...pairs!].flatMap((p, t) => (p === i ? [rowOf(found, t)] : []));
          expect(report.status[i]).toBe(unlike.length > 0 ? "ok" : "infeasible");
          const distances = unlike.map((j) => far(i, j)).sort((a, b) => a - b);
          const nearest = mine.map((z) =>
            Math.min(
              ...unlike.filter((j) => rows[j]!.every((v, k) => sameValue(v, z[k]!))).map((j) => far(i, j)),
            ),
          );
          nearest.forEach((d, t) => {
            expect(d).toBeGreaterThanOrEqual(distances[t]! - 1e-12);
          });
          if (mine.length > 0) expect(nearest[0]).toBeCloseTo(distances[0]!, 12);
        });
      }),
      { numRuns: 80 },
    );
  test("returns the nearest references at the target", () =>
    nearestLaw((task, options) => knn(task, options, random())));
  test.each(Object.entries(knnMutants.finders))("%s is refused", (_, find) =>
    refuses(() => nearestLaw(find)),
  );

  /** Rows that are repeated have the rows of those that are not, and cost the model no more than a score each. */
  const equalLaw = async (find: Find): Promise<void> => {
    const task = await loanTask("mixed", "forest");
    const few = takeRows(task.x, [0, 1, 2]);
    const repeated = [2, 0, 1, 0, 0, 2];
    const alone = await find({ ...task, x: few }, { neighbours: 3 });
    const all = await find({ ...task, x: takeRows(few, repeated) }, { neighbours: 3 });
    const of = ({ rows, pairs }: typeof all, i: number): number[][] =>
      toRows(rows).filter((_, t) => pairs![t] === i);
    repeated.forEach((row, i) => {
      expect(of(all, i)).toEqual(of(alone, row));
    });
    expect(all.report.evaluations).toBe(alone.report.evaluations + 3);
  };
  test("searches equal rows once", () => equalLaw((task, options) => knn(task, options, random())));
  test("one that searches them again, or leaves them out, is refused", async () => {
    await refuses(() =>
      equalLaw(async (task, options) => {
        const made = await knn(task, options, random());
        const again = await knn({ ...task, x: takeRows(task.x, [0]) }, options, random());
        const evaluations = made.report.evaluations + (task.x.rows > 3 ? again.report.evaluations : 0);
        return { ...made, report: { ...made.report, evaluations } };
      }),
    );
    await refuses(() =>
      equalLaw(async (task, options) => {
        const made = await knn(task, options, random());
        return { ...made, pairs: made.pairs!.map((i) => (i === 5 ? 0 : i)) };
      }),
    );
  });

  test("a forbidden cell keeps x's value, and a farther neighbour is taken where the nearer one fails then", async () => {
    const schema: Schema = { features: [SCHEMA.features[0]!, { ...SCHEMA.features[1]!, immutable: true }] };
    const references = fromRows([
      [1, 9],
      [6, 1],
      [9, 0],
    ]);
    const task = plainTask(schema, fromRows([[0, 8]]), references, (row) =>
      Number(row[0]! > 5 || row[1] === 9),
    );
    const { rows } = await knn(task, {}, random());
    expect(toRows(rows)).toEqual([[6, 8]]);
    const short = await knn(task, { tries: 1 }, random());
    expect(short.report.status).toEqual(["infeasible"]);
    expect(short.report.reasons[0]).toContain("1 nearest");
  });

  test("pooled: as many rows as factual ones, without pairs, the same for any order of rows", async () => {
    const task = await loanTask("mixed", "logistic");
    const options = { mode: "pooled", neighbours: 7 } as const;
    const pooled = await knn(task, options, random());
    expect(pooled.pairs).toBeUndefined();
    expect(pooled.rows.rows).toBe(task.x.rows);
    const own = await knn(task, { neighbours: 7 }, random());
    const pool = new Set(toRows(own.rows).map(String));
    expect(toRows(pooled.rows).every((row) => pool.has(String(row)))).toBe(true);
    const back = fromRows(toRows(task.x).reverse());
    expect(toRows((await knn({ ...task, x: back }, options, random())).rows)).toEqual(toRows(pooled.rows));
  });
});

describe("nice", () => {
  type Walk = (task: Task, options: NiceOptions) => ReturnType<typeof nice>;
  /** Each step takes the feature of the neighbour with the largest reward until the row is at the target. */
  const stepLaw = async (walk: Walk): Promise<void> => {
    const task = await loanTask("mixed", "forest");
    const { metric } = openRun("test", task, {}, {});
    const score = async (rows: number[][]): Promise<Float64Array> => {
      const model = task.model as { predict(rows: Matrix, output: number): Float64Array };
      return model.predict(fromRows(rows), 1);
    };
    const goals = await walk(task, { reward: "none" });
    for (const reward of ["sparsity", "proximity"] as const) {
      const found = await walk(task, { reward });
      for (let i = 0; i < task.x.rows; i++) {
        const x = rowOf(task.x, i);
        const goal = rowOf(goals.rows, i);
        let z = Array.from(x);
        for (let at = (await score([z]))[0]!; at <= 0.5; ) {
          const open = z.flatMap((v, k) => (sameValue(v, goal[k]!) ? [] : [k]));
          const next = open.map((k) => z.with(k, goal[k]!));
          const scores = await score(next);
          const far = (row: number[]): number =>
            Math.sqrt(squaredDistance(metric, x, Float64Array.from(row)));
          const worth = next.map((row, t) => {
            const gain = scores[t]! - at;
            return reward === "sparsity" || gain <= 0 ? gain : gain / (far(row) - far(z));
          });
          const best = worth.indexOf(Math.max(...worth));
          z = next[best]!;
          at = scores[best]!;
        }
        expect(Array.from(rowOf(found.rows, i))).toEqual(z);
      }
    }
  };
  test("follows the largest reward", () => stepLaw((task, options) => nice(task, options, random())));
  test.each(Object.entries(niceMutants))("%s is refused", (_, walk) => refuses(() => stepLaw(walk)));

  test("none: the nearest unlike neighbour itself, by range-scaled distance", async () => {
    const references = fromRows([
      [0, 0, 0],
      [30, 12, 1],
      [4, 11, 0],
      [20, 4, 0],
    ]);
    const task = plainTask(SCHEMA, fromRows([[5, 3, 0]]), references, (row) => Number(row[1]! > 3));
    // 15/30 + 1/12 is less than 1/30 + 8/12, though 16 is more than 9.
    expect(toRows((await nice(task, { reward: "none" }, random())).rows)).toEqual([[20, 4, 0]]);
  });

  test("fewer edits than the neighbour, and plausibility stays nearer to references than sparsity", async () => {
    const task = await loanTask("mixed", "forest");
    const total = async (reward: NiceOptions["reward"] & string): Promise<number> =>
      editsPerRow(task, await nice(task, { reward }, random())).reduce((a, b) => a + b);
    const [none, sparse, plausible] = [
      await total("none"),
      await total("sparsity"),
      await total("plausibility"),
    ];
    expect(sparse).toBeLessThan(0.6 * none);
    expect(plausible).toBeGreaterThanOrEqual(sparse);
    expect(plausible).toBeLessThan(none);
  });

  test("rules that forbid every halfway row leave the neighbour itself", async () => {
    const schema: Schema = { features: SCHEMA.features.slice(0, 2), rules: ["a == b"] };
    const task: Task = {
      ...plainTask(schema, fromRows([[1, 1]]), fromRows([[7, 7]]), (row) => Number(row[0]! > 5)),
      constraints: compileConstraints(schema),
    };
    expect(toRows((await nice(task, {}, random())).rows)).toEqual([[7, 7]]);
  });
});
