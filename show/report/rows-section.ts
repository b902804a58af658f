import type { Explanation } from "../../src/explanation.ts";
import { fill, formatNumber } from "../sentences.ts";
import { cardList } from "./card.ts";
import { deflate } from "./deflate.ts";
import { Html, html } from "./html.ts";
import { type PackedRow, packer, type ReportContext, type ReportRow, reportRow } from "./pack.ts";

/** The data block of the report: what the cards need of every row. */
export interface PackedReport extends ReportContext {
  readonly proofs: readonly string[];
  readonly rows: readonly PackedRow[];
}

interface RowsOptions {
  readonly maxCards: number;
  /** Bytes the data block may take in the file. */
  readonly maxBytes: number;
}

const FIRST_PAGE = 10;
const SIZES = [10, 25, 50, 100];

/** Tools, first page of cards, and the data block from which the script draws the other pages. */
export function rowsSection(context: ReportContext, explanation: Explanation, options: RowsOptions): Html {
  const { words } = context.locale;
  const { proofs, pack } = packer(context.schema);
  const first: ReportRow[] = [];
  const all: PackedRow[] = [];
  const shown = evenly(explanation.rows, options.maxBytes > 0 ? options.maxCards : 0);
  const sampled = shown.length < explanation.totals.rows;
  for (const explained of shown) {
    const row = reportRow(explained, context);
    all.push(pack(row));
    if (first.length < FIRST_PAGE) first.push(row);
  }
  const { block, kept } = blockWithin({ ...context, proofs, rows: all }, options.maxBytes);
  first.splice(kept);
  const left = explanation.totals.rows - kept;
  return html`<section id="plans" aria-labelledby="plans-title"><h2 id="plans-title">${words.plans}</h2>
${left > 0 && html`<p>${fill(sampled ? words.leftOutEvenly : words.leftOut, { count: formatNumber(left, context.locale) })}</p>`}
${tools(context)}
${kept > FIRST_PAGE && html`<noscript><p>${fill(words.noScript, { count: String(FIRST_PAGE) })}</p></noscript>`}
<div id="list">${cardList(context, first)}</div>
</section>
<script type="text/plain" id="data">${new Html(block)}</script>`;
}

/** All rows, or as many as asked for, spread evenly over them. */
export function evenly(rows: Explanation["rows"], most: number): Explanation["rows"] {
  if (rows.length <= most) return rows;
  return Array.from({ length: Math.floor(most) }, (_, t) => rows[placeOf(t, rows.length, most)]!);
}

/** The place of one of so many rows that are spread evenly over all. */
export const placeOf = (t: number, rows: number, most: number): number => Math.floor((t * rows) / most);

/** The data as text of at most so many bytes, of as many rows as that holds. */
function blockWithin(
  data: PackedReport,
  maxBytes: number,
): { readonly block: string; readonly kept: number } {
  for (let kept = data.rows.length; ; ) {
    const block = packedText({ ...data, rows: data.rows.slice(0, kept) });
    if (block.length <= maxBytes || kept === 0) return { block, kept };
    kept = Math.min(kept - 1, Math.floor((0.98 * kept * maxBytes) / block.length));
  }
}

/** JSON, deflated, in base64: no `<` in it, so nothing can end the element it stands in. */
function packedText(data: PackedReport): string {
  const bytes = deflate(new TextEncoder().encode(JSON.stringify(data)));
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3 << 12)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + (3 << 12)))));
  return parts.join("");
}

function tools({ locale: { words } }: ReportContext): Html {
  const option = (value: string | number, text: string | number): Html =>
    html`<option value="${value}">${text}</option>`;
  return html`<form id="tools" class="tools" role="search" aria-label="${words.plans}" hidden>
<label class="grow">${words.find} <input id="find" type="search" placeholder="${words.findHint}" autocomplete="off"></label>
<label>${words.show} <select id="show">${option("all", words.showAll)}${option("good", words.showGood)}${option("bad", words.showBad)}</select></label>
<label>${words.order} <select id="order">${option("table", words.orderTable)}${option("few", words.orderFew)}${option("many", words.orderMany)}</select></label>
<label>${words.perPage} <select id="size">${SIZES.map((count) => option(count, count))}</select></label>
<fieldset><legend class="unseen">${words.view}</legend><label><input type="radio" name="view" id="view-cards" checked> ${words.viewCards}</label><label><input type="radio" name="view" id="view-table"> ${words.viewTable}</label></fieldset>
<div class="pages" role="group" aria-label="${words.pages}"><button type="button" id="previous">← ${words.previous}</button><span id="counted" role="status"></span><button type="button" id="next">${words.next} →</button></div>
</form>`;
}
