import { rowLabel } from "../figures/labels.ts";
import { fill, formatCell, formatNumber, planSentences } from "../sentences.ts";
import { cardList } from "./card.ts";
import { changesTable } from "./changes-table.ts";
import { type ReportRow, unpack } from "./pack.ts";
import type { PackedReport } from "./rows-section.ts";

/**
 * What runs in the report: search, filter, order and pages of the rows, drawn by the same functions that drew the
 * first page. A report carries this file with all it imports, bundled (client-script.ts).
 */
const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
let data: PackedReport;
const number = (value: number): string => formatNumber(value, data.locale);
const rows: ReportRow[] = [];
const texts: string[] = [];

const find = element<HTMLInputElement>("find");
const show = element<HTMLSelectElement>("show");
const order = element<HTMLSelectElement>("order");
const size = element<HTMLSelectElement>("size");
const table = element<HTMLInputElement>("view-table");
const previous = element<HTMLButtonElement>("previous");
const next = element<HTMLButtonElement>("next");
let page = 0;

/** The data as rows-section.ts packed them. */
async function opened(): Promise<PackedReport> {
  const bytes = Uint8Array.from(atob(element("data").textContent ?? ""), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** A row is unpacked, and put into the words that are searched, when it is first asked for. */
function rowAt(i: number): ReportRow {
  rows[i] ??= unpack(data.schema, data.proofs, data.rows[i]!);
  return rows[i];
}

function textOf(i: number): string {
  const known = texts[i];
  if (known !== undefined) return known;
  const row = rowAt(i);
  const parts = [
    rowLabel(row, data.locale),
    row.reason ?? "",
    ...planSentences(data.schema, row, data.locale),
    ...row.x.map((cell) => formatCell(cell, data.locale)),
  ];
  const text = parts.join("\n").toLowerCase();
  texts[i] = text;
  return text;
}

/** Places of the rows that fit, in order; one that is called just so comes first. */
function chosen(): number[] {
  const wanted = find.value.trim().toLowerCase();
  const kept = Array.from(data.rows, (_, i) => i).filter(
    (i) =>
      (show.value === "all" || rowAt(i).valid === (show.value === "good")) &&
      (wanted === "" || textOf(i).includes(wanted)),
  );
  const called = kept.findIndex((i) => String(rowAt(i).id ?? rowAt(i).row).toLowerCase() === wanted);
  if (called > 0) kept.unshift(...kept.splice(called, 1));
  const sign = order.value === "few" ? 1 : order.value === "many" ? -1 : 0;
  return sign === 0 ? kept : kept.sort((a, b) => sign * (rowAt(a).edits.length - rowAt(b).edits.length));
}

function draw(): void {
  const all = chosen();
  const count = Number(size.value);
  const pages = Math.max(1, Math.ceil(all.length / count));
  page = Math.min(page, pages - 1);
  const some = all.slice(page * count, (page + 1) * count).map(rowAt);
  const { words } = data.locale;
  element("list").innerHTML = String(table.checked ? changesTable(data, some) : cardList(data, some));
  const range = { from: page * count + 1, to: page * count + some.length, all: all.length };
  element("counted").textContent =
    all.length === 0
      ? words.nothing
      : fill(words.counted, { from: number(range.from), to: number(range.to), all: number(range.all) });
  // A button that has focus stays focusable at the first and last page.
  previous.setAttribute("aria-disabled", String(page === 0));
  next.setAttribute("aria-disabled", String(page === pages - 1));
}

function turn(by: number): void {
  page = Math.max(0, page + by);
  draw();
}

for (const control of [find, show, order, size, table, element("view-cards")]) {
  control.addEventListener("input", () => {
    page = 0;
    draw();
  });
}
previous.addEventListener("click", () => turn(-1));
next.addEventListener("click", () => turn(1));
element("tools").addEventListener("submit", (event) => event.preventDefault());
void opened().then((packed) => {
  data = packed;
  element("tools").hidden = false;
  draw();
});
