import type { Cell, Goal, Proof, RowStatus, Schema } from "./types.ts";

/** One changed cell. */
export interface Edit {
  readonly feature: string;
  readonly from: Cell;
  readonly to: Cell;
  /** φ of the feature in this row: how much of f(x) − f(reference) it carries. */
  readonly attribution: number;
}

/** Every legal value from the planned one to `to` keeps the target, whatever the others do within their own ranges. */
export interface SafeValues {
  readonly feature: string;
  readonly from: Cell;
  /** null: to the end of the feature's legal values. */
  readonly to: Cell;
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
  /** How far planned numbers may go on beyond their values, for plans with the least values. */
  readonly ranges?: readonly SafeValues[];
  /** All edits the counterfactual itself would make: q is x with these. */
  readonly proposal: readonly Edit[];
  /** Other plans, each without at least one of these edits; fewest edits first, then the larger margin. */
  readonly alternatives: readonly (readonly Edit[])[];
  /** Why there are fewer than asked for: no others among the references searched, none within the effort, no search. */
  readonly fewerAlternatives?: "none exist" | "none found" | "not searched";
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

/**
 * The frozen, JSON-ready result: everything show, command line, server and page need. It is a function of the
 * question; how much work the answer took is not in it, and can be counted through WorkOptions.within.
 */
export interface Explanation {
  readonly schemaVersion: 1;
  readonly versions: Readonly<Record<string, string>>;
  readonly seed: number;
  /** SHA-256 over inputs, options, seed and version. */
  readonly runHash: string;
  readonly goal: Goal;
  readonly outputs: readonly string[];
  /** Name of the output the scores belong to; with several classes wanted (`not a`, `b or c`) they are margins to the goal. */
  readonly output: string;
  readonly schema: Schema;
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
}
