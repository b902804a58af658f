import type { ExplainedRow } from "../../src/explanation.ts";
import type { Progress } from "../../src/types.ts";
import { together } from "./in-parts.ts";
import type { CallName, Calls, Failure, FromWorker, ToWorker } from "./protocol.ts";
import { startWorker } from "./start-worker.ts";

/** A failure in the worker, with the library's code. */
export class EngineError extends Error {
  readonly code: string;
  constructor({ code, message }: Failure) {
    super(message);
    this.code = code;
  }
}

interface CallOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** The library in a worker: every call is a promise, and an aborted one stops the work. */
export interface Engine {
  call<Name extends CallName>(
    name: Name,
    argument: Calls[Name][0],
    options?: CallOptions,
  ): Promise<Calls[Name][1]>;
}

interface Waiting extends CallOptions {
  /** Rows of the answer that came before it. */
  readonly rows: ExplainedRow[];
  resolve(answer: unknown): void;
  reject(error: EngineError): void;
}

export function openEngine(): Engine {
  const worker = startWorker();
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const post = (message: ToWorker): void => worker.postMessage(message);
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const one = waiting.get(data.id);
    if (!one) return;
    if ("progress" in data) {
      one.onProgress?.(data.progress);
      return;
    }
    if ("rows" in data) {
      for (const row of data.rows) one.rows.push(row);
      return;
    }
    waiting.delete(data.id);
    if ("failure" in data) one.reject(new EngineError(data.failure));
    else one.resolve(together(data.answer, one.rows));
  };
  worker.onerror = () => {
    for (const one of waiting.values()) {
      one.reject(new EngineError({ code: "INTERNAL", message: "The worker stopped; reload the page." }));
    }
    waiting.clear();
  };
  return {
    call: (name, argument, options = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { ...options, rows: [], resolve: resolve as (answer: unknown) => void, reject });
        options.signal?.addEventListener("abort", () => post({ id, cancel: true }), { once: true });
        post({ id, call: name, argument });
      }),
  };
}
