import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { squaredDistance } from "../../src/data/metric.ts";
import type { Generated, Generator, Task } from "../../src/generate/contract.ts";
import { choose } from "../../src/generate/dice/objective.ts";
import { diceGenetic } from "../../src/generate/dice-genetic.ts";
import { diceKdtree } from "../../src/generate/dice-kdtree.ts";
import { diceRandom } from "../../src/generate/dice-random.ts";
import { direct } from "../../src/generate/direct.ts";
import { draw, movesOf, seenIn } from "../../src/generate/moves.ts";
import { openRun, type Run } from "../../src/generate/run.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Schema } from "../../src/types.ts";
import { editsPerRow, loanTask, plainTask } from "../support/generate.ts";
import { diceMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

const PLANE: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "numeric" },
  ],
};
const source = stream(9, "dice test");
const square = fromRows(Array.from({ length: 80 }, () => [10 * source.next(), 10 * source.next()]));
const runOf = (task: Task): Run => openRun("test", task, {}, {});
const random = () => stream(2, "dice");

describe("draws", () => {
  const schema: Schema = {
    features: [
      { name: "n", kind: "integer" },
      { name: "s", kind: "numeric", min: 1, max: 3, step: 0.5 },
      { name: "l", kind: "categorical", categories: ["p", "q", "r", "never seen"] },
      { name: "m", kind: "boolean", editMissing: true },
    ],
  };
  const references = fromRows([
    [0, 0, 0, 0],
    [4, 9, 1, 1],
    [2, 2, 2, Number.NaN],
  ]);
  const run = runOf(plainTask(schema, references, references, () => 0));
  const x = Float64Array.of(2, 2, 0, 0);
  const moves = movesOf(run, seenIn(run.constraints, references), x);
  const permitted = [
    [0, 1, 2, 3, 4],
    [1, 1.5, 2, 2.5, 3],
    [1, 2],
    [Number.NaN, 1],
  ];

  /** Every permitted value comes equally often, nothing else comes. */
  const uniformLaw = (by: typeof draw): void => {
    moves.forEach((move, m) => {
      const counts = new Map<number, number>();
      const draws = 4000;
      for (let t = 0; t < draws; t++) {
        const v = by(run.constraints, move, x[move.k]!, source);
        counts.set(v, (counts.get(v) ?? 0) + 1);
      }
      expect([...counts.keys()].sort()).toEqual([...permitted[m]!].sort());
      const share = draws / permitted[m]!.length;
      for (const count of counts.values()) expect(Math.abs(count - share)).toBeLessThan(5 * Math.sqrt(share));
    });
  };
  test("are uniform over what is permitted", () => uniformLaw(draw));
  test("of the lower end alone are refused", () => refuses(() => uniformLaw(diceMutants.drawLow)));
  test("that round at the ends are refused", () => refuses(() => uniformLaw(diceMutants.drawEnds)));
});

describe("the choice among valid rows", () => {
  const run = runOf(plainTask(PLANE, square, square, () => 0));
  const kernel = (a: Float64Array, b: Float64Array): number =>
    1 / (1 + Math.sqrt(squaredDistance(run.metric, a, b)));
  const det = (m: number[][]): number =>
    m.length === 0
      ? 1
      : m[0]!.reduce((sum, v, c) => {
          const minor = m.slice(1).map((row) => row.filter((_, k) => k !== c));
          return sum + (c % 2 === 0 ? 1 : -1) * v * det(minor);
        }, 0);
  const volume = (rows: readonly Float64Array[]): number =>
    det(rows.map((a, i) => rows.map((b, j) => kernel(a, b) + (i === j ? 1e-4 : 0))));

  const cases = fc.record({
    rows: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
      minLength: 2,
      maxLength: 8,
      selector: String,
    }),
    losses: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 8, maxLength: 8 }),
    weight: fc.constantFrom(0, 0.5, 5),
  });
  /** Each next row minimises loss − weight · det K(with it) / det K(without it). */
  const greedyLaw = (by: typeof choose): void =>
    fc.assert(
      fc.property(cases, ({ rows: given, losses: hundredths, weight }) => {
        const rows = given.map((row) => Float64Array.from(row));
        const losses = rows.map((_, j) => hundredths[j]! / 100);
        const chosen = by(run, rows, losses, weight, 3);
        expect(new Set(chosen).size).toBe(Math.min(3, rows.length));
        for (let t = 0; t < chosen.length; t++) {
          const before = chosen.slice(0, t).map((j) => rows[j]!);
          const value = (j: number): number =>
            losses[j]! - (t === 0 ? 0 : (weight * volume([...before, rows[j]!])) / volume(before));
          const open = rows.map((_, j) => j).filter((j) => !chosen.slice(0, t).includes(j));
          expect(value(chosen[t]!)).toBeCloseTo(Math.min(...open.map(value)), 8);
        }
      }),
    );
  test("is greedy for loss and diversity", () => greedyLaw(choose));
  test("without diversity is refused", () => refuses(() => greedyLaw(diceMutants.chooseNearest)));
  test("at random is refused", () => refuses(() => greedyLaw(diceMutants.chooseAny)));
});

