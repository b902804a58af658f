import { sigmoid } from "../../model/link.ts";
import { softmaxInto } from "../../model/loss.ts";
import type { Steps } from "../../model/steps.ts";
import { leafOf } from "../../model/trees/structure.ts";
import type { Random } from "../../num/random.ts";
import type { Link, Trees } from "../../types.ts";
import { Shape } from "./build.ts";
import type { Columns } from "./columns.ts";
import { fixedPoint } from "./fixed-point.ts";
import { during, type Finder, type GrowRules, grow } from "./grow.ts";
import { newtonLeaves } from "./leaves.ts";
import type { Sample } from "./node-sums.ts";
import type { TrainingSet } from "./prepare.ts";
import { upTo } from "./up-to.ts";

/** A way of boosting: what is summed for splits, how leaves answer, how splits are found. */
export interface BoostPlan {
  readonly rounds: number;
  readonly learningRate: number;
  /** Share of the rows a round sees. */
  readonly subsample: number;
  readonly lambda: number;
  readonly alpha: number;
  /** Curvature of the softmax loss is this times p(1 − p). */
  readonly softmaxCurvature: number;
  /** Splits weigh rows by curvature (second order) or by weight alone (residual fitting). */
  readonly secondOrder: boolean;
  /** A tree that cannot be split is dropped, and boosting stops when all of a round are. */
  readonly dropRoots: boolean;
  readonly growth: GrowRules;
  readonly columns: Columns;
  finder(sample: Sample, residuals: Float64Array, random: Random): Finder;
}

/**
 * The best constant margins: log-odds of the second class, logarithms of the class shares, or the mean.
 * Shares are kept `least` away from 0 and 1.
 */
export function constantMargins(set: TrainingSet, least: number): Float64Array {
  const total = set.weights.reduce((a, b) => a + b, 0);
  const shareOf = (of: (y: number) => number): number =>
    set.weights.reduce((sum, w, i) => sum + w * of(set.y[i]!), 0) / total;
  if (set.classes === 0) return Float64Array.of(shareOf((y) => y));
  const shares = Float64Array.from({ length: set.classes }, (_, k) => {
    const share = shareOf((y) => Number(y === k));
    return Math.min(1 - least, Math.max(least, share));
  });
  return set.classes === 2 ? Float64Array.of(Math.log(shares[1]! / (1 - shares[1]!))) : shares.map(Math.log);
}

/**
 * F_k ← F_k + η·tree_k(r, c) for so many rounds, with residuals r = −∂loss/∂F and curvatures c = ∂²loss/∂F²:
 * logistic (two classes), softmax (more; a tree per class and round) or squared loss. Leaves hold
 * η·Σ w r/(Σ w c + λ). Returns one forest per margin.
 */
export function* boost(
  set: TrainingSet,
  plan: BoostPlan,
  base: Float64Array,
  random: Random,
): Steps<Trees[]> {
  const n = set.y.length;
  const margins = base.length;
  const link: Link = set.classes === 0 ? "identity" : margins === 1 ? "logistic" : "softmax";
  const shapes = Array.from(base, () => new Shape(1));
  const state: State = {
    scores: Array.from(base, (b) => new Float64Array(n).fill(b)),
    residual: new Float64Array(n),
    g: new Float64Array(n),
    h: new Float64Array(n),
  };
  for (let t = 0; t < plan.rounds; t++) {
    const own = random.split("tree", t);
    const rows = drawRows(n, plan.subsample, own);
    const chances = link === "identity" ? state.scores : probabilities(state.scores, link);
    let grown = 0;
    for (let k = 0; k < margins; k++) {
      pseudoTargets(set, plan, chances[k]!, link, k, state);
      const steps = boostTree(set, plan, shapes[k]!, state, k, rows.slice(), own.split("output", k));
      if (yield* during(steps, t, plan.rounds)) grown++;
    }
    yield [t + 1, plan.rounds];
    if (plan.dropRoots && grown === 0) break;
  }
  return shapes.map((shape, k) => shape.toTrees(link, [base[k]!])[0]!);
}

interface State {
  /** Margins F of all rows, one array per output. */
  readonly scores: Float64Array[];
  readonly residual: Float64Array;
  readonly g: Float64Array;
  readonly h: Float64Array;
}

function drawRows(n: number, share: number, random: Random): Int32Array {
  if (share === 1) return upTo(n);
  return random.sample(n, Math.max(1, Math.floor(share * n))).sort();
}

/** A share of the columns, ascending. */
export function drawColumns(cols: number, share: number, random: Random): Int32Array {
  if (share === 1) return upTo(cols);
  return random.sample(cols, Math.max(1, Math.round(share * cols))).sort();
}

function probabilities(scores: readonly Float64Array[], link: Link): Float64Array[] {
  if (link === "logistic") return scores.map((f) => f.map(sigmoid));
  const out = scores.map((f) => new Float64Array(f.length));
  const row = new Float64Array(scores.length);
  for (let i = 0; i < scores[0]!.length; i++) {
    for (let k = 0; k < row.length; k++) row[k] = scores[k]![i]!;
    softmaxInto(row, row);
    for (let k = 0; k < row.length; k++) out[k]![i] = row[k]!;
  }
  return out;
}

/** r = y − p and w·c: the residuals and weighted curvatures of output k. */
function pseudoTargets(
  set: TrainingSet,
  plan: BoostPlan,
  chance: Float64Array,
  link: Link,
  k: number,
  { residual, g, h }: State,
): void {
  const { y, weights } = set;
  for (let i = 0; i < y.length; i++) {
    const p = chance[i]!;
    const target = link === "softmax" ? Number(y[i] === k) : y[i]!;
    residual[i] = target - p;
    g[i] = weights[i]! * residual[i]!;
    h[i] = weights[i]!;
    if (link === "logistic") h[i]! *= p * (1 - p);
    else if (link === "softmax") h[i]! *= plan.softmaxCurvature * p * (1 - p);
  }
}

/** Grows the tree of output k, adds it to F_k, and says whether it has a split. */
function* boostTree(
  set: TrainingSet,
  plan: BoostPlan,
  shape: Shape,
  { scores, residual, g, h }: State,
  k: number,
  rows: Int32Array,
  random: Random,
): Steps<boolean> {
  const sample = { rows, g: fixedPoint(g), h: fixedPoint(plan.secondOrder ? h : set.weights) };
  const leaves = yield* grow(shape, plan.columns, rows, plan.finder(sample, residual, random), plan.growth);
  if (plan.dropRoots && leaves.length === 1) {
    shape.dropTree();
    return false;
  }
  newtonLeaves(leaves, rows, g, h, { ...plan, scale: plan.learningRate }, shape.values[0]!);
  const f = scores[k]!;
  for (const leaf of leaves) {
    const value = shape.values[0]![leaf.node]!;
    for (let i = leaf.start; i < leaf.end; i++) f[rows[i]!]! += value;
  }
  if (rows.length < f.length) addUnseen(set, shape, rows, f);
  return leaves.length > 1;
}

/** Adds the last tree to the margins of the rows it was not grown on. */
function addUnseen(set: TrainingSet, shape: Shape, rows: Int32Array, f: Float64Array): void {
  const trees = shape.view();
  const seen = new Uint8Array(f.length);
  for (const row of rows) seen[row] = 1;
  const root = shape.roots.at(-1)!;
  for (let i = 0; i < f.length; i++) {
    if (seen[i] === 1) continue;
    const row = set.x.data.subarray(i * set.x.cols, (i + 1) * set.x.cols);
    f[i]! += trees.value[leafOf(trees, root, row)]!;
  }
}
