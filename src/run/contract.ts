import type { Work } from "../budget.ts";
import type { Coupler } from "../couple/registry.ts";
import type { Constraints } from "../data/constraints.ts";
import type { Metric } from "../data/metric.ts";
import type { Columns } from "../exact/columns.ts";
import type { PlanSearch } from "../exact/plan.ts";
import type { ExplainedRow, Explanation, SafeValues } from "../explanation.ts";
import type { Match } from "../match/best.ts";
import type { RuleOptions } from "../match/rule.ts";
import type { GoalScore } from "../model/goal-score.ts";
import type { Refined } from "../refine/contract.ts";
import type { MixtureOptions } from "../search/mixtures.ts";
import type {
  Coupling,
  Goal,
  Matrix,
  Model,
  ModelLike,
  Reach,
  Schema,
  Trees,
  WorkOptions,
} from "../types.ts";
import type { NearValues, TargetRows } from "./near.ts";
import type { Defaults, Options, Rows, Values } from "./options.ts";

/** What a study is made of. Rows are codes (data/schema); without a schema every column is a plain number. */
export interface Parts {
  /** Scores table rows: a function, or a Model (see `bind`). */
  readonly model: ModelLike;
  /** Counterfactual rows r of any generator, m × d; with `only: "plans"` the training rows will do. */
  readonly references: Matrix;
  readonly schema?: Schema;
  /** Rows the metric is fitted on. Default: the references. */
  readonly training?: Matrix;
  /** The schema compiled and the metric fitted on `training` over all features, where they are at hand. */
  readonly constraints?: Constraints;
  readonly metric?: Metric;
  /** Digest of the model, kept in the run hash; of all models, where there are others beside it. */
  readonly modelDigest?: string;
  /**
   * Challengers or retrainings (`sturdyWith` of cola-xai/model): each row of the goal `each` gets a second plan, `sturdy`, of
   * the fewest edits that all of them accept as well, and both plans are judged by further models.
   */
  readonly sturdy?: Sturdy;
  /** `gridSearch` of cola-xai/model: plans of models without bounds take values of a grid, too, not those of references alone. */
  readonly grid?: GridSearch;
  /**
   * `nearestReasons` of cola-xai/model: φ of the goal `each` is measured against the rows of the training table at the target
   * that are nearest to x, whatever the constraints let x become; the plan does not depend on φ then. Protected attributes
   * are not among what could be unlocked for a plan. φ is another where φ is
   * asked for otherwise (`background`) or steers the plan (`values: "reference"`, `coupling`, `policy`, …).
   */
  readonly reasons?: ReasonRows;
  /** The table's rows at the target, where another thread finds them for all; else the model is asked about the table. */
  readonly targetRows?: TargetRows;
  /** How usual a row is, by a forest over codes (`fitIsolation` of cola-xai/model): no plan is odder than its row. */
  readonly usual?: Trees;
}

/** What to explain and how. */
export interface ExplainInput extends Parts, Rows, Options, WorkOptions {}

/** What is the same for every question of a study. */
export type Given = Parts & Options;

/** Parts and options that have been checked, with all that is made of them once, however many rows are asked about. */
export interface Setup extends PlannedValues, ReferenceSetup {
  readonly given: Given;
  readonly model: Model;
  readonly goal: Goal;
  /** The target of `each`, or the score that `group` compares. */
  readonly reach: Reach;
  /** What a row alone is to reach where references are chosen row by row: for `group` the default target. */
  readonly rowReach: () => Reach;
  readonly constraints: Constraints;
  /** Over all features, and over those that may be edited. */
  readonly fitted: Metric;
  readonly metric: Metric;
  /** Columns that are players, and players as groups of columns. */
  readonly players: readonly number[];
  readonly groups: readonly (readonly number[])[];
  /** How rows may move, in the words of match and refine. */
  readonly moves: MixtureOptions & RuleOptions;
  /** `match`, `joint`, or the name of `coupler`. */
  readonly coupling: string;
  readonly coupler?: Coupler;
  readonly policy: string;
  /** The search over all legal values, for models that have one. */
  readonly exact: () => PlanSearch | undefined;
  /** Weight, ends and decimals of each column, as the table shows them. */
  readonly columns: () => Columns;
  /** How much z changes of x, as `Plan` counts it. */
  readonly change: (x: Float64Array, z: Float64Array) => number;
  /** The table's rows at the target. */
  readonly targetRows: TargetRows;
  /** Values of the rows at the target that are nearest to a row. */
  readonly near: (work: Work) => Promise<NearValues>;
  /** The rows that reasons are measured against, where these are not the coupled references. */
  readonly reasons?: ReturnType<ReasonRows["open"]>;
  readonly seed: number;
  /** Adds plans that other models accept too, if there are other models. */
  readonly sturdy: () => ReturnType<Sturdy["open"]> | undefined;
  readonly trainingDigest: () => string;
}

