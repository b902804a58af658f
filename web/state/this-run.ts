import type { Explanation } from "../../src/explanation.ts";
import type { Compared } from "../engine/protocol.ts";

/** The result beside the methods it is compared with, as every other part shows it: its figures are not worked out again. */
export function thisRun({ totals, effect, rows, goal, curve }: Explanation): Compared {
  const { edits, editsProposed: proposed, valid } = totals;
  return {
    ...{ id: "this run", edits, proposed, valid, rows: totals.rows },
    share: goal.kind === "group" ? effect.share : valid / Math.max(1, totals.rows),
    distance: rows.reduce((sum, row) => sum + row.distance.z, 0) / Math.max(1, rows.length),
    curve: curve.map((point) => ({ edits: point.edits, effect: point.effect })),
  };
}
