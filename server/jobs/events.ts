import { EventEmitter } from "node:events";
import type { Progress } from "../../src/types.ts";

/** What happens to jobs while somebody watches. */
export interface JobEvents {
  progress(id: string, progress: Progress): void;
  /** The state of a job changed. */
  changed(id: string): void;
  /** The last progress of a running job. */
  last(id: string): Progress | undefined;
  /** Listens until the returned function is called. */
  watch(id: string, listen: (progress: Progress | undefined) => void): () => void;
}

/** Least time between two reports of one stage. */
const EVERY_MS = 100;

export function createEvents(): JobEvents {
  const emitter = new EventEmitter().setMaxListeners(0);
  const latest = new Map<string, { readonly progress: Progress; readonly at: number }>();
  return {
    progress(id, progress) {
      const before = latest.get(id);
      const now = performance.now();
      if (before && before.progress.stage === progress.stage && now - before.at < EVERY_MS) return;
      latest.set(id, { progress, at: now });
      emitter.emit(id, progress);
    },
    changed(id) {
      latest.delete(id);
      emitter.emit(id, undefined);
    },
    last: (id) => latest.get(id)?.progress,
    watch(id, listen) {
      emitter.on(id, listen);
      return () => emitter.off(id, listen);
    },
  };
}
