/** Long arithmetic cut into short steps: it yields [done, total] whenever it could be interrupted. */
export type Steps<T> = Generator<readonly [done: number, total: number], T>;

/** Runs to the end at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
