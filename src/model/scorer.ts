import type { Work } from "../budget.ts";
import { ColaError, isColaError, isPredict, messageOf } from "../errors.ts";
import { rowsBetween } from "../num/matrix.ts";
import type { Matrix, Model, ModelLike } from "../types.ts";
import { asModel, defaultOutput, isPromise } from "./contract.ts";

/** Rows sent to a model in one call. */
const BATCH_ROWS = 8192;

/**
 * Rows a model may fail on one by one, without a single success, before as many spread over the rest are tried; when it
 * fails on those too, the rest is given up.
 */
const TRIED_ROWS = 32;

/** A model behind its checks: batches, counts, limits, time-outs and abort. */
export interface Scorer {
  readonly model: Model;
  /** Scores of one output; throws PREDICT_* when the model misbehaves. */
  score(rows: Matrix, output?: number): Promise<Float64Array>;
  /** The same, but rows the model fails on are NaN and named in `failures`; the others keep their scores. */
  scoreEach(
    rows: Matrix,
    output?: number,
  ): Promise<{ scores: Float64Array; failures: ReadonlyMap<number, ColaError> }>;
}

export function scorer(model: ModelLike, work: Work, options: ScorerOptions = {}): Scorer {
  return scorerKernel(asModel(model), work, options);
}

interface ScorerOptions {
  readonly batchRows?: number;
}

/** `scorer` of what is known to be a model. */
export function scorerKernel(model: Model, work: Work, options: ScorerOptions = {}): Scorer {
  const batchRows = options.batchRows ?? BATCH_ROWS;
  const score = async (rows: Matrix, output = defaultOutput(model)): Promise<Float64Array> => {
    const scores = new Float64Array(rows.rows);
    for (let from = 0; from < rows.rows; from += batchRows) {
      const batch = rowsBetween(rows, from, Math.min(rows.rows, from + batchRows));
      scores.set(await scoreBatch(model, batch, output, work), from);
      if (work.due()) await work.pause(Math.min(rows.rows, from + batchRows), rows.rows);
    }
    return scores;
  };
  const scoreEach: Scorer["scoreEach"] = async (rows, output) => {
    const scores = new Float64Array(rows.rows).fill(Number.NaN);
    const failures = new Map<number, ColaError>();
    /** What the model failed with on some rows; undefined where it answered. */
    const failure = async (from: number, to: number): Promise<ColaError | undefined> => {
      try {
        scores.set(await score(rowsBetween(rows, from, to), output), from);
        return undefined;
      } catch (error) {
        if (isPredict(error)) return error;
        throw error;
      }
    };
    /** Does the model fail on rows spread over the rest, too? */
    const failsOn = async (from: number): Promise<boolean> => {
      for (let k = 0.5; k < TRIED_ROWS; k++) {
        const row = from + Math.floor((k * (rows.rows - from)) / TRIED_ROWS);
        const error = await failure(row, row + 1);
        if (!error || error.code === "PREDICT_TIMEOUT") return Boolean(error);
      }
      return true;
    };
    let failsOnAll: boolean | undefined;
    const attempt = async (from: number, to: number): Promise<void> => {
      const error = await failure(from, to);
      if (!error) return;
      if (failures.size >= Math.max(TRIED_ROWS, from)) failsOnAll ??= await failsOn(from);
      if (to - from === 1 || error.code === "PREDICT_TIMEOUT" || failsOnAll) {
        for (let i = from; i < to; i++) failures.set(i, error);
        return;
      }
      const middle = (from + to) >> 1;
      await attempt(from, middle);
      await attempt(middle, to);
    };
    await attempt(0, rows.rows);
    return { scores, failures };
  };
  return { model, score, scoreEach };
}

async function scoreBatch(model: Model, rows: Matrix, output: number, work: Work): Promise<Float64Array> {
  work.charge(rows.rows);
  const scores = await answer(model, rows, output, work);
  if (typeof scores?.length !== "number" || scores.length !== rows.rows) {
    throw new ColaError(
      "PREDICT_SHAPE",
      `model: predict got ${rows.rows} rows and returned ${scores?.length ?? "no"} scores; return one number per row.`,
      { rows: rows.rows, scores: scores?.length },
    );
  }
  for (let i = 0; i < scores.length; i++) {
    if (Number.isFinite(scores[i])) continue;
    throw new ColaError(
      "PREDICT_NAN",
      `model: predict returned ${scores[i]} for row ${i} of a batch of ${rows.rows}; give one finite number per row.`,
      { row: i, value: String(scores[i]) },
    );
  }
  return scores;
}

async function answer(model: Model, rows: Matrix, output: number, work: Work): Promise<Float64Array> {
  try {
    const scores = model.predict(rows, output);
    if (scores instanceof Float64Array) return scores;
    return isPromise(scores) ? await race(scores, work) : scores;
  } catch (error) {
    if (isColaError(error)) throw error;
    throw new ColaError(
      "PREDICT_FAILED",
      `model: predict failed on a batch of ${rows.rows} rows: ${messageOf(error)}`,
      { rows: rows.rows },
      error,
    );
  }
}

/** The answer, or PREDICT_TIMEOUT / ABORTED, whichever comes first. */
function race<T>(answer: Promise<T>, work: Work): Promise<T> {
  const left = work.remainingMs();
  const { signal } = work;
  if (left === Number.POSITIVE_INFINITY && !signal) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    const waitedMs = Math.max(0, left);
    const message = `model: predict did not answer within the ${Math.round(waitedMs)} ms left of limits.timeMs.`;
    const late = (): void => reject(new ColaError("PREDICT_TIMEOUT", message, { waitedMs: left }));
    onAbort = () =>
      reject(
        new ColaError("ABORTED", "model: stopped by its AbortSignal while predicting.", {}, signal?.reason),
      );
    if (signal?.aborted) return onAbort();
    if (left < Number.POSITIVE_INFINITY) timer = setTimeout(late, waitedMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  return Promise.race([stopped, answer]).finally(() => {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  });
}
