/** Long arithmetic cut into short steps: it yields [done, total] whenever it could be interrupted. */
export type Steps<T> = Generator<readonly [done: number, total: number], T>;

/** Runs to the end at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Operations between two steps: a few milliseconds. */
const PER_STEP = 2 ** 22;

/** 0, 1, … count − 1 with a step whenever `each` operations per item add up to a few milliseconds. */
export function* inSteps(count: number, each: number, item: (i: number) => void): Steps<void> {
  const stretch = Math.max(1, Math.floor(PER_STEP / each));
  for (let from = 0; from < count; from += stretch) {
    if (from > 0) yield [from, count];
    const to = Math.min(count, from + stretch);
    for (let i = from; i < to; i++) item(i);
  }
}
