import { squaredDistance } from "../data/metric.ts";
import type { ColaError } from "../errors.ts";
import { slackOf } from "../model/slack.ts";
import { twinsAmong } from "../num/distinct.ts";
import { matrix, rowOf, rowsBetween, takeRows } from "../num/matrix.ts";
import { once } from "../num/once.ts";
import { type Random, rowKeys } from "../num/random.ts";
import type { Matrix, RowStatus } from "../types.ts";
import { type Answer, answerAll, isOutOfBudget, type Question } from "./ask.ts";
import type { Generated } from "./contract.ts";
import { Distinct } from "./distinct.ts";
import { canMove, type Move, movesOf, seenIn } from "./moves.ts";
import { type Run, rowProblem } from "./run.ts";

/** A factual row that is not at the target yet and may change. */
export interface Row {
  readonly x: Float64Array;
  /** Slack of x: negative, or 0 on a strict edge. */
  readonly slack: number;
  /** Listed when they are first asked for: of many rows they take more memory than all else. */
  readonly moves: readonly Move[];
  /** This row's own stream. */
  readonly random: Random;
}

/** What a search ends with: legal rows that were answered as valid, best first, or why there are none. */
interface Found {
  readonly rows: readonly Float64Array[];
  readonly why?: string;
}

/**
 * The search of one row, written as if it were alone: it yields rows it wants scored and is handed the
 * answer. Many run side by side, their questions scored in one batch, and none can see another.
 */
export type Search = Generator<Question, Found, Answer>;

/** Rows asked about at a time, a search counting as at least LEAST: more would only hold more memory. */
const ROWS_AT_ONCE = 65536;
const LEAST = 64;

const STUCK = "no feature may take another value";

interface Outcome {
  readonly status: RowStatus;
  readonly reason: string;
  /** In one piece: as many small arrays they would take twice the memory. */
  readonly rows: Matrix;
}

interface State {
  readonly run: Run;
  readonly outcomes: (Outcome | undefined)[];
  /** The last answer of each row that held a valid candidate: what is left when a limit runs out. */
  readonly held: (Answer | undefined)[];
  readonly failures: (ColaError | undefined)[];
  /** Model rows each row may still have scored: an even share of the limit, so that order does not matter. */
  readonly rowsLeft: Float64Array;
  readonly there: number[];
}

/**
 * Runs one search per factual row. `prepare` does what all rows share (scoring references, building an index;
 * it is handed the rows to be searched) and returns the search. Rows at the target already answer with
 * themselves. A search `byCells` draws no numbers of its own: equal rows are searched once.
 */
export async function searchRows(
  run: Run,
  random: Random,
  prepare: (rows: readonly Row[]) => Promise<(row: Row) => Search>,
  byCells = false,
): Promise<Generated> {
  const n = run.x.rows;
  const state: State = {
    run,
    outcomes: new Array(n).fill(undefined),
    held: new Array(n).fill(undefined),
    failures: new Array(n).fill(undefined),
    rowsLeft: new Float64Array(n).fill(Number.POSITIVE_INFINITY),
    there: [],
  };
  let limit: ColaError | undefined;
  let twins: ReadonlyMap<number, number> = new Map();
  try {
    run.work.check();
    const rows = await openRows(state, random);
    if (byCells) twins = twinsAmong(run.x, rows.keys());
    for (const i of twins.keys()) rows.delete(i);
    if (rows.size > 0) {
      const search = await prepare([...rows.values()]);
      shareModelRows(state, rows.size);
      await drive(state, rows, search);
    }
  } catch (error) {
    if (!isOutOfBudget(error)) throw error;
    limit = error;
  }
  for (let i = 0; i < n; i++)
    state.outcomes[i] ??= state.outcomes[twins.get(i) ?? i] ?? bestHeld(state, i, limit?.message ?? "");
  run.work.report(n, n);
  return assemble(state);
}

/** Scores the factual rows and settles those that need no search. */
async function openRows(state: State, random: Random): Promise<Map<number, Row>> {
  const { run, outcomes } = state;
  const { schema } = run.constraints;
  const keys = rowKeys(run.x);
  const fit: number[] = [];
  for (let i = 0; i < run.x.rows; i++) {
    const problem = rowProblem(schema, rowOf(run.task.x, i));
    if (problem) outcomes[i] = without("invalid_input", problem);
    else fit.push(i);
  }
  const rows = new Map<number, Row>();
  if (fit.length === 0) return rows;
  const { slack, failures } = await slackOf(run.scorer, takeRows(run.x, fit), run.reach);
  const seen = seenIn(run.constraints, run.references);
  for (const [a, i] of fit.entries()) {
    const x = rowOf(run.x, i).slice();
    const failure = failures.get(a);
    if (failure) {
      outcomes[i] = failed(failure);
    } else if (run.reach.reached(slack[a]!, run.task.minMargin)) {
      outcomes[i] = reached([x]);
      state.there.push(i);
    } else if (canMove(run, seen, x)) {
      const moves = once(() => movesOf(run, seen, x));
      rows.set(i, {
        ...{ x, slack: slack[a]!, random: random.split(run.name, keys[i]!) },
        get moves() {
          return moves();
        },
      });
    } else {
      outcomes[i] = without("infeasible", STUCK);
    }
    if (run.side.due()) await run.side.pause(a, fit.length);
  }
  return rows;
}

const NONE: Matrix = { data: new Float64Array(0), rows: 0, cols: 0 };

const without = (status: RowStatus, reason: string): Outcome => ({ status, reason, rows: NONE });

