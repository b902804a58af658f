import { askModel } from "./ask.ts";
import { mixturesOf } from "./levels.ts";
import { type Option, optionOf, tied } from "./option.ts";
import type { Search } from "./search.ts";

/**
 * A plan without proof for a search that became too large: add the edit with the best slack, reference by
 * reference, until one reaches the target; then drop every edit that is not needed.
 */
export async function fallback(search: Search): Promise<void> {
  const reached = await grow(search);
  if (reached) search.take(await shrink(search, reached));
}

async function grow(search: Search): Promise<Option | undefined> {
  const { task } = search;
  const chosen: number[][] = task.pairs.map(() => []);
  for (let size = 1; size <= Math.min(task.maxEdits, search.maxSize); size++) {
    const steps = task.pairs.flatMap((weighed, p) =>
      Array.from(weighed.gaps, (_, b) => b)
        .filter((b) => !chosen[p]!.includes(b) && chosen[p]!.length === size - 1)
        .map((b) => optionOf(weighed, p, [...chosen[p]!, b].sort(ascending), Number.NaN))
        .filter((option) => search.admits(option)),
    );
    const { scored, best } = await ask(search, steps);
    if (best) return best;
    for (const option of scored.toReversed()) chosen[option.pair] = [...option.members];
  }
  return undefined;
}

async function shrink(search: Search, plan: Option): Promise<Option> {
  const weighed = search.task.pairs[plan.pair]!;
  const smaller = plan.members.map((b) =>
    optionOf(
      weighed,
      plan.pair,
      plan.members.filter((other) => other !== b),
      Number.NaN,
    ),
  );
  const { best } = plan.members.length > 1 ? await ask(search, smaller) : { best: undefined };
  return best ? shrink(search, best) : plan;
}

/** Options with their real slack, largest first, and the preferred one that is legal and at the target. */
async function ask(search: Search, options: readonly Option[]): Promise<{ scored: Option[]; best?: Option }> {
  const answer = await askModel(search.context, mixturesOf(search, options), true);
  const known = options.map((option, t) => ({ ...option, slack: answer.slack[t]! }));
  const [best] = known.filter((_, t) => answer.holds(t)).sort(search.compare);
  const scored = known
    .filter((o) => !Number.isNaN(o.slack))
    .sort((a, b) => tied(b.slack) - tied(a.slack) || search.compare(a, b));
  return best ? { scored, best } : { scored };
}

function ascending(a: number, b: number): number {
  return a - b;
}
