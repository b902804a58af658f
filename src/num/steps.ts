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
  yield* inStretches(count, each, (from, to) => {
    for (let i = from; i < to; i++) item(i);
  });
}

/** The same for work that is faster done on items from … to − 1 together. */
export function* inStretches(
  count: number,
  each: number,
  stretch: (from: number, to: number) => void,
): Steps<void> {
  const size = Math.max(1, Math.floor(PER_STEP / each));
  for (let from = 0; from < count; from += size) {
    if (from > 0) yield [from, count];
    stretch(from, Math.min(count, from + size));
  }
}
