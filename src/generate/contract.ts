import type { Constraints } from "../data/constraints.ts";
import type { Metric } from "../data/metric.ts";
import type { Random } from "../num/random.ts";
import type { Matrix, ModelLike, RowStatus, Target, WorkOptions } from "../types.ts";

/** What a generator is asked: rows that reach the target, close to the factual rows x. */
export interface Task {
  /** Scores table rows. */
  readonly model: ModelLike;
  /** Factual table rows (codes, see data/schema). */
  readonly x: Matrix;
  /** Real table rows to learn ranges from and to borrow values from: the training rows. */
  readonly references: Matrix;
  readonly constraints: Constraints;
  readonly target: Target;
  /** How far past the target's edge a row must be. Default 0. */
  readonly minMargin?: number;
  /** Default: fitted on the references, over the editable features. */
  readonly metric?: Metric;
}

/** Counterfactual rows: legal table rows, each of which the model really puts at the target. */
export interface Generated {
  readonly rows: Matrix;
  /** Index of the factual row each counterfactual belongs to, where the generator knows it. */
  readonly pairs?: Int32Array;
  readonly report: GenerateReport;
}

export interface GenerateReport {
  readonly name: string;
  /** One per factual row; `ok` when at least one counterfactual was found for it. */
  readonly status: readonly RowStatus[];
  /** Why a row has none; empty for rows that are `ok`. */
  readonly reasons: readonly string[];
  /** Rows the model scored. */
  readonly evaluations: number;
  /** What the method itself reports: rules, directions, coverage, cost, limits. Plain JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type Generator<Options = object> = (
  task: Task,
  options: Options & WorkOptions,
  random: Random,
) => Promise<Generated>;
