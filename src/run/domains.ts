import { hasLevels } from "../data/schema.ts";
import type { Domain } from "../explanation.ts";
import type { Setup } from "./contract.ts";

/**
 * Numbers that plans may take where the schema does not name both ends: the column's own ends stand for the others, as far as
 * they are beyond codes for missing values.
 */
export function domainsOf({ constraints, columns }: Pick<Setup, "constraints" | "columns">): Domain[] {
  const { low, high } = columns();
  return constraints.schema.features.flatMap((feature, k) => {
    const { name, min, max, allowed, derived } = feature;
    const named = allowed !== undefined || (min !== undefined && max !== undefined);
    if (named || derived || hasLevels(feature) || !constraints.editable[k]) return [];
    const legal = constraints.domain(k, Number.NaN);
    const [from, to] = [Math.max(min ?? low[k]!, legal.min), Math.min(max ?? high[k]!, legal.max)];
    return [{ feature: name, from, to }];
  });
}
