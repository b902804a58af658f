import { ColaError, isColaError, messageOf } from "../errors.ts";
import { slackOf } from "../model/slack.ts";
import { rowsBetween, stacked, takeRows } from "../num/matrix.ts";
import type { Matrix, Model } from "../types.ts";
import type { Run } from "./run.ts";

/** Rows a search wants to know about: table rows, or rows of encoded columns with their slopes. */
export interface Question {
  readonly rows: Matrix;
  /** Rows are encoded; the answer carries scores and slopes instead of validity. */
  readonly encoded?: boolean;
}

export interface Answer {
  /** The rows asked about, derived columns recomputed. */
  readonly rows: Matrix;
  /** How far past the target's edge each row is; −Infinity where a rule forbids it, NaN where the model failed. */
  readonly slack: Float64Array;
  /** 1 where the row is legal and at the target. */
  readonly valid: Uint8Array;
  /** Scores and ∂score/∂column by output of the target, for encoded rows. */
  readonly scores: readonly Float64Array[];
  readonly slopes: readonly Matrix[];
  /** What the model said when it failed on some row. */
  readonly failure: ColaError | undefined;
}

/** Rows completed between two chances to pause. */
const SLICE = 1024;

/** Answers the questions of many searches with one batch of model calls. */
export async function answerAll(run: Run, asks: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = new Array(asks.length);
  for (const encoded of [false, true]) {
    const mine = asks.flatMap((ask, a) => (Boolean(ask.encoded) === encoded ? [a] : []));
    if (mine.length === 0) continue;
    const rows = stacked(mine.map((a) => asks[a]!.rows));
    const whole = encoded ? await answerEncoded(run, rows) : await answerTable(run, rows);
    let from = 0;
    for (const a of mine) {
      answers[a] = part(whole, from, from + asks[a]!.rows.rows);
      from += asks[a]!.rows.rows;
    }
  }
  return answers;
}

interface Batch extends Omit<Answer, "failure"> {
  readonly failures: ReadonlyMap<number, ColaError>;
}

async function answerTable(run: Run, asked: Matrix): Promise<Batch> {
  const { reach } = run;
  const { rows, legal } = await completeAll(run, asked);
  const ask = Int32Array.from(legal, (_, i) => i).filter((i) => legal[i] === 1);
  const scored = await slackOf(run.scorer, ask.length === rows.rows ? rows : takeRows(rows, ask), run.reach);
  const slack = new Float64Array(rows.rows).fill(Number.NEGATIVE_INFINITY);
  const valid = new Uint8Array(rows.rows);
  const failures = new Map<number, ColaError>();
  ask.forEach((i, a) => {
    slack[i] = scored.slack[a]!;
    valid[i] = Number(reach.reached(slack[i]!, run.task.minMargin));
    const failure = scored.failures.get(a);
    if (failure) failures.set(i, failure);
  });
  return { rows, slack, valid, scores: [], slopes: [], failures };
}

/** Derived columns recomputed and rules asked, in slices of rows with pauses between. */
async function completeAll(run: Run, asked: Matrix): Promise<{ rows: Matrix; legal: Uint8Array }> {
  const { constraints, side } = run;
  const legal = new Uint8Array(asked.rows).fill(1);
  if (!constraints.hasDerived && !constraints.hasRules) return { rows: asked, legal };
  const data = new Float64Array(asked.data.length);
  for (let from = 0; from < asked.rows; from += SLICE) {
    const part = constraints.complete(rowsBetween(asked, from, Math.min(asked.rows, from + SLICE)));
    data.set(part.data, from * asked.cols);
    if (constraints.hasRules) legal.set(constraints.legal(part), from);
    if (side.due()) await side.pause(from, asked.rows);
  }
  return { rows: { data, rows: asked.rows, cols: asked.cols }, legal };
}

async function answerEncoded(run: Run, rows: Matrix): Promise<Batch> {
  const asked = await slackOf(run.inner.scorer, rows, run.reach);
  const { scores } = asked;
  const failures = new Map(asked.failures);
  const slopes = run.reach.outputs.map((output) => slopesOf(run.inner.model, rows, output, failures));
  const slack = asked.slack.map((own, i) => (failures.has(i) ? Number.NaN : own));
  return { rows, slack, valid: new Uint8Array(rows.rows), scores, slopes, failures };
}

/** ∂score/∂column of every row; a row the model fails on is noted and costs no other row its slope. */
function slopesOf(model: Model, rows: Matrix, output: number, failures: Map<number, ColaError>): Matrix {
  const data = new Float64Array(rows.data.length);
  const attempt = (from: number, to: number): void => {
    try {
      data.set(model.gradient!(rowsBetween(rows, from, to), output).data, from * rows.cols);
    } catch (error) {
      if (to - from === 1) {
        const message = `model: gradient failed: ${messageOf(error)}`;
        failures.set(from, new ColaError("PREDICT_FAILED", message, {}, error));
        return;
      }
      attempt(from, (from + to) >> 1);
      attempt((from + to) >> 1, to);
    }
  };
  if (rows.rows > 0) attempt(0, rows.rows);
  return { data, rows: rows.rows, cols: rows.cols };
}

function part(batch: Batch, from: number, to: number): Answer {
  let failure: ColaError | undefined;
  for (let i = from; i < to && !failure; i++) failure = batch.failures.get(i);
  return {
    rows: rowsBetween(batch.rows, from, to),
    slack: batch.slack.subarray(from, to),
    valid: batch.valid.subarray(from, to),
    scores: batch.scores.map((s) => s.subarray(from, to)),
    slopes: batch.slopes.map((s) => rowsBetween(s, from, to)),
    failure,
  };
}

/** Did a limit run out, so that what was found so far is all there is? */
export function isOutOfBudget(error: unknown): error is ColaError {
  return isColaError(error) && ["LIMIT_TIME", "LIMIT_MODEL_ROWS", "PREDICT_TIMEOUT"].includes(error.code);
}
