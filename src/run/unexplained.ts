import { decodeCell } from "../data/schema.ts";
import type { ExplainedRow } from "../explanation.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Cell } from "../types.ts";
import type { Run } from "./contract.ts";

/** A row of codes as people write it. */
export function cellsOf({ constraints }: Run, row: Float64Array): Cell[] {
  return constraints.schema.features.map((feature, k) => decodeCell(feature, row[k]!));
}

/** A row that cannot be read, and why. */
export function invalidRow(run: Run, row: number): ExplainedRow {
  const cells = Array.from(rowOf(run.input.x, row), (cell) => (Number.isFinite(cell) ? cell : null));
  return rowWithout(run, row, { status: "invalid_input", reason: run.invalid.get(row)!, x: cells });
}

/** A row that a stopped run did not come to. */
export function unreachedRow(run: Run, row: number, reason: string): ExplainedRow {
  if (run.invalid.has(row)) return invalidRow(run, row);
  const x = cellsOf(run, run.constraints.complete(takeRows(run.input.x, [row])).data);
  return rowWithout(run, row, { status: "budget", reason, x });
}

/** A row of which nothing else is known. */
function rowWithout(
  { constraints, input }: Run,
  row: number,
  known: Pick<ExplainedRow, "status" | "x"> & { readonly reason: string },
): ExplainedRow {
  const id = input.ids?.[row];
  return {
    row,
    ...(id === undefined ? {} : { id }),
    ...known,
    edits: [],
    proposal: [],
    alternatives: [],
    reference: null,
    before: null,
    after: null,
    proposed: null,
    margin: null,
    valid: false,
    proof: null,
    attributions: constraints.schema.features.map(() => 0),
    base: null,
    distance: { z: 0, q: 0 },
  };
}
