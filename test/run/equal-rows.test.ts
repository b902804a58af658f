import { describe, expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { loanTask } from "../support/generate.ts";
import { refuses } from "../support/refuses.ts";

type Explain = typeof explain;

/** Rows that are repeated are told as they are alone, whatever values a plan may take. */
async function lawOf(impl: Explain): Promise<void> {
  const { model, x, references, constraints, target } = await loanTask("mixed", "forest");
  const few = takeRows(x, [0, 1, 2]);
  const repeated = [2, 0, 1, 0, 0, 2];
  const goal = { kind: "each" as const, target };
  for (const values of ["least", "near", "reference"] as const) {
    const asked = { model, references, constraints, goal, values, alternatives: 1 };
    const bare = ({ row: _, id: __, ...rest }: ExplainedRow) => rest;
    const alone = await impl({ ...asked, x: few });
    const all = await impl({ ...asked, x: takeRows(few, repeated) });
    repeated.forEach((row, i) => {
      expect(bare(all.rows[i]!)).toEqual(bare(alone.rows[row]!));
    });
  }
}

describe("equal rows", () => {
  test("have the plans they have alone", () => lawOf(explain));

  test("an explanation in which the second of them has none is refused", () =>
    refuses(() =>
      lawOf(async (input) => {
        const made = await explain(input);
        return { ...made, rows: made.rows.map((row, i) => (i === 4 ? { ...row, edits: [] } : row)) };
      }),
    ));
});
