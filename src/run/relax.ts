import { labelOf } from "../data/schema.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import type { Run } from "./contract.ts";
import { matchRows, type Proposal } from "./propose.ts";

/** The feature whose constraints stand between a row and a plan. */
interface Relaxation {
  readonly feature: string;
  /** Further features that must be unlocked with it, where no single one is enough. */
  readonly and?: readonly string[];
  /** Which of these have no value in the row: what keeps them is that gaps are not edited (`editMissing`). */
  readonly missing?: readonly string[];
  /** Edits of the plan it would allow. */
  readonly edits: number;
}

/** What would allow a plan for a row without one, and what is said of it: nothing alone where only protected attributes would. */
export interface Relaxed {
  readonly relaxation?: Relaxation;
  readonly hint: string;
}

const NO_PLAN = "no plan was found within what people may change.";

/** References a relaxation is looked for among first, the nearest; all of the row's where there is none. */
const NEAREST = 32;

/**
 * For rows without a plan, the smallest relaxation that would allow one: each feature's own constraints are
 * lifted in turn, and the one that then needs the fewest edits is named. Where none is enough, all are lifted, and of
 * those that the fewest edits break, as many are put back as can be. Rules between features stay, and so do the locks of
 * protected attributes: nobody can be asked to change these, so that it is only said where they alone would help.
 */
export async function relaxations(
  run: Run,
  { matches }: Proposal,
  refined: Refined,
): Promise<Map<number, Relaxed>> {
  const hidden = run.given.reasons?.protectedColumns(run.constraints.schema) ?? [];
  const open = run.players.filter((k) => !hidden.includes(k));
  const found = new Map<number, Relaxation>();
  const rows = refined.rows.flatMap((row, i) => (row.status === "infeasible" ? [i] : []));
  if (!matches || rows.length === 0) return new Map();
  const among = rows.map((i) => matches[i]!.candidates.slice(0, NEAREST));
  for (const k of open) {
    const plans = await matchRows(run, takeRows(run.x, rows), among, { allows: lifting(run, [k]) });
    plans.forEach((plan, at) => {
      const held = found.get(rows[at]!);
      if (plan.status !== "ok" || (held && held.edits <= plan.players.length)) return;
      found.set(rows[at]!, relaxationOf(run, rows[at]!, [k], plan.players.length));
    });
  }
  const told = new Map<number, Relaxed>();
  for (const i of rows.filter((row) => !found.has(row))) {
    const { candidates } = matches[i]!;
    const several =
      (await severalLocks(run, i, candidates.slice(0, NEAREST), open)) ??
      (candidates.length > NEAREST ? await severalLocks(run, i, candidates, open) : undefined);
    if (several) found.set(i, several);
    else if (hidden.length > 0 && (await severalLocks(run, i, candidates, run.players)))
      told.set(i, { hint: NO_PLAN });
  }
  for (const [i, relaxation] of found) told.set(i, { relaxation, hint: relaxationText(run, relaxation) });
  return told;
}

/** The constraints of the run without those of some columns alone. */
function lifting({ constraints }: Run, lifted: readonly number[]): Run["constraints"]["allows"] {
  return (column, from, to) => lifted.includes(column) || constraints.allows(column, from, to);
}

/** Columns none of which can stay locked when the others are lifted, and the plan that lifting them allows. */
async function severalLocks(
  run: Run,
  i: number,
  among: readonly number[],
  open: readonly number[],
): Promise<Relaxation | undefined> {
  const x = takeRows(run.x, [i]);
  const planLifting = async (lifted: readonly number[]) => {
    const [plan] = await matchRows(run, x, [among], { allows: lifting(run, lifted) });
    return plan?.status === "ok" ? plan : undefined;
  };
  let plan = await planLifting(open);
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
  return locks.length === 0 ? undefined : relaxationOf(run, i, locks, plan.players.length);
}

/** The relaxation that lifts the constraints of some columns of a row. */
function relaxationOf(
  { constraints, x }: Run,
  i: number,
  lifted: readonly number[],
  edits: number,
): Relaxation {
  const { features } = constraints.schema;
  const isGap = (k: number): boolean => {
    const { editMissing, missing = [] } = features[k]!;
    const value = x.data[i * x.cols + k]!;
    return !editMissing && (Number.isNaN(value) || missing.includes(value));
  };
  const [feature, ...and] = lifted.map((k) => features[k]!.name);
  const missing = lifted.filter(isGap).map((k) => features[k]!.name);
  return {
    feature: feature!,
    ...(and.length > 0 ? { and } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    edits,
  };
}

function relaxationText(run: Run, { feature, and = [], missing = [], edits }: Relaxation): string {
  const listed = (names: readonly string[]): string =>
    names.map((name) => labelOf(run.constraints.schema.features.find((f) => f.name === name)!)).join(" + ");
  const locked = listed([feature, ...and].filter((name) => !missing.includes(name)));
  const plan = `${edits} ${edits === 1 ? "edit" : "edits"}.`;
  return missing.length === 0
    ? `unlocking ${locked} would allow a plan of ${plan}`
    : `${locked ? `unlocking ${locked} and letting` : "letting"} ${listed(missing)} be filled in (editMissing) would allow a plan of ${plan}`;
}
