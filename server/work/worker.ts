import type { Child, End } from "../../node/child.ts";
import { ColaError, isColaError } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import { HttpError } from "../problem.ts";
import { type Order, type Reply, type ToWorker, unpacked } from "./messages.ts";

/** How an order is watched. */
export interface Watch {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How long the work may take before the process is ended; its start is not counted. */
  readonly timeMs: number;
  /** How long unwanted work has to end of itself before the process is ended. Default 1 s. */
  readonly cancelMs?: number;
}

/** How long a process may take to start. */
const START_MS = 60_000;

/** One process with at most one order in hand. */
export class Worker {
  readonly child: Child;
  /** It has worked before: it holds tables and models. */
  used = false;
  /** It ended, or is about to, and takes no orders any more. */
  gone = false;
  /** Settles when the process has started, or never will. */
  readonly ready: Promise<void>;
  private started = false;
  /** Why the process ended, or is about to. */
  private death: ColaError | undefined;
  private heard: ((reply: Reply | undefined) => void) | undefined;

  constructor(child: Child, startMs = START_MS) {
    this.child = child;
    const slow = setTimeout(() => this.end(deathOf("other")), startMs).unref();
    this.ready = new Promise((resolve) => {
      this.heard = (reply) => {
        this.started = reply !== undefined;
        resolve();
      };
    });
    void this.ready.then(() => clearTimeout(slow));
    child.process.on("message", (reply: Reply) => this.heard?.(reply));
    void child.ended.then((end) => {
      this.gone = true;
      this.death ??= deathOf(end);
      this.heard?.(undefined);
    });
  }

  /** Gives the order and waits until the process is free again, or gone: whatever happens, this settles. */
  async perform(order: Order, watch: Watch): Promise<unknown> {
    const { signal, onProgress, timeMs, cancelMs = 1000 } = watch;
    await this.ready;
    if (signal?.aborted) throw unwanted();
    // No order was given: whatever is wrong, it is not the work.
    if (!this.started) throw new HttpError("BUSY", "No process could be started for the work in time.", 5);
    if (this.gone) throw this.death ?? deathOf("other");
    const timers = [setTimeout(() => this.end(tooLong(timeMs)), timeMs)];
    const abort = (): void => {
      this.tell({ abort: true });
      timers.push(setTimeout(() => this.end(unwanted()), cancelMs));
    };
    try {
      const reply = await new Promise<Reply | undefined>((resolve) => {
        this.heard = (heard) => {
          if (heard && "progress" in heard) onProgress?.(heard.progress);
          else resolve(heard);
        };
        signal?.addEventListener("abort", abort, { once: true });
        this.tell({ order });
      });
      if (!reply) throw this.death ?? deathOf("other");
      if ("thrown" in reply) throw unpacked(reply.thrown);
      return "value" in reply ? reply.value : undefined;
    } finally {
      this.used = true;
      this.heard = undefined;
      signal?.removeEventListener("abort", abort);
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** One that has ended meanwhile cannot be told anything, and its end is heard of otherwise. */
  private tell(message: ToWorker): void {
    this.child.process.send(message, () => {});
  }

  private end(why: ColaError): void {
    this.gone = true;
    this.death ??= why;
    void this.child.kill();
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
  return new ColaError("ABORTED", "The work was stopped because nobody was waiting for it any more.");
}

/** A process that ran out of memory was asked too much; who ended another is not known, and of itself none should end. */
function deathOf(end: End): ColaError {
  if (end === "other")
    return new ColaError("INTERNAL", "The process that did the work ended before it answered.", DIED);
  return new ColaError(
    "LIMIT_BYTES",
    "The work needs more memory than one piece of work may have here; give fewer rows or columns.",
    end === "killed" ? DIED : {},
  );
}

const DIED = { died: true };

/** Did the process that worked die of something that need not happen again? */
export function isDeath(error: unknown): boolean {
  return isColaError(error) && error.details["died"] === true;
}
