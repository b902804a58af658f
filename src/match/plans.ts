import type { Work } from "../budget.ts";
import { type ColaError, isColaError, isLimit } from "../errors.ts";
import { distinctRows } from "../num/distinct.ts";
import { takeRows } from "../num/matrix.ts";
import type { EncodedRows, Mixtures, Scored } from "../search/mixtures.ts";
import type { Matrix, Proof, RowStatus } from "../types.ts";
import { abortedAfter, fewest } from "./fewest.ts";
import { type Option, type Rule, weigh } from "./option.ts";
import type { Found, RowProblem } from "./search.ts";

/** Rows searched together: a black box is asked about all their mixtures of one size at once. */
const BLOCK = 256;

/** Fewest edits of one row, with what is proven about them. */
export interface Plan {
  readonly status: RowStatus;
  /** Why the status is not `ok`, or why the proof is not complete. */
  readonly reason?: string;
  /** The reference whose values are taken; −1 when there is none to take. */
  readonly reference: number;
  /** Edited players, ascending. */
  readonly players: readonly number[];
  /** Score of the target's output for x. */
  readonly before: number;
  /** Slack of x with these edits (of x itself when there are none). */
  readonly slack: number;
  /** d(z, x). */
  readonly distance: number;
  readonly proof?: Proof;
  /** No plan of fewer edits exists among the mixtures of the proof, whatever it costs. */
  readonly atLeast?: number;
}

/** The references of one row and what its plan must respect. */
export interface PlanRequest {
  readonly row: number;
  /** References to search, the preferred first. */
  readonly references: readonly number[];
  /** Names of the references in proofs and plans; default: `references` themselves. */
  readonly names?: readonly number[];
  /** Squared distance of the proposal. */
  readonly cap: number;
  readonly maxEdits: number;
  /** One flag per player. */
  readonly allowed?: ArrayLike<number>;
}

/** Plans of rows of x from rows of r; `known` are the scores of x. A plan depends on its row alone: equal ones are searched once. */
export async function plans(
  mix: Mixtures,
  x: EncodedRows,
  r: EncodedRows,
  asks: readonly PlanRequest[],
  rule: Rule,
  work: Work,
  known?: Start,
): Promise<Plan[]> {
  const start = known ?? (await startOf(mix, x, work));
  if ("code" in start) return asks.map((ask) => unscored(ask, start));
  const wanted = asks.filter((ask) => !settled(mix, start, ask, rule));
  const keys = keysOf(wanted, x.rows, r.rows);
  const open = [...new Map(wanted.map((ask, t) => [keys[t]!, ask]))];
  const answer = new Map<string, (ask: PlanRequest) => Plan>();
  for (let from = 0; from < open.length; from += BLOCK) {
    const block = open.slice(from, from + BLOCK);
    const tasks = block.map(([, ask]) => taskOf(mix, x, r, ask, rule));
    const done = asks.length - open.length + from;
    const found = await fewest(mix, tasks, rule, work, [done, asks.length]);
    block.forEach(([key], t) => {
      answer.set(key, (ask) => planOf(ask, tasks[t]!, found[t]!, start, rule));
    });
  }
  let at = 0;
  return asks.map((ask) => settled(mix, start, ask, rule) ?? answer.get(keys[at++]!)!(ask));
}

/** What each asks, as a text that is the same for equal rows, references and limits. */
function keysOf(asks: readonly PlanRequest[], x: Matrix, r: Matrix): string[] {
  const row = distinctRows(x).first;
  const all = asks.flatMap((ask) => ask.references);
  const reference = distinctRows(takeRows(r, all)).first;
  let at = 0;
  return asks.map((ask) => {
    const own = ask.references.map(() => reference[at++]);
    return [row[ask.row], ask.cap, ask.maxEdits, ask.allowed, own].join();
  });
}

function taskOf(mix: Mixtures, x: EncodedRows, r: EncodedRows, ask: PlanRequest, rule: Rule): RowProblem {
  const pairs = ask.references.map((j) => mix.pair(x, ask.row, r, j, ask.allowed));
  return {
    pairs: pairs.map((pair) => weigh(pair, mix.groups, rule)),
    cap: ask.cap,
    maxEdits: ask.maxEdits,
  };
}

