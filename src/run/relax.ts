import { labelOf } from "../data/schema.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import { matchRows, type Proposal } from "./propose.ts";
import type { Run } from "./run.ts";

/** The feature whose constraints stand between a row and a plan. */
export interface Relaxation {
  readonly feature: string;
  /** Further features that must be unlocked with it, where no single one is enough. */
  readonly and?: readonly string[];
  /** Edits of the plan it would allow. */
  readonly edits: number;
}

/**
 * For rows without a plan, the smallest relaxation that would allow one: each feature's own constraints are
 * lifted in turn, and the one that then needs the fewest edits is named. Where none is enough, all are lifted, and of
 * those that the fewest edits break, as many are put back as can be. Rules between features stay.
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
    const plans = await matchRows(run, takeRows(run.x, rows), among, { allows: lifting(run, [k]) });
    plans.forEach((plan, at) => {
      const held = found.get(rows[at]!);
      if (plan.status !== "ok" || (held && held.edits <= plan.players.length)) return;
      found.set(rows[at]!, { feature: features[k]!.name, edits: plan.players.length });
    });
  }
  for (const i of rows.filter((row) => !found.has(row))) {
    const several = await severalLocks(run, i, matches[i]!.candidates);
    if (several) found.set(i, several);
  }
  return found;
}

/** The constraints of the run without those of some columns alone. */
function lifting({ constraints }: Run, lifted: readonly number[]): Run["constraints"]["allows"] {
  return (column, from, to) => lifted.includes(column) || constraints.allows(column, from, to);
}

/** Columns none of which can stay locked when the others are lifted, and the plan that lifting them allows. */
async function severalLocks(run: Run, i: number, among: readonly number[]): Promise<Relaxation | undefined> {
  const x = takeRows(run.x, [i]);
  const planLifting = async (lifted: readonly number[]) => {
    const [plan] = await matchRows(run, x, [among], { allows: lifting(run, lifted) });
    return plan?.status === "ok" ? plan : undefined;
  };
  let plan = await planLifting(run.players);
  if (!plan) return undefined;
  const to = rowOf(run.r, plan.reference);
  let locks = plan.players
    .map((p) => run.players[p]!)
    .filter((k) => !run.constraints.allows(k, x.data[k]!, to[k]!));
  for (const lock of locks) {
    const fewer = locks.filter((k) => k !== lock);
    const enough = await planLifting(fewer);
    if (enough) [plan, locks] = [enough, fewer];
  }
  const [feature, ...and] = locks.map((k) => run.constraints.schema.features[k]!.name);
  if (feature === undefined) return undefined;
  return { feature, ...(and.length > 0 ? { and } : {}), edits: plan.players.length };
}

export function relaxationText(run: Run, { feature, and = [], edits }: Relaxation): string {
  const label = (name: string): string =>
    labelOf(run.constraints.schema.features.find((f) => f.name === name)!);
  return `unlocking ${[feature, ...and].map(label).join(" + ")} would allow a plan of ${edits} ${edits === 1 ? "edit" : "edits"}.`;
}
