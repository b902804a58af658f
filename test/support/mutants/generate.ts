import { startWork } from "../../../src/budget.ts";
import { generatorTasks } from "../../../src/contracts/generator-tasks.ts";
import { compileConstraints } from "../../../src/data/constraints.ts";
import { hasLevels } from "../../../src/data/schema.ts";
import type { Generated, Generator, Task } from "../../../src/generate/contract.ts";
import { choose } from "../../../src/generate/dice/objective.ts";
import type { Relaxed } from "../../../src/generate/dice/relax.ts";
import { type DiceKdtreeOptions, diceKdtree } from "../../../src/generate/dice-kdtree.ts";
import { diceRandom } from "../../../src/generate/dice-random.ts";
import { type DirectOptions, direct } from "../../../src/generate/direct.ts";
import { type KnnOptions, knn } from "../../../src/generate/knn.ts";
import { draw } from "../../../src/generate/moves.ts";
import { type NiceOptions, nice } from "../../../src/generate/nice.ts";
import { asModel } from "../../../src/model/contract.ts";
import { rowOf, takeRows } from "../../../src/num/matrix.ts";
import { type Near, neighbours } from "../../../src/num/neighbours.ts";
import { stream } from "../../../src/num/random.ts";
import type { Feature, Matrix, RowStatus, Schema } from "../../../src/types.ts";

type Build = (
  points: Matrix,
  mismatch: Uint8Array,
) => Promise<{ nearest(q: Float64Array, count: number): Near }>;

/** Small wrong twins of the neighbour index. */
export const neighbourMutants: Readonly<Record<string, Build>> = {
  "an index that reads levels as numbers": (points) => neighbours(points, startWork("mutant")),
  "an index that forgets one neighbour": async (points, mismatch) => {
    const index = await neighbours(points, startWork("mutant"), mismatch);
    return {
      nearest: (q, count) => {
        const { index: near, distance } = index.nearest(q, count + 1);
        return { index: near.slice(1), distance: distance.slice(1) };
      },
    };
  },
  "an index that breaks ties the other way": async (points, mismatch) => {
    const order = Int32Array.from({ length: points.rows }, (_, j) => points.rows - 1 - j);
    const index = await neighbours(takeRows(points, order), startWork("mutant"), mismatch);
    return {
      nearest: (q, count) => {
        const { index: near, distance } = index.nearest(q, count);
        return { index: near.map((j) => order[j]!), distance };
      },
    };
  },
  "an index for which missing is 0": async (points, mismatch) => {
    const zero = (data: Float64Array): Float64Array => data.map((v) => (Number.isNaN(v) ? 0 : v));
    const index = await neighbours({ ...points, data: zero(points.data) }, startWork("mutant"), mismatch);
    return { nearest: (q, count) => index.nearest(zero(q), count) };
  },
};

const withReport = (generated: Generated, status: readonly RowStatus[]): Generated => ({
  ...generated,
  report: { ...generated.report, status, reasons: status.map((s) => (s === "ok" ? "" : "mutant")) },
});

let calls = 0;

/** Small wrong twins of a generator, each with the law of `checkGenerator` that must refuse it. */
export const generatorMutants: Readonly<
  Record<string, { readonly law: string; readonly generate: Generator }>
