import type { Explanation } from "../../src/explanation.ts";
import type { Compared } from "../engine/protocol.ts";

/** A result as it stands beside others; its figures are those that every other part shows. */
export function comparedOf(id: string, { totals, effect, rows, goal, curve }: Explanation): Compared {
  const { edits, editsProposed: proposed, valid } = totals;
  return {
    ...{ id, edits, proposed, valid, rows: totals.rows },
    share: goal.kind === "group" ? effect.share : valid / Math.max(1, totals.rows),
    distance: rows.reduce((sum, row) => sum + row.distance.z, 0) / Math.max(1, rows.length),
    curve: curve.map((point) => ({ edits: point.edits, effect: point.effect })),
  };
}
