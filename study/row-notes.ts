import type { Constraints } from "../src/data/constraints.ts";
import { rowNote, type UnknownLevels, unknownCells, unknownNotes } from "../src/data/input-levels.ts";
import { firstOf, Note, type NoteValue } from "../src/data/notes.ts";
import { decodeCell } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell, Matrix, Schema } from "../src/types.ts";

/** What a table's rows are looked at by. */
interface Meaning {
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** Levels that the model's inputs do not name. */
  readonly unknownLevels: readonly UnknownLevels[];
}

/** What to know of some rows: levels the model does not know, derived cells that are not what their formula gives. */
interface RowNotes {
  readonly levels: readonly Note[];
  readonly stale: readonly Note[];
}

export function rowNotesOf(
  { schema, constraints, unknownLevels }: Meaning,
  rows: Matrix,
  ids: readonly Cell[] | undefined,
): RowNotes {
  const nameOf = (row: number): NoteValue => (ids ? String(ids[row]) : rowNote(row));
  return {
    levels: unknownNotes(unknownLevels, unknownCells(schema, rows, unknownLevels), nameOf),
    stale: staleNotes(schema, constraints, rows, nameOf),
  };
}

/** What `strict` does not let pass. */
export function refuseNotes(rowNotes: readonly Note[]): void {
  if (rowNotes.length === 0) return;
  throw new ColaError(
    "STRICT_REFUSED",
    `table: ${rowNotes.join(" ")} Without options.strict this is only noted.`,
    { doubts: rowNotes.map(String) },
  );
}

/** Rows a note names. */
const SHOWN = 5;

/** Cells of derived columns that are not what the formula gives, beyond the digits their column is written with. */
function staleNotes(
  { features }: Schema,
  constraints: Constraints,
  rows: Matrix,
  nameOf: (row: number) => NoteValue,
): Note[] {
  if (!features.some((feature) => feature.derived)) return [];
  const whole = constraints.complete(rows);
  return features.flatMap((feature, k) => {
    if (!feature.derived) return [];
    const [given, computed] = [columnOf(rows, k), columnOf(whole, k)];
    const unit = 10 ** -Math.max(...Array.from(given, decimals));
    const stale = Array.from(given.keys()).filter(
      (i) =>
        !Number.isNaN(given[i]!) &&
        !(Math.abs(given[i]! - computed[i]!) <= 0.5 * unit + 1e-9 * Math.abs(given[i]!)),
    );
    const shown = stale.map((i) => {
      const gives = decodeCell(feature, computed[i]!);
      const value = String(decodeCell(feature, given[i]!));
      return gives === null
        ? new Note("staleGap", { row: nameOf(i), value })
        : new Note("staleCell", { row: nameOf(i), value, computed: String(gives) });
    });
    if (shown.length === 0) return [];
    return [new Note("staleDerived", { feature: feature.name, cells: firstOf(shown, SHOWN, "moreRows") })];
  });
}

const columnOf = ({ data, rows, cols }: Matrix, k: number): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) => data[i * cols + k]!);

/** Digits behind the point of a number as it is written. */
const decimals = (value: number): number => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