/** Scores of x, or the limit that stopped them. */
export type Start = Scored | ColaError;

export async function startOf(mix: Mixtures, x: EncodedRows, work: Work): Promise<Start> {
  try {
    work.check();
    return await mix.score(x.rows);
  } catch (error) {
    if (isColaError(error) && error.code === "ABORTED") throw abortedAfter(error, 0, x.rows.rows);
    if (!isLimit(error)) throw error;
    return error;
  }
}

function noPlan(ask: PlanRequest): Pick<Plan, "reference" | "players" | "distance"> {
  return { reference: (ask.names ?? ask.references)[0] ?? -1, players: [], distance: 0 };
}

function unscored(ask: PlanRequest, error: ColaError): Plan {
  return { ...noPlan(ask), status: "budget", reason: error.message, before: Number.NaN, slack: Number.NaN };
}

/** The plan of a row that needs no search: the model failed on it, or it is at the target. */
function settled(mix: Mixtures, start: Scored, ask: PlanRequest, rule: Rule): Plan | undefined {
  const error = start.failures.get(ask.row);
  if (error) return { ...unscored(ask, error), status: statusOf(error) };
  const [before, slack] = [start.primary[ask.row]!, start.slack[ask.row]!];
  if (!mix.reach.reached(slack, rule.minMargin)) return undefined;
  return {
    ...noPlan(ask),
    status: "ok",
    before,
    slack,
    proof: { claim: "optimal", edits: 0, scope: "model" },
  };
}

/** A model that fails is told apart from time or rows that run out. */
export function statusOf(error: ColaError): RowStatus {
  return error.code === "PREDICT_TIMEOUT" || isLimit(error) ? "budget" : "model_error";
}

/**
 * Over which rows a plan is least. x itself misses the target, so every plan has an edit: one edit is the fewest
 * for any legal values and any model, and costs least where no edit is cheaper.
 */
function scopeOf(option: Option, complete: boolean, { uniform, costs }: Rule): Proof["scope"] | undefined {
  const cheapest = uniform || Array.from(costs).every((cost) => option.cost <= cost);
  if (option.members.length === 1 && cheapest) return "model";
  return complete ? "references" : undefined;
}

function planOf(ask: PlanRequest, task: RowProblem, found: Found, start: Scored, rule: Rule): Plan {
  const names = ask.names ?? ask.references;
  const scope = { scope: "references", references: [...names] } as const;
  const { option } = found;
  const common = { before: start.primary[ask.row]!, ...(found.error ? { reason: found.error.message } : {}) };
  if (option) {
    const edits = option.members.length;
    const least = rule.uniform ? {} : ({ least: "cost" } as const);
    const proven = scopeOf(option, found.complete, rule);
    return {
      ...common,
      status: "ok",
      reference: names[option.pair]!,
      players: option.members.map((b) => task.pairs[option.pair]!.pair.players[b]!),
      slack: option.slack,
      distance: Math.sqrt(option.distance),
      proof: proven
        ? { claim: "optimal", edits, ...least, ...(proven === "model" ? { scope: proven } : scope) }
        : { claim: "at least", edits: found.atLeast, ...scope },
      atLeast: found.atLeast,
    };
  }
  return { ...noPlan(ask), ...common, ...failureOf(task, found, scope), slack: start.slack[ask.row]! };
}

function failureOf(
  task: RowProblem,
  found: Found,
  scope: { readonly scope: "references"; readonly references: readonly number[] },
): Pick<Plan, "status" | "reason" | "proof"> {
  const widest = task.pairs.reduce((most, { gaps }) => Math.max(most, gaps.length), 0);
  if (found.complete && widest <= task.maxEdits) {
    return {
      status: "infeasible",
      reason: "no mixture of the row with its references reaches the target.",
      proof: { claim: "none exists", ...scope },
    };
  }
  const proof: Proof = { claim: "at least", edits: found.atLeast, ...scope };
  if (found.error) return { status: statusOf(found.error), reason: found.error.message, proof };
  const reason = found.complete
    ? `more than ${task.maxEdits} edits are needed; raise budget.perRow.`
    : `no plan of fewer than ${found.atLeast} edits exists, and larger ones were too many to search; raise effort.`;
  return { status: "budget", reason, proof };
}
