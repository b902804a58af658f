import type { Ref } from "../../node/store/blobs.ts";
import { startThread } from "../../node/thread.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Inspected } from "../run/inspect.ts";
import type { Recipe } from "../run/recipe.ts";
import type { Cooked, Order, Setting } from "./messages.ts";
import { createThreads } from "./threads.ts";

/** Everything that takes long, done beside the thread that answers requests. */
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

/** The stages of a recipe stop at its time limit of themselves; a thread that is not done by then is ended. */
const PATIENCE = 2;
const PATIENCE_MS = 5000;
/** Reading an upload may take longer the larger it is. */
const MS_PER_MIB = 1000;

export function openWorkshop(setting: Setting): Workshop {
  const { limits } = setting;
  const resourceLimits = { maxOldGenerationSizeMb: limits.memoryMb };
  const threads = createThreads(() =>
    startThread(import.meta.url, "./work-thread", { workerData: setting, resourceLimits }),
  );
  return {
    cook: (recipe, watch) =>
      threads.run(
        { kind: "cook", recipe },
        {
          ...watch,
          timeMs: PATIENCE * recipe.options.timeout * 1000 + PATIENCE_MS,
        },
      ),
    inspect: (order) =>
      threads.run(order, { timeMs: limits.timeNowMs + (MS_PER_MIB * order.bytes.length) / 2 ** 20 }),
    report: (result, locale) => threads.run({ kind: "report", result, locale }, { timeMs: limits.timeNowMs }),
    warm: () => threads.warm(),
    close: () => threads.close(),
  };
}
