import { labelOf } from "../../src/data/schema.ts";
import type { Schema } from "../../src/types.ts";
import { rowLabel } from "../figures/labels.ts";
import { glyphs } from "../figures/theme.ts";
import { edgesOf, formatCell, formatScore } from "../sentences.ts";
import { signOf, verdict } from "./card.ts";
import { type Html, html } from "./html.ts";
import type { ReportContext, ReportRow } from "./pack.ts";

/** Rows down, the features that change in any of them across; a dash where nothing changes. */
export function changesTable(context: ReportContext, rows: readonly ReportRow[]): Html {
  const { locale, schema, output } = context;
  const { words } = locale;
  const used = usedFeatures(schema, rows);
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${words.viewTable}"><table class="changes">
<caption>${words.planCaption}</caption>
<thead><tr><th scope="col">${words.row}</th><th scope="col">${output}</th>${used.map(
    (feature) =>
      html`<th scope="col">${labelOf(feature)}${feature.unit && html` <small>${feature.unit}</small>`}</th>`,
  )}</tr></thead>
<tbody>${rows.map((row) => line(context, row, used))}</tbody></table></div>`;
}

function usedFeatures({ features }: Schema, rows: readonly ReportRow[]): Schema["features"] {
  const names = new Set(rows.flatMap((row) => row.edits.map((edit) => edit.feature)));
  return features.filter((feature) => names.has(feature.name));
}

function line(context: ReportContext, row: ReportRow, used: Schema["features"]): Html {
  const { locale, goal, outputs } = context;
  const edges = edgesOf(goal, outputs.length);
  const score = (value: number | null): string => (value === null ? "–" : formatScore(value, edges, locale));
  const mark = row.valid ? "✔" : "✘";
  return html`<tr><th scope="row">${rowLabel(row, locale)}</th><td class="number">${score(row.before)} → ${score(row.after)} <span class="${row.valid ? "good" : "bad"}" role="img" aria-label="${verdict(context, row)}">${mark}</span></td>${used.map(
    (feature) => {
      const edit = row.edits.find((e) => e.feature === feature.name);
      if (!edit)
        return html`<td class="same"><span role="img" aria-label="${locale.words.unchanged}">–</span></td>`;
      const sign = signOf(feature, edit);
      return html`<td class="${sign}"><span class="sign ${sign}" aria-hidden="true">${glyphs[sign]}</span> ${formatCell(edit.from, locale)} → <b>${formatCell(edit.to, locale)}</b></td>`;
    },
  )}</tr>`;
}
