import { writeCsv } from "../formats/csv.ts";
import { Html, html } from "../show/report/html.ts";
import { type ModelName, models } from "../src/train/registry.ts";
import type { Cell } from "../src/types.ts";
import { PAPER_ROWS, PAPER_TABLE, type PaperCell } from "./paper-values.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName } from "./settings.ts";
import { RULES, type TableCell, type TableRow } from "./table.ts";

/** A table for every output: a title, names of the columns, and cells. */
export interface Sheet {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const two = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

const fixed = (value: number | null, digits = 2): string => (value === null ? "–" : value.toFixed(digits));

/** 1.70 ± 0.02 (24.3 %); scenarios that reach the level are counted where they are not all. */
export function cellText({ edits, half, ratio, reached, scenarios }: TableCell): string {
  if (edits === null) return scenarios === 0 ? "" : "–";
  const band = half ? ` ± ${fixed(half)}` : "";
  const some = reached < scenarios ? ` [${reached} of ${scenarios}]` : "";
  return `${fixed(edits)}${band} (${(100 * ratio!).toFixed(1)} %)${some}`;
}

function paperCell(row: TableRow, level: number): PaperCell | null | undefined {
  const known = PAPER_TABLE[row.data];
  if (!known || !PAPER_ROWS.includes(row.method)) return undefined;
  return known[row.method]?.[String(level)] ?? null;
}

function paperText(cell: PaperCell | null | undefined): string {
  if (cell === undefined) return "";
  return cell === null ? "–" : `${cell.edits} ± ${cell.half} (${(100 * cell.ratio).toFixed(1)} %)`;
}

const titleOf = (data: string): string => DATA[data as DataName]?.title ?? data;

/** The modification table, ours beside the paper's. */
export function tableSheet(rows: readonly TableRow[]): Sheet {
  const levels = [0.8, 1];
  const of = (row: TableRow, rule: string, level: number): string =>
    cellText(row.cells.find((c) => c.rule === rule && c.level === level)!);
  return {
    name: "table",
    title: "Modified features per row (± half width, share of the differing columns)",
    columns: [
      "data set",
      "method",
      ...levels.flatMap((level) => [
        ...RULES.map((rule) => `${100 * level} % ${rule}`),
        `${100 * level} % paper`,
      ]),
      "missing where",
    ],
    rows: rows.map((row) => [
      titleOf(row.data),
      row.method,
      ...levels.flatMap((level) => [
        ...RULES.map((rule) => of(row, rule, level)),
        paperText(paperCell(row, level)),
      ]),
      row.why.join("; "),
    ]),
  };
}

/** What every scenario was. */
export function scenarioSheet(results: readonly ScenarioResult[]): Sheet {
  return {
    name: "scenarios",
    title: "Scenarios",
    columns: [
      "scenario",
      "rows",
      "references",
      "columns",
      "accuracy",
      "D at C = 0",
      "differing",
      "after OT",
      "notes",
    ],
    rows: results.map((r) => [
      r.scenario,
      ...(r.why === undefined
        ? [r.n, r.m, r.d, r.accuracy, r.start, Number(r.unaligned.toFixed(2)), Number(r.aligned.toFixed(2))]
        : Array<null>(7).fill(null)),
      notesOf(r).join("; "),
    ]),
  };
}

/** Why a scenario was not run, or what is to be known of it. */
function notesOf({ why, notes, model, generator }: ScenarioResult): string[] {
  if (why !== undefined) return [`not run: ${why}`];
  const searched = generator === "discount" && !models[model as ModelName]?.differentiable;
  return searched ? ["DisCount by search, the model has no gradient", ...notes] : [...notes];
}

/** The files of sheets: each as CSV and as LaTeX. */
export function sheetFiles(sheets: readonly Sheet[]): (readonly [name: string, content: string])[] {
  return sheets.flatMap((sheet) => [
    [`${sheet.name}.csv`, sheetCsv(sheet)],
    [`${sheet.name}.tex`, sheetLatex(sheet)],
  ]);
}

function sheetCsv({ columns, rows }: Sheet): string {
  return writeCsv({
    names: [...columns],
    columns: columns.map((_, k) => rows.map((row) => row[k]!)),
    rows: rows.length,
  });
}

const SPECIAL: Readonly<Record<string, string>> = {
  "%": "\\%",
  _: "\\_",
  "&": "\\&",
  "#": "\\#",
  $: "\\$",
  "{": "\\{",
  "}": "\\}",
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "$<$",
  ">": "$>$",
  "|": "$|$",
  "±": "$\\pm$",
  "≤": "$\\le$",
  "≥": "$\\ge$",
  "→": "$\\to$",
  "×": "$\\times$",
  "−": "$-$",
  "·": "$\\cdot$",
  "∞": "$\\infty$",
  "–": "--",
  "…": "\\dots{}",
  φ: "$\\varphi$",
  Δ: "$\\Delta$",
};

/** Text for LaTeX with any engine and font: what it would take for a command or does not know is written out. */
function latexText(cell: Cell): string {
  const plain = String(cell ?? "").replace(/\s+/g, " ");
  return plain.replace(/[%_&#${}\\~^<>|]|[^\p{ASCII}]/gu, (c) => SPECIAL[c] ?? c);
}

/** A LaTeX `tabular` of a sheet. */
export function sheetLatex({ title, columns, rows }: Sheet): string {
  const line = (cells: readonly Cell[]): string => `${cells.map(latexText).join(" & ")} \\\\`;
  return [
    `% ${title}`,
    `\\begin{tabular}{${columns.map((_, k) => (k < 2 ? "l" : "r")).join("")}}`,
    "\\hline",
    line(columns),
    "\\hline",
    ...rows.map(line),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** A Markdown table of a sheet. */
export function sheetMarkdown({ columns, rows }: Sheet): string {
  const line = (cells: readonly Cell[]): string =>
    `| ${cells.map((c) => String(c ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Columns lined up for a terminal. */
export function sheetText({ columns, rows }: Sheet): string {
  const all = [columns, ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
  const width = columns.map((_, k) => Math.max(...all.map((row) => row[k]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, k) => cell.padEnd(width[k]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const STYLE = `body{font:14px/1.5 "DejaVu Sans",sans-serif;margin:2rem;color:#1d2733;max-width:110rem}
table{border-collapse:collapse}th,td{border:1px solid #cfd6de;padding:.25rem .6rem;text-align:left;vertical-align:top}
th{background:#eef1f5}.short{white-space:nowrap}figure,.wide{margin:1rem 0;overflow-x:auto}@media(prefers-color-scheme:dark){body{background:#14181d;color:#e6ebf1}th{background:#222a33}figure{background:#fff}}`;

/** Numbers with what belongs to them stay on one line; sentences are broken. */
const htmlCell = (text: string): Html =>
  text.length <= SHORT ? html`<td class="short">${text}</td>` : html`<td>${text}</td>`;
const SHORT = 32;

/** One page: what was run, the tables, the figures. */
export function page(
  title: string,
  lines: readonly string[],
  sheets: readonly Sheet[],
  figures: readonly { readonly title: string; readonly svg: string }[] = [],
): string {
  const table = ({ title: caption, columns, rows }: Sheet): Html => html`<h2>${caption}</h2>
<div class="wide"><table><thead><tr>${columns.map((c) => html`<th scope="col">${c}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => htmlCell(String(cell ?? "")))}</tr>
`,
  )}</tbody></table></div>
`;
  const body = html`<h1>${title}</h1>
${lines.map(
  (line) => html`<p>${line}</p>
`,
)}${sheets.map(table)}${figures.map(
  (f) => html`<h2>${f.title}</h2><figure>${new Html(f.svg)}</figure>
`,
)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html`${title}`}</title>
<style>${STYLE}</style></head>
<body>${body}</body></html>
`;
}
