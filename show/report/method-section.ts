import { labelOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { limitsOf, optionFacts, searchedFact, technicalFacts } from "../facts.ts";
import type { Locale } from "../locales/contract.ts";
import { goalSentence } from "../sentences.ts";
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
<details><summary>${words.technical}</summary><div class="two">${technical(explanation, locale)}${options(explanation, locale)}</div></details>
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

/** The same in the words of the paper and the command line. */
function technical(explanation: Explanation, locale: Locale): Html {
  const { words } = locale;
  const searched = [
    html`<span id="searched">${words.searched}</span>`,
    searchedFact(explanation, locale),
  ] as const;
  return definitionTable(words.technical, [searched, ...technicalFacts(explanation, locale)]);
}

function options(explanation: Explanation, locale: Locale): Html {
  const rows = optionFacts(explanation, locale).map(
    ([name, value]) => [html`<code>${name}</code>`, value] as const,
  );
  return definitionTable(locale.words.optionsCaption, rows);
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
