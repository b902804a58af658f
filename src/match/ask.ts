import type { ColaError } from "../errors.ts";
import { takeRows } from "../num/matrix.ts";
import type { Mixture } from "../search/mixtures.ts";
import { type Context, pauseWhenDue } from "./context.ts";

/** What the real model and the rules between columns say of mixtures. */
interface Answer {
  /** NaN where the model failed or was not asked. */
  readonly slack: Float64Array;
  readonly failures: ReadonlyMap<number, ColaError>;
  /** Legal and at the target. */
  holds(t: number): boolean;
}

/** Asks the real model; rows that break a rule are not sent unless `all`. x itself is always legal. */
export async function askModel(context: Context, of: readonly Mixture[], all = false): Promise<Answer> {
  await pauseWhenDue(context);
  const { mix, rule } = context;
  const rows = mix.rows(of);
  const flags = rule.legal?.(rows);
  const legal = (t: number): boolean => !flags || Boolean(flags[t]) || of[t]!.members.length === 0;
  const places = of.flatMap((_, t) => (all || legal(t) ? [t] : []));
  const scored = await mix.score(takeRows(rows, places));
  const slack = new Float64Array(of.length).fill(Number.NaN);
  places.forEach((place, t) => {
    slack[place] = scored.slack[t]!;
  });
  const failures = new Map([...scored.failures].map(([t, error]) => [places[t]!, error]));
  return { slack, failures, holds: (t) => legal(t) && mix.reach.reached(slack[t]!, rule.minMargin) };
}
