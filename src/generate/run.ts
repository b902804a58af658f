import { startWork, type Work } from "../budget.ts";
import type { Constraints } from "../data/constraints.ts";
import { fitMetric, type Metric } from "../data/metric.ts";
import { featureIndex, hasLevels, levelsOf } from "../data/schema.ts";
import { ColaError } from "../errors.ts";
import { type OpenModel, openModel } from "../model/contract.ts";
import { type Scorer, scorer } from "../model/scorer.ts";
import { reachOf } from "../model/target.ts";
import { checkMatrix } from "../num/matrix.ts";
import { type Rule, resolveOptions, WORK, whole } from "../train/options.ts";
import type { Matrix, Reach, Schema, WorkOptions } from "../types.ts";
import type { Task } from "./contract.ts";

/** Options every generator that searches row by row takes. */
export interface SearchOptions extends WorkOptions {
  /** Counterfactuals per row, at most. Default 1. */
  readonly count?: number;
  /** Names of the features that may change. Default: all the constraints let change. */
  readonly vary?: readonly string[];
}

const names: Rule<readonly string[] | undefined> = {
  fallback: undefined,
  says: "a list of feature names",
  accepts: (v) => Array.isArray(v) && v.every((name) => typeof name === "string"),
};

/** Rules of `SearchOptions`, for the tables of the generators. */
export const SEARCH_RULES = { count: whole(1, 1, 100), vary: names };

/** Options of a generator with every default filled in; what belongs to the training of models is refused. */
export function generatorOptions<Table extends Readonly<Record<string, Rule>>>(
  owner: string,
  given: object,
  table: Table,
): ReturnType<typeof resolveOptions<Table>> {
  return resolveOptions(owner, given, table, WORK);
}

/** One call of a generator: the task checked, its model behind the scorer, the clock running. */
export interface Run {
  readonly name: string;
  /** Options with their defaults, as they are reported. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly task: Task;
  readonly constraints: Constraints;
  /** Factual rows with their derived columns recomputed. */
  readonly x: Matrix;
  readonly references: Matrix;
  readonly metric: Metric;
  /** 1 where a feature may change. */
  readonly vary: Uint8Array;
  /** Counts factual rows; what is done for many of them at once is counted aside. */
  readonly work: Work;
  readonly side: Work;
  readonly limits: NonNullable<WorkOptions["limits"]>;
  readonly reach: Reach;
  /** Scores table rows. */
  readonly scorer: Scorer;
  /** The model over the columns it really reads, and its scorer. */
  readonly inner: OpenModel & { readonly scorer: Scorer };
}

/** The door of the generators: checks the task and starts the clock. */
export function openRun(
  name: string,
  task: Task,
  settings: Readonly<Record<string, unknown>> & { readonly vary?: readonly string[] | undefined },
  options: WorkOptions,
): Run {
  const { constraints, references } = task;
  const { schema } = constraints;
  checkRows(name, "x", withoutInfinities(task.x), schema);
  checkRows(name, "references", references, schema);
  for (let j = 0; j < references.rows; j++) {
    const problem = rowProblem(
      schema,
      references.data.subarray(j * references.cols, (j + 1) * references.cols),
    );
    if (problem) throw new ColaError("VALUE_INVALID", `${name}: reference row ${j}: ${problem}.`, { row: j });
  }
  const work = startWork(`generate: ${name}`, options);
  const side = work.stage(`generate: ${name}: prepare and score`);
  const scores = scorer(task.model, side);
  const open = openModel(task.model, references.cols);
  const chosen = settings.vary?.map((feature) => featureIndex(schema, feature, `${name}: vary`));
  const vary = constraints.editable.map((editable, k) => (editable && (chosen?.includes(k) ?? true) ? 1 : 0));
  return {
    name,
    options: settings,
    task,
    constraints,
    x: constraints.complete(withoutProblems(schema, task.x)),
    references,
    metric: task.metric ?? fitMetric(schema, references, constraints.editable),
    vary,
    work,
    side,
    limits: options.limits ?? {},
    reach: reachOf(scores.model, task.target),
    scorer: scores,
    inner: { ...open, scorer: scorer(open.model, side) },
  };
}

/** ±Infinity spoils its own row only, so the shape of x is checked without. */
function withoutInfinities(x: Matrix): Matrix {
  if (!(x?.data instanceof Float64Array)) return x;
  return { ...x, data: x.data.map((v) => (Number.isFinite(v) ? v : Number.NaN)) };
}

/** Rows that are not table rows become all missing: they are reported, never searched. */
function withoutProblems(schema: Schema, x: Matrix): Matrix {
  const data = x.data.slice();
  for (let i = 0; i < x.rows; i++) {
    const row = data.subarray(i * x.cols, (i + 1) * x.cols);
    if (rowProblem(schema, row)) row.fill(Number.NaN);
  }
  return { data, rows: x.rows, cols: x.cols };
}

function checkRows(owner: string, name: string, rows: Matrix, schema: Schema): void {
  checkMatrix(owner, name, rows);
  if (rows.cols === schema.features.length) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${owner}: ${name} has ${rows.cols} columns where the schema has ${schema.features.length} features; give one column per feature, in schema order.`,
    { name, cols: rows.cols, features: schema.features.length },
  );
}

/** Why a row is not a table row of the schema, or undefined. */
export function rowProblem(schema: Schema, row: Float64Array): string | undefined {
  const k = schema.features.findIndex((feature, at) => {
    const v = row[at]!;
    if (Number.isNaN(v)) return false;
    if (!hasLevels(feature)) return !Number.isFinite(v);
    return !(Number.isInteger(v) && v >= 0 && v < levelsOf(feature).length);
  });
  if (k < 0) return undefined;
  const feature = schema.features[k]!;
  const rule = hasLevels(feature)
    ? `the index of one of its ${levelsOf(feature).length} levels`
    : "a finite number";
  return `${feature.name} holds ${row[k]}, which is not ${rule}`;
}
