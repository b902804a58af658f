import type { GroupAudit } from "./group-audit.ts";
import type { Cell, Goal, Proof, RowStatus, Schema } from "./types.ts";

/** One changed cell. */
export interface Edit {
  readonly feature: string;
  readonly from: Cell;
  readonly to: Cell;
  /** φ of the feature in this row: how much of f(x) − f(reference) it carries. */
  readonly attribution: number;
}

/**
 * A set of edits of one row. `change` is Σ w·|to − from| over its edits: in median absolute deviations of the columns
 * (interquartile ranges, ranges, units where that is 0); another level, or to and from missing, counts 1.
 */
export interface Plan {
  readonly edits: readonly Edit[];
  readonly change?: number;
}

/** Every legal value from the planned one to `to` keeps the target, whatever the others do within their own ranges. */
export interface SafeValues {
  readonly feature: string;
  readonly from: Cell;
  /** The last such value; null where it is not known. */
  readonly to: Cell;
  /** No legal value lies beyond `to`. */
  readonly open: boolean;
  /** `certified`: by bounds of the model, for all combinations of such values; `tested`: by samples. */
  readonly known: "certified" | "tested";
}

/** Numbers a proof reaches over where the schema names no ends: those of the column. */
export interface Domain {
  readonly feature: string;
  readonly from: number;
  readonly to: number;
}

/** In which share of retrained models a plan still reaches the target, with its 95 % interval. */
export interface Survival {
  readonly share: number;
  readonly low: number;
  readonly high: number;
  /** How many models were asked. */
  readonly models: number;
}

/** A second plan, which the model and others beside it (challengers, retrainings) accept. */
export interface SturdyPlan extends Plan {
  /** Score by the model, and by each of the others. */
  readonly after: number | null;
  readonly scores: readonly number[];
  readonly ranges?: readonly SafeValues[];
  readonly proof: Proof | null;
  readonly survival?: Survival;
}

/** The plan of least change among those of exactly so many edits; `least`: that is proven. */
export interface FrontPoint extends Plan {
  readonly change: number;
  readonly least: boolean;
}

/** A planned value that none of the rows most like this one has, or, with a range, one outside their central 99 %. */
export interface Unusual {
  readonly feature: string;
  readonly to: Cell;
  readonly low?: Cell;
  readonly high?: Cell;
  /** How many rows it was compared with. */
  readonly among: number;
}

/** How usual the plans of one kind are: how many of their values people otherwise alike do not have (`Unusual`). */
export interface Realism {
  readonly kind: "plan" | "sturdy" | "alternative" | "proposal";
  readonly plans: number;
  readonly values: number;
  readonly unusual: number;
  /** Rules between columns that the row keeps and its plan does not. */
  readonly rulesBroken: number;
}

/** What is said about one factual row. */
export interface ExplainedRow {
  readonly row: number;
  /** Value of the id column, where the table has one. */
  readonly id?: Cell;
  readonly status: RowStatus;
  /** Why the status is not `ok`, or what else should be known. */
  readonly reason?: string;
  /** The factual row, in schema order. */
  readonly x: readonly Cell[];
  /** The few edits that carry the effect: z is x with these. */
  readonly edits: readonly Edit[];
  /** How much the plan changes, as `Plan` counts it. */
  readonly change?: number;
  /** How far planned numbers may go on beyond their values, for plans with the least values. */
  readonly ranges?: readonly SafeValues[];
  /**
   * p-SHAP against z, in schema order: what each edit carries of f(x) − f(z), 0 for features that are not edited. Not to be
   * mixed with `attributions`, the reasons against real rows, which do not depend on the plan.
   */
  readonly planShares?: readonly number[];
  /** Features of which no value helps: proven to be in no plan of up to so many edits. */
  readonly useless?: { readonly features: readonly string[]; readonly edits: number };
  /** All edits the counterfactual itself would make: q is x with these. */
  readonly proposal: readonly Edit[];
  /** Other plans, each without at least one of these edits; fewest edits first, then the least change. */
  readonly alternatives: readonly Plan[];
  /** The plan and its alternatives are all smallest sets of features that reach the target, each with its least change. */
  readonly allAlternatives?: true;
  /** Why there are fewer than asked for: no others among the references searched, none within the effort, no search. */
  readonly fewerAlternatives?: "none exist" | "none found" | "not searched";
  /** The least change with the fewest edits, with one more, and so on. */
  readonly front?: readonly FrontPoint[];
  /** A second plan, which further models accept too. */
  readonly sturdy?: SturdyPlan;
  readonly survival?: Survival;
  /** Planned values that are unusual for people otherwise alike (`withRealism`). */
  readonly unusual?: readonly Unusual[];
  /** The feature whose constraints stand between an infeasible row and a plan, with others where it takes more. */
  readonly relaxation?: {
    readonly feature: string;
    readonly and?: readonly string[];
    /** Which of these have no value in the row and may not be filled in (`editMissing`). */
    readonly missing?: readonly string[];
    readonly edits: number;
  };
  /** Index of the reference the plan borrows from. */
  readonly reference: number | null;
  /** Scores of the target's output for x and for z, as the model answered when asked again at the end. */
  readonly before: number | null;
  readonly after: number | null;
  /** Score of q. */
  readonly proposed: number | null;
  /** How far past the target's edge z is; negative when short of it. */
  readonly margin: number | null;
  /** Does z reach the target when re-scored? */
  readonly valid: boolean;
  readonly proof: Proof | null;
  /** φ of every feature, in schema order; base is the score (or margin) of the reference side. */
  readonly attributions: readonly number[];
  /**
   * What is typical of the real rows at the target that φ is measured against, in schema order; null where it is a gap.
   * Absent where φ is measured against references, which keep what the constraints let nobody change.
   */
  readonly typical?: readonly Cell[];
  readonly base: number | null;
  /** Mixed-metric distances ‖z − x‖ and ‖q − x‖. */
  readonly distance: { readonly z: number; readonly q: number };
}

