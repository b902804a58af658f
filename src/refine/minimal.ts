import { askModel } from "../match/ask.ts";
import { type Plan, type PlanRequest, plans } from "../match/plans.ts";
import { effectOf } from "../num/divergence.ts";
import { rowOf } from "../num/matrix.ts";
import type { Mixture } from "../search/mixtures.ts";
import type { Proof } from "../types.ts";
import type { CurvePoint, Note, Problem, Selection } from "./contract.ts";
import { modelBound } from "./domain.ts";
import { optimum } from "./optimum.ts";

/**
 * For `each`: per row the fewest edits (or the least cost) with which a mixture of x and one of its references
 * reaches the target, with its proof; under a total budget the rows that need fewest edits come first, which
 * brings most rows to the target. For `group`: the optimum of MeanD for every budget (optimum.ts).
 */
export async function minimal(problem: Problem): Promise<Selection> {
  if (problem.group) return optimum(problem);
  const found = (await plansOf(problem)).map(scopedBy(problem));
  const order = Array.from(problem.canonical).sort(
    (a, b) => found[a]!.players.length - found[b]!.players.length,
  );
  const edits: (readonly number[])[] = found.map(() => []);
  const cells: number[] = [];
  const notes: Note[] = found.map(({ status, reason, proof, reference }) => ({
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(proof ? { proof } : {}),
    ...(problem.options.references && reference >= 0 ? { reference } : {}),
  }));
  for (const i of order) {
    const players = byAttribution(problem, i, found[i]!.players);
    if (cells.length + players.length > problem.total) {
      const { proof, atLeast = 1 } = found[i]!;
      notes[i] = {
        ...notes[i]!,
        ...(proof ? { proof: boundOf(proof, atLeast) } : {}),
        status: "budget",
        reason: `budget.total = ${problem.total} went to rows that need fewer edits.`,
      };
      continue;
    }
    edits[i] = players;
    for (const p of players) cells.push(i * problem.players + p);
  }
  return { edits, order: Int32Array.from(cells), curve: flips(problem, found, order), notes };
}

/** What a proof still says of the number of edits where its plan is not made: least cost says nothing of it. */
function boundOf({ claim, edits, least, ...over }: Proof, atLeast: number): Proof {
  return { claim: "at least", edits: claim === "optimal" && !least ? edits! : atLeast, ...over };
}

/** Plans handed over are kept if they still hold; all other rows are searched. */
async function plansOf(problem: Problem): Promise<Plan[]> {
  const { mix, rule, work, x, pool, options, perRow } = problem;
  const { references } = options;
  const asks = problem.pairs.map((_, row): PlanRequest => {
    const flags = problem.allowedOf(row);
    return {
      row,
      references: references ? Array.from(references.candidates[row]!) : [row],
      cap: rule.distance(rowOf(x.rows, row), rowOf(problem.q.rows, row)),
      maxEdits: perRow,
      ...(flags ? { allowed: flags } : {}),
    };
  });
  const known = await stillHolding(problem, references?.plans ?? []);
  const open = asks.filter((ask) => !known.has(ask.row));
  const found = await plans(mix, x, pool, open, rule, work, problem.scored);
  open.forEach((ask, t) => {
    known.set(ask.row, references ? found[t]! : nameSource(problem, ask.row, found[t]!));
  });
  return asks.map((ask) => known.get(ask.row)!);
}

/** Of the given plans: those whose row is at the target, and those that prove that no plan exists. */
async function stillHolding(problem: Problem, given: readonly Plan[]): Promise<Map<number, Plan>> {
  const { mix, x, pool, perRow, start } = problem;
  const known = new Map<number, Plan>();
  const rows: number[] = [];
  given.forEach((plan, i) => {
    if (plan.status === "ok" && plan.players.length <= perRow && !Number.isNaN(start[i])) rows.push(i);
    else if (plan.status === "infeasible") known.set(i, plan);
  });
  const of = rows.map((i): Mixture => {
    const pair = mix.pair(x, i, pool, given[i]!.reference, problem.allowedOf(i));
    return { pair, members: given[i]!.players.map((p) => pair.players.indexOf(p)).filter((b) => b >= 0) };
  });
  if (of.length === 0) return known;
  const answer = await askModel(problem, of);
  rows.forEach((i, t) => {
    if (of[t]!.members.length === given[i]!.players.length && answer.holds(t)) known.set(i, given[i]!);
  });
  return known;
}

/** A proof over mixtures with q names q's reference, where it is known. */
function nameSource({ options: { sources } }: Problem, row: number, plan: Plan): Plan {
  if (!plan.proof || plan.proof.scope === "model") return plan;
  const { references: _, ...proof } = plan.proof;
  const source = sources?.[row] ?? -1;
  return { ...plan, proof: source >= 0 ? { ...proof, references: [source] } : proof };
}

/** Widens a proof to any legal value where the closed form of a linear model says the same. */
function scopedBy(problem: Problem): (plan: Plan, row: number) => Plan {
  const bound = modelBound(problem);
  return (plan, row) => {
    if (!bound || !plan.proof || plan.proof.scope === "model") return plan;
    const least = bound(row);
    if (plan.status === "ok" && problem.rule.uniform && plan.players.length === least) {
      return { ...plan, proof: { claim: "optimal", edits: plan.players.length, scope: "model" } };
    }
    if (plan.status !== "ok" && least === Number.POSITIVE_INFINITY) {
      return { ...plan, status: "infeasible", proof: { claim: "none exists", scope: "model" } };
    }
    return plan;
  };
}

/** Edits of a row with the largest |φ| first; φ̂ would do, but its rounding depends on the other rows. */
function byAttribution(
  { options: { attribution }, players }: Problem,
  row: number,
  chosen: readonly number[],
): readonly number[] {
  if (!attribution) return chosen;
  const { data } = "values" in attribution ? attribution.values : attribution;
  const size = (p: number): number => Math.abs(data[row * players + p]!);
  return chosen.toSorted((a, b) => size(b) - size(a) || a - b);
}

/** The share of rows short of the target when rows are served in `order`. */
function flips({ pairs }: Problem, found: readonly Plan[], order: readonly number[]): CurvePoint[] {
  const n = pairs.length;
  let missed = found.filter((plan) => plan.status !== "ok" || plan.players.length > 0).length;
  const start = missed / n;
  const points: CurvePoint[] = [{ C: 0, D: start, effect: effectOf(start, start) }];
  for (const i of order) {
    const count = found[i]!.players.length;
    for (let edit = 1; edit <= count; edit++) {
      if (edit === count) missed--;
      points.push({ C: points.length, D: missed / n, effect: effectOf(start, missed / n) });
    }
  }
  return points;
}
