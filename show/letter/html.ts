import { Html, html } from "../report/html.ts";
import { contentPolicy } from "../report/policy.ts";
import type { Letter } from "./letter.ts";
import type { LetterPart } from "./part.ts";
import { letterSize } from "./size.ts";

/** A page with margins of 17 mm on A4 and Letter; a long letter is set smaller, so that it stays one page. */
const style = `
@page{margin:17mm}
*{box-sizing:border-box}
html{color-scheme:light;--size:1}
html.long{--size:.9}
html.longer{--size:.8}
html.longest{--size:.7}
body{margin:0 auto;max-width:176mm;padding:12mm 8mm;background:#fff;color:#16202b;font:calc(10.6pt*var(--size))/1.42 "Charter","Georgia","Noto Serif","DejaVu Serif",serif;overflow-wrap:anywhere}
@media print{body{padding:0;max-width:none}}
h1,h2,p,ol,ul,dl,dd{margin:0;padding:0}
header{border-bottom:1.5pt solid #16202b;padding-bottom:.7em;margin-bottom:1em}
.sender{font-weight:700;margin-bottom:1.1em;letter-spacing:.01em}
h1{font-size:1.55em;line-height:1.2;margin-bottom:.55em}
dl{display:flex;flex-wrap:wrap;gap:.2em 2.4em;color:#3f4b59}
dl div{display:flex;gap:.5em}
dd{font-weight:700;color:#16202b}
section{margin-top:.95em;break-inside:avoid}
h2{font-size:1.06em;margin-bottom:.2em;color:#0b4f7d}
p{margin:.15em 0}
ol,ul{margin:.35em 0 .35em 1.6em}
li{padding-left:.25em;margin:.12em 0}
.plan li{font-weight:700}
.limits{border-left:2.5pt solid #c9d3de;padding-left:.8em;color:#3f4b59}
.limits h2{color:#3f4b59}
.sign{display:flex;gap:12mm;margin-top:3.4em;break-inside:avoid}
.sign p{flex:1;border-top:.8pt solid #16202b;padding-top:.3em;color:#3f4b59;font-size:.88em}
footer{margin-top:1.5em;border-top:.8pt solid #c9d3de;padding-top:.5em;color:#3f4b59;font-size:.84em;break-inside:avoid}
footer b{font:700 1.12em "DejaVu Sans Mono","Consolas",monospace;color:#16202b;letter-spacing:.04em;white-space:nowrap}
footer .made{font-size:.8em;overflow-wrap:anywhere}
`;

/** A letter as one page that needs nothing else, to be printed on A4 or Letter; nothing in it runs or is loaded. */
export function letterHtml(letter: Letter): string {
  const [label, code, note] = letter.code;
  return `<!doctype html>
${html`<html lang="${letter.lang}" class="${letterSize(letter)}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${letter.title} – ${letter.about[1]}</title><style>${new Html(style)}</style></head><body>
<header>${
  letter.sender &&
  html`<p class="sender">${letter.sender}</p>
`
}<h1>${letter.title}</h1>
<dl><div><dt>${letter.about[0]}</dt><dd>${letter.about[1]}</dd></div>
<div><dt>${letter.date[0]}</dt><dd><time datetime="${letter.date[2]}">${letter.date[1]}</time></dd></div></dl></header>
<main>${letter.parts.map(section)}
<div class="sign">${letter.sign.map((name) => html`<p>${name}</p>`)}</div></main>
<footer><p>${label}: <b>${code}</b>. ${note}</p>
${letter.basis.map((text) => html`<p class="made">${text}</p>`)}
<p class="made">${letter.made}</p></footer>
</body></html>
`}`;
}

function section({ kind, heading, before, items, after }: LetterPart): Html {
  const list = items.map((text) => html`<li>${text}</li>`);
  return html`<section class="${kind}"><h2>${heading}</h2>${paragraphs(before)}${
    items.length > 0 && (kind === "reasons" ? html`<ol>${list}</ol>` : html`<ul>${list}</ul>`)
  }${paragraphs(after)}</section>
`;
}

const paragraphs = (texts: readonly string[]): Html => html`${texts.map((text) => html`<p>${text}</p>`)}`;
