import { type ExplainedRow, type Explanation, totalsOf } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";

/** Whom to look at: people with one of these levels, or with a number between two ends. */
export interface Condition {
  readonly feature: string;
  readonly levels?: readonly string[];
  readonly from?: number;
  readonly to?: number;
}

/** Figures of a row that people are chosen by as they are by features. */
export const FIGURES = ["edits", "before"] as const;
type Figure = (typeof FIGURES)[number];
/** The key of a figure among the conditions: no feature has such a name. */
export const figureKey = (figure: Figure): string => `\u0001${figure}`;

/** Some of the people of a result, and where each stands in it. */
export interface Cohort {
  /** The result as if only they were explained: its counts, plans and pictures. */
  readonly explanation: Explanation;
  /** Position in the whole result, by position in the cohort. */
  readonly positions: readonly number[];
  readonly whole: boolean;
}

/** The people who meet every condition. */
export function cohortOf(explanation: Explanation, conditions: readonly Condition[]): Cohort {
  const { rows, schema } = explanation;
  const asked = conditions.filter(isSaid);
  if (asked.length === 0) return { explanation, positions: Array.from(rows, (_, i) => i), whole: true };
  const cells = asked.map(({ feature }) =>
    cellOf(
      schema.features.findIndex(({ name }) => name === feature),
      feature,
    ),
  );
  const positions = rows.flatMap((row, i) =>
    asked.every((condition, c) => meets(condition, cells[c]!(row))) ? [i] : [],
  );
  const kept = positions.map((i) => rows[i]!);
  return { explanation: { ...explanation, rows: kept, totals: totalsOf(kept) }, positions, whole: false };
}

const cellOf = (k: number, key: string): ((row: ExplainedRow) => Cell) => {
  if (key === figureKey("edits")) return ({ edits }) => edits.length;
  if (key === figureKey("before")) return ({ before }) => before;
  return ({ x }) => x[k] ?? null;
};

/** A condition that leaves nobody out does not count. */
const isSaid = ({ levels, from, to }: Condition): boolean =>
  levels !== undefined ? levels.length > 0 : from !== undefined || to !== undefined;

function meets({ levels, from, to }: Condition, cell: Cell): boolean {
  if (levels) return levels.includes(String(cell));
  return typeof cell === "number" && cell >= (from ?? cell) && cell <= (to ?? cell);
}