> = {
  "one that gives no reasons": {
    law: "shape",
    generate: async (task, options, random) => {
      const generated = await direct(task, { ...options, maxEdits: 1, vary: ["guarantor"] }, random);
      return { ...generated, report: { ...generated.report, reasons: task.x.data.length ? [] : [] } };
    },
  },
  "one whose pairs are shifted": {
    law: "pairs",
    generate: async (task, options, random) => {
      const generated = await direct(task, options, random);
      return { ...generated, pairs: generated.pairs!.map((i) => i + 1) };
    },
  },
  "one that says ok without a row": {
    law: "pairs",
    generate: async (task, options, random) => {
      const generated = await direct(task, { ...options, maxEdits: 1, vary: ["guarantor"] }, random);
      return withReport(
        generated,
        generated.report.status.map(() => "ok"),
      );
    },
  },
  "one that does not ask the model again after going half the way back": {
    law: "validity",
    generate: async (task, options, random) => {
      const generated = await knn(task, options, random);
      const data = generated.rows.data.map((v, c) => {
        const x =
          task.x.data[generated.pairs![Math.floor(c / task.x.cols)]! * task.x.cols + (c % task.x.cols)]!;
        return (v + x) / 2;
      });
      return { ...generated, rows: { ...generated.rows, data } };
    },
  },
  "one that returns references as they are": {
    law: "constraints",
    generate: async (task, options, random) => {
      const free = generatorTasks().free.constraints;
      return knn({ ...task, constraints: free }, options, random);
    },
  },
  "one that changes what may not change": {
    law: "nothing may change",
    generate: async (task, options, random) =>
      direct({ ...task, constraints: generatorTasks().free.constraints }, options, random),
  },
  "one with randomness of its own": {
    law: "same answer twice",
    generate: (task, options) => diceRandom(task, { ...options, samples: 40 }, stream(calls++, "mutant")),
  },
  "one whose stream follows the first row": {
    law: "permuted rows",
    generate: (task, options, random) =>
      diceRandom(task, { ...options, samples: 40 }, random.split(rowOf(task.x, 0).join())),
  },
  "one whose stream follows the number of rows": {
    law: "rows on their own",
    generate: (task, options, random) =>
      diceRandom(task, { ...options, samples: 40 }, random.split(task.x.rows)),
  },
  "one that gives up everything when a row fails": {
    law: "one failing row",
    generate: async (task, options, random) => {
      const generated = await direct(task, options, random);
      if (generated.report.status.every((s) => s === "ok")) return generated;
      const nothing = { rows: takeRows(generated.rows, []), pairs: new Int32Array(0) };
      return withReport(
        { ...generated, ...nothing },
        generated.report.status.map(() => "model_error"),
      );
    },
  },
  "one that works in the caller's rows": {
    law: "inputs unwritten",
    generate: async (task, options, random) => {
      const generated = await direct(task, options, random);
      task.x.data.set(rowOf(generated.rows, 0));
      return generated;
    },
  },
  "one that does not know limits": {
    law: "limits kept",
    generate: (task, { limits: _, ...options }, random) => direct(task, options, random),
  },
  "one that scores behind the counter": {
    law: "limits kept",
    generate: async (task, options, random) => {
      await asModel(task.model).predict(task.references);
      return direct(task, options, random);
    },
  },
  "one that does not hear aborts": {
    law: "aborts heard",
    generate: (task, { signal: _, ...options }, random) => direct(task, options, random),
  },
};

/** Wrong twins that know the constraints, but not all of them. */
export const legalityMutants: Readonly<Record<string, Generator>> = {
  "one that forgets rules": (task, options, random) => {
    const { features } = task.constraints.schema;
    return direct({ ...task, constraints: compileConstraints({ features }) }, options, random);
  },
  "one that forgets directions": without("direction"),
  "one that forgets steps": without("step"),
  "one that forgets transitions": without("transitions"),
  "one that forgets derived columns": async (task, options, random) => {
    const generated = await direct(task, options, random);
    const { features } = task.constraints.schema;
    const data = generated.rows.data.map((v, c) => {
      const k = c % task.x.cols;
      const x = task.x.data[generated.pairs![Math.floor(c / task.x.cols)]! * task.x.cols + k]!;
      return features[k]!.derived ? x : v;
    });
    return { ...generated, rows: { ...generated.rows, data } };
  },
};

function without(key: keyof Feature): Generator {
  return (task, options, random) => {
    const { features, rules = [] } = task.constraints.schema;
    const freed = features.map((feature) => {
      const { [key]: _, ...rest } = feature;
      return rest as Feature;
    });
    return direct({ ...task, constraints: compileConstraints({ features: freed, rules }) }, options, random);
  };
}