/** After C edits in all: D(f(z), y*) for the goal `group`, the share of rows short of the target for `each`. */
export interface CurvePoint {
  readonly edits: number;
  readonly divergence: number;
  readonly effect: number | null;
}

/** What an explanation stands on. */
export interface Basis {
  /** SHA-256 of the table's rows as codes of the schema. */
  readonly table: { readonly rows: number; readonly digest: string };
  readonly model: {
    /** SHA-256 of the weights, or of how the model is called. */
    readonly digest: string;
    /** On rows of the table whose outcome is known: share put into the right class, and area under the ROC curve of two. */
    readonly quality?: {
      readonly accuracy: number;
      readonly auc?: number;
      readonly rows: number;
      /** The model was trained on these very rows, so that this says little of others. */
      readonly trained?: true;
    };
  };
}

/**
 * The frozen, JSON-ready result: everything show, command line, server and page need. It is a function of the
 * question; how much work the answer took is not in it, and can be counted through WorkOptions.within.
 */
export interface Explanation {
  readonly schemaVersion: 2;
  readonly versions: Readonly<Record<string, string>>;
  readonly seed: number;
  /** SHA-256 over inputs, options, seed and version. */
  readonly runHash: string;
  readonly goal: Goal;
  readonly outputs: readonly string[];
  /** Name of the output the scores belong to; with several classes wanted (`not a`, `b or c`) they are margins to the goal. */
  readonly output: string;
  readonly schema: Schema;
  /** Where plans may take any value and the schema names no ends: the ends of the columns, which proofs reach over. */
  readonly domains?: readonly Domain[];
  readonly method: {
    readonly coupling: string;
    readonly value: "most-likely" | "average";
    readonly policy: string;
    /** True when one row's plan depends on the other rows of the call. */
    readonly dependsOnGroup: boolean;
  };
  /** Every option with its default resolved. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly rows: readonly ExplainedRow[];
  /** By kind of plan, where a table was at hand to compare with. */
  readonly realism?: readonly Realism[];
  readonly curve: readonly CurvePoint[];
  readonly effect: {
    readonly divergence: string;
    readonly on: "score" | "label";
    readonly before: number;
    readonly after: number;
    readonly share: number | null;
  };
  /** null when there was none: no row could be explained, or a limit ran out first. */
  readonly coupling: {
    readonly name: string;
    readonly cost: number | null;
    readonly gap: number;
    readonly converged: boolean;
    readonly entries: number;
  } | null;
  readonly attribution: {
    readonly exact: boolean;
    readonly space: "score" | "margin";
    readonly residual: number;
  };
  readonly totals: {
    readonly rows: number;
    readonly ok: number;
    readonly valid: number;
    readonly editsProposed: number;
    readonly edits: number;
  };
  readonly basis?: Basis;
  /** How recourse differs between groups, where it was asked. */
  readonly groups?: GroupAudit;
  /** SHA-256 of all the rest (`contentDigest`). */
  readonly digest?: string;
}

/** What is counted over rows. */
export function totalsOf(rows: readonly ExplainedRow[]): Explanation["totals"] {
  return {
    rows: rows.length,
    ok: rows.filter((row) => row.status === "ok").length,
    valid: rows.filter((row) => row.valid).length,
    editsProposed: rows.reduce((sum, row) => sum + row.proposal.length, 0),
    edits: rows.reduce((sum, row) => sum + row.edits.length, 0),
  };
}
