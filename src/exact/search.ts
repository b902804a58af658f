import { betweenOf } from "./between.ts";
import type { ExactStudy, Leaves, Way } from "./contract.ts";
import type { ExactSearch } from "./plan.ts";
import { RowSearch } from "./row-search.ts";
import { leafWay, type OpenWay } from "./way.ts";

/**
 * The search over models whose margins are sums over leaves. Undefined where a rule reads a column of which the model
 * takes no interval and which has too many values to be looked at one by one.
 */
export function leafSearch(study: ExactStudy, flatten: (way: Way) => Leaves): ExactSearch | undefined {
  const { constraints } = study;
  const between = constraints.hasRules || constraints.hasDerived ? betweenOf(constraints) : undefined;
  const ways = study.ways.map((way) => leafWay(study, way, flatten(way), between));
  if (ways.includes(undefined)) return undefined;
  return {
    plan: (x, options = {}) => new RowSearch(study, ways as OpenWay[], between, x, options).plan(),
  };
}
