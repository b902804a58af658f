import type { Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import { directionOf } from "../sentences.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { heat } from "./heat.ts";
import { glyphs, palette } from "./theme.ts";

const PARTS = ["up", "down", "other"] as const;

/** In which direction each changed cell goes; the sign is a glyph as well as a colour. */
export function directions(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { words } = options.locale ?? en;
  const { features } = explanation.schema;
  const names = {
    up: `${glyphs.up} ${words.up}`,
    down: `${glyphs.down} ${words.down}`,
    other: `${glyphs.other} ${words.other}`,
  };
  return heat(explanation, {
    ...options,
    title: words.directionsTitle,
    kinds: PARTS.map((part) => ({ name: names[part], color: palette[part] })),
    cell(panel, k, { rows }) {
      const feature = features[k]!;
      const counts = { up: 0, down: 0, other: 0 };
      for (const row of rows) {
        const edit = row[panel === "q" ? "proposal" : "edits"].find((e) => e.feature === feature.name);
        if (!edit) continue;
        const sign = directionOf(feature, edit);
        counts[sign > 0 ? "up" : sign < 0 ? "down" : "other"]++;
      }
      const most = PARTS.reduce((a, b) => (counts[b] > counts[a] ? b : a));
      if (counts[most] === 0) return undefined;
      const share = (counts.up + counts.down + counts.other) / rows.length;
      return { kind: names[most], glyph: glyphs[most], share };
    },
  });
}