describe("the terms act", () => {
  const corner = plainTask(
    PLANE,
    fromRows([
      [1, 1],
      [2, 1],
      [1, 2],
      [3, 3],
    ]),
    square,
    (row) => Number(row[0]! > 4 || row[1]! > 4),
  );
  const distance = ({ rows, pairs }: Generated): number => {
    const { metric } = runOf(corner);
    return pairs!.reduce(
      (sum, i, t) => sum + Math.sqrt(squaredDistance(metric, rowOf(corner.x, i), rowOf(rows, t))),
      0,
    );
  };

  /** Of many valid rows a near one is returned: at most a fifth beyond the least distance there is. */
  const nearLaw = async (generate: Generator): Promise<void> => {
    const generated = await generate(corner, {}, random());
    const { metric } = runOf(corner);
    const least = [3, 2, 2, 1].reduce((sum, gap) => sum + gap / Math.min(...metric.scale), 0);
    expect(distance(generated)).toBeLessThan(1.2 * least);
  };
  test.each([
    ["dice-random", diceRandom as Generator],
    ["dice-genetic", diceGenetic as Generator],
  ])("%s returns near rows", (_, generate) => nearLaw(generate));
  test("any valid row, as chosen by the Python original, is refused", () =>
    refuses(() => nearLaw(diceMutants.careless)));

  /** Several counterfactuals lie farther apart when diversity weighs more. */
  const diverseLaw = async (
    generate: Generator<{ count?: number; diversityWeight?: number }>,
  ): Promise<void> => {
    const apart = async (diversityWeight: number): Promise<number> => {
      const { rows, pairs } = await generate(corner, { count: 3, diversityWeight }, random());
      const { metric } = runOf(corner);
      let sum = 0;
      for (let s = 0; s < rows.rows; s++) {
        for (let t = 0; t < s; t++) {
          if (pairs![s] === pairs![t])
            sum += Math.sqrt(squaredDistance(metric, rowOf(rows, s), rowOf(rows, t)));
        }
      }
      return sum;
    };
    expect(await apart(20)).toBeGreaterThan(1.5 * (await apart(0)));
  };
  test.each([
    ["dice-random", diceRandom],
    ["dice-genetic", diceGenetic],
    ["dice-kdtree", diceKdtree],
    ["direct", direct],
  ])("%s spreads out", (_, generate) => diverseLaw(generate));
  test("a diversity weight that is accepted and ignored is refused", () =>
    refuses(() => diverseLaw(diceMutants.deafToDiversity)));

  test("sparsity and proximity pull different ways in dice-genetic", async () => {
    const diagonal = {
      ...corner,
      model: plainTask(PLANE, square, square, (r) => Number(r[0]! + r[1]! > 8)).model,
    };
    const edits = async (options: object): Promise<number> =>
      editsPerRow(diagonal, await diceGenetic(diagonal, { generations: 40, ...options }, random())).reduce(
        (a, b) => a + b,
      );
    const sparse = await edits({ sparsityWeight: 2, proximityWeight: 0 });
    const near = await edits({ sparsityWeight: 0, proximityWeight: 2 });
    expect(sparse).toBe(4);
    expect(near).toBeGreaterThan(sparse);
  });
});

describe("post-hoc sparsity", () => {
  const line: Schema = { features: [{ name: "a", kind: "numeric" }] };
  const references = fromRows([[0], [1], [2], [3], [4], [6], [7], [8], [9], [10]]);
  const taskFor = (score: (v: number) => boolean): Task =>
    plainTask(line, fromRows([[4.4]]), references, (row) => Number(score(row[0]!)));
  const end = async (score: (v: number) => boolean, posthoc: "linear" | "binary" | "none"): Promise<number> =>
    (await diceKdtree(taskFor(score), { posthoc, posthocQuantile: 1 }, random())).rows.data[0]!;

  /** From the reference 6 back towards 4.4 to within one step of the edge. */
  const backLaw = async (walk: typeof end): Promise<void> => {
    for (const posthoc of ["linear", "binary"] as const) {
      const value = await walk((v) => v > 5, posthoc);
      expect(value).toBeGreaterThan(5);
      expect(value).toBeLessThan(5 + 1.6 / 32 + 1e-9);
    }
    expect(await walk((v) => v > 5, "none")).toBe(6);
  };
  test("goes back to the edge, step by step or by bisection", () => backLaw(end));
  test("that does nothing is refused", () => refuses(() => backLaw((score) => end(score, "none"))));

  test("linear stops at the first step that fails", async () => {
    const gap = (v: number): boolean => v > 5.5 || (v > 4.4 && v < 4.9);
    expect(await end(gap, "linear")).toBeGreaterThan(5.5);
  });

  test("leaves large changes alone", async () => {
    const { rows } = await diceKdtree(
      taskFor((v) => v > 5),
      { posthocQuantile: 0 },
      random(),
    );
    expect(rows.data[0]).toBe(6);
  });
});

