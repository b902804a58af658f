import { startChild } from "../../node/child.ts";
import type { Ref } from "../../node/store/blobs.ts";
import { DATABASE } from "../../node/store/store.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Inspected } from "../run/inspect.ts";
import type { Plan } from "../run/plan.ts";
import type { Recipe } from "../run/recipe.ts";
import type { CardAsked, LetterAsked, ReportAsked } from "../run/report.ts";
import type { Computed, Order, Setting, ShardOf } from "./messages.ts";
import { createPool } from "./pool.ts";

type Watched = Pick<WorkOptions, "signal" | "onProgress">;

/** Everything that takes long, done beside the process that answers requests. */
export interface Workers {
  /** Computes a recipe and keeps the file of its result. */
  compute(recipe: Recipe, watch: Watched): Promise<Computed>;
  /** The same for a job, or how it is cut where it has many rows. */
  begin(recipe: Recipe, watch: Watched): Promise<Computed | { readonly plan: Plan }>;
  /** Explains one shard and keeps its file; `limitMs` is what is left of the job's time. */
  shard(shard: ShardOf, limitMs: number, watch: Watched): Promise<Ref>;
  /** Puts the files of all shards together. */
  merge(
    whole: Pick<Extract<Order, { kind: "merge" }>, "recipe" | "plan" | "shards">,
    watch: Watched,
  ): Promise<Computed>;
  /** Reads an uploaded file and keeps it when it is good. */
  inspect(order: Extract<Order, { bytes: Uint8Array }>): Promise<Inspected>;
  /** A kept result as a page in a language. */
  report(result: Ref, asked: ReportAsked): Promise<string>;
  /** A row of a kept result as a letter. */
  letter(result: Ref, asked: LetterAsked): Promise<string>;
  /** The method card of a kept result. */
  card(result: Ref, asked: CardAsked): Promise<string>;
  close(): Promise<void>;
}

/** The stages of a recipe stop at its time limit of themselves; a process that is not done soon after is ended. */
const PATIENCE = 1.1;
const PATIENCE_MS = 2000;
/** Reading an upload may take longer the larger it is. */
const MS_PER_MIB = 1000;

export function openWorkers(setting: Setting, database?: string): Workers {
  const { limits } = setting;
  const pool = createPool(() =>
    startChild(import.meta.url, "./work-process", {
      data: setting,
      memoryMb: limits.memoryMb,
      ...(database === undefined ? {} : { env: { [DATABASE]: database } }),
    }),
  );
  const patient = (ms: number): number => PATIENCE * ms + PATIENCE_MS;
  const timeOf = (recipe: Recipe): number => patient(recipe.options.timeout * 1000);
  return {
    compute: (recipe, watch) => pool.run({ kind: "compute", recipe }, { ...watch, timeMs: timeOf(recipe) }),
    begin: (recipe, watch) =>
      pool.run(
        { kind: "begin", recipe, size: Math.max(1, limits.shardRows) },
        { ...watch, timeMs: timeOf(recipe) },
      ),
    // What is made once for all rows, as the table that is read, is not of the time of one shard.
    shard: (shard, limitMs, watch) =>
      pool.run(
        { kind: "shard", limitMs, ...shard },
        { ...watch, timeMs: limits.timeJobMs + patient(limitMs) },
      ),
    merge: (whole, watch) =>
      pool.run({ kind: "merge", ...whole }, { ...watch, timeMs: patient(limits.timeJobMs) }),
    inspect: (order) =>
      pool.run(order, { timeMs: limits.timeNowMs + (MS_PER_MIB * order.bytes.length) / 2 ** 20 }),
    report: (result, asked) => pool.run({ kind: "report", result, asked }, { timeMs: limits.timeNowMs }),
    letter: (result, asked) => pool.run({ kind: "letter", result, asked }, { timeMs: limits.timeNowMs }),
    card: (result, asked) => pool.run({ kind: "card", result, asked }, { timeMs: limits.timeNowMs }),
    close: () => pool.close(),
  };
}
