import { ColaError } from "../errors.ts";
import { type SetTable, setTables, settle } from "../match/table.ts";
import { effectOf, ofMeanGap } from "../num/divergence.ts";
import { mean } from "../num/stats.ts";
import type { Choices } from "../search/choices/knapsack.ts";
import { meanCurve } from "../search/choices/mean-curve.ts";
import type { GroupGoal } from "../types.ts";
import type { CurvePoint, GroupTarget, Note, Problem, Selection } from "./contract.ts";
import { allowedDivergence } from "./curve.ts";
import { longerSets } from "./longer.ts";

/**
 * The optimum of a group goal for every budget at once: all mixtures of every row with its proposal are
 * tabled (those of few edits, and some longer ones, where all are too many: then it is the best found), and MeanD is minimised over one mixture per row (mean-curve.ts). On labels W1, W2² and MMD are
 * increasing functions of MeanD and share its optimum. The plan is that of the least C whose D reaches the
 * goal, or of the whole budget.
 */
export async function optimum(problem: Problem): Promise<Selection> {
  const group = problem.group!;
  const fromMean = ofMean(group, problem.goal as GroupGoal);
  const rows = Array.from(problem.canonical).filter((i) => !Number.isNaN(problem.start[i]));
  const pairs = rows.map((i) => problem.pairs[i]!);
  const small = await setTables(problem, pairs, { most: problem.perRow });
  if ((problem.goal as GroupGoal).on === "label") await settle(problem, pairs, small, group.value);
  const tables = await longer(problem, group, rows, small);
  const choices = tables.map(
    (table): Choices => ({ sizes: table.sizes, values: table.slack.map(group.value) }),
  );
  // y* is f(q) where nothing else is wanted, so that all of q is at the goal to the last bit.
  const all = Int32Array.from(tables, ({ sizes }, t) => sizes.indexOf(pairs[t]!.gaps.length));
  const known = all.includes(-1) ? undefined : all;
  const curve = await meanCurve(choices, mean(group.desired), Number.POSITIVE_INFINITY, problem.work, known);
  const whole = tables.every((table, t) => isWhole(problem, rows[t]!, table));
  const cells = rows.reduce((sum, i) => sum + Math.min(problem.perRow, problem.pairs[i]!.gaps.length), 0);
  const points = pointsOf(
    Array.from({ length: cells + 1 }, (_, C) => fromMean(curve.value[C] ?? curve.value.at(-1)!)),
    Array.from({ length: cells + 1 }, (_, C) =>
      whole ? fromMean(curve.bound[C] ?? curve.bound.at(-1)!) : 0,
    ),
  );
  const plan = curve.plan(stopAt(problem, group, points));
  const edits: (readonly number[])[] = problem.pairs.map(() => []);
  rows.forEach((i, t) => {
    const { players } = problem.pairs[i]!.pair;
    edits[i] = tables[t]!.members(plan[t]!).map((b) => players[b]!);
  });
  const notes: Note[] = problem.pairs.map(() => ({}));
  return {
    edits,
    order: Int32Array.from(edits.flatMap((players, i) => players.map((p) => i * problem.players + p))),
    curve: points,
    notes,
  };
}

/** Sets beyond the tables, where a row might want them: a label that a short set changes needs no longer one. */
function longer(
  problem: Problem,
  group: GroupTarget,
  rows: readonly number[],
  tables: readonly SetTable[],
): Promise<readonly SetTable[]> {
  const now = mean(rows.map((i) => group.value(problem.start[i]!)));
  const sign = mean(group.desired) >= now ? 1 : -1;
  const onLabels = (problem.goal as GroupGoal).on === "label";
  const wanted = sign > 0 ? 1 : 0;
  const changed = ({ slack, sizes, exhausted }: SetTable): boolean =>
    slack.some((score, at) => sizes[at]! <= exhausted && group.value(score) === wanted);
  return longerSets(problem, rows, tables, sign, (t) => onLabels && changed(tables[t]!));
}

/** D as a function of MeanD. */
function ofMean({ divergence }: GroupTarget, { on = "score" }: GroupGoal): (gap: number) => number {
  const gaps = ofMeanGap(divergence, on);
  if (gaps) return gaps.of;
  throw new ColaError(
    "OPTION_INVALID",
    `refine: minimal knows the optimum for mean, and on labels for w1, transport and mmd, not for ${divergence} on ${on}s; use the policy greedy.`,
    { divergence, on },
  );
}

/** Is every mixture a plan may use in the table? */
function isWhole({ pairs, perRow }: Problem, row: number, table: SetTable): boolean {
  return table.exhausted >= Math.min(perRow, pairs[row]!.gaps.length) && !table.error;
}

function pointsOf(value: readonly number[], bound: readonly number[]): CurvePoint[] {
  return value.map((D, C) => ({
    C,
    D,
    effect: effectOf(value[0]!, D),
    bound: bound[C]!,
    gap: D - bound[C]!,
  }));
}

function stopAt({ total, stop }: Problem, group: GroupTarget, points: readonly CurvePoint[]): number {
  const last = Math.min(total, points.length - 1);
  if (stop === "budget") return last;
  const enough = allowedDivergence(group, points[0]!.D);
  return Math.min(last, points.find(({ D }) => D <= enough)?.C ?? last);
}
