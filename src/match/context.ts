import type { Work } from "../budget.ts";
import type { Mixtures } from "../search/mixtures.ts";
import type { Rule } from "./option.ts";

/** What the searches of one call share. */
export interface Context {
  readonly mix: Mixtures;
  readonly rule: Rule;
  readonly work: Work;
  /** Rows done, of how many. */
  progress(): readonly [done: number, total: number];
}

/** Yields when it is time to. */
export async function pauseWhenDue({ work, progress }: Context): Promise<void> {
  if (work.due()) await work.pause(...progress());
}
