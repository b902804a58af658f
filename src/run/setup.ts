import { type Coupler, type CouplingName, couplers } from "../couple/registry.ts";
import { type Constraints, compileConstraints } from "../data/constraints.ts";
import { fitMetric, type Metric, restrict, squaredDistance } from "../data/metric.ts";
import { plainSchema } from "../data/schema.ts";
import { checkCount, checkName, checkOption, checkWhole } from "../errors.ts";
import type { ExactSearch } from "../exact/contract.ts";
import { contentOrder } from "../match/nearest.ts";
import type { RuleOptions } from "../match/rule.ts";
import { asModel } from "../model/contract.ts";
import { exactSearch } from "../model/exact-search.ts";
import { checkGoal, goalReach, type Reach, reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import { defaultPolicy, policyOf } from "../refine/policies.ts";
import type { MixtureOptions } from "../search/mixtures.ts";
import type { Goal, Matrix, Model } from "../types.ts";
import { type Digests, digestsOf } from "./hash.ts";
import { COUPLINGS, checkNames, type Given, type Options, type Parts } from "./input.ts";
import { given } from "./plain.ts";
import { plausibility } from "./plausible.ts";

/** Parts and options that have been checked, with all that is made of them once, however many rows are asked about. */
export interface Setup {
  readonly given: Given;
  readonly model: Model;
  readonly goal: Goal;
  /** The target of `each`, or the score that `group` compares. */
  readonly reach: Reach;
  /** What a row alone is to reach where references are chosen row by row: for `group` the default target. */
  readonly rowReach: () => Reach;
  readonly constraints: Constraints;
  /** Over the features that may be edited. */
  readonly metric: Metric;
  /** Columns that are players, and players as groups of columns. */
  readonly players: readonly number[];
  readonly groups: readonly (readonly number[])[];
  /** References moved to legal values of their features, and their order by content. */
  readonly r: Matrix;
  readonly order: () => Int32Array;
  /** How rows may move, in the words of match and refine. */
  readonly moves: MixtureOptions & RuleOptions;
  /** `match`, `joint`, or the name of `coupler`. */
  readonly coupling: string;
  readonly coupler?: Coupler;
  readonly policy: string;
  /** The search over all legal values, where they are asked for and the model has one. */
  readonly exact: () => ExactSearch | undefined;
  readonly seed: number;
  /** What the run hash says of the tables that every question shares. */
  readonly digests: () => Digests;
}

/** Checks parts and options, compiles the constraints and the target, fits the metric, makes the references legal. */
export function setUp(parts: Parts, options: Options): Setup {
  const all = { ...parts, ...options };
  checkNames(all);
  const { references, training } = all;
  checkMatrix("explain", "references", references);
  if (training) {
    checkMatrix("explain", "training", training);
    checkSameCols("explain", training, references, "training and references");
  }
  const schema = all.constraints?.schema ?? all.schema ?? plainSchema(references.cols);
  const constraints = all.constraints ?? compileConstraints(schema);
  checkCount("explain", "schema.features", schema.features.length, references.cols, "columns");
  const model = asModel(all.model);
  const goal: Goal = all.goal ?? { kind: "each", target: {} };
  checkGoal("explain", goal);
  const reach = goalReach(model, goal);
  const { policy, ...coupled } = methodOf(all, goal);
  const fitted = all.metric ?? fitMetric(schema, training ?? references);
  const metric = restrict(fitted, constraints.editable);
  const players = schema.features.flatMap((feature, k) => (feature.derived ? [] : [k]));
  const groups = players.map((k) => [k]);
  const r = legalReferences(constraints, references);
  return {
    given: all,
    model,
    goal,
    reach,
    rowReach: once(() => (goal.kind === "each" ? reach : reachOf(model, {}))),
    constraints,
    metric,
    players,
    groups,
    r,
    order: once(() => contentOrder(r)),
    moves: movesOf(all, constraints, fitted, metric, groups),
    ...coupled,
    policy,
    exact: once(() => exactOf(all, model, goal, reach, constraints)),
    seed: all.seed ?? 0,
    digests: once(() => digestsOf(all)),
  };
}

/** The names of the coupling and the policy, and the checks of what goes with them. */
function methodOf(all: Given, goal: Goal): Pick<Setup, "coupling" | "coupler" | "policy"> {
  const { coupling: asked = goal.kind === "each" ? "match" : "transport", reuse = "free", capped } = all;
  const own = typeof asked === "object" ? asked : undefined;
  const coupling = own?.name ?? (asked as string);
  if (!own) checkName("explain", "coupling", coupling, COUPLINGS);
  const ofJoint = coupling === "joint" || (all.reuse ?? capped) === undefined;
  checkOption(ofJoint, "explain", "coupling", "joint where reuse or capped is given", coupling);
  if (reuse !== "free") checkWhole("explain", "reuse", reuse, 1);
  const policy = all.policy ?? defaultPolicy(goal, coupling);
  policyOf(policy);
  checkValues(all, goal);
  checkName("explain", "value", all.value ?? "most-likely", ["most-likely", "average"]);
  checkName("explain", "objective", all.objective ?? "edits", ["edits", "cost"]);
  checkWhole("explain", "alternatives", all.alternatives ?? 0, 0);
  if (all.background !== undefined) checkWhole("explain", "background", all.background, 1);
  return { coupling, policy, ...given({ coupler: own ?? couplers[coupling as CouplingName] }) };
}

/** What `values: "least"` goes with: plans that nothing but the row, the model and the constraints decides. */
function checkValues(
  { values = "reference", coupling, policy, budget, maxDistance, objective }: Given,
  goal: Goal,
): void {
  checkName("explain", "values", values, ["least", "reference"]);
  if (values === "reference") return;
  const named = {
    coupling,
    policy,
    "budget.total": budget?.total,
    "budget.perRow": budget?.perRow,
    maxDistance,
  };
  const other = Object.entries({ ...named, objective: objective === "cost" ? objective : undefined }).find(
    ([, v]) => v !== undefined,
  )?.[0];
  checkOption(goal.kind === "each", "explain", "values", '"reference" with a group goal', values);
  checkOption(other === undefined, "explain", "values", `"reference" where ${other} is given`, values);
}

function exactOf(
  { values, training, references }: Given,
  model: Model,
  goal: Goal,
  reach: Reach,
  constraints: Constraints,
): ExactSearch | undefined {
  if (values !== "least" || goal.kind !== "each") return undefined;
  const { minMargin = 0 } = goal;
  return exactSearch({ model, constraints, reach, minMargin, table: training ?? references });
}

function movesOf(
  { objective, prefer, maxDistance, effort, training, references }: Given,
  constraints: Constraints,
  fitted: Metric,
  metric: Metric,
  groups: readonly (readonly number[])[],
): MixtureOptions & RuleOptions {
  const { schema } = constraints;
  return {
    groups,
    same: constraints.same,
    allows: constraints.allows,
    distance: (a, b) => squaredDistance(metric, a, b),
    costs: groups.map(([k]) => schema.features[k!]!.cost ?? 1),
    ...given({
      complete: constraints.hasDerived ? constraints.complete : undefined,
      legal: constraints.hasRules ? constraints.legal : undefined,
      plausibility: prefer === "plausible" ? plausibility(fitted, training ?? references) : undefined,
      objective,
      prefer,
      maxDistance,
      effort,
    }),
  };
}

/** Every cell moved to the nearest value of its feature's own domain, so that references can be borrowed from. */
function legalReferences(constraints: Constraints, references: Matrix): Matrix {
  const data = references.data.map((v, c) => constraints.nearest(c % references.cols, v));
  return constraints.complete({ data, rows: references.rows, cols: references.cols });
}

/** The same value whenever it is asked for, made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
