import type { OpenSets } from "./open-sets.ts";
import type { Option } from "./options.ts";
import type { OpenWay } from "./way.ts";

/** One way as one row sees it. */
export interface RowWay {
  readonly open: OpenWay;
  readonly options: readonly (Option | undefined)[];
  /** The least change and the cost of an edit of each feature that can move, ascending. */
  readonly leasts: readonly number[];
  readonly costs: readonly number[];
}

export function rowWay(open: OpenWay, options: readonly (Option | undefined)[], costs: Float64Array): RowWay {
  const least = new Map<number, number>();
  for (const option of options) {
    if (option) least.set(option.feature, Math.min(option.least, least.get(option.feature) ?? option.least));
  }
  return {
    open,
    options,
    leasts: [...least.values()].sort((a, b) => a - b),
    costs: [...least.keys()].map((k) => costs[k]!).sort((a, b) => a - b),
  };
}

/** The features of some sets of a way. */
export const featuresIn = ({ options }: RowWay, { met }: OpenSets): number[] =>
  options.flatMap((option, o) => (option && met[o] ? [option.feature] : []));
