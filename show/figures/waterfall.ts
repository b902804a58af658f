import type { TopLevelSpec } from "vega-lite";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import { fill, formatNumber, formatScore, formatSigned } from "../sentences.ts";
import { waterfallSteps } from "../steps.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { barFrame } from "./frame.ts";
import { featureLabels, rowLabel } from "./labels.ts";
import { glyphs, palette, SCHEMA } from "./theme.ts";

/** φ of one row as a waterfall from the references' score to the row's own; planned features are marked. */
export function waterfall(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { row: at = 0, locale = en, maxFeatures = 9 } = options;
  const { words } = locale;
  const row = explanation.rows[at];
  if (!row) {
    throw new ColaError(
      "OPTION_INVALID",
      `waterfall: there is no row ${at}; give 0 to ${explanation.rows.length - 1}.`,
      {
        row: at,
      },
    );
  }
  const labels = featureLabels(explanation.schema);
  const found = waterfallSteps(row, maxFeatures);
  const planned = new Set(row.edits.map((edit) => edit.feature));
  const steps = (found?.steps ?? []).map((step) => ({
    label: nameOf(step.features),
    from: step.from,
    to: step.to,
    kind: step.phi < 0 ? words.lowers : words.raises,
    text: formatSigned(step.phi, locale),
    side: Math.max(step.from, step.to),
  }));
  function nameOf(features: readonly number[]): string {
    if (features.length > 1) return fill(words.others, { count: formatNumber(features.length, locale) });
    const [k] = features as [number];
    return planned.has(explanation.schema.features[k]!.name) ? `${glyphs.plan} ${labels[k]!}` : labels[k]!;
  }
  const ends = found
    ? [
        { label: words.fromReferences, value: found.base, text: formatScore(found.base, [], locale) },
        { label: words.toRow, value: found.end, text: formatScore(found.end, [], locale) },
      ]
    : [];
  const order = [ends[0]?.label, ...steps.map((step) => step.label), ends[1]?.label].filter(
    (l) => l !== undefined,
  );
  const title = fill(words.waterfallTitle, { row: rowLabel(row, locale), output: explanation.output });
  const x = {
    type: "quantitative" as const,
    title: `${found?.space === "margin" ? words.margin : words.score} · ${glyphs.plan} ${words.kept}`,
  };
  const spec = {
    $schema: SCHEMA,
    title,
    description: `${title}. ${order.join(", ")}.`,
    ...barFrame({
      width: 260,
      height: 24 * Math.max(1, order.length),
      labels: order,
      notes: ["+0.000"],
      legend: [words.raises, words.lowers],
    }),
    encoding: {
      y: {
        field: "label",
        type: "nominal",
        title: null,
        scale: { domain: order },
        axis: { ticks: false, domain: false, labelLimit: 220, labelColor: palette.ink },
      },
    },
    layer: [
      {
        data: { values: steps },
        mark: { type: "bar", height: { band: 0.66 } },
        encoding: {
          x: { ...x, field: "from", scale: { zero: false }, axis: { tickCount: 5 } },
          x2: { field: "to" },
          color: {
            field: "kind",
            type: "nominal",
            title: null,
            scale: { domain: [words.raises, words.lowers], range: [palette.up, palette.down] },
            legend: { orient: "top", direction: "horizontal", offset: 4 },
          },
        },
      },
      {
        data: { values: steps },
        mark: { type: "text", align: "left", dx: 5, color: palette.soft },
        encoding: { x: { ...x, field: "side" }, text: { field: "text" } },
      },
      {
        data: { values: ends },
        mark: { type: "tick", opacity: 1, thickness: 3, height: { band: 0.8 }, color: palette.ink },
        encoding: { x: { ...x, field: "value" } },
      },
      {
        data: { values: ends },
        mark: { type: "text", align: "left", dx: 6, color: palette.ink, fontWeight: 600 },
        encoding: { x: { ...x, field: "value" }, text: { field: "text" } },
      },
    ],
  } satisfies TopLevelSpec;
  return spec;
}
