import { sigmoid } from "../model/link.ts";
import { softplus } from "../model/loss.ts";
import { inSteps, type Steps } from "../model/steps.ts";
import { takeRows } from "../num/matrix.ts";
import { type ConvexFunction, newtonSteps } from "../num/newton.ts";
import type { Random } from "../num/random.ts";
import type { ClassTask } from "./training.ts";

/**
 * Platt's scaling: P(y = 1 | m) = σ(slope · m + offset) by the log loss on smoothed targets
 * (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), on margins each row gets from a fit that has not seen it (Lin, Lin and
 * Weng 2007). θ = (w, b) is the fit on all rows; it stands in where a class has too few rows to be divided
 * or unseen margins rank the wrong way round.
 */
export function* platt(
  task: ClassTask,
  theta: Float64Array,
  train: (task: ClassTask) => Steps<Float64Array>,
  folds: number,
  random: Random,
): Steps<{ slope: number; offset: number }> {
  const margins = yield* unseenMargins(task, train, folds, random);
  const unseen = margins && (yield* calibrate(task, margins));
  if (unseen && unseen.slope > 0) return unseen;
  const own = task.labels.length;
  const seen = yield* calibrate(
    task,
    Float64Array.from({ length: own }, (_, i) => marginOf(task, theta, i)),
  );
  return seen.slope > 0 ? seen : { slope: 1, offset: 0 };
}

/** The margin of each row by a fit without its fold; undefined when a class has a single row. */
function* unseenMargins(
  task: ClassTask,
  train: (task: ClassTask) => Steps<Float64Array>,
  folds: number,
  random: Random,
): Steps<Float64Array | undefined> {
  const fold = new Uint32Array(task.labels.length);
  const counts = new Uint32Array(2);
  const rows = random.permutation(task.labels.length);
  for (const i of rows) if (task.weights[i]! > 0) fold[i] = counts[task.labels[i]!]!++ % folds;
  if (counts.some((count) => count < 2)) return undefined;
  const margins = new Float64Array(rows.length);
  rows.sort();
  for (let f = 0; f < folds; f++) {
    const theta = yield* train(subset(task, (i) => fold[i] !== f));
    for (const i of rows) if (fold[i] === f) margins[i] = marginOf(task, theta, i);
  }
  return margins;
}

function subset(task: ClassTask, keeps: (i: number) => boolean): ClassTask {
  const rows = Int32Array.from(task.labels, (_, i) => i).filter(keeps);
  return {
    ...task,
    x: takeRows(task.x, rows),
    labels: rows.map((i) => task.labels[i]!),
    weights: Float64Array.from(rows, (i) => task.weights[i]!),
    rowWeights: Float64Array.from(rows, (i) => task.rowWeights[i]!),
  };
}

function marginOf({ x }: ClassTask, theta: Float64Array, i: number): number {
  let sum = theta[x.cols]!;
  for (let k = 0; k < x.cols; k++) sum += theta[k]! * x.data[i * x.cols + k]!;
  return sum;
}

function* calibrate(
  { labels, weights }: ClassTask,
  margins: Float64Array,
): Steps<{ slope: number; offset: number }> {
  const mass = new Float64Array(2);
  labels.forEach((label, i) => {
    mass[label]! += weights[i]!;
  });
  const targets = [1 / (mass[0]! + 2), (mass[1]! + 1) / (mass[1]! + 2)];
  const sum: ConvexFunction = function* (ab, first, second) {
    let loss = 0;
    yield* inSteps(margins.length, 2, (i) => {
      const m = margins[i]!;
      const t = ab[0]! * m + ab[1]!;
      const target = targets[labels[i]!]!;
      const w = weights[i]!;
      loss += w * (softplus(t) - target * t);
      const score = sigmoid(t);
      if (first) {
        first[0]! += w * (score - target) * m;
        first[1]! += w * (score - target);
      }
      if (!second) return;
      const curve = w * score * (1 - score);
      second[0]! += curve * m * m;
      second[2]! += curve * m;
      second[3]! += curve;
    });
    return loss;
  };
  const [slope, offset] = yield* newtonSteps(sum, new Float64Array(2));
  return { slope: slope!, offset: offset! };
}
