import type { Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { heat } from "./heat.ts";
import { palette } from "./theme.ts";

/** Which cells the counterfactual changes and which of them the plan keeps. */
export function changes(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { words } = options.locale ?? en;
  const { features } = explanation.schema;
  return heat(explanation, {
    ...options,
    title: words.changesTitle,
    kinds: [
      { name: words.kept, color: palette.plan },
      { name: words.unneeded, color: palette.unneeded },
    ],
    cell(panel, k, { rows }) {
      const { name } = features[k]!;
      const has = (edits: readonly { feature: string }[]): boolean => edits.some((e) => e.feature === name);
      const kept = rows.filter((row) => has(row.edits)).length;
      const all = panel === "z" ? kept : rows.filter((row) => has(row.proposal)).length;
      if (all === 0) return undefined;
      return {
        kind: 2 * kept >= all ? words.kept : words.unneeded,
        glyph: 2 * kept >= all ? "●" : "",
        share: all / rows.length,
      };
    },
  });
}
