import type { Work } from "../../budget.ts";
import { isOutOfBudget } from "../ask.ts";
import {
  better,
  joined,
  meritOf,
  type ObjectiveSettings,
  type Rule,
  standingOf,
  type Value,
} from "./objective.ts";

interface LocalSearchSettings extends ObjectiveSettings {
  /** Different groups the rules may speak of. */
  readonly groups: number;
}

/**
 * Local search for at most `rules` rules over at most `groups` groups: deletes, adds and swaps rules as long
 * as the objective rises (Lee et al. 2009), first with one rule, then, from there, with two, and so on. What
 * is found with more rules is thus never worse than with fewer. Stops where it is when the time is up, with
 * the best rule of the ground set, which comes first in it, at the least.
 */
export async function localSearch(
  n: number,
  ground: readonly Rule[],
  settings: LocalSearchSettings,
  work: Work,
): Promise<readonly Rule[]> {
  let chosen: readonly Rule[] = [];
  try {
    for (let most = 1; most <= settings.rules; most++) {
      const before = chosen;
      for (;;) {
        const next = await improved(n, ground, chosen, most, settings, work);
        if (!next) break;
        chosen = next;
      }
      if (chosen === before) break;
    }
  } catch (error) {
    if (!isOutOfBudget(error)) throw error;
    if (chosen.length === 0) chosen = ground.slice(0, 1);
  }
  return chosen;
}

/** The chosen rules after one operation that raises the objective, or undefined. */
async function improved(
  n: number,
  ground: readonly Rule[],
  chosen: readonly Rule[],
  most: number,
  settings: LocalSearchSettings,
  work: Work,
): Promise<readonly Rule[] | undefined> {
  const now = meritOf(settings, standingOf(n, chosen));
  const without = (rule: Rule): Rule[] => chosen.filter((r) => r !== rule);
  const smaller = chosen.map(without).find((rest) => better(meritOf(settings, standingOf(n, rest)), now));
  if (smaller) return smaller;
  const added = chosen.length < most ? bestJoin(n, ground, chosen, now, settings) : undefined;
  if (added) return [...chosen, added];
  for (const rule of chosen) {
    const swapped = bestJoin(n, ground, without(rule), now, settings);
    if (swapped) return [...without(rule), swapped];
    if (work.due()) await work.pause(most, settings.rules);
  }
  return undefined;
}

/** The rule that makes `rest` most valuable, if more than `now`. */
function bestJoin(
  n: number,
  ground: readonly Rule[],
  rest: readonly Rule[],
  now: Value,
  settings: LocalSearchSettings,
): Rule | undefined {
  const standing = standingOf(n, rest);
  const groups = new Set(rest.map(({ group }) => group));
  let best: Rule | undefined;
  let top = now;
  for (const rule of ground) {
    if (rest.includes(rule) || (groups.size >= settings.groups && !groups.has(rule.group))) continue;
    const value = meritOf(settings, joined(standing, rule));
    if (better(value, top)) [best, top] = [rule, value];
  }
  return best;
}
