import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startWork } from "../src/budget.ts";
import { transportByKernel } from "../src/couple/point-reader.ts";
import type { Explanation } from "../src/explanation.ts";
import { asModel } from "../src/model/contract.ts";
import { gridSearch } from "../src/run/grid.ts";
import { joinedBy, mergeKernel, partOf } from "../src/run/merge.ts";
import type { TableKind } from "../src/run/near.ts";
import { type ExplainInput, type Opened, open } from "../src/run/open.ts";
import { nearestReasons } from "../src/run/reasons.ts";
import type { Matrix, Trees, WorkOptions } from "../src/types.ts";
import { crossed, crossing } from "./part-errors.ts";
import type { PartReply, PartRequest, PartStudy } from "./part-messages.ts";
import { startThread } from "./thread.ts";

/** Threads that answer parts of one question, each with the study opened once. */
export interface Parallel {
  readonly threads: number;
  /** Rows from … to − 1 explained: the bytes that this thread would give. */
  part(from: number, to: number, work: WorkOptions): Promise<Explanation>;
  close(): Promise<void>;
}

/**
 * Starts threads for a question. Undefined for a model that another thread cannot have: one that is a function, or is
 * asked over a wire. Tables are shared, not copied; `hash` is the run hash of the question. With `realism` plans are
 * compared with the training rows.
 */
export function startParallel(
  threads: number,
  { setup }: Opened,
  input: ExplainInput,
  hash: string,
  realism = false,
): Parallel | undefined {
  const common = studyOf(input, hash);
  if (!common) return undefined;
  const study = { ...common, realism };
  const found: Partial<Record<TableKind, Promise<Matrix>>> = {};
  const target: TargetFor = (kind, work) => {
    found[kind] ??= setup
      .targetRows(kind, startWork("attribute", work))
      .then(shared)
      .catch((error) => {
        delete found[kind];
        throw error;
      });
    return found[kind];
  };
  const idle = Array.from({ length: threads }, () => startPart(study));
  const all = [...idle];
  const waiting: ((thread: Thread) => void)[] = [];
  const free = (thread: Thread): void => {
    const next = waiting.shift();
    if (next) next(thread);
    else idle.push(thread);
  };
  return {
    threads,
    async part(from, to, work) {
      const thread = idle.pop() ?? (await new Promise<Thread>((resolve) => waiting.push(resolve)));
      try {
        return await asked(thread, from, to, work, target);
      } finally {
        free(thread);
      }
    },
    async close() {
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Rows a thread is given at a time. */
const PART_ROWS = 100;

/**
 * `explain` on several threads, by default one per core: the same bytes. Where the rows cannot be explained apart, or
 * the model is a function or asked over a wire, or with limits, which all rows share, this thread does it alone.
 */
export async function explainOnThreads(
  input: ExplainInput,
  threads: number = availableParallelism(),
): Promise<Explanation> {
  transportByKernel();
  const opened = open(input, input);
  const question = opened.question(input);
  const { rows } = input.x;
  const count = Math.min(threads, Math.ceil(rows / PART_ROWS));
  const pool =
    count > 1 && !joinedBy(input) && input.limits === undefined
      ? startParallel(count, opened, input, question.hash())
      : undefined;
  if (!pool) return opened.ask(input, input);
  const starts = Array.from({ length: Math.ceil(rows / PART_ROWS) }, (_, t) => t * PART_ROWS);
  const parts = starts.map((from) => pool.part(from, Math.min(rows, from + PART_ROWS), input));
  try {
    return mergeKernel((await Promise.all(parts)).map(partOf), question.run(input), {});
  } finally {
    await Promise.allSettled([pool.close()]);
  }
}

interface Thread {
  readonly worker: Worker;
  /** What it died of. */
  failure?: unknown;
}

function startPart(study: PartStudy): Thread {
  const worker = startThread(import.meta.url, "./part-worker", study);
  const thread: Thread = { worker };
  worker.on("error", (error) => {
    thread.failure = error;
  });
  return thread;
}

/** Rows at the target, found here for all threads. */
type TargetFor = (kind: TableKind, work: WorkOptions) => Promise<Matrix>;

/** One request to a thread. Its progress and what its model scored are told here as if it had been done here. */
function asked(
  thread: Thread,
  from: number,
  to: number,
  work: WorkOptions,
  target: TargetFor,
): Promise<Explanation> {
  const { worker } = thread;
  const { signal, onProgress, within, limits } = work;
  return new Promise((resolve, reject) => {
    if (thread.failure) return reject(thread.failure);
    const send = (request: PartRequest): void => worker.postMessage(request);
    const abort = (): void => send("abort");
    const hear = (reply: PartReply): void => {
      if ("progress" in reply) {
        onProgress?.(reply.progress);
        return;
      }
      if ("wants" in reply) {
        target(reply.wants, work).then(
          (rows) => send({ target: rows }),
          (error) => send({ targetError: crossing(error) }),
        );
        return;
      }
      end();
      try {
        within?.charge(reply.scored);
        if ("made" in reply) resolve(reply.made);
        else reject(crossed(reply.error));
      } catch (error) {
        reject(error);
      }
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const gone = (): void => fail(new Error("a thread ended before it answered"));
    const end = (): void => {
      worker.off("message", hear).off("error", fail).off("exit", gone);
      signal?.removeEventListener("abort", abort);
    };
    worker.on("message", hear).on("error", fail).on("exit", gone);
    signal?.addEventListener("abort", abort);
    send({ from, to, limits });
    if (signal?.aborted) abort();
  });
}

/** What a thread needs of a question; undefined where a part of it cannot leave this thread. */
function studyOf(input: ExplainInput, hash: string): Omit<PartStudy, "realism"> | undefined {
  const {
    model,
    grid,
    reasons,
    sturdy,
    usual,
    references,
    training,
    x,
    pairs,
    ids,
    signal,
    onProgress,
    limits,
    within,
    targetRows: _,
    ...options
  } = input;
  const models = [model, ...(sturdy?.also ?? []), ...(sturdy?.judges ?? [])].map((one) =>
    asModel(one).toJSON?.(),
  );
  const { constraints, metric, coupling } = options;
  const foreign = (grid && grid !== gridSearch) || (reasons && reasons !== nearestReasons);
  const functions = constraints || metric || typeof coupling === "object" || foreign;
  if (functions || models.includes(undefined)) return undefined;
  const others = models.slice(1);
  const also = sturdy?.also.length ?? 0;
  const rows = { x: shared(x), ...(pairs ? { pairs: sharedPairs(pairs) } : {}), ...(ids ? { ids } : {}) };
  return {
    model: models[0],
    sturdy: sturdy && { also: others.slice(0, also), judges: others.slice(also) },
    grid: grid !== undefined,
    reasons: reasons !== undefined,
    usual: usual && withoutKernels(usual),
    references: shared(references),
    training: training && shared(training),
    options: options as PartStudy["options"],
    rows,
    hash,
  };
}

const withoutKernels = ({ kernels: _, ...trees }: Trees): PartStudy["usual"] => trees;

function shared({ rows, cols, data }: Matrix): Matrix {
  const cells = new Float64Array(new SharedArrayBuffer(data.byteLength));
  cells.set(data);
  return { rows, cols, data: cells };
}

function sharedPairs(pairs: ArrayLike<number>): Int32Array {
  const cells = new Int32Array(new SharedArrayBuffer(4 * pairs.length));
  cells.set(pairs);
  return cells;
}
