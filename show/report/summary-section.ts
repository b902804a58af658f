import type { Explanation } from "../../src/explanation.ts";
import type { Locale } from "../locales/contract.ts";
import type { Counts } from "../saved.ts";
import { fill, formatFixed, formatNumber, percent } from "../sentences.ts";
import { type Html, html } from "./html.ts";

/** The numbers that matter, and what became of rows without a plan. */
export function summarySection(
  explanation: Explanation,
  counts: Counts,
  locale: Locale,
  figures: Html,
): Html {
  const { words } = locale;
  const { totals, effect } = explanation;
  const { saved, proven, cheapest, scored } = counts;
  const per = (edits: number): string => formatFixed(edits / Math.max(1, saved.rows), 2, locale);
  const share = 1 - saved.edits / Math.max(1, saved.proposed);
  const of = (count: number): Html =>
    html`${formatNumber(count, locale)} <small>${fill(words.ofAll, { all: formatNumber(totals.rows, locale) })}</small>`;
  const note = fill(scored < totals.rows ? words.effectNoteOf : words.effectNote, {
    rows: formatNumber(scored, locale),
    on: effect.on === "label" ? words.labels : words.scores,
  });
  const fewer =
    share > 0
      ? fill(words.fewer, { count: formatNumber(saved.proposed, locale), share: percent(share) })
      : words.sameEdits;
  return html`<section id="summary" aria-labelledby="summary-title"><h2 id="summary-title" class="unseen">${words.summary}</h2>
<dl class="tiles">
${explanation.goal.kind === "group" ? tile(words.groupGoal, totals.valid > 0 ? words.reached : words.missed, words.rescored) : tile(words.atGoal, of(totals.valid), words.rescored)}
${tile(words.editsPerRow, per(saved.edits), fill(words.insteadOf, { count: per(saved.proposed) }))}
${tile(words.editsAll, formatNumber(saved.edits, locale), fewer)}
${tile(words.effect, effect.share === null ? "–" : percent(effect.share), note)}
${proven.any > 0 && tile(words.proven, of(proven.any), cheapest ? words.provenCheapest : words.provenNote)}
${proven.among > 0 && tile(words.provenAmong, of(proven.among), cheapest ? words.provenAmongCheapest : words.provenAmongNote)}
</dl>
${statuses(counts, locale)}
${realism(explanation, locale)}
${figures}
</section>`;
}

function tile(name: string, value: string | Html, note: string): Html {
  return html`<div class="tile"><dt>${name}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>`;
}

function statuses({ status }: Counts, locale: Locale): Html | "" {
  const { words } = locale;
  const counts = new Map(status);
  counts.delete("ok");
  if (counts.size === 0) return "";
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${words.notAtGoal}"><table><caption>${words.notAtGoal}</caption>
<thead><tr><th scope="col">${words.status}</th><th scope="col" class="number">${words.count}</th><th scope="col">${words.meaning}</th></tr></thead>
<tbody>${[...counts].map(
    ([status, count]) =>
      html`<tr><th scope="row"><code>${status}</code></th><td class="number">${formatNumber(count, locale)}</td><td>${words[status]}</td></tr>`,
  )}</tbody></table></div>`;
}

/** How usual the plans of each kind are. */
function realism({ realism: kinds = [] }: Explanation, locale: Locale): Html | "" {
  const { words } = locale;
  if (kinds.length === 0) return "";
  const number = (count: number): Html => html`<td class="number">${formatNumber(count, locale)}</td>`;
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${words.realism}"><table><caption>${words.realism}</caption>
<thead><tr><th scope="col">${words.realismKind}</th><th scope="col" class="number">${words.realismValues}</th><th scope="col" class="number">${words.realismUnusual}</th><th scope="col" class="number">${words.realismRules}</th></tr></thead>
<tbody>${kinds.map(
    ({ kind, values, unusual, rulesBroken }) =>
      html`<tr><th scope="row">${words[`realism_${kind}`]}</th>${number(values)}${number(unusual)}${number(rulesBroken)}</tr>`,
  )}</tbody></table></div>`;
}
