import { dot } from "./linalg.ts";
import type { Steps } from "./steps.ts";

/** A smooth function of θ, in steps: writes its gradient, returns its value. */
export type SmoothFunction = (theta: Float64Array, gradient: Float64Array) => Steps<number>;

export interface Box {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
}

/** Pairs of steps and gradient changes remembered. */
const MEMORY = 10;
/** Stop when the projected gradient, or the relative gain of a step, is below these. */
const GRADIENT = 1e-5;
const GAIN = 2.2e-9;
const ITERATIONS = 200;

interface Pair {
  readonly step: Float64Array;
  readonly change: Float64Array;
}

/**
 * A local minimum of f over a box: limited-memory BFGS on the coordinates that are free (not held at a bound
 * by the gradient), steps cut back to the box and halved until f decreases enough. θ is moved in place.
 */
export function* minimiseInBox(f: SmoothFunction, theta: Float64Array, box: Box): Steps<number> {
  const gradient = new Float64Array(theta.length);
  let value = yield* f(theta, gradient);
  const pairs: Pair[] = [];
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const free = freeGradient(theta, gradient, box);
    if (free.every((g) => Math.abs(g) <= GRADIENT)) break;
    const direction = descentDirection(free, pairs);
    const first = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(dot(free, 0, free, 0, free.length))) : 1;
    const next = new Float64Array(theta.length);
    const slope = new Float64Array(theta.length);
    const reached = yield* search(f, theta, value, gradient, direction, first, box, next, slope);
    if (reached === undefined) break;
    remember(pairs, theta, gradient, next, slope);
    const gain = (value - reached) / Math.max(Math.abs(value), Math.abs(reached), 1);
    theta.set(next);
    gradient.set(slope);
    value = reached;
    if (gain <= GAIN) break;
  }
  return value;
}

/** The gradient with zeros where it pushes against a bound. */
function freeGradient(theta: Float64Array, gradient: Float64Array, { lower, upper }: Box): Float64Array {
  return gradient.map((g, p) => {
    const held = (theta[p]! <= lower[p]! && g > 0) || (theta[p]! >= upper[p]! && g < 0);
    return held ? 0 : g;
  });
}

/** −H g by the two-loop recursion (Nocedal 1980), kept off the coordinates that are held. */
function descentDirection(free: Float64Array, pairs: readonly Pair[]): Float64Array {
  const n = free.length;
  const q = free.slice();
  const alphas = pairs.map(() => 0);
  for (let t = pairs.length - 1; t >= 0; t--) {
    const { step, change } = pairs[t]!;
    alphas[t] = dot(step, 0, q, 0, n) / dot(step, 0, change, 0, n);
    for (let p = 0; p < n; p++) q[p]! -= alphas[t]! * change[p]!;
  }
  const last = pairs.at(-1);
  const scale = last ? dot(last.step, 0, last.change, 0, n) / dot(last.change, 0, last.change, 0, n) : 1;
  for (let p = 0; p < n; p++) q[p]! *= scale;
  pairs.forEach(({ step, change }, t) => {
    const beta = dot(change, 0, q, 0, n) / dot(step, 0, change, 0, n);
    for (let p = 0; p < n; p++) q[p]! += (alphas[t]! - beta) * step[p]!;
  });
  const direction = q.map((v, p) => (free[p] === 0 ? 0 : -v));
  return dot(direction, 0, free, 0, n) < 0 ? direction : free.map((g) => -g);
}

/** Fills `next` and `slope` with the first point along the cut-back ray that decreases f enough. */
function* search(
  f: SmoothFunction,
  theta: Float64Array,
  value: number,
  gradient: Float64Array,
  direction: Float64Array,
  first: number,
  { lower, upper }: Box,
  next: Float64Array,
  slope: Float64Array,
): Steps<number | undefined> {
  for (let t = first; t > 1e-12; t /= 2) {
    let promised = 0;
    for (let p = 0; p < theta.length; p++) {
      next[p] = Math.min(upper[p]!, Math.max(lower[p]!, theta[p]! + t * direction[p]!));
      promised += gradient[p]! * (next[p]! - theta[p]!);
    }
    const reached = yield* f(next, slope);
    if (reached <= value + 1e-4 * promised) return reached;
  }
  return undefined;
}

function remember(
  pairs: Pair[],
  theta: Float64Array,
  gradient: Float64Array,
  next: Float64Array,
  slope: Float64Array,
): void {
  const step = next.map((v, p) => v - theta[p]!);
  const change = slope.map((g, p) => g - gradient[p]!);
  const n = theta.length;
  if (dot(step, 0, change, 0, n) <= 1e-10 * dot(change, 0, change, 0, n)) return;
  pairs.push({ step, change });
  if (pairs.length > MEMORY) pairs.shift();
}
