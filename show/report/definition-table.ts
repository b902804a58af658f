import { type Html, html } from "./html.ts";

/** Names and what they stand for; a caption that the heading above says already is read aloud alone. */
export function definitionTable(
  caption: string,
  rows: readonly (readonly [string | Html, string | Html])[],
  named: "caption" | "heading" = "caption",
): Html {
  return html`<div class="panel"><table class="facts"><caption${named === "heading" && html` class="unseen"`}>${caption}</caption><tbody>${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</tbody></table></div>`;
}
