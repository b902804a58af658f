import { startWork } from "../budget.ts";
import { ColaError } from "../errors.ts";
import type { SetVisitor } from "../model/branch.ts";
import { asModel } from "../model/contract.ts";
import { reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import { type MixtureOptions, mixtures } from "../search/mixtures.ts";
import type { Matrix, ModelLike, Target, WorkOptions } from "../types.ts";
import { askModel } from "./ask.ts";
import { brancherOf, type Context, pauseWhenDue } from "./context.ts";
import { type Weighed, weigh } from "./option.ts";
import { allowedOf, type RuleOptions, ruleOf } from "./rule.ts";
import { CUBE_PLAYERS, NODES_PER_EFFORT } from "./search.ts";
import { type SetTable, setTables } from "./table.ts";

export interface FrontierOptions extends WorkOptions, MixtureOptions, RuleOptions {
  readonly target: Target;
  /** The pairs (i, j), e.g. the entries of a coupling. Default: every row with every reference. */
  readonly pairs?: { readonly rows: ArrayLike<number>; readonly cols: ArrayLike<number> };
  /** Most edits of a pair. Default: all its players; 3 for forests beyond 14 players. */
  readonly maxEdits?: number;
  /** Which player of which row may move (rows × players). Default: all. */
  readonly allowed?: ArrayLike<number>;
}

/** The best slack of one pair against the number of edits. */
export interface PairFrontier {
  readonly row: number;
  readonly reference: number;
  /** slack[c] is the best slack with at most c edits: it never falls. */
  readonly slack: Float64Array;
  /** Players edited for slack[c]. */
  readonly players: readonly (readonly number[])[];
  /** slack goes on to all players that differ. */
  readonly complete: boolean;
}

/**
 * G_ij(c) = max over |S| ≤ c of the slack of (r_j on S, x_i elsewhere), for c = 0, 1, 2, …, with the sets S.
 * Every slack is the real model's answer for exactly that row.
 */
export async function frontier(
  model: ModelLike,
  x: Matrix,
  r: Matrix,
  options: FrontierOptions,
): Promise<PairFrontier[]> {
  const owner = "match.frontier";
  checkMatrix(owner, "x", x);
  checkMatrix(owner, "r", r);
  checkSameCols(owner, x, r);
  const work = startWork("match", options);
  const known = asModel(model);
  const mix = mixtures(known, x.cols, reachOf(known, options.target), work, options);
  const rule = ruleOf(owner, options, mix.groups.length);
  const allowed = allowedOf(owner, options.allowed, x.rows, mix.groups.length);
  const [from, to] = [mix.side(x), mix.side(r)];
  const where = pairsOf(owner, options.pairs, x.rows, r.rows);
  const pairs = where.map(([i, j]) => weigh(mix.pair(from, i, to, j, allowed(i)), mix.groups, rule));
  const out: PairFrontier[] = [];
  const context: Context = { mix, rule, work, progress: () => [out.length, where.length] };
  const tables = await setTables(context, pairs, { most: options.maxEdits ?? Number.POSITIVE_INFINITY });
  for (let t = 0; t < where.length; t++) {
    await pauseWhenDue(context);
    const best = bestBySize(tables[t]!);
    if (mix.inside) await growBest(context, pairs[t]!, best, options.maxEdits);
    const { slack, sets } = await realFrontier(context, pairs[t]!, best);
    const { players } = pairs[t]!.pair;
    out.push({
      row: where[t]![0],
      reference: where[t]![1],
      slack,
      players: sets.map((members) => members.map((b) => players[b]!)),
      complete: sets.length === players.length + 1 && !tables[t]!.error,
    });
  }
  return out;
}

function pairsOf(
  owner: string,
  pairs: FrontierOptions["pairs"],
  n: number,
  m: number,
): readonly (readonly [number, number])[] {
  if (!pairs) return Array.from({ length: n * m }, (_, t) => [Math.floor(t / m), t % m] as const);
  return Array.from({ length: pairs.rows.length }, (_, t) => {
    const [i, j] = [pairs.rows[t]!, pairs.cols[t]!];
    if (i >= 0 && i < n && j >= 0 && j < m) return [i, j] as const;
    throw new ColaError(
      "PAIRS_INVALID",
      `${owner}: pair ${t} is (${i}, ${j}), outside ${n} rows and ${m} references.`,
      {
        pair: t,
        row: i,
        reference: j,
      },
    );
  });
}

/** The best set of each size the table exhausts; undefined where none of that size may be used. */
type BySize = ({ readonly members: readonly number[]; readonly slack: number } | undefined)[];

function bestBySize(table: SetTable): BySize {
  const best: BySize = new Array(table.exhausted + 1).fill(undefined);
  table.slack.forEach((slack, t) => {
    const size = table.sizes[t]!;
    const held = best[size];
    if (size < best.length && (held ? slack > held.slack : !Number.isNaN(slack))) {
      best[size] = { members: table.members(t), slack };
    }
  });
  return best;
}

/** Goes on beyond the table by branch and bound for the largest slack of each size. */
async function growBest(context: Context, weighed: Weighed, best: BySize, maxEdits?: number): Promise<void> {
  const { mix, rule } = context;
  const k = weighed.gaps.length;
  const linear = mix.inside!.structures[0]!.kind === "linear";
  const limit = Math.min(k, maxEdits ?? (linear || k <= CUBE_PLAYERS ? k : 3));
  if (best.length > limit) return;
  const brancher = brancherOf(context, weighed);
  const allowance = mix.inside!.allowance(weighed.pair);
  let lead = best.reduce((most, b) => Math.max(most, b?.slack ?? most), Number.NEGATIVE_INFINITY);
  for (let size = best.length; size <= limit; size++) {
    const visitor: SetVisitor = {
      nodes: NODES_PER_EFFORT * rule.effort,
      worth: (slack, distance) => slack > lead + allowance(lead) && distance <= rule.maxDistance,
      offer(members, slack) {
        if (rule.legal && !rule.legal(mix.rows([{ pair: weighed.pair, members }]))[0]) return;
        lead = slack;
        best[size] = { members, slack };
      },
    };
    best.push(undefined);
    if (!(await brancher.visit(size, visitor))) {
      best.length = size;
      return;
    }
  }
}

/** Re-scored by the model; with c edits allowed, a smaller set may still be the best. */
async function realFrontier(
  context: Context,
  { pair }: Weighed,
  best: BySize,
): Promise<{ slack: Float64Array; sets: (readonly number[])[] }> {
  const known = best.flatMap((b) => (b ? [b] : []));
  const asked = context.mix.inside
    ? (
        await askModel(
          context,
          known.map(({ members }) => ({ pair, members })),
        )
      ).slack
    : known.map((b) => b.slack);
  const slack = new Float64Array(best.length).fill(Number.NEGATIVE_INFINITY);
  const sets: (readonly number[])[] = best.map(() => []);
  known.forEach(({ members }, t) => {
    for (let c = members.length; c < slack.length; c++) {
      if (!(asked[t]! > slack[c]!)) continue;
      slack[c] = asked[t]!;
      sets[c] = members;
    }
  });
  return { slack, sets };
}
