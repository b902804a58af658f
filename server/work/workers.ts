import { startChild } from "../../node/child.ts";
import type { Ref } from "../../node/store/blobs.ts";
import { DATABASE } from "../../node/store/store.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Inspected } from "../run/inspect.ts";
import type { Recipe } from "../run/recipe.ts";
import type { LetterAsked } from "../run/report.ts";
import type { Computed, Order, Setting } from "./messages.ts";
import { createPool } from "./pool.ts";

/** Everything that takes long, done beside the process that answers requests. */
export interface Workers {
  /** Computes a recipe and keeps the file of its result. */
  compute(recipe: Recipe, watch: Pick<WorkOptions, "signal" | "onProgress">): Promise<Computed>;
  /** Reads an uploaded file and keeps it when it is good. */
  inspect(order: Extract<Order, { bytes: Uint8Array }>): Promise<Inspected>;
  /** A kept result as a page in a language. */
  report(result: Ref, locale: string): Promise<string>;
  /** A row of a kept result as a letter. */
  letter(result: Ref, asked: LetterAsked): Promise<string>;
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
  return {
    compute: (recipe, watch) =>
      pool.run(
        { kind: "compute", recipe },
        {
          ...watch,
          timeMs: PATIENCE * recipe.options.timeout * 1000 + PATIENCE_MS,
        },
      ),
    inspect: (order) =>
      pool.run(order, { timeMs: limits.timeNowMs + (MS_PER_MIB * order.bytes.length) / 2 ** 20 }),
    report: (result, locale) => pool.run({ kind: "report", result, locale }, { timeMs: limits.timeNowMs }),
    letter: (result, asked) => pool.run({ kind: "letter", result, asked }, { timeMs: limits.timeNowMs }),
    close: () => pool.close(),
  };
}
