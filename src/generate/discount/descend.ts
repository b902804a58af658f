import { rowOf } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";
import { answerAll } from "../ask.ts";
import { type Relaxed, relax } from "../dice/relax.ts";
import type { Row } from "../search.ts";
import { project } from "./slices.ts";
import type { Group } from "./standing.ts";
import { goals } from "./transport.ts";

/** Where the members go next, and Q at the point they leave, the plans taken there. */
interface Step {
  readonly rows: readonly Float64Array[];
  readonly q: number;
}

/** Proposes the next rows of the members, η being the weight of the output side. */
export type Mover = (eta: number) => Promise<Step>;

/** Longest step of a feature, in sd of the training rows (or share of a level). */
const LONGEST = 0.5;
/** Noise the descent starts with, in the same units. */
const NOISE = 0.01;

/**
 * Descent on Q = (1 − η) Σ_t Σ_ij μ_ij (θ_t·z_i − θ_t·x_j)² + η Σ_ij ν_ij (y_i − y*_j)² with the plans held
 * fixed: rows are made continuous (dice/relax), once over the model's columns and once over the metric's, with
 * the same parameters, and follow rate · tau times the gradient without its constant factors. Every member is
 * pulled, also those whose values trimming leaves out of the distances.
 */
export function descend(group: Group, settings: { readonly rate: number; readonly tau: number }): Mover {
  const { run, members, slices } = group;
  const inner = { ...run.inner, encode: slices.place, players: slices.players };
  const inModel = members.map((row) => relax(run, row));
  const inSpace = members.map((row) => relax({ ...run, inner }, row));
  const thetas = members.map((row, i) => start(inModel[i]!, row));
  const step = settings.rate * settings.tau;
  return async (eta) => {
    const slopes = inModel.map(({ size }) => new Float64Array(size));
    const out = await pullOut(group, inModel, thetas, eta, slopes);
    const back = pullBack(group, inSpace, thetas, 1 - eta, slopes);
    const rows = thetas.map((theta, i) => {
      const { price } = inModel[i]!;
      for (let p = 0; p < theta.length; p++) {
        const move = (step * slopes[i]![p]!) / price[p]!;
        theta[p]! -= Math.max(-LONGEST, Math.min(LONGEST, move)) / price[p]!;
      }
      inModel[i]!.project(theta);
      return inModel[i]!.row(theta);
    });
    return { rows, q: out + back };
  };
}

function start(relaxed: Relaxed, row: Row): Float64Array {
  const theta = relaxed.price.map((price) => (NOISE * row.random.normal()) / price);
  relaxed.project(theta);
  return theta;
}

/** Adds weight · Σ_j ν_ij (y_i − y*_j) ∇y_i and gives this side of Q; a member the model fails on is not pulled. */
async function pullOut(
  { run, score, desired }: Group,
  relaxed: readonly Relaxed[],
  thetas: readonly Float64Array[],
  weight: number,
  out: readonly Float64Array[],
): Promise<number> {
  const asks = relaxed.map((r, i) => ({ rows: r.encode([thetas[i]!]), encoded: true }));
  const answers = await answerAll(run, asks);
  const y = Float64Array.from(answers, ({ scores, slack }) =>
    Number.isNaN(slack[0]) ? Number.NaN : score.value(scores, 0),
  );
  const goal = goals(y, desired);
  let q = 0;
  answers.forEach(({ scores, slopes }, i) => {
    if (Number.isNaN(y[i])) return;
    q += (weight * (y[i]! - goal[i]!) ** 2) / y.length;
    const force = (weight * (y[i]! - goal[i]!)) / y.length;
    score.weights(scores, 0).forEach((w, o) => {
      if (w !== 0) relaxed[i]!.pull(rowOf(slopes[o]!, 0), force * w, out[i]!);
    });
  });
  return q;
}

/** Adds weight · Σ_t Σ_j μ_ij (θ_t·z_i − θ_t·x_j) θ_t and gives this side of Q. */
function pullBack(
  { slices, origin }: Group,
  relaxed: readonly Relaxed[],
  thetas: readonly Float64Array[],
  weight: number,
  out: readonly Float64Array[],
): number {
  const { directions } = slices;
  const points = stack(relaxed.map((r, i) => r.encode([thetas[i]!])));
  const slopes = new Float64Array(points.data.length);
  let q = 0;
  origin.forEach((before, t) => {
    const now = project(points, directions, t);
    const goal = goals(now, before);
    now.forEach((v, i) => {
      q += (weight * (v - goal[i]!) ** 2) / now.length / origin.length;
      const force = (v - goal[i]!) / now.length;
      for (let c = 0; c < points.cols; c++) {
        slopes[i * points.cols + c]! += force * directions.data[t * points.cols + c]!;
      }
    });
  });
  relaxed.forEach((r, i) => {
    r.pull(slopes.subarray(i * points.cols, (i + 1) * points.cols), weight, out[i]!);
  });
  return q;
}

function stack(parts: readonly Matrix[]): Matrix {
  const { cols } = parts[0]!;
  const data = new Float64Array(parts.length * cols);
  parts.forEach((part, i) => {
    data.set(part.data, i * cols);
  });
  return { data, rows: parts.length, cols };
}
