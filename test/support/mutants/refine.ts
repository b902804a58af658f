import { startWork } from "../../../src/budget.ts";
import { type DivergenceName, divergences, runningDivergence } from "../../../src/num/divergence.ts";
import { copyOf } from "../../../src/num/matrix.ts";
import { mean } from "../../../src/num/stats.ts";
import {
  type MeanCurve,
  type meanCurve,
  type Refined,
  type RefineOptions,
  refine,
} from "../../../src/refine/index.ts";
import { largestSums } from "../../../src/search/choices/knapsack.ts";

type Refine = typeof refine;

/** Sets an edited cell between x and q. */
export const meetsHalfway: Refine = async (options) => {
  const result = await refine(options);
  const z = copyOf(result.z);
  options.x.data.forEach((v, c) => {
    if (z.data[c] !== v) z.data[c] = (v + z.data[c]!) / 2;
  });
  return { ...result, z };
};

/** Counts cells with q = x as edits. */
export const countsNoOps: Refine = async (options) => {
  const result = await refine(options);
  return { ...result, plan: result.plan.map((c, cell) => (cell === 0 ? 1 : c)) };
};

/** Spends one edit too many. */
export const overspends: Refine = (options) =>
  refine({ ...options, budget: { ...options.budget, total: (options.budget?.total ?? 0) + 1 } });

export const ignoresAllowed: Refine = ({ allowed: _, ...options }) => refine(options);
export const ignoresLegal: Refine = ({ legal: _, ...options }) => refine(options);
export const ignoresDistance: Refine = ({ maxDistance: _, ...options }) => refine(options);

/** Draws by the place of a row in the batch. */
export const drawsByPlace: Refine = (options) =>
  refine({ ...options, ids: Array.from({ length: options.x.rows }, (_, i) => i) });

/** Asks more of every row the larger the batch. */
export const looksAround: Refine = (options) => refine({ ...options, minMargin: 0.02 * options.x.rows });

/** Says what the search hoped for instead of what the model answered. */
export const trustsItself: Refine = async (options) => {
  const result = await refine(options);
  return { ...result, rows: result.rows.map((row) => ({ ...row, valid: true })) };
};

/** Gives the score of x for z. */
export const keepsOldScores: Refine = async (options) => {
  const result = await refine(options);
  return { ...result, rows: result.rows.map((row) => ({ ...row, after: row.before })) };
};

/** Takes the first edits that work, in the order of the columns, for the fewest. */
export const firstThatWorks: Refine = async (options) => {
  const players = options.groups?.length ?? options.x.cols;
  const attribution = {
    data: new Float64Array(options.x.rows * players).fill(1),
    rows: options.x.rows,
    cols: players,
  };
  const result = await refine({ ...options, attribution, policy: "top", stop: "goal" });
  const rows = result.rows.map((row) => ({
    ...row,
    proof: row.valid
      ? ({ claim: "optimal", scope: "references" } as const)
      : ({ claim: "none exists", scope: "references" } as const),
  }));
  return { ...result, rows };
};

/** Draws a new plan for every budget. */
export const redraws: Refine = (options) =>
  refine({ ...options, seed: (options.seed ?? 0) + 31 * (options.budget?.total ?? 0) });

/** Draws every cell with the same weight. */
export const drawsEvenly: Refine = (options) => refine({ ...options, ...evenly(options) });

function evenly({ x, groups }: RefineOptions): Pick<RefineOptions, "attribution"> {
  const cols = groups?.length ?? x.cols;
  return { attribution: { data: new Float64Array(x.rows * cols).fill(1), rows: x.rows, cols } };
}

/** Takes the largest cells where it should draw. */
export const neverDraws: Refine = (options) => refine({ ...options, policy: "top" });

/** Forgets that the mean may be passed: the largest sum for every budget. */
export const alwaysLargest: typeof meanCurve = async (rows, goal, maxTotal, work): Promise<MeanCurve> => {
  const sign = goal * rows.length >= rows.reduce((sum, row) => sum + row.values[0]!, 0) ? 1 : -1;
  const signed = rows.map(({ sizes, values }) => ({ sizes, values: values.map((v) => sign * v) }));
  const largest = await largestSums(signed, maxTotal, work ?? startWork("mutant"));
  const value = largest.sum.map((sum) => Math.abs(sum / rows.length - sign * goal));
  return { value, bound: value, plan: largest.plan };
};

/** Claims a bound that is not one. */
export function overclaims(curve: typeof meanCurve): typeof meanCurve {
  return async (...args) => {
    const made = await curve(...args);
    return { ...made, bound: made.value.map((v) => v + 1e-6) };
  };
}

/** Lets one failing row take its neighbour with it. */
export const spreadsFailure: Refine = async (options): Promise<Refined> => {
  const result = await refine(options);
  const failed = result.rows.findIndex((row) => row.status === "model_error");
  return {
    ...result,
    rows: result.rows.map((row, i) => (i === failed + 1 ? { ...row, status: "model_error" } : row)),
  };
};

type Running = typeof runningDivergence;

/** Never moves. */
export const staysWhereItWas: Running = (name, a, b) => ({
  ...runningDivergence(name, a, b),
  move: () => {},
});

/** Takes every copy of a value along. */
export const forgetsDuplicates: Running = (name, a, b) => {
  const held = Array.from(a);
  return {
    move(from, to) {
      held.forEach((v, i) => {
        if (v === from) held[i] = to;
      });
    },
    value: () => runningDivergence(name, held, b).value(),
  };
};

/** Compares scores where labels were asked for. */
export const curvesFromScores: Refine = async (options) => {
  const result = await refine(options);
  if (options.goal.kind !== "group") return result;
  const { on: _, ...goal } = options.goal;
  return { ...result, curve: (await refine({ ...options, goal })).curve };
};

/** Adds a little D with every edit. */
export const rises: Refine = async (options) => {
  const result = await refine(options);
  return { ...result, curve: result.curve.map((point) => ({ ...point, D: point.D + 1e-3 * point.C })) };
};

/** Does not look at the sets an attribution would take. */
export const blindToAttribution: Refine = ({ attribution: _, ...options }) => refine(options);

/** Takes what `greedy` takes along its chains, and leaves nothing of it out. */
export const takesAllOfGreedy: Refine = (options) => refine({ ...options, policy: "greedy", prune: false });

/** Means of the values in the order they come. */
export function sumsAsItReads(name: DivergenceName, a: readonly number[], b: readonly number[]): number {
  return name === "mean" ? Math.abs(mean(a) - mean(b)) : divergences[name](a, b);
}
