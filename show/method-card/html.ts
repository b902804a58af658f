import { Html, html } from "../report/html.ts";
import { contentPolicy } from "../report/policy.ts";
import type { CardSection, CardTable, MethodCard } from "./card.ts";

const style = `
@page{margin:16mm}
*{box-sizing:border-box}
html{color-scheme:light}
body{margin:0 auto;max-width:190mm;padding:10mm 6mm;background:#fff;color:#16202b;font:10pt/1.42 "Segoe UI","Helvetica Neue","DejaVu Sans",Arial,sans-serif;overflow-wrap:anywhere}
@media print{body{padding:0;max-width:none}}
h1,h2,p,ul,ol{margin:0;padding:0}
header{border-bottom:1.5pt solid #16202b;padding-bottom:.6em}
h1{font-size:1.8em;line-height:1.2}
h2{font-size:1.15em;color:#0b4f7d;margin:1.3em 0 .3em;break-after:avoid}
p{margin:.3em 0;max-width:72ch}
ul{margin:.3em 0 .3em 1.4em;max-width:72ch}
table{width:100%;table-layout:fixed;border-collapse:collapse;margin:.5em 0;font-size:.94em}
th,td{text-align:left;vertical-align:top;padding:.25em .7em .25em 0;border-bottom:.6pt solid #dbe3eb;font-weight:400}
tr{break-inside:avoid}
thead th{font-weight:700;color:#3f4b59}
.facts th{width:30%;font-weight:700;color:#3f4b59}
.evidence td:first-child{width:2em;font-weight:700}
.evidence thead th:nth-child(2){width:36%}
.monitoring thead th:nth-child(1){width:44%}
.monitoring thead th:nth-child(2){width:14%}
.approach thead th,.data thead th:nth-child(1){width:30%}
.data thead th:nth-child(2){width:18%}
.good{color:#116b3a}
.bad{color:#a3281c}
.sign{display:flex;gap:10mm;margin-top:3.6em;break-inside:avoid}
.sign p{flex:1;border-top:.8pt solid #16202b;padding-top:.3em;color:#3f4b59;font-size:.88em}
footer{margin-top:1.5em;border-top:.8pt solid #c9d3de;padding-top:.5em;color:#3f4b59;font-size:.86em;break-inside:avoid}
footer b{font:700 1.12em "DejaVu Sans Mono","Consolas",monospace;color:#16202b;white-space:nowrap}
`;

/** A method card as a page that needs nothing else; nothing in it runs or is loaded. */
export function cardHtml(card: MethodCard): string {
  return `<!doctype html>
${html`<html lang="${card.lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${card.title}</title><style>${new Html(style)}</style></head><body>
<header><h1>${card.title}</h1><p>${card.lead}</p></header>
<main>${card.sections.map(section)}
<div class="sign">${card.sign.map((name) => html`<p>${name}</p>`)}</div></main>
<footer><p>${card.code[0]}: <b>${card.code[1]}</b></p><p>${card.made}</p></footer>
</body></html>
`}`;
}

function section({ kind, heading, texts, items, tables }: CardSection, number: number): Html {
  return html`<section class="${kind}"><h2>${number + 1}. ${heading}</h2>${texts.map((text) => html`<p>${text}</p>`)}${
    items.length > 0 && html`<ul>${items.map((text) => html`<li>${text}</li>`)}</ul>`
  }${tables.map((table) => tableHtml(kind, table))}</section>
`;
}

const MARKS: Readonly<Record<string, string>> = { "✔": "good", "✘": "bad", "–": "none" };

/** The first cell of a row is its name; of evidence, the second, behind a mark. */
function tableHtml(kind: CardSection["kind"], { heads, rows }: CardTable): Html {
  const at = kind === "evidence" ? 1 : 0;
  const cell = (text: string, c: number): Html => {
    if (c === at) return html`<th scope="row">${text}</th>`;
    return c < at ? html`<td class="${MARKS[text]}">${text}</td>` : html`<td>${text}</td>`;
  };
  const head =
    heads.length > 0 &&
    html`<thead><tr>${heads.map((text) => (text === "" ? html`<td></td>` : html`<th scope="col">${text}</th>`))}</tr></thead>`;
  return html`<table${heads.length === 0 && new Html(' class="facts"')}>${head}<tbody>${rows.map(
    (row) => html`<tr>${row.map(cell)}</tr>`,
  )}</tbody></table>`;
}
