import type { Explanation } from "../../../src/explanation.ts";
import { merge } from "../../../src/run/merge.ts";
import type { ExplainInput } from "../../../src/run/open.ts";

/** Forgets that the rows of a later part come after those of the earlier ones. */
export function withoutRenumbering(parts: readonly Explanation[], input: ExplainInput): Explanation {
  return { ...merge(parts, input), rows: parts.flatMap((part) => part.rows) };
}

/** Puts the curves of the parts one after the other instead of drawing one over all rows. */
export function curvesInTurn(parts: readonly Explanation[], input: ExplainInput): Explanation {
  return { ...merge(parts, input), curve: parts.flatMap((part) => part.curve) };
}

/** Draws no curve when a part has none, though the others do. */
export function curveLost(parts: readonly Explanation[], input: ExplainInput): Explanation {
  const merged = merge(parts, input);
  return parts.some((part) => part.curve.length === 0) ? { ...merged, curve: [] } : merged;
}

/** Keeps the name of the first part's question. */
export function hashOfTheFirst(parts: readonly Explanation[], input: ExplainInput): Explanation {
  return { ...merge(parts, input), runHash: parts[0]!.runHash };
}
