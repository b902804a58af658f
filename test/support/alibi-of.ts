import { tableToMatrix } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";

/** The plans of a run as an Alibi explanation of many rows: factual rows and counterfactuals as codes. */
export function alibiOf({ schema, rows }: Explanation): string {
  const names = schema.features.map(({ name }) => name);
  const codes = (cells: readonly (readonly Cell[])[]): number[][] => {
    const columns = names.map((_, k) => cells.map((row) => row[k]!));
    const { data, cols } = tableToMatrix(schema, { names, columns, rows: cells.length });
    return cells.map((_, i) => [...data.subarray(i * cols, (i + 1) * cols)]);
  };
  const after = rows.map((row) =>
    row.x.map((cell, k) => row.edits.find((edit) => edit.feature === names[k])?.to ?? cell),
  );
  const meta = { name: "CounterfactualRLTabular", type: ["blackbox"], explanations: ["local"], params: {} };
  const data = { orig: { X: codes(rows.map(({ x }) => x)) }, cf: { X: codes(after) } };
  return JSON.stringify({ meta, data });
}
