import type { Explanation } from "../../src/explanation.ts";
import { paperCode } from "../code.ts";
import { dateText } from "../date.ts";
import type { Locale } from "../locales/contract.ts";
import { translate } from "../messages.ts";
import { fill, formatFixed, formatNumber, percent, proofSentence } from "../sentences.ts";
import { definitionTable } from "./definition-table.ts";
import { type Html, html } from "./html.ts";

/** Table, model and contents by digest, what is proven in words, and lines to sign. */
export function auditPanel(explanation: Explanation, locale: Locale, date?: string): Html {
  const { papers } = locale;
  return html`<section id="audit" aria-labelledby="audit-title"><h2 id="audit-title">${papers.auditTitle}</h2>
${definitionTable(papers.auditTitle, [...dayAndCode(explanation, locale, date), ...basisFacts(explanation, locale), [papers.auditScopes, scopeList(explanation, locale)]], "heading")}
<p class="note">${papers.auditCheck}</p>
<div class="signature">${[papers.auditDate, papers.letterSign, papers.letterSigner].map((text) => html`<p>${text}</p>`)}</div></section>`;
}

function dayAndCode(explanation: Explanation, locale: Locale, date?: string): [string, string][] {
  if (date === undefined) return [];
  const { papers } = locale;
  return [
    [papers.auditDay, dateText(date, locale)],
    [papers.auditCode, paperCode("report", explanation, date)],
  ];
}

/** What the explanation stands on, as names and facts. */
export function basisFacts({ basis, digest, options }: Explanation, locale: Locale): [string, string][] {
  const { papers } = locale;
  const model = translate(String(options["model"] ?? ""), locale);
  return [
    ...(basis
      ? ([
          [
            papers.auditTable,
            fill(papers.auditTableFact, {
              rows: formatNumber(basis.table.rows, locale),
              digest: basis.table.digest,
            }),
          ],
          [papers.auditModel, fill(papers.auditModelFact, { model, digest: basis.model.digest })],
          [papers.auditQuality, qualityText(basis.model.quality, locale)],
        ] as [string, string][])
      : []),
    [papers.auditDigest, digest ?? papers.auditDigestNone],
  ];
}

/** How often the model is right where outcomes are known. */
export function qualityText(
  quality: NonNullable<Explanation["basis"]>["model"]["quality"] | undefined,
  locale: Locale,
): string {
  const { papers } = locale;
  if (!quality) return papers.auditUnknown;
  const { accuracy, auc, rows, trained } = quality;
  const told = fill(auc === undefined ? papers.auditQualityFact : papers.auditQualityAuc, {
    share: percent(accuracy),
    rows: formatNumber(rows, locale),
    auc: auc === undefined ? "" : formatFixed(auc, 3, locale),
  });
  return trained ? fill(papers.auditQualityTrained, { quality: told }) : told;
}

/** How many rows each kind of proof speaks of, the most first. */
export function scopeTexts({ rows }: Explanation, locale: Locale): string[] {
  const { papers } = locale;
  const counts = new Map<string, number>();
  for (const { proof } of rows) {
    const told = proof ? proofSentence({ ...proof, domain: [] }, locale) : "";
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([proof, count]) =>
      fill(proof ? papers.auditScope : papers.auditScopeNone, { count: formatNumber(count, locale), proof }),
    );
}

/** Kinds of proof named one by one. */
const MOST = 6;

function scopeList(explanation: Explanation, locale: Locale): Html {
  const texts = scopeTexts(explanation, locale);
  const rest = texts.length - MOST;
  return html`<ul class="limits">${texts.slice(0, MOST).map((text) => html`<li>${text}</li>`)}${rest > 0 && html`<li>…</li>`}</ul>`;
}
