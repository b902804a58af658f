import { type Action, reduce } from "./reduce.ts";
import type { State } from "./state.ts";

/** The state of the page in one place: read it, send an action, be told of changes. */
export interface Store {
  get(): State;
  send(action: Action): void;
  subscribe(listener: () => void): () => void;
  /** A number that names one question. */
  number(): number;
}

export function openStore(first: State): Store {
  let state = first;
  let last = 0;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    send: (action) => {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    number: () => ++last,
  };
}
