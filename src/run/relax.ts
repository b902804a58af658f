import { labelOf } from "../data/schema.ts";
import { takeRows } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import type { Run } from "./open.ts";
import { matchRows, type Proposal } from "./propose.ts";

/** The single feature whose constraints stand between a row and a plan. */
export interface Relaxation {
  readonly feature: string;
  /** Edits of the plan it would allow. */
  readonly edits: number;
}

/**
 * For rows without a plan, the smallest relaxation that would allow one: each feature's own constraints are
 * lifted in turn, and the one that then needs the fewest edits is named. Rules between features stay.
 */
export async function relaxations(
  run: Run,
  { matches }: Proposal,
  refined: Refined,
): Promise<Map<number, Relaxation>> {
  const found = new Map<number, Relaxation>();
  const rows = refined.rows.flatMap((row, i) => (row.status === "infeasible" ? [i] : []));
  if (!matches || rows.length === 0) return found;
  const { features } = run.constraints.schema;
  const among = rows.map((i) => matches[i]!.candidates);
  for (const k of run.players) {
    const allows = (column: number, from: number, to: number): boolean =>
      column === k || run.constraints.allows(column, from, to);
    const plans = await matchRows(run, takeRows(run.x, rows), among, { allows });
    plans.forEach((plan, at) => {
      const held = found.get(rows[at]!);
      if (plan.status !== "ok" || (held && held.edits <= plan.players.length)) return;
      found.set(rows[at]!, { feature: features[k]!.name, edits: plan.players.length });
    });
  }
  return found;
}

export function relaxationText(run: Run, { feature, edits }: Relaxation): string {
  const named = run.constraints.schema.features.find((f) => f.name === feature)!;
  return `unlocking ${labelOf(named)} would allow a plan of ${edits} ${edits === 1 ? "edit" : "edits"}.`;
}
