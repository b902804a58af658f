import type { Between } from "./between.ts";
import { added, addedOver, type LinearSum } from "./linear-bounds.ts";
import type { Found } from "./orthant.ts";
import type { SafeRange } from "./plan.ts";
import { type CellValues, isSide } from "./row.ts";

/** Halvings of a range: its end is found to a millionth. */
const HALVINGS = 20;

/**
 * How far each edited number may go beyond its planned value so that every row between still meets all demands and
 * rules, whatever the other numbers do within their own ranges.
 */
export function linearRanges(
  { features, moves, values }: Found,
  sums: readonly LinearSum[],
  rest: readonly number[],
  cells: readonly (CellValues | undefined)[],
  between: Between | undefined,
): SafeRange[] {
  const to = [...values];
  const holds = (): boolean => {
    for (const [q, k] of features.entries()) between?.set(k, values[q]!, to[q]!);
    if (between && !(between.may() && between.certain())) return false;
    return sums.every(({ terms, sure }, c) => {
      let least = rest[c]!;
      features.forEach((k, q) => {
        least += Math.min(added(terms[k]!, values[q]!), added(terms[k]!, to[q]!));
      });
      for (const k of between?.columns ?? []) least -= addedOver(terms[k]!, k, between!, -1);
      return least >= sure;
    });
  };
  const certain = holds();
  return moves.flatMap((move, q) => {
    if (!isSide(move)) return [];
    const k = features[q]!;
    const end = move.last[move.count]!;
    let safe = values[q]!;
    const tries = (v: number): boolean => {
      to[q] = v;
      if (!holds()) return false;
      safe = v;
      return true;
    };
    if (certain && !tries(end)) {
      for (let t = 0, far = end; t < HALVINGS; t++) {
        const middle = safe + (far - safe) / 2;
        const inner = move.up ? cells[k]!.legal.below(middle) : cells[k]!.legal.above(middle);
        const farther = move.up ? inner > safe : inner < safe;
        if (!farther || !tries(inner)) far = middle;
      }
    }
    to[q] = safe;
    return [{ feature: k, from: values[q]!, to: safe, open: safe === end }];
  });
}
