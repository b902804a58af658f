import type { Worker } from "node:worker_threads";
import { ColaError } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import { type Order, type Reply, type Told, unpacked } from "./messages.ts";

/** How an order is watched. */
export interface Watch {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How long the work may take before the thread is ended; its start is not counted. */
  readonly timeMs: number;
  /** How long unwanted work has to end of itself before the thread is ended. Default 1 s. */
  readonly cancelMs?: number;
}

/** How long a thread may take to start. */
const START_MS = 60_000;

/** One thread with at most one order in hand. */
export class Hand {
  readonly worker: Worker;
  /** It has worked before: it holds tables and models. */
  used = false;
  /** It ended, or is about to, and takes no orders any more. */
  gone = false;
  /** Settles when the thread has started, or never will. */
  readonly ready: Promise<void>;
  /** Why the thread ended, or is about to. */
  private death: ColaError | undefined;
  private heard: ((reply: Reply | undefined) => void) | undefined;

  constructor(worker: Worker) {
    this.worker = worker;
    const slow = setTimeout(() => this.end(deathOf(undefined)), START_MS).unref();
    this.ready = new Promise((resolve) => {
      this.heard = () => resolve();
    });
    void this.ready.then(() => clearTimeout(slow));
    worker.on("message", (reply: Reply) => this.heard?.(reply));
    worker.on("error", (error) => {
      this.death ??= deathOf(error);
    });
    worker.once("exit", () => {
      this.gone = true;
      this.heard?.(undefined);
    });
  }

  /** Gives the order and waits until the thread is free again, or gone: whatever happens, this settles. */
  async perform(order: Order, watch: Watch): Promise<unknown> {
    const { signal, onProgress, timeMs, cancelMs = 1000 } = watch;
    await this.ready;
    if (signal?.aborted) throw unwanted();
    if (this.gone) throw this.death ?? deathOf(undefined);
    const timers = [setTimeout(() => this.end(tooLong(timeMs)), timeMs)];
    const abort = (): void => {
      this.worker.postMessage({ abort: true } satisfies Told);
      timers.push(setTimeout(() => this.end(unwanted()), cancelMs));
    };
    try {
      const reply = await new Promise<Reply | undefined>((resolve) => {
        this.heard = (heard) => {
          if (heard && "progress" in heard) onProgress?.(heard.progress);
          else resolve(heard);
        };
        signal?.addEventListener("abort", abort, { once: true });
        this.worker.postMessage({ order } satisfies Told);
      });
      if (!reply) throw this.death ?? deathOf(undefined);
      if ("thrown" in reply) throw unpacked(reply.thrown);
      return "value" in reply ? reply.value : undefined;
    } finally {
      this.used = true;
      this.heard = undefined;
      signal?.removeEventListener("abort", abort);
      for (const timer of timers) clearTimeout(timer);
    }
  }

  private end(why: ColaError): void {
    this.gone = true;
    this.death ??= why;
    void this.worker.terminate();
  }
}

function tooLong(timeMs: number): ColaError {
  return new ColaError(
    "LIMIT_TIME",
    `The work did not end within ${Math.round(timeMs)} ms and was stopped; give fewer rows, or send a job.`,
    { timeMs },
  );
}

function unwanted(): ColaError {
  return new ColaError("ABORTED", "The work was stopped because nobody wanted it any more.");
}

/** A thread that ran out of memory was asked too much; any other death is a defect of ours. */
function deathOf(error: Error | undefined): ColaError {
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new ColaError(
      "LIMIT_BYTES",
      "The work needs more memory than one piece of work may have here; give fewer rows or columns.",
    );
  }
  return new ColaError("INTERNAL", "The thread that did the work ended before it answered.", {}, error);
}
