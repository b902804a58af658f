import type { ColaError } from "../errors.ts";
import type { Context } from "../match/context.ts";
import type { Weighed } from "../match/option.ts";
import type { Plan, Start } from "../match/plans.ts";
import type { RuleOptions } from "../match/rule.ts";
import type { EncodedRows, MixtureOptions } from "../search/mixtures.ts";
import type {
  Attribution,
  Goal,
  GroupGoal,
  Matrix,
  ModelLike,
  Proof,
  RowStatus,
  WorkOptions,
} from "../types.ts";

/** One row edited member after member. */
export interface Chain {
  readonly row: number;
  /** Members of the row's pair in the order they are edited. */
  readonly members: readonly number[];
  /** slack[t] after the first t edits; NaN where that row is illegal, was not scored or fails. */
  readonly slack: Float64Array;
  /** holds[t]: legal and at the target. */
  readonly holds: Uint8Array;
  /** Why a step is missing. */
  error?: ColaError;
}

export interface Budget {
  /** Most edits over all rows (C of the paper). Default: none. */
  readonly total?: number;
  /** Most edits of one row. Default: none. */
  readonly perRow?: number;
}

/** Several references per row, e.g. what `match.best` searched and found. */
export interface References {
  readonly rows: Matrix;
  /** References of each row, the preferred first. */
  readonly candidates: readonly ArrayLike<number>[];
  /** Plans already found among them under the same options; they are not looked for again. */
  readonly plans?: readonly Plan[];
}

/** The values an edit may lead to, seen from the current one: a list, or everything from min to max. */
export interface Values {
  readonly values?: readonly number[];
  readonly min: number;
  readonly max: number;
  /** Numbers that stand for a missing value, where `allows` lets an edit lead to them. */
  readonly missing?: readonly number[];
}

export interface RefineOptions extends WorkOptions, MixtureOptions, RuleOptions {
  readonly model: ModelLike;
  /** Factual rows, n × d. */
  readonly x: Matrix;
  /** Proposed rows, n × d: z is x with some cells of q. */
  readonly q: Matrix;
  readonly goal: Goal;
  /** φ, n × players; needed by `sample`, `top` and `greedy`. */
  readonly attribution?: Attribution | Matrix;
  /** A name in `policies`. Default: `minimal` for the goal `each`, `greedy` for `group`. */
  readonly policy?: string;
  readonly budget?: Budget;
  /** `goal` (default): no edit is made past the goal, row by row for `each`; `budget`: the whole budget is used. */
  readonly stop?: "goal" | "budget";
  /** Drop edits the goal does not need. Default: for `greedy` alone. */
  readonly prune?: boolean;
  /** Which player of which row may move (n × players). Default: all. */
  readonly allowed?: ArrayLike<number>;
  /** Other references than q for `minimal` and the goal `each`. */
  readonly references?: References;
  /** Names of the references the rows of q were taken from, said in proofs. */
  readonly sources?: ArrayLike<number>;
  /** Legal values of each column seen from its current one: lets proofs for linear models speak of any value. */
  readonly domain?: (column: number, from: number) => Values;
  /** y* of the goal `group`; default: the goal's, else f(q). */
  readonly desired?: ArrayLike<number>;
  /** Keys of the rows' random streams. Default: by content and occurrence. */
  readonly ids?: readonly (string | number)[];
  /** Default 0. */
  readonly seed?: number;
}

/** One row of the result. Scores are those of the target's output; all are the model's answer for exactly this row. */
export interface RefinedRow {
  readonly status: RowStatus;
  /** Edited players in the order they were chosen. */
  readonly edits: readonly number[];
  readonly before: number;
  readonly after: number;
  /** How far z is past the target's edge; for `group`, how far D is below what the goal allows. */
  readonly slack: number;
  /** Is z at the goal? */
  readonly valid: boolean;
  /** d(z, x). */
  readonly distance: number;
  readonly cost: number;
  readonly proof?: Proof;
  /** The reference whose values z takes, where it has a name. */
  readonly reference?: number;
  readonly reason?: string;
}

/** D after C edits: D(f(z), y*) for `group`, the share of rows short of the target for `each`. */
export interface CurvePoint {
  readonly C: number;
  readonly D: number;
  /** 1 − D / D₀; null when D₀ = 0. */
  readonly effect: number | null;
  /** For the optimum: no plan of C edits has a smaller D than this, and gap = D − bound. */
  readonly bound?: number;
  readonly gap?: number;
}

export interface Refined {
  readonly policy: string;
  /** n × d. */
  readonly z: Matrix;
  /** The plan c: 1 where player k of row i is edited, n × players. */
  readonly plan: Uint8Array;
  readonly rows: readonly RefinedRow[];
  /** The whole D-versus-C curve of the policy. */
  readonly curve: readonly CurvePoint[];
  /** Cells (i · players + k) in the order they were chosen. */
  readonly order: Int32Array;
  /** Where z ended: C edits in all, D re-scored. */
  readonly reached: CurvePoint & { readonly goal: boolean };
  /** Rows the model scored. */
  readonly evaluations: number;
}

/** A question to a policy, checked and resolved. */
export interface Problem extends Context {
  readonly x: EncodedRows;
  readonly q: EncodedRows;
  /** Rows of `options.references`; q where there are none. */
  readonly pool: EncodedRows;
  /** Row i against its proposal, with the players that may move. */
  readonly pairs: readonly Weighed[];
  readonly players: number;
  /** Rows in the order of their content (x, then q): where rows tie, this decides and not their place. */
  readonly canonical: Int32Array;
  /** What the model says of x, or the limit that kept it from being asked. */
  readonly scored: Start;
  /** Slack of x (its score for `group`); NaN where the model failed or was not asked. */
  readonly start: Float64Array;
  /** Flags of the players of a row; undefined when all may move. */
  allowedOf(row: number): ArrayLike<number> | undefined;
  /** |φ| / Σ|φ| over the whole matrix, n × players; undefined without an attribution. */
  readonly weights: Float64Array | undefined;
  readonly goal: Goal;
  readonly group: GroupTarget | undefined;
  readonly total: number;
  readonly perRow: number;
  readonly stop: "goal" | "budget";
  readonly prune: boolean;
  readonly options: RefineOptions;
}

/** The group goal, resolved. */
export interface GroupTarget {
  readonly divergence: NonNullable<GroupGoal["divergence"]>;
  /** What D compares: the score itself, or its label. */
  value(score: number): number;
  /** y* on that scale. */
  readonly desired: Float64Array;
  readonly level: number;
}

/** What a policy chose. */
export interface Selection {
  /** Edited players of each row in the order they were chosen. */
  readonly edits: readonly (readonly number[])[];
  readonly order: Int32Array;
  readonly curve: readonly CurvePoint[];
  /** What the policy knows of a row besides. */
  readonly notes: readonly Note[];
}

export interface Note {
  readonly status?: RowStatus;
  readonly reason?: string;
  readonly proof?: Proof;
  /** Row of `references.rows` whose values are taken instead of q's. */
  readonly reference?: number;
}

export type Policy = (problem: Problem) => Promise<Selection>;
