import { takeRows } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";

/** The counterfactuals of some people in their order: those whose pair is one of them, with the person's new place. */
export function ofPeople(
  people: readonly number[],
  references: Matrix,
  pairs: ArrayLike<number>,
): { readonly references: Matrix; readonly pairs: readonly number[] } {
  const place = new Map(people.map((person, at) => [person, at]));
  const kept = Array.from({ length: pairs.length }, (_, t) => t).filter((t) => place.has(pairs[t]!));
  return { references: takeRows(references, kept), pairs: kept.map((t) => place.get(pairs[t]!)!) };
}
