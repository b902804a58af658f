import type { Letter, LetterOptions } from "../../show/letter/letter.ts";
import { beginsLines, explanationLines, explanationOfLines, linesOf, MOST_ROWS } from "../../show/lines.ts";
import type { Locale } from "../../show/locales/contract.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import { ColaError } from "../../src/errors.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import type { MadeFile } from "./protocol.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  json: "application/json",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  jsonl: "application/x-ndjson",
  svg: "image/svg+xml",
  md: "text/markdown",
};

function made(name: string, content: string | Uint8Array): MadeFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name, type: TYPES[name.split(".").at(-1)!] ?? "application/octet-stream", bytes };
}

/** The files the command line writes for a result, by kind. Writers and figures are fetched when asked for. */
export async function resultFiles(
  explanation: Explanation,
  kind: string,
  told: { readonly locale: Locale; readonly reasons: ReasonCodes; readonly date: string },
): Promise<MadeFile[]> {
  const { locale, reasons, date } = told;
  if (kind === "explanation") return [explanationFile(explanation)];
  if (kind === "schema") return [made("schema.json", `${JSON.stringify(explanation.schema, null, 2)}\n`)];
  if (kind === "html") {
    const { reportHtml } = await import("../../show/report/report.ts");
    return [made("report.html", await reportHtml(explanation, { locale, reasons, date }))];
  }
  if (kind === "card") return cardFiles(explanation, locale, date);
  if (kind === "dice") {
    const { diceJson } = await import("../../show/dice-json.ts");
    return [made("dice.json", `${JSON.stringify(diceJson(explanation))}\n`)];
  }
  if (kind === "svg") return figureFiles(explanation, locale);
  const [{ tableFormats, writeTable }, { explanationTables }] = await Promise.all([
    import("../../formats/index.ts"),
    import("../../show/export.ts"),
  ]);
  const format = tableFormats.find((one) => one === kind);
  if (!format) throw new ColaError("NAME_UNKNOWN", `files: there is no kind ${JSON.stringify(kind)}.`);
  const tables = explanationTables(explanation, { reasons, locale });
  return Object.entries(tables).map(([name, table]) => made(`${name}.${format}`, writeTable(table, format)));
}

function explanationFile(explanation: Explanation): MadeFile {
  if (explanation.rows.length <= MOST_ROWS)
    return made("explanation.json", `${JSON.stringify(explanation, null, 2)}\n`);
  const lines = Array.from(explanationLines(explanation), (line) => new TextEncoder().encode(line));
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.length, 0));
  let at = 0;
  for (const line of lines) {
    bytes.set(line, at);
    at += line.length;
  }
  return made("explanation.jsonl", bytes);
}

/** The letter for one person, and its page as a file. */
export async function letterFile(
  explanation: Explanation,
  row: ExplainedRow,
  options: LetterOptions,
): Promise<{ letter: Letter; file: MadeFile }> {
  const [{ letterOf }, { letterHtml }] = await Promise.all([
    import("../../show/letter/letter.ts"),
    import("../../show/letter/html.ts"),
  ]);
  const letter = letterOf(explanation, row, options);
  const name = letter.about[1].replace(/[^\p{L}\p{N}._-]+/gu, "_");
  return { letter, file: made(`letter-${name}.html`, letterHtml(letter)) };
}

/** The method card as a page and as Markdown. */
async function cardFiles(explanation: Explanation, locale: Locale, date: string): Promise<MadeFile[]> {
  const [{ cardOf }, { cardHtml }, { cardMarkdown }] = await Promise.all([
    import("../../show/method-card/card.ts"),
    import("../../show/method-card/html.ts"),
    import("../../show/method-card/markdown.ts"),
  ]);
  const card = cardOf(explanation, { date, locale });
  return [made("card.html", cardHtml(card)), made("card.md", cardMarkdown(card))];
}

async function figureFiles(explanation: Explanation, locale: Locale): Promise<MadeFile[]> {
  const [{ figure, figures }, { renderSvg }] = await Promise.all([
    import("../../show/figures/registry.ts"),
    import("../../show/figures/svg.ts"),
  ]);
  const files: MadeFile[] = [];
  for (const name of Object.keys(figures)) {
    files.push(made(`${name}.svg`, await renderSvg(figure(name, explanation, { locale }))));
  }
  return files;
}

/** A result that was saved; anything else is refused. */
export function readExplanation(name: string, bytes: Uint8Array): Explanation {
  let value: unknown;
  try {
    value = beginsLines(bytes)
      ? explanationOfLines(linesOf(bytes))
      : JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ColaError(
      "TABLE_INVALID",
      `${name} is not valid JSON; choose an explanation.json of a run.`,
      {},
      cause,
    );
  }
  const it = value as Partial<Explanation> | null;
  const whole =
    Array.isArray(it?.curve) &&
    Array.isArray(it.schema?.features) &&
    it.totals !== undefined &&
    it.method !== undefined &&
    it.goal !== undefined;
  const explanation = whole ? upgradeExplanation(it) : undefined;
  if (explanation) return explanation;
  throw new ColaError(
    "TABLE_INVALID",
    `${name} is valid JSON, but not the explanation.json of a run (schema version 1 or 2).`,
  );
}
