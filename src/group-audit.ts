/**
 * A figure of a group with its 95 % interval: of a share by Wilson's formula, of a mean by resampling the rows that have it, null
 * where these are too few.
 */
export interface Measured {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** What recourse a group has. Shares are of its rows, means are over those with a plan. */
export interface GroupFigures {
  readonly group: string;
  readonly rows: number;
  /** Share with a plan of at most one, two, three edits. */
  readonly within1: Measured | null;
  readonly within2: Measured | null;
  readonly within3: Measured | null;
  /** Share without any plan, certified: no permitted values reach the target. */
  readonly none: Measured | null;
  readonly edits: Measured | null;
  readonly change: Measured | null;
  /** What the plans change most, as shares of those plans. */
  readonly features: readonly { readonly feature: string; readonly share: number }[];
}

export const MEASURES = ["within1", "within2", "within3", "none", "edits", "change"] as const;
export type MeasureName = (typeof MEASURES)[number];

/** The largest difference between groups of one attribute in one measure. */
export interface Gap {
  readonly attribute: string;
  readonly measure: MeasureName;
  readonly most: string;
  readonly least: string;
  readonly difference: number;
  /** How often groups drawn at random differ as much, and the same corrected for all gaps looked at (Holm). */
  readonly p: number;
  readonly holm: number;
}

/** What a generator of rules for whole groups says of one group. */
export interface GroupRules {
  readonly attribute: string;
  readonly group: string;
  readonly generator: "ares" | "globe-ce";
  readonly rules: readonly string[];
  /** Share of the rows tried that one of the rules takes to the target. */
  readonly coverage: number;
  readonly rows: number;
}

/** A condition on locked features under which nobody has a plan, whatever permitted values are chosen: certified. */
export interface Confined {
  /** Each a level or a range (from, below) of a locked feature. */
  readonly where: readonly {
    readonly feature: string;
    readonly level?: string;
    readonly from?: number;
    readonly to?: number;
  }[];
  /** Rows of the table that meet it, all values known. */
  readonly rows: number;
}

export interface GroupAudit {
  /** As it was asked: `sex`, `age:25,45`. */
  readonly by: readonly string[];
  readonly draws: number;
  readonly attributes: readonly {
    readonly name: string;
    readonly groups: readonly GroupFigures[];
    /** Explained rows in no group, since their value is missing. */
    readonly unknown?: number;
  }[];
  readonly gaps: readonly Gap[];
  readonly rules: readonly GroupRules[];
  /** null: the model has no bounds to certify such conditions by. */
  readonly confined: readonly Confined[] | null;
}

/** Rows in the groups of one attribute. */
export interface Grouping {
  readonly name: string;
  readonly groups: readonly string[];
  /** Group of each row, −1 where it is not known. */
  readonly of: ArrayLike<number>;
}
