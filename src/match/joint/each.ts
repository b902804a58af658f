import type { Matrix } from "../../types.ts";
import { type Plan, type PlanRequest, plans } from "../plans.ts";
import type { Offers } from "./offers.ts";
import { type Board, dual, priced } from "./price.ts";
import { type JointProblem, ruleOfRow } from "./problem.ts";

/** A coupling with the edits each row makes, and what is proven of their number. */
export interface Choice {
  readonly partner: Int32Array;
  readonly plans: readonly Plan[];
  readonly edits: number;
  readonly bound: number;
  readonly reached: boolean;
}

/** References may be reused: each row has its fewest edits from any of its candidates. */
export async function chooseFree(
  problem: JointProblem,
  candidates: readonly (readonly number[])[],
  onRow: (done: number) => Promise<void>,
): Promise<Choice> {
  const found: Plan[] = [];
  for (let i = 0; i < candidates.length; i++) {
    found.push(await planOf(problem, i, candidates[i]!));
    await onRow(i + 1);
  }
  const served = found.filter(({ status }) => status === "ok").length;
  const least = found.map(leastEdits).sort((a, b) => a - b);
  return {
    partner: Int32Array.from(found, ({ reference }) => reference),
    plans: found,
    edits: editsOf(found),
    bound: least.slice(0, served).reduce((sum, edits) => sum + edits, 0),
    reached: served === found.length,
  };
}

/** No plan of the row has fewer edits; Infinity: it has none. */
function leastEdits({ proof }: Plan): number {
  return proof?.claim === "none exists" ? Number.POSITIVE_INFINITY : (proof?.edits ?? 0);
}

function editsOf(found: readonly Plan[]): number {
  return found.reduce((sum, { players }) => sum + players.length, 0);
}

/**
 * As many rows as possible at the target, with the fewest edits, and among such couplings the one the rule
 * prefers in the sum over rows: one assignment in which a row short of the target costs more than all edits, then
 * the proven fewest edits of each row with its partner.
 */
export async function chooseEach(
  problem: JointProblem,
  offers: readonly (readonly Offers[])[],
  board: Omit<Board, "offers">,
): Promise<Choice> {
  const sharp = await sharpened(problem, offers);
  const ties = preferred(problem, sharp, board.ties);
  const real = { ...board, ties, offers: sharp.map((row) => row.map((o) => o.real)) };
  const optimistic = { ...board, offers: sharp.map((row) => row.map((o) => o.optimistic)) };
  const dear = 1 + board.start.length * problem.mix.groups.length;
  const { partner } = await priced(real, 1, dear, problem.work);
  const found: Plan[] = [];
  for (let i = 0; i < partner.length; i++) found.push(await planOf(problem, i, [partner[i]!]));
  const served = found.filter(({ status }) => status === "ok").length;
  const best = await priced(optimistic, 1, dear, problem.work);
  const bound = best.effect === served ? best.edits : (await dual(optimistic, served, problem.work)).bound;
  return {
    partner,
    plans: found,
    edits: editsOf(found),
    bound,
    reached: served === found.length,
  };
}

/**
 * What the rule dislikes about a pair, in [0, 1]: for `margin` a small slack, for the others the distance of the
 * plan. Pairs without a plan keep theirs.
 */
function preferred(problem: JointProblem, offers: readonly (readonly Offers[])[], ties: Matrix): Matrix {
  const leads = offers.flatMap((row, i) =>
    row.flatMap(({ real, lead }) => (lead ? [{ at: i * ties.cols + real.reference, lead }] : [])),
  );
  const most = (key: "slack" | "distance"): number =>
    leads.reduce((high, { lead }) => Math.max(high, lead[key]), 0) || 1;
  const [slack, distance] = [most("slack"), most("distance")];
  const wide = problem.rule.prefer === "margin";
  const data = ties.data.slice();
  for (const { at, lead } of leads) data[at] = wide ? 1 - lead.slack / slack : lead.distance / distance;
  return { ...ties, data };
}

/** The fewest edits with which row i reaches the target from any of the references. */
async function planOf(problem: JointProblem, i: number, references: readonly number[]): Promise<Plan> {
  const { mix, x, r, work, aim, perRow } = problem;
  const flags = problem.allowed(i);
  const ask: PlanRequest = {
    row: i,
    references,
    cap: problem.caps[i]!,
    maxEdits: perRow,
    ...(flags ? { allowed: flags } : {}),
  };
  return (await plans(mix, x, r, [ask], ruleOfRow(problem, i), work, aim.start))[0]!;
}

/** Where the frontier with the transported reference stops short of the target, the search goes on to the end. */
async function sharpened(problem: JointProblem, offers: readonly (readonly Offers[])[]): Promise<Offers[][]> {
  const out = offers.map((row) => [...row]);
  for (let i = 0; i < out.length; i++) {
    const t = out[i]!.findIndex(({ real }) => real.reference === problem.transported[i]);
    const { real, optimistic: hoped } = out[i]![t] ?? {};
    if (!real || hoped === real) continue;
    const { status, players, slack, distance, proof } = await planOf(problem, i, [real.reference]);
    const found = status === "ok";
    const sure = { ...real, sizes: found ? [0, players.length] : [0], effects: found ? [0, 1] : [0] };
    const proven = proof?.claim === "optimal" || proof?.claim === "none exists";
    const lead = found ? { lead: { slack, distance: distance ** 2 } } : {};
    out[i]![t] = { real: sure, optimistic: proven ? sure : hoped!, ...lead };
  }
  return out;
}
