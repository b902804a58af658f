import { type Choices, largestSums } from "../../search/choices/knapsack.ts";
import { meanCurve } from "../../search/choices/mean-curve.ts";
import { optionOf } from "../option.ts";
import { type Plan, statusOf } from "../plans.ts";
import type { SetTable } from "../table.ts";
import type { Choice } from "./each.ts";
import type { Offer, Offers } from "./offers.ts";
import { type Board, dual } from "./price.ts";
import { type JointProblem, pairOf, wholeTable } from "./problem.ts";

/** Couplings whose plans are worked out in full. */
const FINALISTS = 4;
/** Rows up to which partners are exchanged: in a small group single edits count. */
const SMALL_GROUP = 10;

/**
 * The coupling with which the group reaches its level with the fewest edits: the couplings that the prices of
 * an edit lead to, and the transport, each with its own exact programme over one set per row.
 */
export async function chooseGroup(
  problem: JointProblem,
  offers: readonly (readonly Offers[])[],
  board: Omit<Board, "offers">,
): Promise<Choice> {
  const { group } = problem.aim;
  const real = { ...board, offers: offers.map((row) => row.map((o) => o.real)) };
  const known = Array.from(board.start.keys()).filter((i) => !Number.isNaN(problem.aim.start.slack[i]));
  const least = known.length * (group!.mean - group!.allowed);
  const wanted = problem.aim.jumps ? Math.ceil(least) : least;
  const met = await dual(real, wanted, problem.work);
  const couplings = [...met.couplings];
  if (board.capacity >= known.length) couplings.push(await freest(problem, real, wanted));
  if (fits(problem.transported, board)) couplings.push(problem.transported);
  const finals: Final[] = [];
  const tables = new Map<string, Promise<SetTable>>();
  const table = (i: number, j: number): Promise<SetTable> => {
    const key = `${i} ${j}`;
    const held = tables.get(key) ?? wholeTable(problem, i, j);
    tables.set(key, held);
    return held;
  };
  for (const partner of await finalists(problem, real, couplings, wanted)) {
    finals.push(await finish(problem, partner, known, table));
  }
  const bound = await boundOf(problem, offers, board, wanted, met.bound);
  const first = finals.reduce((a, b) => (better(b, a) ? b : a));
  const best = await exchanged(first, bound, real, (partner) => finish(problem, partner, known, table));
  const { partner, edits, reached } = best;
  return { partner, plans: await plansOf(problem, best), edits, bound, reached };
}

/** Rows of a small group trade partners as long as that saves edits and the bound is not met. */
async function exchanged(
  first: Final,
  bound: number,
  { offers }: Board,
  finished: (partner: Int32Array) => Promise<Final>,
): Promise<Final> {
  const n = first.partner.length;
  const offered = (i: number, j: number): boolean => offers[i]!.some(({ reference }) => reference === j);
  let best = first;
  for (let a = 0; a < n && n <= SMALL_GROUP; a++) {
    for (let b = a + 1; b < n && !(best.reached && best.edits <= bound); b++) {
      const partner = best.partner.slice();
      [partner[a], partner[b]] = [partner[b]!, partner[a]!];
      if (!offered(a, partner[a]!) || !offered(b, partner[b]!)) continue;
      const other = await finished(partner);
      if (better(other, best)) best = other;
    }
  }
  return best;
}

/** The bound holds for all sets, searched or not. */
async function boundOf(
  problem: JointProblem,
  offers: readonly (readonly Offers[])[],
  board: Omit<Board, "offers">,
  wanted: number,
  bound: number,
): Promise<number> {
  if (offers.every((row) => row.every(({ real, optimistic: hoped }) => real === hoped))) return bound;
  const optimistic = offers.map((row) => row.map((o) => o.optimistic));
  if (optimistic.some((row) => row.some(({ effects }) => effects.includes(Number.POSITIVE_INFINITY))))
    return 0;
  return (await dual({ ...board, offers: optimistic }, wanted, problem.work)).bound;
}

function fits(partner: Int32Array, { ties, capacity }: Omit<Board, "offers">): boolean {
  const used = new Int32Array(ties.cols);
  return partner.every((j) => ++used[j]! <= capacity);
}

