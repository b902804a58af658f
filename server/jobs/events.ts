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

export function createEvents(): JobEvents {
  const emitter = new EventEmitter().setMaxListeners(0);
  const latest = new Map<string, Progress>();
  return {
    progress(id, progress) {
      latest.set(id, progress);
      emitter.emit(id, progress);
    },
    changed(id) {
      latest.delete(id);
      emitter.emit(id, undefined);
    },
    last: (id) => latest.get(id),
    watch(id, listen) {
      emitter.on(id, listen);
      return () => emitter.off(id, listen);
    },
  };
}
