import { ColaError } from "../errors.ts";
import { effectOf, GOAL_TOLERANCE } from "../num/divergence.ts";
import { type DivergenceName, type DivergenceOptions, divergence } from "./divergence.ts";

/**
 * The counterfactual effect 1 − D(f(z), y*) / D(f(x), y*): 0 for z = x, 1 where f(z) is distributed as y*,
 * negative where z is farther than x. null where f(x) is at y* already.
 */
export function effect(
  name: DivergenceName,
  fx: ArrayLike<number>,
  fz: ArrayLike<number>,
  desired: ArrayLike<number>,
  options: DivergenceOptions = {},
): number | null {
  return effectOf(divergence(name, fx, desired, options), divergence(name, fz, desired, options));
}

/** D(f(z), y*) ≤ (1 − level)·D(f(x), y*) + 1e-9: is the group goal of that level reached? */
export function reached(
  name: DivergenceName,
  fx: ArrayLike<number>,
  fz: ArrayLike<number>,
  desired: ArrayLike<number>,
  options: DivergenceOptions & {
    /** Share of the effect, in [0, 1]. Default 1. */ readonly level?: number;
  } = {},
): boolean {
  const { level = 1, ...rest } = options;
  if (!(level >= 0 && level <= 1)) {
    throw new ColaError("OPTION_INVALID", `reached: level must be in [0, 1], not ${level}.`, {
      level: String(level),
    });
  }
  const before = divergence(name, fx, desired, rest);
  return divergence(name, fz, desired, rest) <= (1 - level) * before + GOAL_TOLERANCE;
}
