import { ColaError } from "../errors.ts";
import { choleskySolve, choleskySteps, dot } from "./linalg.ts";
import { finish, type Steps } from "./steps.ts";

/**
 * A convex function of θ ∈ ℝᵖ, in steps. With `first` it returns its value and writes the gradient, with `second` it writes
 * the lower triangle of the Hessian (p × p, both handed in as zeros) where value and gradient were asked for last.
 */
export type ConvexFunction = (
  theta: Float64Array,
  first?: Float64Array,
  second?: Float64Array,
) => Steps<number>;

export interface NewtonOptions {
  /** Stop when no cell of the gradient exceeds this times max(1, |value|). Default 1e-12. */
  readonly tolerance?: number;
  /** Default 100. */
  readonly iterations?: number;
}

/**
 * argmin f by Newton's method with halving of the step until f decreases enough (Armijo); a Hessian that is
 * not positive definite gets a growing multiple of its diagonal added. `theta` is the start, not written.
 */
export function newton(f: ConvexFunction, theta: Float64Array, options: NewtonOptions = {}): Float64Array {
  return finish(newtonSteps(f, theta, options));
}

/** Most unknowns: an iteration takes p³/3 operations and p² numbers. */
const MAX_UNKNOWNS = 4096;

/** The same in steps: those of the function and of the factorisation in every iteration. */
export function* newtonSteps(
  f: ConvexFunction,
  theta: Float64Array,
  options: NewtonOptions = {},
): Steps<Float64Array> {
  const { tolerance = 1e-12, iterations = 100 } = options;
  const p = theta.length;
  if (p > MAX_UNKNOWNS) {
    throw new ColaError(
      "SIZE_LIMIT",
      `newton: a linear model of ${p} weights, more than ${MAX_UNKNOWNS}; train trees (forest, gradboost) or drop columns.`,
      { p },
    );
  }
  const second = new Float64Array(p * p);
  let at: Point = yield* pointOf(f, theta.slice());
  for (let iteration = 0; iteration < iterations; iteration++) {
    const { value, first } = at;
    if (first.every((g) => Math.abs(g) <= tolerance * Math.max(1, Math.abs(value)))) break;
    second.fill(0);
    yield* f(at.theta, undefined, second);
    const next = yield* halve(f, at, yield* direction(first, second, p));
    if (!next) break;
    at = next;
    yield [iteration + 1, iterations];
  }
  return at.theta;
}

/** θ with value and gradient there. */
interface Point {
  readonly theta: Float64Array;
  readonly value: number;
  readonly first: Float64Array;
}

function* pointOf(f: ConvexFunction, theta: Float64Array): Steps<Point> {
  const first = new Float64Array(theta.length);
  return { theta, value: yield* f(theta, first), first };
}

/** −H⁻¹g. */
function* direction(first: Float64Array, second: Float64Array, p: number): Steps<Float64Array> {
  for (let damping = 0; ; damping = Math.max(1e-10, damping * 100)) {
    const factor = second.slice();
    for (let i = 0; i < p; i++) factor[i * p + i]! += damping * (1 + factor[i * p + i]!);
    if ((yield* choleskySteps(factor, p, damping === 0 ? 1e-14 : 0)) >= 0) {
      if (damping < 1e12) continue;
      factor.fill(0);
      for (let i = 0; i < p; i++) factor[i * p + i] = 1;
    }
    const step = first.map((g) => -g);
    choleskySolve(factor, p, step);
    return step;
  }
}

/** The first of θ + s, θ + s/2, … that decreases f enough; undefined when rounding leaves nothing to gain. */
function* halve(f: ConvexFunction, at: Point, step: Float64Array): Steps<Point | undefined> {
  const { theta, value, first } = at;
  const slope = dot(step, 0, first, 0, step.length);
  for (let t = 1; t > 1e-10; t /= 2) {
    const next = yield* pointOf(
      f,
      theta.map((v, i) => v + t * step[i]!),
    );
    const reached = next.value;
    if (reached < value + 1e-4 * t * slope) return next;
    // Near the optimum the promised gain drowns in rounding; the full Newton step is still the better point.
    if (
      t === 1 &&
      -slope < 1e-9 * Math.max(1, Math.abs(value)) &&
      reached <= value + 1e-12 * Math.abs(value)
    ) {
      return next;
    }
  }
  return undefined;
}
