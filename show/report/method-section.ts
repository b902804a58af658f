import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Feature } from "../../src/types.ts";
import type { Locale } from "../locales/contract.ts";
import type { Words } from "../locales/en-words.ts";
import { fill, formatCell, formatNumber, formatScore, goalSentence } from "../sentences.ts";
import { auditPanel } from "./audit-panel.ts";
import { definitionTable } from "./definition-table.ts";
import { type Html, html } from "./html.ts";

/** How the plans were made, with everything needed to make them again, and what they do not say. */
export function methodSection(explanation: Explanation, locale: Locale): Html {
  const { words } = locale;
  const limits = [
    words.limitCausal,
    words.limitPromise,
    words.limitReasons,
    words.limitScope,
    words.limitGroup,
  ];
  return html`<section id="method" aria-labelledby="method-title"><h2 id="method-title">${words.method}</h2>
<h3>${words.limitsTitle}</h3><ul class="limits">${limits.map((text) => html`<li>${text}</li>`)}</ul>
${facts(explanation, locale)}
${constraints(explanation, locale)}
${auditPanel(explanation, locale)}
<details><summary>${words.technical}</summary><div class="two">${technical(explanation, locale)}${options(explanation, words)}</div></details>
</section>`;
}

function facts(explanation: Explanation, locale: Locale): Html {
  const { words } = locale;
  const { method, versions } = explanation;
  const rows: [string, string][] = [
    [words.goal, goalSentence(explanation.goal, explanation.output, locale)],
    [words.output, explanation.output],
    [words.dependence, method.dependsOnGroup ? words.dependsOnGroup : words.dependsOnRow],
    [words.seed, String(explanation.seed)],
    [
      words.version,
      Object.entries(versions)
        .map((pair) => pair.join(" "))
        .join(", "),
    ],
    [words.wording, locale.id],
    [words.runHash, explanation.runHash],
  ];
  return definitionTable(words.methodCaption, rows);
}

/** The values that plans were looked for among. */
function searchedFact({ values }: Explanation["options"], words: Locale["words"]): string {
  if (values === "near") return fill(words.searchedNear, { count: "50" });
  return values === "least" ? words.searchedAny : words.searchedFact;
}

/** The same in the words of the paper and the command line. */
function technical({ attribution, coupling, effect, method, options }: Explanation, locale: Locale): Html {
  const { words } = locale;
  const rows: [string | Html, string][] = [
    [html`<span id="searched">${words.searched}</span>`, searchedFact(options, words)],
    [words.coupling, coupling ? couplingNote(coupling, locale) : method.coupling],
    [words.values, method.value],
    [words.policy, method.policy],
    [
      words.effectMeasure,
      fill(words.effectFact, {
        divergence: effect.divergence,
        on: effect.on === "label" ? words.labels : words.scores,
        before: formatScore(effect.before, [], locale),
        after: formatScore(effect.after, [], locale),
      }),
    ],
    [
      words.attributionMethod,
      fill(words.attributionNote, {
        how: attribution.exact ? words.exact : words.sampled,
        space: words[`space_${attribution.space}`],
        residual: attribution.residual.toExponential(1).replace(".", locale.numbers.decimal),
      }),
    ],
  ];
  return definitionTable(words.technical, rows);
}

function couplingNote(coupling: NonNullable<Explanation["coupling"]>, locale: Locale): string {
  const { words } = locale;
  return fill(words.couplingNote, {
    name: coupling.name,
    entries: formatNumber(coupling.entries, locale),
    converged: coupling.converged ? words.converged : words.notConverged,
    gap: formatNumber(coupling.gap, locale),
  });
}

function options(explanation: Explanation, words: Words): Html {
  const rows = Object.entries(explanation.options).map(([name, value]): [Html, string] => [
    html`<code>${name}</code>`,
    value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return definitionTable(words.optionsCaption, rows);
}

function constraints({ schema }: Explanation, locale: Locale): Html {
  const { words } = locale;
  const rules = schema.rules ?? [];
  return html`<details><summary>${words.rulesCaption}</summary><div class="panel scroll" tabindex="0" role="region" aria-label="${words.rulesCaption}"><table><caption>${words.rulesCaption}</caption>
<thead><tr><th scope="col">${words.feature}</th><th scope="col">${words.kind}</th><th scope="col">${words.limits}</th></tr></thead>
<tbody>${schema.features.map(
    (feature) =>
      html`<tr><th scope="row">${labelOf(feature)}</th><td>${words[`kind_${feature.kind}`]}</td><td>${limitsOf(feature, locale)}</td></tr>`,
  )}</tbody></table></div>
${rules.length > 0 && html`<p>${words.rules}: ${rules.map((rule, i) => html`${i > 0 && ", "}<code>${rule}</code>`)}</p>`}</details>`;
}

/** What a feature may become, in words. */
function limitsOf(feature: Feature, locale: Locale): string {
  const { words } = locale;
  const number = (value: number): string => formatNumber(value, locale);
  if (feature.derived) return fill(words.derived, { expression: feature.derived });
  if (feature.immutable) return words.fixed;
  const levels = levelsOf(feature);
  const list = feature.allowed ?? (feature.kind === "boolean" ? [] : levels);
  const parts = [
    list.length > 0 &&
      fill(words.oneOf, { list: list.map((cell) => formatCell(cell, locale)).join(locale.numbers.list) }),
    feature.min !== undefined && fill(words.atLeast, { value: number(feature.min) }),
    feature.max !== undefined && fill(words.atMost, { value: number(feature.max) }),
    feature.step !== undefined && fill(words.inSteps, { value: number(feature.step) }),
    feature.direction === "up" && words.onlyUp,
    feature.direction === "down" && words.onlyDown,
    feature.transitions &&
      Object.entries(feature.transitions)
        .map(([from, to]) => `${from} → ${to.join(" / ") || "–"}`)
        .join("; "),
    feature.editMissing && words.mayBeMissing,
    feature.cost !== undefined && fill(words.costs, { value: number(feature.cost) }),
    feature.tolerance !== undefined && fill(words.tolerated, { value: number(feature.tolerance) }),
  ].filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join("; ") : words.free;
}
