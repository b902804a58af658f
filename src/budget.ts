import type { Limits, WorkOptions } from "./basic-types.ts";
import { ColaError, checkKeys, checkOption } from "./errors.ts";

/** Longest stretch of work between two chances to hear an abort, in milliseconds. */
const SLICE_MS = 40;
const DEFAULT_BYTES = 2 ** 30;

/**
 * The one place that reads the clock. A long loop asks `due()` now and then (it is cheap) and, when it
 * says so, awaits `pause(done, total)`, which yields by a macrotask, reports progress, hears an abort and
 * checks the wall clock.
 */
export interface Work {
  /** True when the current slice of time is used up. */
  due(): boolean;
  /** Yields, reports, and throws ABORTED or LIMIT_TIME with what was done. */
  pause(done: number, total: number): Promise<void>;
  /** Reports without yielding. */
  report(done: number, total: number): void;
  /** Throws at once when aborted or out of time. */
  check(): void;
  /** Charges rows scored by the model; throws LIMIT_MODEL_ROWS when they are used up. */
  charge(rows: number): void;
  /** Throws LIMIT_BYTES when `bytes` is more than allowed. */
  reserve(bytes: number, what: string): void;
  /** The same limits under another stage name. */
  stage(name: string): Work;
  /** Milliseconds left of the wall clock; Infinity without a limit. */
  remainingMs(): number;
  /** Rows scored so far. */
  readonly modelRows: number;
  readonly signal: AbortSignal | undefined;
}

interface Meter {
  readonly startedAt: number;
  readonly limits: Limits;
  sliceStart: number;
  modelRows: number;
}

/** Starts the clock of a run. Stages that are handed a `Work` go on with it instead of starting anew. */
export function startWork(stage: string, options: WorkOptions = {}): Work {
  checkLimits(stage, options.limits);
  const now = performance.now();
  const meter: Meter = { startedAt: now, limits: options.limits ?? {}, sliceStart: now, modelRows: 0 };
  return workOf(stage, options, meter);
}

function checkLimits(stage: string, limits: Limits = {}): void {
  checkKeys(`${stage}: limits`, limits, ["timeMs", "modelRows", "bytes"]);
  for (const [name, value] of Object.entries(limits)) {
    checkOption(value === undefined || value >= 0, stage, `limits.${name}`, "a number ≥ 0", value);
  }
}

function workOf(stage: string, options: WorkOptions, meter: Meter): Work {
  const { signal, onProgress, within } = options;
  const { timeMs = Number.POSITIVE_INFINITY, modelRows: maxRows, bytes = DEFAULT_BYTES } = meter.limits;
  const stop = (done: number, total: number): void => {
    if (signal?.aborted) {
      throw new ColaError(
        "ABORTED",
        `${stage} was stopped by its AbortSignal after ${done} of ${total}.`,
        { stage, done, total },
        signal.reason,
      );
    }
    if (performance.now() - meter.startedAt > timeMs) {
      throw new ColaError(
        "LIMIT_TIME",
        total > 0
          ? `${stage} ran out of its ${timeMs} ms after ${done} of ${total}; raise limits.timeMs or give fewer rows.`
          : `the time ran out during ${stage}; raise limits.timeMs or give fewer rows.`,
        { stage, done, total, timeMs },
      );
    }
  };
  return {
    signal,
    get modelRows() {
      return meter.modelRows;
    },
    due: () => performance.now() - meter.sliceStart > SLICE_MS,
    async pause(done, total) {
      onProgress?.({ stage, done, total });
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      meter.sliceStart = performance.now();
      stop(done, total);
    },
    report: (done, total) => onProgress?.({ stage, done, total }),
    check: () => stop(0, 0),
    charge(rows) {
      if (maxRows !== undefined && meter.modelRows + rows > maxRows) {
        throw new ColaError(
          "LIMIT_MODEL_ROWS",
          `${stage} would score ${meter.modelRows + rows} rows, more than limits.modelRows = ${maxRows}; raise it or give fewer rows.`,
          { stage, modelRows: meter.modelRows, asked: rows, limit: maxRows },
        );
      }
      within?.charge(rows);
      meter.modelRows += rows;
    },
    reserve(needed, what) {
      if (needed > bytes) {
        throw new ColaError(
          "LIMIT_BYTES",
          `${stage} needs ${needed} bytes for ${what}, more than limits.bytes = ${bytes}; raise it or give fewer rows.`,
          { stage, needed, limit: bytes, what },
        );
      }
    },
    stage: (name) => workOf(name, options, meter),
    remainingMs: () => timeMs - (performance.now() - meter.startedAt),
  };
}