function reached(found: readonly Float64Array[]): Outcome {
  const cols = found[0]!.length;
  const rows = matrix(found.length, cols);
  found.forEach((row, t) => {
    rows.data.set(row, t * cols);
  });
  return { status: "ok", reason: "", rows };
}

const failed = ({ code, message }: ColaError): Outcome =>
  without(code === "PREDICT_TIMEOUT" ? "budget" : "model_error", message);

function shareModelRows({ run, rowsLeft }: State, rows: number): void {
  const { modelRows } = run.limits;
  if (modelRows !== undefined) rowsLeft.fill(Math.floor((modelRows - run.work.modelRows) / rows));
}

interface Live {
  readonly i: number;
  readonly search: Search;
  readonly ask: Question;
}

/** Lets the searches take turns: every round all questions asked so far are answered together. */
async function drive(
  state: State,
  rows: ReadonlyMap<number, Row>,
  start: (row: Row) => Search,
): Promise<void> {
  const { run } = state;
  let live: Live[] = [];
  const step = async (i: number, search: Search, answer?: Answer): Promise<void> => {
    const next = answer ? search.next(answer) : search.next();
    if (!next.done) live.push({ i, search, ask: next.value });
    else settle(state, i, next.value);
    if (run.work.due()) await run.work.pause(settled(state), run.x.rows);
  };
  const waiting = [...rows.keys()];
  let begun = 0;
  while (live.length > 0 || begun < waiting.length) {
    let rowsAsked = live.reduce((sum, { ask }) => sum + Math.max(LEAST, ask.rows.rows), 0);
    for (; begun < waiting.length && rowsAsked < ROWS_AT_ONCE; begun++) {
      const i = waiting[begun]!;
      await step(i, start(rows.get(i)!));
      rowsAsked += Math.max(LEAST, live.at(-1)?.ask.rows.rows ?? 0);
    }
    const now = live;
    live = [];
    const answers = await answerAll(
      run,
      now.map(({ i, ask }) => affordable(state, i, ask)),
    );
    for (let a = 0; a < now.length; a++) {
      const { i, search, ask } = now[a]!;
      if (note(state, i, answers[a]!, ask)) await step(i, search, answers[a]!);
    }
  }
}

/** Keeps what an answer tells about row i; false when its share of model rows was too small for the question. */
function note(state: State, i: number, answer: Answer, ask: Question): boolean {
  const { run, rowsLeft, held, failures } = state;
  rowsLeft[i]! -= answer.rows.rows * run.reach.outputs.length;
  if (answer.valid.includes(1)) held[i] = answer;
  if (answer.failure) failures[i] = answer.failure;
  if (answer.rows.rows === ask.rows.rows) return true;
  const reason = `its share of limits.modelRows = ${run.limits.modelRows} ran out`;
  state.outcomes[i] = bestHeld(state, i, reason);
  return false;
}

function affordable({ run, rowsLeft }: State, i: number, ask: Question): Question {
  const rows = Math.max(0, Math.floor(rowsLeft[i]! / run.reach.outputs.length));
  return ask.rows.rows <= rows ? ask : { ...ask, rows: rowsBetween(ask.rows, 0, rows) };
}

const settled = (state: State): number => state.outcomes.filter((outcome) => outcome !== undefined).length;

function settle(state: State, i: number, found: Found): void {
  const failure = state.failures[i];
  const seen = new Distinct();
  const rows = found.rows.filter((row) => seen.add(row));
  state.held[i] = undefined;
  if (rows.length > 0) state.outcomes[i] = reached(rows);
  else if (failure) state.outcomes[i] = failed(failure);
  else state.outcomes[i] = without("infeasible", found.why ?? "no legal change reaches the target");
}

/** The best candidate seen so far, fewest edits first, then nearest. */
function bestHeld({ run, held, failures }: State, i: number, reason: string): Outcome {
  const answer = held[i];
  if (!answer) {
    const failure = failures[i];
    return failure ? failed(failure) : without("budget", reason);
  }
  const x = rowOf(run.x, i);
  const order = candidatesOf(answer).map((z) => ({
    z,
    edits: editsOf(run, x, z),
    distance: squaredDistance(run.metric, x, z),
  }));
  order.sort((a, b) => a.edits - b.edits || a.distance - b.distance);
  return reached([order[0]!.z]);
}

/** The valid rows of an answer, copied. */
export function candidatesOf(answer: Answer): Float64Array[] {
  const rows: Float64Array[] = [];
  answer.valid.forEach((valid, t) => {
    if (valid) rows.push(rowOf(answer.rows, t).slice());
  });
  return rows;
}

/** Number of editable features in which z differs from x. */
export function editsOf(run: Run, x: Float64Array, z: Float64Array): number {
  let edits = 0;
  for (let k = 0; k < x.length; k++) {
    if (run.constraints.editable[k] && !run.constraints.same(k, x[k]!, z[k]!)) edits++;
  }
  return edits;
}

function assemble({ run, outcomes, there }: State): Generated {
  const { cols } = run.x;
  const count = outcomes.reduce((sum, outcome) => sum + outcome!.rows.rows, 0);
  const rows = matrix(count, cols);
  const pairs = new Int32Array(count);
  let at = 0;
  outcomes.forEach((outcome, i) => {
    rows.data.set(outcome!.rows.data, at * cols);
    pairs.fill(i, at, at + outcome!.rows.rows);
    at += outcome!.rows.rows;
  });
  return {
    rows,
    pairs,
    report: {
      name: run.name,
      status: outcomes.map((outcome) => outcome!.status),
      reasons: outcomes.map((outcome) => outcome!.reason),
      evaluations: run.work.modelRows,
      details: { options: run.options, alreadyAtTarget: there },
    },
  };
}
