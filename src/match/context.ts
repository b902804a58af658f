import type { Work } from "../budget.ts";
import type { Brancher } from "../model/branch.ts";
import type { Mixtures } from "../search/mixtures.ts";
import type { Rule, Weighed } from "./option.ts";

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

/** Branch and bound over the sets of one pair, where the model shows its inside. */
export function brancherOf(context: Context, members: Weighed): Brancher {
  return context.mix.inside!.brancher(members, () =>
    context.work.due() ? pauseWhenDue(context) : undefined,
  );
}