/** What is made of the references. */
export interface ReferenceSetup {
  /** Moved to legal values of their features, and their order by content. */
  readonly r: Matrix;
  readonly order: () => Int32Array;
  readonly referencesDigest: () => string;
}

/** Where planned values come from, and what is done with the plans that references give. */
export interface PlannedValues extends Pick<Defaults, "plans"> {
  readonly values: Values;
}

/** Rows that are asked about, with what is made of all of them once, whether they are answered together or in parts. */
export interface Question {
  readonly rows: Rows;
  /** The references made for a row. */
  own(row: number): ArrayLike<number>;
  readonly hash: () => string;
}

/** Rows of a question that have been checked, with everything the stages ask for. */
export interface Run extends Setup {
  readonly input: ExplainInput;
  /** Rows that can be explained (the others are `invalid_input`), and x restricted to them. */
  readonly good: readonly number[];
  readonly invalid: ReadonlyMap<number, string>;
  readonly x: Matrix;
  /** The references made for a row of the input. */
  own(row: number): ArrayLike<number>;
  /** The run hash of the whole question. */
  readonly hash: () => string;
  /** The score that is shown and explained. */
  readonly shown: GoalScore;
  readonly work: Work;
}

/** Another plan of a row: edited players and the reference they are taken from. */
export interface Alternative extends Pick<Match, "players" | "reference" | "slack"> {
  /** The row it makes, where its values are of no reference. */
  readonly z?: Float64Array;
}

/** Other plans of a row, and why there are not as many as asked for. */
export interface Others {
  readonly plans: readonly Alternative[];
  /** These are all smallest sets of features beside the plan's own. */
  readonly all?: true;
  readonly fewer?: NonNullable<ExplainedRow["fewerAlternatives"]>;
}

/** What a search over values finds of a row besides its plan. */
export interface AlsoFound {
  /** Other plans, where they were asked for. */
  readonly others?: Others;
  readonly ranges?: readonly SafeValues[];
  /** Features in no plan with as few edits. */
  readonly useless?: { readonly features: readonly string[]; readonly edits: number };
  /** The least change with ever more edits. */
  readonly front?: readonly { readonly z: Float64Array; readonly least: boolean }[];
}

/** Plans over all legal values, instead of those that borrow from references. */
export interface Searched {
  readonly refined: Refined;
  readonly alsoFound: ReadonlyMap<number, AlsoFound>;
}

/** A search over values for models that cannot bound their scores: the caller brings it (`gridSearch`). */
export interface GridSearch {
  /** Values tried of each number at most. */
  readonly values: number;
  search(run: Run, borrowed: Refined): Promise<Searched>;
}

/** What reasons are opened with. */
export interface ReasonStudy {
  readonly schema: Schema;
  /** Rows at the target; the real ones are as they are: no constraint has moved them. */
  readonly targetRows: TargetRows;
  /** Over all features. */
  readonly metric: Metric;
}

/** What the rows of a call are compared with, and what is typical of it for each of them. */
export interface AtTarget {
  readonly references: Matrix;
  readonly spread: Coupling;
  readonly typical: readonly Float64Array[];
}

/** What reasons are measured against instead of the coupled references: the caller brings it (`nearestReasons`). */
export interface ReasonRows {
  /** `model` is the model of the score that is explained; undefined where no row is at the target. */
  open(study: ReasonStudy): (run: Run, model: Model) => Promise<AtTarget | undefined>;
  /** Columns that nobody can be asked to change, whatever the schema says. */
  protectedColumns(schema: Schema): readonly number[];
}

/** Models beside the one that is explained. They bring the code that uses them, so that programs without them do not load it. */
export interface Sturdy {
  readonly also: readonly ModelLike[];
  readonly judges: readonly ModelLike[];
  open(
    setup: Pick<Setup, "given" | "model" | "goal" | "reach" | "constraints">,
  ): ((run: Run, explanation: Explanation) => Promise<Explanation>) | undefined;
}
