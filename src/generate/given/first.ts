import { takeRows } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";

/** The counterfactuals of the first n factual rows: those t whose pair p_t is below n. */
export function ofFirst(
  n: number,
  references: Matrix,
  pairs: ArrayLike<number>,
): { readonly references: Matrix; readonly pairs: readonly number[] } {
  const kept = Array.from({ length: pairs.length }, (_, t) => t).filter((t) => pairs[t]! < n);
  return { references: takeRows(references, kept), pairs: kept.map((t) => pairs[t]!) };
}
