import { startWork } from "../budget.ts";
import type { ColaError } from "../errors.ts";
import { optionOf, weigh } from "../match/option.ts";
import { statusOf } from "../match/plans.ts";
import { divergences, effectOf } from "../num/divergence.ts";
import { copyOf, takeRows } from "../num/matrix.ts";
import { type Mixture, mixtures, type Scored } from "../search/mixtures.ts";
import type { Matrix } from "../types.ts";
import type { Note, Problem, Refined, RefinedRow, RefineOptions, Selection } from "./contract.ts";
import { allowedDivergence } from "./curve.ts";

/** Milliseconds granted to scoring the result when the search used up the clock. */
const GRACE_MS = 1000;

/** Builds z, scores it again and says what each row became. */
export async function finish(problem: Problem, policy: string, selection: Selection): Promise<Refined> {
  const { mix, players, pairs } = problem;
  const of = selection.edits.map((edits, i) => mixtureOf(problem, i, edits, selection.notes[i]!));
  const z = mix.rows(of);
  const { scored, evaluations } = await rescore(problem, selection, z);
  const group = groupState(problem, scored);
  const rows = pairs.map((_, i) => rowOf(problem, selection, scored, of[i]!, i, group));
  const plan = new Uint8Array(pairs.length * players);
  for (const cell of selection.order) plan[cell] = 1;
  const missed = rows.filter((row) => !row.valid).length / rows.length;
  const [D, start] = group ? [group.D, group.start] : [missed, selection.curve[0]!.D];
  return {
    policy,
    z,
    plan,
    rows,
    curve: selection.curve,
    order: selection.order,
    reached: {
      C: selection.order.length,
      D,
      effect: effectOf(start, D),
      goal: group ? group.valid : missed === 0,
    },
    evaluations: problem.work.modelRows + evaluations,
  };
}

/** The result when a limit ran out before anything could be chosen: x as it was. */
export function unfinished(
  { x, groups }: Pick<RefineOptions, "x" | "groups">,
  policy: string,
  reason: string,
  evaluations = 0,
): Refined {
  const row: RefinedRow = {
    status: "budget",
    reason,
    edits: [],
    before: Number.NaN,
    after: Number.NaN,
    slack: Number.NaN,
    valid: false,
    distance: 0,
    cost: 0,
  };
  return {
    policy,
    z: copyOf(x),
    plan: new Uint8Array(x.rows * (groups?.length ?? x.cols)),
    rows: Array.from({ length: x.rows }, () => row),
    curve: [],
    order: new Int32Array(0),
    reached: { C: 0, D: Number.NaN, effect: null, goal: false },
    evaluations,
  };
}

function mixtureOf(problem: Problem, row: number, edits: readonly number[], note: Note): Mixture {
  const { mix, x, pool, pairs } = problem;
  const pair =
    note.reference === undefined
      ? pairs[row]!.pair
      : mix.pair(x, row, pool, note.reference, problem.allowedOf(row));
  return { pair, members: edits.map((p) => pair.players.indexOf(p)) };
}

/** The model's answer for exactly the rows returned. A row without edits keeps the answer it has. */
async function rescore(
  problem: Problem,
  { edits }: Selection,
  z: Matrix,
): Promise<{ scored: Scored; evaluations: number }> {
  const { options, work } = problem;
  const left = startWork("refine", {
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.within ? { within: options.within } : {}),
    limits: { timeMs: Math.max(GRACE_MS, work.remainingMs()) },
  });
  const { score } = mixtures(problem.mix.model, z.cols, problem.mix.reach, left, options);
  const rows = edits.flatMap((list, i) => (list.length > 0 ? [i] : []));
  const fresh = await score(takeRows(z, rows));
  const known = "code" in problem.scored ? undefined : problem.scored;
  const primary = known?.primary.slice() ?? new Float64Array(z.rows).fill(Number.NaN);
  const slack = problem.start.slice();
  const failures = new Map(known?.failures);
  rows.forEach((i, t) => {
    primary[i] = fresh.primary[t]!;
    slack[i] = fresh.slack[t]!;
    const error = fresh.failures.get(t);
    if (error) failures.set(i, error);
  });
  return { scored: { primary, slack, failures }, evaluations: left.modelRows };
}

interface GroupState {
  readonly D: number;
  readonly start: number;
  readonly slack: number;
  readonly valid: boolean;
}

function groupState({ group, start }: Problem, scored: Scored): GroupState | undefined {
  if (!group) return undefined;
  const known = (slack: Float64Array): number[] =>
    Array.from(slack, group.value).filter((v) => !Number.isNaN(v));
  const before = divergences[group.divergence](known(start), group.desired);
  const D = divergences[group.divergence](known(scored.slack), group.desired);
  const enough = allowedDivergence(group, before);
  return { D, start: before, slack: (1 - group.level) * before - D, valid: D <= enough };
}

function rowOf(
  problem: Problem,
  selection: Selection,
  scored: Scored,
  of: Mixture,
  i: number,
  group: GroupState | undefined,
): RefinedRow {
  const { mix, rule, options } = problem;
  const error = scored.failures.get(i);
  const note = selection.notes[i]!;
  const slack = group ? group.slack : scored.slack[i]!;
  const valid = !error && (group ? group.valid : mix.reach.reached(scored.slack[i]!, rule.minMargin));
  const { distance, cost } = optionOf(weigh(of.pair, mix.groups, rule), 0, Array.from(of.members), 0);
  const reference = note.reference ?? options.sources?.[i];
  return {
    ...verdict(problem, note, valid, error),
    edits: selection.edits[i]!,
    before: "code" in problem.scored ? Number.NaN : problem.scored.primary[i]!,
    after: scored.primary[i]!,
    slack,
    valid,
    distance: Math.sqrt(distance),
    cost,
    ...(note.proof ? { proof: note.proof } : {}),
    ...(reference === undefined ? {} : { reference }),
  };
}

function verdict(
  problem: Problem,
  note: Note,
  valid: boolean,
  error: ColaError | undefined,
): Pick<RefinedRow, "status"> & { readonly reason?: string } {
  if (error) return { status: statusOf(error), reason: error.message };
  if ("code" in problem.scored) return { status: "budget", reason: problem.scored.message };
  if (valid) return { status: "ok", ...(note.status === "ok" && note.reason ? { reason: note.reason } : {}) };
  if (note.status && note.status !== "ok") return { status: note.status, reason: note.reason ?? "" };
  if (note.status === "ok") {
    return { status: "model_error", reason: "the model answered otherwise when the row was scored again." };
  }
  return problem.total < Number.POSITIVE_INFINITY || problem.perRow < Number.POSITIVE_INFINITY
    ? { status: "budget", reason: "the budget ran out before the group reached its goal." }
    : { status: "infeasible", reason: "the group does not reach its goal with the proposals given." };
}
