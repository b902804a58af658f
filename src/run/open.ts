import type { PshapOptions } from "../attribute/options.ts";
import { startWork, type Work } from "../budget.ts";
import { type Coupler, type CouplingName, couplers, type OwnCoupling } from "../couple/registry.ts";
import { type Constraints, compileConstraints } from "../data/constraints.ts";
import { fitMetric, type Metric, restrict } from "../data/metric.ts";
import { hasLevels, levelsOf, plainSchema } from "../data/schema.ts";
import { ColaError, checkCount, checkKeys, checkName, checkOption, checkWhole } from "../errors.ts";
import type { Prefer } from "../match/option.ts";
import { asModel } from "../model/contract.ts";
import { checkGoal, reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols, takeRows } from "../num/matrix.ts";
import type { Budget } from "../refine/contract.ts";
import { defaultPolicy, policyOf } from "../refine/policies.ts";
import type { Cell, Goal, Matrix, Model, ModelLike, Schema, WorkOptions } from "../types.ts";
import { given } from "./plain.ts";

/** What to explain and how. Rows are codes (data/schema); without a schema every column is a plain number. */
export interface ExplainInput extends WorkOptions {
  /** Scores table rows: a function, or a Model (see `bind`). */
  readonly model: ModelLike;
  /** Factual rows, n × d. */
  readonly x: Matrix;
  /** Counterfactual rows r of any generator, m × d. */
  readonly references: Matrix;
  /** Factual row each reference was made for, −1 where that is not known. */
  readonly pairs?: ArrayLike<number>;
  readonly schema?: Schema;
  /** Rows the metric is fitted on. Default: the references. */
  readonly training?: Matrix;
  /** Default: every row's default output above 0.5. */
  readonly goal?: Goal;
  /**
   * `match`: a row's own pairs, else the best of its nearest references (default for `each`); `joint`: references
   * and edits chosen together for all rows; `transport` (default for `group`) or another name in `couplings`; or a
   * coupling of your own.
   */
  readonly coupling?: string | OwnCoupling;
  /** How many rows `joint` may give the same reference. Default: one, or as few as there must be. */
  readonly reuse?: number | "free";
  /** With `joint` no row goes farther from x than its transport proposal. Default: true for `group`. */
  readonly capped?: boolean;
  /** Default `most-likely`. */
  readonly value?: "most-likely" | "average";
  /** A name in `policies`. Default `minimal` for `each`, `greedy` for `group`. */
  readonly policy?: string;
  readonly budget?: Budget;
  readonly stop?: "goal" | "budget";
  readonly prune?: boolean;
  /** Among plans of equal size; `plausible`: the nearest to its 5 nearest training rows. Default `margin`. */
  readonly prefer?: Prefer;
  readonly objective?: "edits" | "cost";
  /** Largest mixed-metric distance ‖z − x‖. */
  readonly maxDistance?: number;
  /** Other plans wanted for each row, with the coupling `match`. Default 0. */
  readonly alternatives?: number;
  /** Nearest references searched for a row without pairs. Default 32, and 1024 for a row that has no plan among those. */
  readonly candidates?: number;
  /** Mixtures scored for one row before its proof settles for a bound. */
  readonly effort?: number;
  /** How φ is computed; `space` defaults to `each` for the goal `each`. */
  readonly attribution?: Pick<PshapOptions, "space" | "tolerance" | "maxEvaluations" | "maxEnumeration">;
  /** ε of `sinkhorn`, bins of `coarsened`. */
  readonly epsilon?: number;
  readonly bins?: number;
  /** Names of the rows, shown and used to key their random streams. */
  readonly ids?: readonly Cell[];
  /** Default 0. */
  readonly seed?: number;
  /** Digest of the model, kept in the run hash. */
  readonly modelDigest?: string;
}

const KEYS: Readonly<Record<keyof ExplainInput, true>> = {
  model: true,
  x: true,
  references: true,
  pairs: true,
  schema: true,
  training: true,
  goal: true,
  coupling: true,
  reuse: true,
  capped: true,
  value: true,
  policy: true,
  budget: true,
  stop: true,
  prune: true,
  prefer: true,
  objective: true,
  maxDistance: true,
  alternatives: true,
  candidates: true,
  effort: true,
  attribution: true,
  epsilon: true,
  bins: true,
  ids: true,
  seed: true,
  modelDigest: true,
  signal: true,
  onProgress: true,
  limits: true,
  within: true,
};

/** What `coupling` may name. */
export const COUPLINGS: readonly string[] = ["match", "joint", ...Object.keys(couplers)];

const ATTRIBUTION_KEYS = ["space", "tolerance", "maxEvaluations", "maxEnumeration"];

/** An input that has been checked, with everything the stages ask for. */
export interface Run {
  readonly input: ExplainInput;
  readonly model: Model;
  readonly goal: Goal;
  readonly constraints: Constraints;
  readonly metric: Metric;
  /** Columns that are players, and players as groups of columns. */
  readonly players: readonly number[];
  readonly groups: readonly (readonly number[])[];
  /** Rows that can be explained (the others are `invalid_input`), and x restricted to them. */
  readonly good: readonly number[];
  readonly invalid: ReadonlyMap<number, string>;
  readonly x: Matrix;
  /** References moved to legal values of their features. */
  readonly r: Matrix;
  /** `match`, `joint`, or the name of `coupler`. */
  readonly coupling: string;
  readonly coupler?: Coupler;
  readonly policy: string;
  readonly seed: number;
  readonly work: Work;
}

