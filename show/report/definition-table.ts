import { type Html, html } from "./html.ts";

/** Names and what they stand for. */
export function definitionTable(
  caption: string,
  rows: readonly (readonly [string | Html, string | Html])[],
): Html {
  return html`<div class="panel"><table class="facts"><caption>${caption}</caption><tbody>${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</tbody></table></div>`;
}
