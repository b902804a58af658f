import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import type { Cell, Schema } from "../../src/types.ts";
import type { Locale } from "../locales/contract.ts";
import { formatCell } from "../sentences.ts";

/** What the features are called in a figure, in schema order; a repeated label is followed by the name. */
export function featureLabels(schema: Schema): string[] {
  return apart(schema.features.map(labelOf), (k) => schema.features[k]!.name);
}

/** What a row is called everywhere: its id, behind "Row" where that is a number alone, else its number counted from 0. */
export function rowLabel(row: Pick<ExplainedRow, "row" | "id">, locale: Locale): string {
  const name = idText(row.id ?? row.row, locale);
  return /^\d+$/.test(name) ? `${locale.words.row} ${name}` : name;
}

/** An id as it stands in the table: a number in it is a name, not a size. */
export function idText(id: Cell, locale: Locale): string {
  return typeof id === "number" ? String(id) : formatCell(id, locale);
}

/** Names of rows, different for different rows. */
export function rowLabels(rows: readonly ExplainedRow[], locale: Locale): string[] {
  return apart(
    rows.map((row) => rowLabel(row, locale)),
    (i) => rows[i]!.row,
  );
}

/** Labels of which none stands twice: a repeated one is followed by a name of its own. */
function apart(labels: readonly string[], own: (i: number) => string | number): string[] {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return labels.map((label, i) => (counts.get(label) === 1 ? label : `${label} (${own(i)})`));
}
