import type { Explanation } from "../../src/explanation.ts";
import { confinedTexts, groupTables, type ToldTable } from "../groups.ts";
import type { Locale } from "../locales/contract.ts";
import { type Html, html } from "./html.ts";

/** How recourse differs between groups, where the explanation compares any. */
export function groupsSection(explanation: Explanation, locale: Locale): Html | "" {
  if (!explanation.groups) return "";
  const { papers } = locale;
  return html`<section id="groups" aria-labelledby="groups-title"><h2 id="groups-title">${papers.groupsTitle}</h2>
${groupTables(explanation, locale).map(tableHtml)}
<h3>${papers.groupsConfined}</h3>${explanation.groups.confined?.length ? html`<p class="note">${papers.groupsConfinedNote}</p>` : ""}
<ul class="limits">${confinedTexts(explanation, locale).map((text) => html`<li>${text}</li>`)}</ul></section>`;
}

function tableHtml({ caption, note, heads, rows }: ToldTable): Html {
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div><p class="note">${note}</p>`;
}