/** The couplings that need the fewest edits by their frontiers, and the last one, which is the transport. */
async function finalists(
  problem: JointProblem,
  board: Board,
  couplings: readonly Int32Array[],
  wanted: number,
): Promise<Int32Array[]> {
  const distinct = [...new Map(couplings.map((partner) => [partner.join(), partner])).values()];
  const ranked: { partner: Int32Array; edits: number }[] = [];
  for (const partner of distinct) {
    const rows = board.offers.map((row, i) =>
      choicesOf(
        board.start[i]!,
        row.filter((offer) => offer.reference === partner[i]),
      ),
    );
    const { sum } = await largestSums(rows, Number.POSITIVE_INFINITY, problem.work);
    const first = sum.findIndex((s) => s >= wanted);
    ranked.push({ partner, edits: first < 0 ? Number.POSITIVE_INFINITY : first });
  }
  ranked.sort((a, b) => (a.edits === b.edits ? 0 : a.edits - b.edits));
  const best = ranked.slice(0, FINALISTS).map(({ partner }) => partner);
  const last = couplings.at(-1)!;
  return best.some((partner) => partner.join() === last.join()) ? best : [...best, last];
}

function choicesOf(start: number, offers: readonly Offer[]): Choices {
  return {
    sizes: [0, ...offers.flatMap(({ sizes }) => sizes)],
    values: Float64Array.from([start, ...offers.flatMap(({ effects }) => effects)]),
  };
}

/** Each row with the reference its share of the edits is best spent on: exact where references may be reused. */
async function freest(
  { work, transported }: JointProblem,
  board: Board,
  wanted: number,
): Promise<Int32Array> {
  const rows = board.offers.map((row, i) => choicesOf(board.start[i]!, row));
  const { sum, plan } = await largestSums(rows, Number.POSITIVE_INFINITY, work);
  const first = sum.findIndex((s) => s >= wanted);
  const taken = plan(first < 0 ? sum.length - 1 : first);
  return Int32Array.from(board.offers, (row, i) => {
    const names = row.flatMap(({ reference, sizes }) => sizes.map(() => reference));
    return rows[i]!.sizes[taken[i]!]! > 0 ? names[taken[i]! - 1]! : transported[i]!;
  });
}

interface Final {
  readonly partner: Int32Array;
  /** Members edited of each row's pair. */
  readonly members: readonly (readonly number[])[];
  readonly edits: number;
  readonly off: number;
  readonly reached: boolean;
}

function better(a: Final, b: Final): boolean {
  if (a.reached !== b.reached) return a.reached;
  return a.reached ? a.edits < b.edits : a.off < b.off || (a.off === b.off && a.edits < b.edits);
}

/** The fewest edits with which a given coupling reaches the level, or what comes nearest to it. */
async function finish(
  { aim, work }: JointProblem,
  partner: Int32Array,
  known: readonly number[],
  table: (i: number, j: number) => Promise<SetTable>,
): Promise<Final> {
  const tables: SetTable[] = [];
  for (const i of known) tables.push(await table(i, partner[i]!));
  const rows = tables.map(({ sizes, slack }): Choices => ({ sizes, values: slack.map(aim.effect) }));
  const { mean, allowed } = aim.group!;
  const curve = await meanCurve(rows, mean, Number.POSITIVE_INFINITY, work);
  const least = curve.value.reduce((low, v) => Math.min(low, v), Number.POSITIVE_INFINITY);
  const at = curve.value.findIndex((v) => v <= Math.max(allowed, least));
  const plan = curve.plan(at);
  const members: (readonly number[])[] = Array.from(partner, () => []);
  known.forEach((i, t) => {
    members[i] = tables[t]!.members(aim.jumps ? widest(tables[t]!, rows[t]!, plan[t]!) : plan[t]!);
  });
  const edits = members.reduce((sum, { length }) => sum + length, 0);
  return { partner, members, edits, off: curve.value[at]!, reached: least <= allowed };
}

/** Of the sets that are as large and have the same effect, the one with the most slack. */
function widest({ sizes, slack }: SetTable, { values }: Choices, chosen: number): number {
  let best = chosen;
  slack.forEach((s, t) => {
    if (sizes[t] === sizes[chosen] && values[t] === values[chosen] && s > slack[best]!) best = t;
  });
  return best;
}

async function plansOf(problem: JointProblem, { partner, members }: Final): Promise<Plan[]> {
  const { start } = problem.aim;
  const pairs = Array.from(partner, (j, i) => pairOf(problem, i, j));
  const mixed = pairs.map(({ pair }, i) => ({ pair, members: members[i]! }));
  const { primary } = await problem.mix.score(problem.mix.rows(mixed));
  return pairs.map((weighed, i): Plan => {
    const error = start.failures.get(i);
    return {
      status: error ? statusOf(error) : "ok",
      ...(error ? { reason: error.message } : {}),
      reference: partner[i]!,
      players: members[i]!.map((b) => weighed.pair.players[b]!),
      before: start.primary[i]!,
      slack: primary[i]!,
      distance: Math.sqrt(optionOf(weighed, 0, members[i]!, 0).distance),
    };
  });
}
