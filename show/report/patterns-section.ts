import type { Explanation } from "../../src/explanation.ts";
import { featureLabels } from "../figures/labels.ts";
import { glyphs } from "../figures/theme.ts";
import type { Locale } from "../locales/contract.ts";
import { featurePatterns, planPatterns, typicalChange } from "../patterns.ts";
import { fill, formatNumber, percent } from "../sentences.ts";
import { type Html, html } from "./html.ts";

const COMBOS = 8;

/** Which features the plans change, how, and which of them together. */
export function patternsSection(explanation: Explanation, locale: Locale, figures: Html): Html {
  const { words } = locale;
  return html`<section id="patterns" aria-labelledby="patterns-title"><h2 id="patterns-title">${words.patterns}</h2>
${featuresTable(explanation, locale)}
<div class="two">${combosTable(explanation, locale)}${figures}</div>
</section>`;
}

function featuresTable(explanation: Explanation, locale: Locale): Html {
  const { words } = locale;
  const { features } = explanation.schema;
  const labels = featureLabels(explanation.schema);
  const sign = (part: "up" | "down" | "other"): Html =>
    html`<th scope="col" class="number"><span class="sign ${part}" aria-hidden="true">${glyphs[part]}</span> ${words[part]}</th>`;
  const number = (count: number): string => (count === 0 ? "–" : formatNumber(count, locale));
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${words.featuresCaption}"><table><caption>${words.featuresCaption}</caption>
<thead><tr><th scope="col">${words.feature}</th><th scope="col" class="number">${words.rows}</th>${sign("up")}${sign("down")}${sign("other")}<th scope="col">${words.typical}</th></tr></thead>
<tbody>${featurePatterns(explanation).map(
    ({ k, rows, up, down, other, edits }) =>
      html`<tr><th scope="row">${labels[k]!}</th><td class="number">${number(rows)}</td><td class="number">${number(up)}</td><td class="number">${number(down)}</td><td class="number">${number(other)}</td><td>${typicalChange(features[k]!, edits, locale)}</td></tr>`,
  )}</tbody></table></div>`;
}

function combosTable(explanation: Explanation, locale: Locale): Html {
  const { words } = locale;
  const labels = featureLabels(explanation.schema);
  const all = planPatterns(explanation);
  const total = all.reduce((sum, { rows }) => sum + rows.length, 0);
  const rest = all.length - COMBOS;
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${words.combosCaption}"><table><caption>${words.combosCaption}</caption>
<thead><tr><th scope="col">${words.combo}</th><th scope="col" class="number">${words.rows}</th><th scope="col" class="number">${words.share}</th></tr></thead>
<tbody>${all
    .slice(0, COMBOS)
    .map(
      ({ features, rows }) =>
        html`<tr><th scope="row">${features.map((k) => labels[k]!).join(" + ")}</th><td class="number">${formatNumber(rows.length, locale)}</td><td class="number">${percent(rows.length / total)}</td></tr>`,
    )}</tbody></table>${rest > 0 && html`<p class="note">${fill(words.moreCombos, { count: formatNumber(rest, locale) })}</p>`}</div>`;
}
