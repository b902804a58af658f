import type { Cell, Matrix, Proof } from "../basic-types.ts";
import type { Work } from "../budget.ts";

/** How much of a change it is when feature k goes from one code to another; never less for a number farther away. */
export type ChangeOf = (k: number, from: number, to: number) => number;

export interface ExactOptions {
  /** Leaves looked at for one row before the search settles for a bound. */
  readonly effort?: number;
  /** Sets of features kept at a time for one row before the search settles for a bound. */
  readonly keep?: number;
  /**
   * What a plan has the least of. `edits` (default): edits, then change; `cost`: the costs of its edits (`cost` of the
   * schema), then change; `change`: change alone, with any number of edits.
   */
  readonly objective?: "edits" | "cost" | "change";
  /** Edits a plan may have at most. Default: all features. */
  readonly maxEdits?: number;
  /** For each feature the only values an edit of this row may lead to, where legal; undefined: all legal ones. */
  readonly among?: readonly (ArrayLike<number> | undefined)[];
  /** May a plan end in this row? Where not, no row may whose features are all as far from x, or farther. */
  readonly within?: (z: Float64Array) => boolean;
  /** Also find the least change with up to 1, 2, … as many edits more than the fewest (objective `edits`). */
  readonly front?: number;
  /** Find every smallest set with its least change. */
  readonly menu?: boolean;
  /** Called now and then; may throw. */
  readonly pulse?: () => void;
}

/** The least change with at most so many edits. */
export interface FrontPoint extends LeverSet {
  readonly edits: number;
  /** Proven: no plan of so many edits changes less. */
  readonly least: boolean;
}

/** A set of features and the least change with which editing exactly these reaches the target. */
export interface LeverSet {
  readonly features: readonly number[];
  readonly change: number;
  readonly z: Float64Array;
}

/**
 * Values of one edited number that all keep the target, whatever the other edits do within their own ranges: from the
 * planned one, away from x. `open`: no legal value lies beyond `to`.
 */
