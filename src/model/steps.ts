import type { Work } from "../budget.ts";
import type { Steps } from "../num/steps.ts";

export { finish, inSteps, inStretches, type Steps } from "../num/steps.ts";

/** Runs to the end with pauses in which aborts and limits are heard. */
export async function pursue<T>(steps: Steps<T>, work: Work): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (work.due()) await work.pause(step.value[0], step.value[1]);
  }
}
