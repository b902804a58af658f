import type { TopLevelSpec } from "vega-lite";
import type { Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import { featurePatterns } from "../patterns.ts";
import { fill, formatNumber } from "../sentences.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { barFrame } from "./frame.ts";
import { featureLabels } from "./labels.ts";
import { glyphs, palette, SCHEMA } from "./theme.ts";

/** Which features the plans change most, and how often up, down or to another category. */
export function groups(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { locale = en, maxFeatures = 12 } = options;
  const { words } = locale;
  const labels = featureLabels(explanation.schema);
  const patterns = featurePatterns(explanation).slice(0, maxFeatures);
  const parts = ["up", "down", "other"] as const;
  const names = parts.map((part) => `${glyphs[part]} ${words[part]}`);
  const values = patterns.flatMap((pattern) =>
    parts.flatMap((part, order) =>
      pattern[part] === 0
        ? []
        : [{ feature: labels[pattern.k]!, part: names[order]!, rows: pattern[part], order }],
    ),
  );
  const totals = patterns.map((p) => ({
    feature: labels[p.k]!,
    rows: p.rows,
    text: formatNumber(p.rows, locale),
  }));
  const shown = totals.map((t) => `${t.feature} ${t.text}`).join(", ");
  const spec = {
    $schema: SCHEMA,
    title: words.groupsTitle,
    description: `${words.groupsTitle}. ${fill(words.groupsAlt, { totals: shown === "" ? "–" : shown })}`,
    ...barFrame({
      width: 200,
      height: 22 * Math.max(1, totals.length),
      labels: totals.map((t) => t.feature),
      notes: totals.map((t) => t.text),
      legend: names,
    }),
    data: { values },
    encoding: {
      y: {
        field: "feature",
        type: "nominal",
        sort: null,
        title: null,
        scale: { domain: totals.map((t) => t.feature) },
        axis: { ticks: false, domain: false, labelLimit: 220, labelColor: palette.ink },
      },
    },
    layer: [
      {
        mark: { type: "bar", height: { band: 0.7 } },
        encoding: {
          x: {
            field: "rows",
            type: "quantitative",
            stack: "zero",
            title: words.rowsChanging,
            axis: { tickMinStep: 1, tickCount: 5, grid: false, format: "d" },
          },
          color: {
            field: "part",
            type: "nominal",
            title: null,
            scale: { domain: names, range: parts.map((part) => palette[part]) },
            legend: { orient: "top", direction: "horizontal", offset: 4 },
          },
          order: { field: "order" },
        },
      },
      {
        data: { values: totals },
        mark: { type: "text", align: "left", dx: 5, color: palette.soft },
        encoding: { x: { field: "rows", type: "quantitative" }, text: { field: "text" } },
      },
    ],
  } satisfies TopLevelSpec;
  return spec;
}
