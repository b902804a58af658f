import type { Cell } from "../../src/types.ts";

/** The score over the values of one feature: of a person, and on average over rows of the table. */
export interface Dependence {
  readonly feature: string;
  readonly at: readonly Cell[];
  readonly own: readonly number[];
  readonly mean: readonly number[];
  /** Rows of the average. */
  readonly rows: number;
}

/** Whether a letter, report or method card is the one that a run gives. */
export interface PaperInfo {
  readonly name: string;
  readonly kind: "letter" | "report" | "card";
  readonly ok: boolean;
  /** What does not match. */
  readonly why?: string;
}