/** Validation once, at the door: shapes, names, goal, constraints. */
export function openRun(input: ExplainInput): Run {
  checkKeys("explain", input, Object.keys(KEYS));
  checkKeys("explain: budget", input.budget, ["total", "perRow"]);
  checkKeys("explain: attribution", input.attribution, ATTRIBUTION_KEYS);
  const { x, references, training } = input;
  checkMatrix("explain", "references", references);
  // Rows with ±Infinity are rows of their own status, so only the shape of x is checked here.
  if (!(x?.data instanceof Float64Array && x.rows > 0 && x.data.length === x.rows * x.cols))
    checkMatrix("explain", "x", x);
  checkSameCols("explain", x, references, "x and references");
  if (training) {
    checkMatrix("explain", "training", training);
    checkSameCols("explain", training, references, "training and references");
  }
  const schema = input.schema ?? plainSchema(x.cols);
  const constraints = compileConstraints(schema);
  checkCount("explain", "schema.features", schema.features.length, x.cols, "columns");
  const model = asModel(input.model);
  const goal: Goal = input.goal ?? { kind: "each", target: {} };
  checkGoal("explain", goal);
  if (goal.kind === "each") reachOf(model, goal.target);
  const { coupling: asked = goal.kind === "each" ? "match" : "transport" } = input;
  const own = typeof asked === "object" ? asked : undefined;
  const coupling = own?.name ?? (asked as string);
  if (!own) checkName("explain", "coupling", coupling, COUPLINGS);
  const { reuse = "free", capped } = input;
  const ofJoint = coupling === "joint" || (input.reuse ?? capped) === undefined;
  checkOption(ofJoint, "explain", "coupling", "joint where reuse or capped is given", coupling);
  if (reuse !== "free") checkWhole("explain", "reuse", reuse, 1);
  const policy = input.policy ?? defaultPolicy(goal, coupling);
  policyOf(policy);
  checkName("explain", "value", input.value ?? "most-likely", ["most-likely", "average"]);
  checkName("explain", "objective", input.objective ?? "edits", ["edits", "cost"]);
  checkWhole("explain", "alternatives", input.alternatives ?? 0, 0);
  checkNames(input);
  const invalid = invalidRows(schema, x);
  const good = Array.from({ length: x.rows }, (_, i) => i).filter((i) => !invalid.has(i));
  const players = schema.features.flatMap((feature, k) => (feature.derived ? [] : [k]));
  return {
    input,
    model,
    goal,
    constraints,
    metric: restrict(fitMetric(schema, training ?? references), constraints.editable),
    players,
    groups: players.map((k) => [k]),
    good,
    invalid,
    x: constraints.complete(takeRows(x, good)),
    r: legalReferences(constraints, references),
    coupling,
    ...given({ coupler: own ?? couplers[coupling as CouplingName] }),
    policy,
    seed: input.seed ?? 0,
    work: startWork("explain", input),
  };
}

/** Throws unless there is one id per row and one factual row (or −1) per reference. */
function checkNames({ x, references, ids, pairs }: ExplainInput): void {
  if (ids) checkCount("explain", "ids", ids.length, x.rows, "rows");
  if (!pairs) return;
  const known = (i: number): boolean => Number.isInteger(i) && i >= -1 && i < x.rows;
  const wrong = Array.from(pairs).findIndex((i) => !known(i));
  if (pairs.length === references.rows && wrong < 0) return;
  throw new ColaError(
    "PAIRS_INVALID",
    wrong >= 0
      ? `explain: pairs[${wrong}] is ${pairs[wrong]}; give a row of x (0 … ${x.rows - 1}), or −1 where it is not known.`
      : `explain: there are ${pairs.length} pairs for ${references.rows} references; give one row of x (or −1) per reference.`,
    { length: pairs.length, references: references.rows },
  );
}

/** Rows with ±Infinity or with a code that is no level, and why. */
function invalidRows(schema: Schema, x: Matrix): ReadonlyMap<number, string> {
  const invalid = new Map<number, string>();
  for (let c = 0; c < x.data.length; c++) {
    const [i, k] = [Math.floor(c / x.cols), c % x.cols];
    const feature = schema.features[k]!;
    const v = x.data[c]!;
    if (Number.isNaN(v) || invalid.has(i)) continue;
    if (!Number.isFinite(v))
      invalid.set(i, `${feature.name} is ${v}; only finite numbers and missing values are legal.`);
    else if (hasLevels(feature) && levelsOf(feature)[v] === undefined) {
      invalid.set(i, `${feature.name} holds the code ${v}, which is no level of it.`);
    }
  }
  return invalid;
}

/** Every cell moved to the nearest value of its feature's own domain, so that references can be borrowed from. */
function legalReferences(constraints: Constraints, references: Matrix): Matrix {
  const data = references.data.map((v, c) => constraints.nearest(c % references.cols, v));
  return constraints.complete({ data, rows: references.rows, cols: references.cols });
}

/** What is left of the limits, for the next stage; `keep` model rows are left for the stages after it. */
export function stageOptions({ input, work }: Run, keep = 0): WorkOptions {
  const { signal, onProgress, limits } = input;
  const left = { ...limits };
  if (limits?.timeMs !== undefined) left.timeMs = Math.max(0, work.remainingMs());
  if (limits?.modelRows !== undefined) left.modelRows = Math.max(0, limits.modelRows - work.modelRows - keep);
  return { within: work, ...given({ signal, onProgress, limits: limits && left }) };
}

/** Model rows without which no plan can be returned: x, the plans found and the rows returned are scored once each. */
export function neededLater({ goal, model, x, r }: Run): number {
  if (goal.kind === "each") return 3 * x.rows * reachOf(model, goal.target).outputs.length;
  return 3 * x.rows + (goal.desired ? 0 : r.rows);
}
