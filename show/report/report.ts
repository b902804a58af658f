import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { toldIn } from "../data-words.ts";
import { dateText } from "../date.ts";
import { figure } from "../figures/registry.ts";
import { MOST_ROWS } from "../lines.ts";
import type { Locale } from "../locales/contract.ts";
import { en } from "../locales/en.ts";
import type { ReasonCodes } from "../reasons.ts";
import { type Counts, countsOf } from "../saved.ts";
import { fill, formatNumber, goalSentence } from "../sentences.ts";
import { auditPanel } from "./audit-panel.ts";
import { clientScript } from "./client-script.ts";
import { figureHtml } from "./figure.ts";
import { groupsSection } from "./groups-section.ts";
import { Html, html } from "./html.ts";
import { methodSection } from "./method-section.ts";
import type { ReportContext } from "./pack.ts";
import { patternsSection } from "./patterns-section.ts";
import { contentPolicy } from "./policy.ts";
import { evenly, rowsSection } from "./rows-section.ts";
import { style } from "./style.ts";
import { summarySection } from "./summary-section.ts";

export interface ReportOptions {
  readonly title?: string;
  readonly locale?: Locale;
  /** Rows that get a card; the counts always cover all. Default 10,000, or as many as fit in `maxBytes`. */
  readonly maxCards?: number;
  /** Size of the file. Default 32 MiB. */
  readonly maxBytes?: number;
  /** The user's own reason codes by feature. */
  readonly reasons?: ReasonCodes;
  /** Day the report is of, as 2026-05-31: the library has no clock. Without one it has neither day nor code. */
  readonly date?: string;
}

/**
 * An explanation as one HTML file that needs nothing else: no request is made, its policy allows none, and only
 * its own script may run. The same explanation and options give the same bytes, everywhere.
 */
export async function reportHtml(explanation: Explanation, options: ReportOptions = {}): Promise<string> {
  const { maxCards = SAMPLE } = options;
  if (explanation.rows.length <= MOST_ROWS)
    return reportOf(explanation, countsOf(explanation), { ...options, maxCards });
  const rows = evenly(explanation.rows, SAMPLE);
  return reportOf({ ...explanation, rows }, countsOf(explanation), { ...options, maxCards });
}

/** Rows of which the report of more than MOST_ROWS is made, spread evenly over all; its counts are of all. */
export const SAMPLE = 10_000;

/** The report of an explanation that holds a sample of its rows, with the counts of all of them. */
export async function reportOf(
  given: Explanation,
  counts: Counts,
  options: ReportOptions = {},
): Promise<string> {
  const { maxCards = SAMPLE, maxBytes = 2 ** 25, reasons = {} } = options;
  const { explanation, locale } = toldIn(given, options.locale ?? en);
  if (!(maxCards >= 0) || !(maxBytes > 0)) {
    throw new ColaError(
      "OPTION_INVALID",
      `reportHtml: maxCards is ${maxCards} and maxBytes ${maxBytes}; give 0 or more cards and more than 0 bytes.`,
      { maxCards, maxBytes },
    );
  }
  const { schema, goal, outputs, output } = explanation;
  const context: ReportContext = { locale, schema, goal, outputs, output, codes: reasons };
  const parts = await sectionsOf(explanation, counts, locale, options.date);
  const title = options.title ?? locale.words.reportTitle;
  const script = await clientScript();
  const page = (rows: Html): string =>
    String(frame(explanation, options, locale, title, script, { ...parts, rows }));
  const others = new TextEncoder().encode(page(rowsSection(context, explanation, { maxCards, maxBytes: 0 })));
  const room = Math.max(0, maxBytes - others.length - FIRST_CARDS);
  return page(rowsSection(context, explanation, { maxCards, maxBytes: room }));
}

/** Bytes set aside for the cards that are in the file as HTML. */
const FIRST_CARDS = 150_000;

/** Rows that a figure of the report draws one by one. */
const MAX_ROWS = 40;

interface Sections {
  readonly summary: Html;
  readonly patterns: Html;
  readonly cells: Html;
  readonly method: Html;
}

async function sectionsOf(
  explanation: Explanation,
  counts: Counts,
  locale: Locale,
  date?: string,
): Promise<Sections> {
  const { words } = locale;
  const draw = (name: string, note: string, wide = false): Promise<Html> =>
    figureHtml(figure(name, explanation, { locale, maxRows: MAX_ROWS }), note, wide);
  const some = explanation.rows.some((row) => row.edits.length + row.proposal.length > 0);
  const curve = explanation.curve.length > 1 ? await draw("curve", words.curveNote) : "";
  const groups = some ? await draw("groups", words.groupsNote) : "";
  const bars = some ? await draw("bars", words.barsNote) : "";
  const alike =
    explanation.rows.length > MAX_ROWS
      ? ` ${fill(words.heatGrouped, { rows: formatNumber(Math.ceil(explanation.rows.length / MAX_ROWS), locale) })}`
      : "";
  const nothing = html`<p class="note">${words.noChanges}</p>`;
  const heatMaps = some
    ? html`${await draw("changes", words.changesNote + alike, true)}${await draw("directions", words.directionsNote + alike, true)}`
    : nothing;
  return {
    summary: summarySection(
      explanation,
      counts,
      locale,
      html`${sampleNote(explanation, locale)}<div class="two">${curve}${groups}</div>`,
    ),
    patterns: patternsSection(explanation, locale, html`${bars}`),
    cells: html`<section id="cells" aria-labelledby="cells-title"><h2 id="cells-title">${words.heatMaps}</h2>${heatMaps}</section>`,
    method: html`${methodSection(explanation, locale)}${auditPanel(explanation, locale, date)}`,
  };
}

/** Says that patterns and figures are those of a sample. */
function sampleNote({ rows, totals }: Explanation, locale: Locale): Html | "" {
  if (rows.length === totals.rows) return "";
  const [some, all] = [rows.length, totals.rows].map((count) => formatNumber(count, locale)) as [
    string,
    string,
  ];
  return html`<p class="note">${fill(locale.words.sampleNote, { rows: some, all })}</p>`;
}

function frame(
  explanation: Explanation,
  { date }: ReportOptions,
  locale: Locale,
  title: string,
  script: string,
  sections: Sections & { readonly rows: Html },
): Html {
  const { words } = locale;
  const links = {
    summary: words.summary,
    patterns: words.patterns,
    ...(explanation.groups ? { groups: locale.papers.groupsTitle } : {}),
    cells: words.heatMaps,
    plans: words.plans,
    method: words.method,
    audit: locale.papers.auditTitle,
  };
  const versions = Object.entries(explanation.versions).map((pair) => pair.join(" "));
  return html`<!doctype html>
<html lang="${locale.lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${title}</title><style>${new Html(style)}</style></head><body>
<a class="skip" href="#main">${words.skip}</a>
<header class="wrap top"><h1>${title}</h1><p class="lead">${goalSentence(explanation.goal, explanation.output, locale)}</p>${date !== undefined && html`<p class="note"><time datetime="${date}">${dateText(date, locale)}</time></p>`}</header>
<nav class="menu" aria-label="${words.sections}"><ul class="wrap">${Object.entries(links).map(
    ([id, name]) => html`<li><a href="#${id}">${name}</a></li>`,
  )}</ul></nav>
<main id="main">${sections.summary}${sections.patterns}${groupsSection(explanation, locale)}${sections.cells}${sections.rows}${sections.method}</main>
<footer class="wrap">${versions.join(", ")} · ${words.seed} ${explanation.seed} · ${words.runHash} ${explanation.runHash}</footer>
<script>${new Html(script)}</script></body></html>
`;
}
