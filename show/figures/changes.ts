import type { Edit, Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { heat } from "./heat.ts";
import { glyphs, palette } from "./theme.ts";

/** Which cells the counterfactual changes and which of them the plan keeps. */
export function changes(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { words } = options.locale ?? en;
  const { features } = explanation.schema;
  const kept = `${glyphs.plan} ${words.kept}`;
  return heat(explanation, {
    ...options,
    title: words.changesTitle,
    kinds: [
      { name: kept, color: palette.plan },
      { name: words.unneeded, color: palette.unneeded },
    ],
    cell(panel, k, { rows }) {
      const { name } = features[k]!;
      const has = (edits: readonly Edit[]): boolean => edits.some((e) => e.feature === name);
      const planned = rows.filter((row) => has(row.edits)).length;
      const all = panel === "z" ? planned : rows.filter((row) => has(row.proposal)).length;
      if (all === 0) return undefined;
      const share = all / rows.length;
      return 2 * planned >= all
        ? { kind: kept, glyph: glyphs.plan, share }
        : { kind: words.unneeded, glyph: "", share };
    },
  });
}
