import type { Work } from "../budget.ts";
import { ColaError, checkCount, checkOption } from "../errors.ts";
import { checkCandidates, contentOrder } from "../match/nearest.ts";
import { type Weighed, weigh } from "../match/option.ts";
import { type Start, startOf } from "../match/plans.ts";
import { allowedOf, ruleOf } from "../match/rule.ts";
import { noDesired } from "../model/target.ts";
import { checkMatrix, checkSameCols, rowOf } from "../num/matrix.ts";
import { type Mixtures, mixtures } from "../search/mixtures.ts";
import type { GroupGoal, Matrix, Model, Reach } from "../types.ts";
import type { GroupTarget, Problem, RefineOptions } from "./contract.ts";
import { normalised, valuesOf } from "./weights.ts";

/** Checks the options and asks the model about x (and about q, for a group goal without y*). */
export async function problemOf(
  options: RefineOptions & { readonly model: Model },
  reach: Reach,
  policy: string,
  work: Work,
): Promise<Problem> {
  const { x, q, goal } = options;
  const mix = mixtures(options.model, x.cols, reach, work, options);
  const players = mix.groups.length;
  const minMargin = options.minMargin ?? (goal.kind === "each" ? goal.minMargin : undefined) ?? 0;
  const rule = ruleOf("refine", { ...options, minMargin }, players);
  const allowed = allowedOf("refine", options.allowed, x.rows, players);
  const weights = normalised(options);
  const [total, perRow] = [budgetOf(options, "total"), budgetOf(options, "perRow")];
  const { stop = "goal", prune = policy === "greedy" } = options;
  checkOption(stop === "goal" || stop === "budget", "refine", "stop", '"goal" or "budget"', stop);
  const [from, to] = [mix.side(x), mix.side(q)];
  const scored = await startOf(mix, from, work);
  const pairs: Weighed[] = [];
  for (let i = 0; i < x.rows; i++) {
    if (work.due()) await work.pause(0, x.rows);
    pairs.push(weigh(mix.pair(from, i, to, i, allowed(i)), mix.groups, rule));
  }
  const start = "code" in scored ? new Float64Array(x.rows).fill(Number.NaN) : scored.slack;
  return {
    mix,
    rule,
    work,
    progress: () => [0, x.rows],
    x: from,
    q: to,
    pool: options.references ? mix.side(options.references.rows) : to,
    pairs,
    players,
    canonical: contentOrder(sideBySide(x, q)),
    scored,
    start,
    allowedOf: allowed,
    weights,
    goal,
    group: goal.kind === "group" ? await groupTarget(options, goal, mix, scored) : undefined,
    total,
    perRow,
    stop,
    prune,
    options,
  };
}

/** Row i of x followed by row i of q. */
export function sideBySide(x: Matrix, q: Matrix): Matrix {
  const data = new Float64Array(2 * x.data.length);
  for (let i = 0; i < x.rows; i++) {
    data.set(rowOf(x, i), 2 * i * x.cols);
    data.set(rowOf(q, i), (2 * i + 1) * x.cols);
  }
  return { data, rows: x.rows, cols: 2 * x.cols };
}

/** Throws unless all that is given row by row has the rows of x. */
export function checkRows({ x, q, references, ids, attribution, groups }: RefineOptions): void {
  checkMatrix("refine", "x", x);
  checkMatrix("refine", "q", q);
  checkSameCols("refine", x, q, "x and q");
  checkCount("refine", "q", q.rows, x.rows, "rows of x");
  if (ids) checkCount("refine", "ids", ids.length, x.rows, "rows of x");
  if (references) {
    checkCount("refine", "references.candidates", references.candidates.length, x.rows, "rows of x");
    checkMatrix("refine", "references.rows", references.rows);
    checkSameCols("refine", x, references.rows, "x and references.rows");
    checkCandidates("refine: references.candidates", references.candidates, references.rows.rows);
  }
  if (!attribution) return;
  const phi = valuesOf(attribution);
  checkMatrix("refine", "attribution", phi, true);
  checkCount("refine", "attribution", phi.rows, x.rows, "rows of x");
  checkCount("refine", "a row of attribution", phi.cols, groups?.length ?? x.cols, "players");
}

function budgetOf({ budget = {} }: RefineOptions, name: "total" | "perRow"): number {
  const value = budget[name] ?? Number.POSITIVE_INFINITY;
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 0)) return value;
  throw new ColaError(
    "BUDGET_INVALID",
    `refine: budget.${name} must be a whole number ≥ 0, but is ${value}.`,
    { budget: name, value: String(value) },
  );
}

async function groupTarget(
  options: RefineOptions,
  goal: GroupGoal,
  mix: Mixtures,
  scored: Start,
): Promise<GroupTarget> {
  const { divergence = "w1", on = "score", threshold = 0.5, level = 1 } = goal;
  if ("code" in scored) throw scored;
  if (scored.failures.size === scored.slack.length) throw [...scored.failures.values()][0]!;
  const value = (score: number): number =>
    on === "score" || Number.isNaN(score) ? score : Number(score > threshold);
  const given = options.desired ?? goal.desired;
  const desired = given ? Float64Array.from(given) : (await mix.score(options.q)).slack;
  const known = desired.filter((v) => Number.isFinite(v)).map(value);
  if (known.length === 0 || (given && known.length < given.length)) {
    throw noDesired("refine");
  }
  // Sorted, so that sums over y* do not depend on the order of the rows.
  return { divergence, value, desired: known.sort(), level };
}