/** Wrong twins of the parts of DiCE; the first ones are defects of the Python original. */
export const diceMutants = {
  /** A mutation that always gives the lower end of the range. */
  drawLow: ((_, move) => move.values?.[0] ?? move.low) satisfies typeof draw,
  /** The ends of a grid half as often as its inner values. */
  drawEnds: ((constraints, move, from, random) =>
    draw(constraints, { ...move, step: 0 }, from, random)) satisfies typeof draw,
  /** Diversity accepted and unused. */
  chooseNearest: ((run, rows, losses, _, count) =>
    choose(run, rows, losses, 0, count)) satisfies typeof choose,
  /** Uniformly at random among the valid rows. */
  chooseAny: ((_, rows, __, ___, count) =>
    Array.from(
      stream(0, "mutant").sample(rows.length, Math.min(count, rows.length)),
    )) satisfies typeof choose,
  careless: ((task, options, random) =>
    diceRandom(task, { ...options, proximityWeight: 0, posthoc: "none" }, random)) satisfies Generator,
  deafToDiversity: ((task, { diversityWeight: _, ...options }, random) =>
    diceRandom(task, options, random)) satisfies Generator<{ diversityWeight?: number }>,
  nearestOnly: ((task, options, random) =>
    diceKdtree(task, { ...options, sparsityWeight: 0 }, random)) satisfies Generator<DiceKdtreeOptions>,
};

/** Wrong twins of a row made continuous. */
export const relaxMutants: Readonly<Record<string, (relaxed: Relaxed) => Relaxed>> = {
  "one that pulls without its weight": (relaxed) => ({
    ...relaxed,
    pull: (slope, _, out) => relaxed.pull(slope, 1, out),
  }),
  "one that does not start at x": (relaxed) => ({
    ...relaxed,
    encode: (thetas) => relaxed.encode(thetas.map((theta) => theta.map((v) => v + 0.01))),
  }),
  "one without bounds": (relaxed) => ({
    ...relaxed,
    project: (theta) => {
      for (let p = 0; p < theta.length; p++) theta[p]! *= 1.1;
    },
  }),
};

type Find = (task: Task, options: KnnOptions) => Promise<Generated>;

export const knnMutants = {
  /** #{≤ v}/N instead of the mid-rank. */
  async lastRank(schema: Schema, references: Matrix): Promise<(rows: Matrix) => Matrix> {
    return (rows) => ({
      ...rows,
      data: rows.data.map((v, c) => {
        const k = c % rows.cols;
        if (hasLevels(schema.features[k]!) || Number.isNaN(v)) return v;
        const column = references.data.filter((w, t) => t % references.cols === k && !Number.isNaN(w));
        return column.filter((w) => w <= v).length / column.length;
      }),
    });
  },
  finders: {
    "any neighbour at the target": (task, options) =>
      knn({ ...task, references: takeRows(task.references, [0, 1, 2]) }, options, stream(0, "mutant")),
    "the nearest in raw units": async (task, options) => {
      const generated = await knn(task, { ...options, neighbours: 1000 }, stream(0, "mutant"));
      const far = (t: number): number =>
        rowOf(generated.rows, t).reduce((sum, v, k) => {
          const gap = Math.abs(v - rowOf(task.x, generated.pairs![t]!)[k]!);
          return sum + (Number.isNaN(gap) ? 0 : gap);
        }, 0);
      const order = Array.from({ length: generated.rows.rows }, (_, t) => t).sort(
        (a, b) => generated.pairs![a]! - generated.pairs![b]! || far(a) - far(b),
      );
      const first = order.filter(
        (t, s) => s === 0 || generated.pairs![order[s - 1]!] !== generated.pairs![t],
      );
      const pairs = Int32Array.from(first, (t) => generated.pairs![t]!);
      return { ...generated, rows: takeRows(generated.rows, first), pairs };
    },
  } satisfies Readonly<Record<string, Find>>,
};

/** Wrong twins of nice: the reward is read as another one. */
export const niceMutants: Readonly<Record<string, (task: Task, options: NiceOptions) => Promise<Generated>>> =
  {
    "a walk that takes the neighbour as it is": (task) => nice(task, { reward: "none" }, stream(0, "mutant")),
    "a walk deaf to distance": (task, options) =>
      nice(task, options.reward === "proximity" ? { reward: "sparsity" } : options, stream(0, "mutant")),
  };

/** Wrong twins of direct: too narrow to be sure, or not stopping at the first size. */
export const directMutants: Readonly<
  Record<string, (task: Task, options: DirectOptions) => Promise<Generated>>
> = {
  "a beam of one": (task) => direct(task, { beam: 1, branch: 1 }, stream(0, "mutant")),
  "one edit only": (task, options) => direct(task, { ...options, maxEdits: 1 }, stream(0, "mutant")),
};
