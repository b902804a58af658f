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
const data = JSON.parse(element("data").textContent ?? "") as PackedReport;
const { words } = data.locale;
const rows = data.rows.map((row) => unpack(data.schema, data.proofs, row));
const number = (value: number): string => formatNumber(value, data.locale);
const texts = new Map<ReportRow, string>();

const find = element<HTMLInputElement>("find");
const show = element<HTMLSelectElement>("show");
const order = element<HTMLSelectElement>("order");
const size = element<HTMLSelectElement>("size");
const table = element<HTMLInputElement>("view-table");
const previous = element<HTMLButtonElement>("previous");
const next = element<HTMLButtonElement>("next");
let page = 0;

function textOf(row: ReportRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const parts = [
    rowLabel(row, data.locale),
    row.reason ?? "",
    ...planSentences(data.schema, row, data.locale),
    ...row.x.map((cell) => formatCell(cell, data.locale)),
  ];
  const text = parts.join("\n").toLowerCase();
  texts.set(row, text);
  return text;
}

function chosen(): ReportRow[] {
  const wanted = find.value.trim().toLowerCase();
  const kept = rows.filter(
    (row) =>
      (show.value === "all" || row.valid === (show.value === "good")) &&
      (wanted === "" || textOf(row).includes(wanted)),
  );
  const sign = order.value === "few" ? 1 : order.value === "many" ? -1 : 0;
  return sign === 0 ? kept : kept.sort((a, b) => sign * (a.edits.length - b.edits.length));
}

function draw(): void {
  const all = chosen();
  const count = Number(size.value);
  const pages = Math.max(1, Math.ceil(all.length / count));
  page = Math.min(page, pages - 1);
  const some = all.slice(page * count, (page + 1) * count);
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
element("tools").hidden = false;
draw();
