import { palette } from "../figures/theme.ts";

const light = {
  ...palette,
  page: "#f4f6f8",
  card: "#ffffff",
  shade: "#eef1f5",
  focus: "#0072b2",
  good: "#00614a",
  goodBack: "#e0f2ec",
  bad: "#99370b",
  badBack: "#fdebe1",
} as const;

const dark: Readonly<Record<keyof typeof light, string>> = {
  ink: "#e7ecf2",
  soft: "#a6b2c1",
  line: "#364252",
  empty: "#222c38",
  paper: "#18202a",
  onMark: "#10161d",
  plan: "#5fb4ea",
  unneeded: "#a98245",
  up: "#5fb4ea",
  down: "#f0935a",
  other: "#cf9dc7",
  page: "#10161d",
  card: "#18202a",
  shade: "#222c38",
  focus: "#5fb4ea",
  good: "#86dcc0",
  goodBack: "#14352c",
  bad: "#f6b695",
  badBack: "#40220f",
};

const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");

/** Figures are drawn in the light palette; each of its colours follows the scheme of the page. */
const figureColours = Object.entries(palette)
  .map(
    ([name, colour]) =>
      `.figure [fill="${colour}"]{fill:var(--${name})}.figure [stroke="${colour}"]{stroke:var(--${name})}`,
  )
  .join("\n");

