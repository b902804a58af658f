import { type CouplingName, couplers } from "../couple/registry.ts";
import { type Constraints, compileConstraints } from "../data/constraints.ts";
import { distanceOf, fitMetric, type Metric, restrict } from "../data/metric.ts";
import { plainSchema } from "../data/schema.ts";
import { checkCount, checkName, checkOption, checkWhole } from "../errors.ts";
import { columnsOf } from "../exact/columns.ts";
import type { PlanSearch } from "../exact/plan.ts";
import { contentOrder } from "../match/nearest.ts";
import type { RuleOptions } from "../match/rule.ts";
import { asModel } from "../model/contract.ts";
import { exactSearch } from "../model/exact-search.ts";
import { checkGoal, goalReach, reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import { once } from "../num/once.ts";
import { policyOf } from "../refine/policies.ts";
import type { MixtureOptions } from "../search/mixtures.ts";
import type { Goal, Matrix, Model, Reach } from "../types.ts";
import { changeOf } from "./change.ts";
import type { Given, Parts, ReferenceSetup, Setup } from "./contract.ts";
import { defaultsOf } from "./defaults.ts";
import { digestOf } from "./hash.ts";
import { COUPLINGS, checkNames } from "./input.ts";
import { nearValues, targetRows } from "./near.ts";
import type { Options } from "./options.ts";
import { given } from "./plain.ts";
import { plausibility } from "./plausible.ts";
import { plannedValues } from "./values.ts";

/** Checks parts and options, compiles the constraints and the target, fits the metric, makes the references legal. */
export function setUp(parts: Parts, options: Options): Setup {
  const asked = { ...parts, ...options };
  checkNames(asked);
  const defaults = asked.defaults ?? defaultsOf(asked);
  const { plans: _, ...left } = defaults;
  const all = { ...asked, ...left, defaults };
  const { references, training } = all;
  checkTables(all);
  const schema = all.constraints?.schema ?? all.schema ?? plainSchema(references.cols);
  const constraints = all.constraints ?? compileConstraints(schema);
  checkCount("explain", "schema.features", schema.features.length, references.cols, "columns");
  const model = asModel(all.model);
  const goal: Goal = all.goal ?? { kind: "each", target: {} };
  checkGoal("explain", goal);
  const reach = goalReach(model, goal);
  const { policy, ...coupled } = methodOf(all);
  const fitted = all.metric ?? fitMetric(schema, training ?? references);
  const metric = restrict(fitted, constraints.editable);
  const players = schema.features.flatMap((feature, k) => (feature.derived ? [] : [k]));
  const groups = players.map((k) => [k]);
  const columns = once(() => columnsOf(constraints, training ?? references));
  const planned = plannedValues(all, goal);
  const table = training ?? references;
  const found =
    all.targetRows ??
    targetRows(model, reach, {
      real: () => constraints.complete(table),
      legal: () => legalReferences(constraints, table),
    });
  const free = planned.plans === "searched" && all.background === undefined;
  const reasons = free ? all.reasons?.open({ schema, targetRows: found, metric: fitted }) : undefined;
  return {
    given: all,
    model,
    goal,
    reach,
    rowReach: once(() => (goal.kind === "each" ? reach : reachOf(model, {}))),
    constraints,
    fitted,
    metric,
    players,
    groups,
    ...referenceSetup(references, constraints),
    moves: movesOf(all, constraints, fitted, metric, groups),
    ...coupled,
    policy,
    ...planned,
    exact: once(() => exactOf(all, model, goal, reach, constraints)),
    sturdy: once(() => all.sturdy?.open({ given: all, model, goal, reach, constraints })),
    columns,
    change: (x, z) => changeOf(schema, columns().weights, constraints.same, x, z),
    ...given({ reasons }),
    targetRows: found,
    near: nearValues(found, metric),
    seed: all.seed ?? 0,
    trainingDigest: once(() => digestOf(training)),
  };
}

/** The same study with other references: what is made of the training rows, the model and the options is shared. */
export function setupAgainst(setup: Setup, references: Matrix): Setup {
  const { given, constraints } = setup;
  if (references === given.references) return setup;
  const all = { ...given, references };
  if (!given.training) return setUp(all, {});
  checkTables(all);
  return { ...setup, given: all, ...referenceSetup(references, constraints) };
}

function checkTables({ references, training }: Given): void {
  checkMatrix("explain", "references", references);
  if (!training) return;
  checkMatrix("explain", "training", training);
  checkSameCols("explain", training, references, "training and references");
}

function referenceSetup(references: Matrix, constraints: Constraints): ReferenceSetup {
  const r = legalReferences(constraints, references);
  return { r, order: once(() => contentOrder(r)), referencesDigest: once(() => digestOf(references)) };
}

/** The names of the coupling and the policy, and the checks of what goes with them. */
function methodOf(all: Given): Pick<Setup, "coupling" | "coupler" | "policy"> {
  const { reuse = "free", capped } = all;
  const own = typeof all.coupling === "object" ? all.coupling : undefined;
  const coupling = own?.name ?? (all.coupling as string);
  if (!own) checkName("explain", "coupling", coupling, COUPLINGS);
  const ofJoint = coupling === "joint" || (all.reuse ?? capped) === undefined;
  checkOption(ofJoint, "explain", "coupling", "joint where reuse or capped is given", coupling);
  if (reuse !== "free") checkWhole("explain", "reuse", reuse, 1);
  const policy = all.policy!;
  policyOf(policy);
  checkName("explain", "value", all.value!, ["most-likely", "average"]);
  if (all.alternatives !== "all") checkWhole("explain", "alternatives", all.alternatives ?? 0, 0);
  checkWhole("explain", "front", all.front ?? 0, 0);
  if (all.background !== undefined) checkWhole("explain", "background", all.background, 1);
  return { coupling, policy, ...given({ coupler: own ?? couplers[coupling as CouplingName] }) };
}

function exactOf(
  { training, references, usual }: Given,
  model: Model,
  goal: Goal,
  reach: Reach,
  constraints: Constraints,
): PlanSearch | undefined {
  if (goal.kind !== "each") return undefined;
  const { minMargin = 0 } = goal;
  const table = training ?? references;
  return exactSearch({ model, constraints, reach, minMargin, table, ...(usual ? { usual } : {}) });
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
    distance: distanceOf(metric),
    costs: groups.map(([k]) => schema.features[k!]!.cost ?? 1),
    ...given({
      complete: constraints.hasDerived ? constraints.complete : undefined,
      legal: constraints.hasRules ? constraints.legal : undefined,
      plausibility: prefer === "plausible" ? plausibility(fitted, training ?? references) : undefined,
      objective: objective === "change" ? undefined : objective,
      prefer,
      maxDistance,
      effort,
    }),
  };
}

/** Every cell moved to the nearest value of its feature's own domain, so that references can be borrowed from. */
function legalReferences(constraints: Constraints, references: Matrix): Matrix {
  const { data, rows, cols } = references;
  let legal = data;
  for (let c = 0; c < data.length; c++) {
    const value = constraints.nearest(c % cols, data[c]!);
    if (Object.is(value, data[c])) continue;
    if (legal === data) legal = data.slice();
    legal[c] = value;
  }
  return constraints.complete({ data: legal, rows, cols });
}
