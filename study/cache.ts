/** Keeps the values used last; finished values only, so that an aborted one is never handed out. */
export interface Cache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

export function createCache<T>(most: number): Cache<T> {
  const held = new Map<string, T>();
  return {
    get(key) {
      const value = held.get(key);
      if (value === undefined) return undefined;
      held.delete(key);
      held.set(key, value);
      return value;
    },
    set(key, value) {
      held.delete(key);
      held.set(key, value);
      if (held.size > most) held.delete(held.keys().next().value!);
    },
  };
}
