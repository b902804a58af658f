import { featureLabels } from "../figures/labels.ts";
import { glyphs } from "../figures/theme.ts";
import { fill, formatNumber, formatScore, formatSigned } from "../sentences.ts";
import { type Step, type Waterfall, waterfallSteps } from "../steps.ts";
import { type Html, html } from "./html.ts";
import type { ReportContext, ReportRow } from "./pack.ts";

/** φ of a row as a table whose middle column draws the bars; planned features carry the plan's mark. */
export function waterfallTable({ schema, locale }: ReportContext, row: ReportRow): Html | "" {
  const found = waterfallSteps(row);
  if (!found) return "";
  const { words } = locale;
  const labels = featureLabels(schema);
  const planned = new Set(row.edits.map((edit) => edit.feature));
  const nameOf = ({ features }: Step): string =>
    features.length > 1
      ? fill(words.others, { count: formatNumber(features.length, locale) })
      : (planned.has(schema.features[features[0]!]!.name) ? `${glyphs.plan} ` : "") + labels[features[0]!]!;
  const at = scaleOf(found);
  const end = (name: string, value: number): Html =>
    html`<tr class="end"><th scope="row">${name}</th><td>${tick(at(value))}</td><td>${formatScore(value, [], locale)}</td></tr>`;
  return html`<table class="waterfall"><caption>${
    row.space === "margin" ? words.waterfallMargin : words.waterfallCaption
  }</caption>
<colgroup><col class="name"><col><col class="size"></colgroup><thead class="unseen"><tr><th scope="col">${words.feature}</th><th scope="col">${words.contribution}</th><th scope="col">${words.size}</th></tr></thead>
<tbody>${end(words.fromReferences, found.base)}${found.steps.map(
    (step) =>
      html`<tr><th scope="row">${nameOf(step)}</th><td>${bar(at(step.from), at(step.to))}</td><td>${formatSigned(step.phi, locale)}</td></tr>`,
  )}${end(words.toRow, found.end)}</tbody></table>`;
}

/** Positions from 1 to 99 per cent of the column. */
function scaleOf({ base, steps }: Waterfall): (value: number) => number {
  const all = [base, ...steps.map((step) => step.to)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return (value) => (high === low ? 50 : 1 + (98 * (value - low)) / (high - low));
}

function bar(from: number, to: number): Html {
  const width = Math.max(0.6, Math.abs(to - from));
  return html`<svg aria-hidden="true" width="100%" height="12"><rect class="${to < from ? "down" : "up"}" x="${Math.min(from, to).toFixed(1)}%" width="${width.toFixed(1)}%" height="12"/></svg>`;
}

function tick(at: number): Html {
  return html`<svg aria-hidden="true" width="100%" height="12"><rect class="tick" x="${(at - 0.6).toFixed(1)}%" width="1.2%" height="12"/></svg>`;
}