describe("dice-random", () => {
  test("changes as few features as random draws need", async () => {
    const both = plainTask(PLANE, fromRows([[1, 1]]), square, (row) => Number(row[0]! > 7 && row[1]! > 7));
    const either = plainTask(PLANE, fromRows([[1, 1]]), square, (row) => Number(row[0]! > 7 || row[1]! > 7));
    expect(editsPerRow(both, await diceRandom(both, {}, random()))).toEqual([2]);
    expect(editsPerRow(either, await diceRandom(either, {}, random()))).toEqual([1]);
  });

  test("stays inside the references' range and the constraints", async () => {
    const free = plainTask(PLANE, fromRows([[1, 1]]), square, (row) => Number(row[0]! > 9.5));
    const { rows } = await diceRandom(free, { count: 50 }, random());
    const most = Math.max(...square.data.filter((_, c) => c % 2 === 0));
    for (let t = 0; t < rows.rows; t++) expect(rowOf(rows, t)[0]).toBeLessThanOrEqual(most);
    const bound = { features: [{ name: "a", kind: "numeric" as const, max: 9 }, PLANE.features[1]!] };
    const shut = await diceRandom({ ...free, constraints: compileConstraints(bound) }, {}, random());
    expect(shut.report.status).toEqual(["infeasible"]);
  });
});

describe("dice-genetic", () => {
  test("finds a narrow valid region no reference lies in", async () => {
    const hole = plainTask(
      PLANE,
      fromRows([[1, 1]]),
      fromRows([
        [0, 0],
        [10, 10],
        [0, 10],
        [10, 0],
        [1, 9],
      ]),
      (row) => Math.max(0, 1 - (Math.abs(row[0]! - 6) + Math.abs(row[1]! - 4)) / 4),
    );
    const { report } = await diceGenetic(hole, { generations: 100 }, random());
    expect(report.status).toEqual(["ok"]);
  });

  test("breeds fewer edits than its founders have", async () => {
    const task = await loanTask("mixed", "logistic");
    const edits = async (generations: number): Promise<number> =>
      editsPerRow(task, await diceGenetic(task, { generations }, random())).reduce((a, b) => a + b);
    expect(await edits(60)).toBeLessThan(0.8 * (await edits(1)));
  });
});

describe("dice-kdtree", () => {
  /** The references at the target with the least scaled distance + scaled number of changes of the ten nearest. */
  const rankLaw = async (generate: typeof diceKdtree): Promise<void> => {
    const schema: Schema = { features: [...PLANE.features, { name: "c", kind: "integer" }] };
    const rows = fromRows(Array.from({ length: 60 }, () => [source.int(6), source.int(6), source.int(3)]));
    const x = fromRows([
      [0, 0, 0],
      [1, 0, 2],
      [0, 2, 1],
    ]);
    const task = plainTask(schema, x, rows, (row) => Number(row[0]! + row[1]! > 4));
    const { metric } = runOf(task);
    const generated = await generate(task, { posthoc: "none", sparsityWeight: 3 }, random());
    const unit = (values: number[]): number[] => {
      const low = Math.min(...values);
      return values.map((v) => (v - low) / (Math.max(...values) - low || 1));
    };
    for (let i = 0; i < 3; i++) {
      const from = rowOf(x, i);
      const l1 = (z: Float64Array): number =>
        z.reduce((s, v, k) => s + Math.abs(v - from[k]!) / metric.scale[k]!, 0);
      const unlike = new Map<string, Float64Array>();
      for (let j = 0; j < rows.rows; j++) {
        const z = rowOf(rows, j);
        if (z[0]! + z[1]! > 4) unlike.set(z.join(), z);
      }
      const near = [...unlike.values()].sort((a, b) => l1(a) - l1(b)).slice(0, 10);
      const far = unit(near.map((z) => Math.sqrt(squaredDistance(metric, from, z))));
      const edits = unit(near.map((z) => z.reduce((s, v, k) => s + Number(v !== from[k]), 0)));
      const loss = near.map((_, j) => far[j]! + 3 * edits[j]!);
      const mine = near.findIndex((z) => z.join() === rowOf(generated.rows, i).join());
      expect(loss[mine]).toBeCloseTo(Math.min(...loss), 9);
    }
  };
  test("ranks neighbours by distance and changes", () => rankLaw(diceKdtree));
  test("the nearest alone is refused", () => refuses(() => rankLaw(diceMutants.nearestOnly)));
});
