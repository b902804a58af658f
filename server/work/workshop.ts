import { startChild } from "../../node/child.ts";
import type { Ref } from "../../node/store/blobs.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Inspected } from "../run/inspect.ts";
import type { Recipe } from "../run/recipe.ts";
import type { Cooked, Order, Setting } from "./messages.ts";
import { createPool } from "./pool.ts";

/** Everything that takes long, done beside the process that answers requests. */
export interface Workshop {
  /** Computes a recipe and keeps the file of its result. */
  cook(recipe: Recipe, watch: Pick<WorkOptions, "signal" | "onProgress">): Promise<Cooked>;
  /** Reads an uploaded file and keeps it when it is good. */
  inspect(order: Extract<Order, { bytes: Uint8Array }>): Promise<Inspected>;
  /** A kept result as a page in a language. */
  report(result: Ref, locale: string): Promise<string>;
  /** Waits until work would begin at once. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/** The stages of a recipe stop at its time limit of themselves; a process that is not done by then is ended. */
const PATIENCE = 2;
const PATIENCE_MS = 5000;
/** Reading an upload may take longer the larger it is. */
const MS_PER_MIB = 1000;

export function openWorkshop(setting: Setting): Workshop {
  const { limits } = setting;
  const pool = createPool(() =>
    startChild(import.meta.url, "./work-process", { data: setting, memoryMb: limits.memoryMb }),
  );
  return {
    cook: (recipe, watch) =>
      pool.run(
        { kind: "cook", recipe },
        {
          ...watch,
          timeMs: PATIENCE * recipe.options.timeout * 1000 + PATIENCE_MS,
        },
      ),
    inspect: (order) =>
      pool.run(order, { timeMs: limits.timeNowMs + (MS_PER_MIB * order.bytes.length) / 2 ** 20 }),
    report: (result, locale) => pool.run({ kind: "report", result, locale }, { timeMs: limits.timeNowMs }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}