export interface SafeRange {
  readonly feature: number;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

export interface ExactPlan {
  /** `found`: z reaches the target; `none`: no legal values do; `open`: the effort ran out first. */
  readonly outcome: "found" | "none" | "open";
  /** No plan has fewer edits than this; with `found` and `fewest` it is the number of the plan's own. */
  readonly atLeast: number;
  /** Proven: no plan has fewer edits. */
  readonly fewest: boolean;
  /** Proven: no plan changes less, of as many edits (`edits`), of the same cost (`cost`), of any (`change`). */
  readonly least: boolean;
  /** With objective `cost`: what the plan's edits cost, and whether it is proven that none costs less. */
  readonly cost?: number;
  readonly cheapest?: boolean;
  /** With `front`: ever more edits, each point of less change than the one before; the first is the plan itself. */
  readonly front?: readonly FrontPoint[];
  readonly z: Float64Array;
  readonly features: readonly number[];
  readonly change: number;
  /** With `menu`: every set of as many features that can reach the target, least change first. */
  readonly menu?: readonly LeverSet[];
  /** Features in no plan with as few edits, whatever the values. */
  readonly useless: readonly number[];
  readonly ranges: readonly SafeRange[];
  /** Leaves looked at, and rows the model scored. */
  readonly effort: number;
  readonly modelRows: number;
}

export interface ExactSearch {
  /** The plan of one row. */
  plan(x: Float64Array, options?: ExactOptions): ExactPlan;
  /** The same, once a model that answers later has told of the rows it leaves in doubt. */
  decided?(x: Float64Array, options?: ExactOptions): Promise<ExactPlan>;
}

/** A search with what is said of its plans. */
export interface PlanSearch extends ExactSearch {
  /** A plan with numbers as people write them (exact/digits.ts), as long as it stays `within`. */
  written(plan: ExactPlan, x: Float64Array, within?: ExactOptions["within"]): ExactPlan;
  /**
   * The plans of the rows of x that are `asked` about, as far as the limits let it. `byCells`: what is asked follows from
   * the cells of a row, so that equal rows are searched once, and numbers are written as people do.
   */
  plans(x: Matrix, asked: Asked, work: Work, byCells?: boolean): Promise<Map<number, ExactPlan>>;
  /** Rows with these plans, where the model puts them at the target. */
  placed(
    known: Matrix,
    plans: ReadonlyMap<number, { readonly z: Float64Array }>,
    work: Work,
  ): Promise<Placed>;
  readonly told: Told;
}

/** Rows with their plans, and the model's answer for those it puts at the target. */
export interface Placed {
  readonly z: Matrix;
  readonly scored: Map<number, Answer>;
}

interface Answer {
  readonly after: number;
  readonly slack: number;
}

/** What a row is searched with; undefined for one that is not. */
export type Asked = (
  x: Float64Array,
  i: number,
) => ExactOptions | undefined | Promise<ExactOptions | undefined>;

/** A safe range in the words of the table. */
export interface RangeInWords {
  readonly feature: string;
  readonly from: Cell;
  readonly to: Cell;
  readonly open: boolean;
  readonly known: "certified";
}

/** What is said of the plans of a search. It comes with the search, so that programs that explain plain functions do not load it. */
export interface Told {
  /** Rows between x and z: edited numbers on the way, levels as they are planned, everything else as in x. */
  between(x: Float64Array, z: Float64Array): ExactOptions;
  ranges(plan: ExactPlan): RangeInWords[];
  /** What the search found besides the plan. */
  besides(plan: ExactPlan, asked: AskedBesides): Besides;
  /** What is said of a row that keeps its plan or has none, except for the values that a proof covers. */
  instead(plan: ExactPlan, row: ProvenRow, limited: boolean): Instead | undefined;
  /** A row whose plan is not kept, since it may be odder than the row itself. */
  tooOdd<R extends CountedRow & { readonly before: number; readonly proof?: unknown }>(
    row: R,
  ): Omit<R, "proof"> & NoPlan;
  /** What is proven of a plan that was found, except for the values that the proof covers. */
  claim(plan: ExactPlan, objective?: ExactOptions["objective"]): Omit<Proof, "scope"> | undefined;
  /** The values that a proof covers: those of so many nearest rows at the target, or all legal ones. */
  scope(
    plan: ExactPlan,
    near: number | undefined,
    domains: NonNullable<Proof["domain"]>,
  ): Pick<Proof, "scope" | "near" | "domain">;
  /** Does the plan found, if one is, take the place of the one there is? */
  better(plan: ExactPlan, known: KnownPlan, objective?: ExactOptions["objective"]): boolean;
  /** The share of rows short of the target after the plans of the first rows, smallest plans first. */
  curve(rows: readonly CountedRow[]): { C: number; D: number; effect: number | null }[];
}

/** A plan that there is already. */
export interface KnownPlan extends CountedRow {
  readonly cost: number;
  readonly change: () => number;
}

export interface AskedBesides {
  /** Columns of the players. */
  readonly players: readonly number[];
  readonly alternatives: number | "all";
  /** All legal values were searched. */
  readonly certified: boolean;
}

export interface Besides {
  readonly ranges: readonly RangeInWords[];
  /** Features in no plan with as few edits. */
  readonly useless?: { readonly features: readonly string[]; readonly edits: number };
  /** Other plans, where they were asked for. */
  readonly others?: OtherPlans;
  /** The least change with ever more edits. */
  readonly front?: NonNullable<ExactPlan["front"]>;
}

export interface OtherPlans {
  readonly plans: readonly {
    readonly players: readonly number[];
    readonly reference: number;
    readonly slack: number;
    readonly z: Float64Array;
  }[];
  /** These are all there are. */
  readonly all?: true;
  readonly fewer?: "none found";
}

/** What a proof needs to know of a row with its plan. */
export interface ProvenRow extends CountedRow {
  readonly proof?: Pick<Proof, "scope">;
}

export interface Instead {
  readonly status?: "infeasible";
  readonly reason?: string;
  readonly proof: Omit<Proof, "scope">;
}

/** What the curve needs to know of a row with its plan. */
export interface CountedRow {
  readonly valid: boolean;
  readonly edits: readonly unknown[];
}

/** What stands in a row without a plan. */
interface NoPlan {
  readonly status: "infeasible";
  readonly reason: string;
  readonly edits: never[];
  readonly after: number;
  readonly slack: number;
  readonly valid: boolean;
  readonly distance: number;
  readonly cost: number;
  readonly reference: -1;
}