/** The style sheet: light and dark, print, phone. No font, image or other file is loaded. */
export const style = `
:root{color-scheme:light dark;${variables(light)}}
@media screen and (prefers-color-scheme:dark){:root{${variables(dark)}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:4rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
h1,h2,h3,h4,p,dl,dd,ul,ol,figure{margin:0;padding:0}
h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.01em}
h2{font-size:1.35rem;font-weight:650;margin-bottom:1rem}
h3{font-size:1.02rem;font-weight:650}
h4{font-size:.78rem;font-weight:650;color:var(--soft);text-transform:uppercase;letter-spacing:.05em;margin-bottom:.5rem}
a{color:inherit}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--shade);padding:.1em .35em;border-radius:4px}
small{color:var(--soft);font-weight:400;font-size:.85em}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:4px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px;top:.5rem;background:var(--card);padding:.5rem 1rem;border-radius:6px;z-index:3}
.skip:focus{left:1rem}
.wrap,main,.menu ul{max-width:1080px;margin:0 auto;padding-inline:1.25rem}
.top{padding-block:2.75rem 1.5rem}
.lead{font-size:1.08rem;color:var(--soft);margin-top:.5rem;max-width:46rem}
.menu{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line)}
.menu ul{display:flex;gap:1.4rem;list-style:none;overflow-x:auto;padding-block:.15rem}
.menu a{display:block;padding:.6rem 0;text-decoration:none;color:var(--soft);font-size:.94rem;white-space:nowrap}
.menu a:hover{color:var(--ink);text-decoration:underline;text-underline-offset:.3em}
main>section{margin:2.5rem 0 3rem}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1.25rem;align-items:start}
.two>*{min-width:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:1rem;margin-bottom:1.25rem}
.tile,.figure,.card,.panel{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:1rem 1.1rem}
.tile dt{font-size:.85rem;color:var(--soft)}
.tile .value{font-size:1.75rem;font-weight:650;line-height:1.25;letter-spacing:-.01em;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.tile small{font-size:1rem;letter-spacing:0}
.note{color:var(--soft);font-size:.88rem}
.note::first-letter{text-transform:uppercase}
.figure{padding:1.1rem 1.25rem 1rem;margin:0 0 1.25rem}
.figure figcaption{margin-bottom:.75rem}
.figure svg{display:block;max-width:100%;height:auto;margin:0 auto}
.figure.wide svg{max-width:none}
.figure text{font-family:inherit}
.two>.figure,.two>.panel{margin:0}
.two>.figure{height:100%}
${figureColours}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;font-weight:650;padding:.9rem 1rem .5rem}
th,td{text-align:left;vertical-align:top;padding:.42rem .75rem;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--soft);font-weight:500;font-size:.83rem;white-space:nowrap}
tbody th{font-weight:500}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.panel{padding-bottom:.35rem;margin-bottom:1.25rem}
.panel th:first-child{padding-left:1rem}
.panel .note{padding:.3rem 1rem}
.facts td{overflow-wrap:anywhere}
.facts th{white-space:nowrap;color:var(--soft);font-weight:400}
.sign{font-size:.8em}
.sign.up,td.up{color:var(--up)}
.sign.down,td.down{color:var(--down)}
.sign.other,td.other{color:var(--other)}
td.up,td.down,td.other{font-weight:500}
td.same{color:var(--soft)}
.tools{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:end;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.9rem 1.1rem;margin-bottom:1rem}
.tools[hidden]{display:none}
.tools label{font-size:.83rem;color:var(--soft);display:grid;gap:.2rem}
.tools .grow{flex:1 1 13rem}
.tools input[type=search],.tools select,.tools button{font:inherit;font-size:.94rem;color:var(--ink);background:var(--card);border:1px solid var(--soft);border-radius:6px;padding:.38rem .6rem;min-height:2.4rem}
.tools input[type=search]{width:100%}
.tools input::placeholder{color:var(--soft);opacity:1}
.tools fieldset{border:0;padding:0;margin:0;display:flex;gap:1rem;min-height:2.4rem;align-items:center}
.tools fieldset label{display:flex;gap:.4rem;align-items:center;color:var(--ink);font-size:.94rem}
.tools input[type=radio]{accent-color:var(--plan);width:1.05rem;height:1.05rem;margin:0}
.tools button{cursor:pointer;white-space:nowrap}
.tools button:hover{background:var(--shade)}
.tools button[aria-disabled=true]{color:var(--soft);border-color:var(--line);cursor:default}
.pages{display:flex;gap:.75rem;align-items:center;margin-left:auto}
.pages span{flex:1;min-width:6.5rem;text-align:center;font-size:.9rem;font-variant-numeric:tabular-nums}
.cards{list-style:none;display:grid;gap:1rem}
.card{padding:1.1rem 1.25rem;overflow-wrap:break-word}
.card header>*{min-width:0}
.card header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.card h3{font-size:1.12rem}
.badge{font-size:.85rem;font-weight:550;border-radius:99px;padding:.16rem .7rem;white-space:nowrap}
.badge.good{color:var(--good);background:var(--goodBack)}
.badge.bad{color:var(--bad);background:var(--badBack)}
span.good{color:var(--good)}
span.bad{color:var(--bad)}
.scores{font-variant-numeric:tabular-nums;margin-top:.15rem}
.track{display:block;max-width:30rem;margin:.3rem 0 1rem}
.track .rail{stroke:var(--line);stroke-width:4;stroke-linecap:round}
.track .edge{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:2 2}
.track .move{stroke:var(--plan);stroke-width:4}
.track .from{fill:var(--card);stroke:var(--soft);stroke-width:2}
.track .to{fill:var(--plan)}
.card .two{gap:1.25rem 2.25rem}
.plan{list-style:none;display:grid;gap:.35rem;margin-bottom:.7rem}
.plan li{font-size:1.02rem;display:grid;grid-template-columns:1.4rem 1fr;align-items:baseline}
.plan .none{display:block}
.plan+.note,.note+.note{margin-top:.35rem}
.note+h4{margin-top:1rem}
.note+h3{margin-top:1.5rem}
.proof{font-weight:600;color:var(--ink)}
.reasons{padding-left:1.2rem;margin-bottom:.6rem;font-size:.95rem}
.waterfall{font-size:.84rem;table-layout:fixed}
.waterfall caption{padding:.4rem 0 .3rem;font-weight:400;color:var(--soft)}
.waterfall th,.waterfall td{border:0;padding:.14rem .4rem .14rem 0;vertical-align:middle}
.waterfall .name{width:36%}
.waterfall .size{width:4.2rem}
.waterfall th{font-weight:400;line-height:1.25}
.waterfall td:last-child{text-align:right;padding-right:0;font-variant-numeric:tabular-nums}
.waterfall .end th,.waterfall .end td{font-weight:600}
.waterfall svg{display:block}
.waterfall .up{fill:var(--up)}
.waterfall .down{fill:var(--down)}
.waterfall .tick{fill:var(--ink)}
details{margin-top:.8rem}
details .panel{margin-top:.6rem}
summary{cursor:pointer;color:var(--soft);font-size:.9rem;width:max-content}
summary:hover{color:var(--ink)}
.changes{border-collapse:separate;border-spacing:0}
.changes td,.changes th{white-space:nowrap}
.changes tbody th,.changes thead th:first-child{position:sticky;left:0;background:var(--card)}
.limits{padding-left:1.2rem;display:grid;gap:.45rem;max-width:52rem;margin:.6rem 0 1.5rem}
footer{border-top:1px solid var(--line);margin-top:3rem;padding:1.25rem 0 2.5rem;color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
@media (max-width:40rem){
h1{font-size:1.5rem}
.top{padding-block:1.75rem 1rem}
.tiles{grid-template-columns:1fr 1fr;gap:.7rem}
.tile{padding:.8rem .85rem}
.tile .value{font-size:1.4rem}
.figure{padding:.9rem .85rem}
.card{padding:.95rem 1rem}
.tools>label{flex:1 1 8rem}
.tools select{width:100%}
.pages{margin:0;width:100%;gap:.5rem;justify-content:space-between}
.pages span{min-width:0}
.facts th{white-space:normal}
}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{
body{background:#fff;font-size:10.5pt}
.menu,.tools,.skip,noscript{display:none}
.wrap,main{max-width:none;padding:0}
.card,.figure,.tile,tr{break-inside:avoid}
.scroll{overflow:visible}
.figure.wide svg{max-width:100%}
h2,h3,caption{break-after:avoid}
}
.signature{display:flex;flex-wrap:wrap;gap:1rem 2rem;margin:3rem 0 1rem;break-inside:avoid}
.signature p{flex:1 1 12rem;border-top:1px solid var(--ink);padding-top:.3rem;color:var(--soft);font-size:.85rem}
`;
