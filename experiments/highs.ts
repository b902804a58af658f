import { ColaError } from "../src/errors.ts";

/** What one row can become: `edits` edits give the label or score `value`. */
export interface RowChoice {
  readonly edits: number;
  readonly value: number;
}

const PACKAGE = "highs";

interface Solver {
  solve(problem: string, options: object): { readonly Status: string; readonly ObjectiveValue: number };
}

/**
 * The paper's MILP: min η with |Σ_i Σ_S a_iS f(z_iS) / n − goal| ≤ η, one choice per row, at most C edits.
 * Solved by HiGHS for each C given; NaN where it gives up.
 */
export async function highsOptimum(
  rows: readonly (readonly RowChoice[])[],
  goal: number,
  budgets: readonly number[],
): Promise<number[]> {
  const solver = await load();
  return budgets.map((C) => {
    const { Status, ObjectiveValue } = solver.solve(milp(rows, goal, C), {
      mip_rel_gap: 0,
      mip_abs_gap: 1e-7,
      output_flag: false,
      time_limit: 20,
    });
    return Status === "Optimal" ? ObjectiveValue : Number.NaN;
  });
}

function milp(rows: readonly (readonly RowChoice[])[], goal: number, C: number): string {
  const name = (i: number, s: number): string => `a${i}_${s}`;
  const terms = (of: (choice: RowChoice) => number): string =>
    rows
      .flatMap((row, i) =>
        row.flatMap((choice, s) => (of(choice) === 0 ? [] : [`${of(choice)} ${name(i, s)}`])),
      )
      .join(" + ") || "0 eta";
  const sum = terms(({ value }) => value / rows.length);
  return `Minimize
 obj: eta
Subject To
 up: ${sum} - eta <= ${goal}
 low: ${sum} + eta >= ${goal}
 edits: ${terms(({ edits }) => edits)} <= ${C}
 ${rows.map((row, i) => `one${i}: ${row.map((_, s) => name(i, s)).join(" + ")} = 1`).join("\n ")}
Bounds
 eta >= 0
Binary
 ${rows.flatMap((row, i) => row.map((_, s) => name(i, s))).join("\n ")}
End`;
}

async function load(): Promise<Solver> {
  try {
    // By a variable, so that bundlers leave the package (and the wasm beside it) where it is installed.
    const { default: make } = (await import(PACKAGE)) as { default: () => Promise<Solver> };
    return await make();
  } catch (cause) {
    throw new ColaError(
      "PEER_MISSING",
      "reproduce optimality: the check needs HiGHS; install it with `npm install highs`.",
      { packages: ["highs"] },
      cause,
    );
  }
}
