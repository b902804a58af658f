import { labelOf } from "../../src/data/schema.ts";
import type { Edit, Plan } from "../../src/explanation.ts";
import type { Feature } from "../../src/types.ts";
import { rowLabel } from "../figures/labels.ts";
import { glyphs } from "../figures/theme.ts";
import { principalReasons } from "../reasons.ts";
import { changeText, withChange } from "../remarks.ts";
import {
  directionOf,
  edgesOf,
  fill,
  formatCell,
  formatScore,
  formatSigned,
  planSentences,
  sentence,
} from "../sentences.ts";
import { type Html, html } from "./html.ts";
import type { ReportContext, ReportRow } from "./pack.ts";
import { waterfallTable } from "./waterfall-table.ts";

/** One row: what would change its score, what is proven, why it scores as it does. */
function card(context: ReportContext, row: ReportRow): Html {
  const { words } = context.locale;
  const id = `row-${row.row}`;
  const name = rowLabel(row, context.locale);
  const badge = row.valid
    ? html`<span class="badge good">✔ ${verdict(context, row)}</span>`
    : html`<span class="badge bad">✘ ${verdict(context, row)}</span>`;
  return html`<li><article class="card" aria-labelledby="${id}">
<header><h3 id="${id}">${name}</h3>${badge}</header>
${scores(context, row)}
<div class="two"><div><h4>${words.plan}</h4>${plan(context, row)}
<details><summary>${words.allValues}</summary>${values(context, row, name)}</details></div>
<div><h4>${words.reasons}</h4>${reasons(context, row)}${waterfallTable(context, row)}</div></div>
</article></li>`;
}

export function cardList(context: ReportContext, rows: readonly ReportRow[]): Html {
  return html`<ol class="cards">${rows.map((row) => card(context, row))}</ol>`;
}

function scores({ goal, outputs, output, locale }: ReportContext, row: ReportRow): Html | "" {
  const { before } = row;
  const after = row.edits.length > 0 ? row.after : null;
  if (before === null) return "";
  const edges = edgesOf(goal, outputs.length);
  const text = html`<p class="scores">${output} <b>${formatScore(before, edges, locale)}</b>${
    after === null ? "" : html` → <b>${formatScore(after, edges, locale)}</b>`
  }</p>`;
  const all = [before, after ?? before, ...edges];
  return outputs.length > 1 && all.every((v) => v >= 0 && v <= 1)
    ? html`${text}${track(before, after, edges)}`
    : text;
}

/** Before and after on the line from 0 to 1; the text above says the same. */
function track(before: number, after: number | null, edges: readonly number[]): Html {
  const at = (value: number): string => `${(1 + 98 * value).toFixed(2)}%`;
  const move =
    after === null ? "" : html`<line class="move" x1="${at(before)}" x2="${at(after)}" y1="8" y2="8"/>`;
  return html`<svg class="track" aria-hidden="true" width="100%" height="16"><line class="rail" x1="1%" x2="99%" y1="8" y2="8"/>${edges.map(
    (edge) => html`<line class="edge" x1="${at(edge)}" x2="${at(edge)}" y1="1" y2="15"/>`,
  )}${move}<circle class="from" cx="${at(before)}" cy="8" r="4"/>${
    after === null ? "" : html`<circle class="to" cx="${at(after)}" cy="8" r="5"/>`
  }</svg>`;
}

/** Is the goal reached? A goal of the group is reached by all rows or by none. */
export function verdict({ goal, locale: { words } }: ReportContext, { valid }: ReportRow): string {
  if (goal.kind === "group") return valid ? words.groupReaches : words.groupMisses;
  return valid ? words.reaches : words.misses;
}

export function signOf(feature: Feature, edit: Edit): "up" | "down" | "other" {
  const direction = directionOf(feature, edit);
  return direction > 0 ? "up" : direction < 0 ? "down" : "other";
}

function plan(context: ReportContext, row: ReportRow): Html {
  const { locale, schema } = context;
  const { words } = locale;
  const feature = new Map(schema.features.map((f) => [f.name, f]));
  const steps = planSentences(schema, row, locale).map((text, e) => {
    const edit = row.edits[e];
    if (!edit) return html`<li class="none">${text}</li>`;
    const sign = signOf(feature.get(edit.feature)!, edit);
    return html`<li><span class="sign ${sign}" aria-hidden="true">${glyphs[sign]}</span> ${text}</li>`;
  });
  const planned = new Set(row.edits.map((edit) => edit.feature));
  const unneeded = (row.valid ? row.proposal : [])
    .filter((edit) => row.edits.length > 0 && !planned.has(edit.feature))
    .map((edit) => labelOf(feature.get(edit.feature)!));
  const told = ({ edits }: Plan): string => edits.map((edit) => sentence(schema, edit, locale)).join("; ");
  const others = row.alternatives.map(
    (other) => html`<li class="none">${withChange(told(other), other, locale)}</li>`,
  );
  return html`<ul class="plan">${steps}</ul>
${row.reason && html`<p class="note">${row.reason}</p>`}
${row.proof && html`<p class="note"><a class="proof" href="#searched">${words.provenPrefix}</a> ${row.proof}.</p>`}
${row.notes.map((note) => html`<p class="note">${note}.</p>`)}
${unneeded.length > 0 && html`<p class="note">${fill(words.notNeeded, { features: unneeded.join(", ") })}</p>`}
${others.length > 0 && html`<h4>${words.alternatives}</h4><ul class="plan">${others}</ul>`}
${row.front.length > 1 && frontTable(context, row)}`;
}

/** The least change against the number of edits. */
function frontTable({ locale, schema }: ReportContext, { front }: ReportRow): Html {
  const { words } = locale;
  return html`<table class="front"><caption>${words.frontCaption}</caption>
<thead><tr><th scope="col" class="number">${words.frontEdits}</th><th scope="col" class="number">${words.frontChange}</th><th scope="col">${words.plan}</th></tr></thead>
<tbody>${front.map(
    ({ edits, change = 0 }) =>
      html`<tr><td class="number">${edits.length}</td><td class="number">${changeText(change, locale)}</td><td>${edits.map((edit) => sentence(schema, edit, locale)).join("; ")}</td></tr>`,
  )}</tbody></table>`;
}

function reasons({ schema, codes, locale }: ReportContext, row: ReportRow): Html {
  const { words } = locale;
  const found = principalReasons(schema, row, { codes, locale });
  if (found.length === 0) return html`<p class="note">${words.reasonsNone}</p>`;
  return html`<ol class="reasons">${found.map(
    ({ code, text, changeable }) =>
      html`<li>${code && html`<code>${code}</code> `}${text}${!changeable && html` <small>(${words.reasonLocked})</small>`}</li>`,
  )}</ol>`;
}

function values({ schema, locale }: ReportContext, row: ReportRow, name: string): Html {
  const { words } = locale;
  const changed = (edits: readonly Edit[], feature: Feature): Html => {
    const edit = edits.find((e) => e.feature === feature.name);
    if (!edit) return html`<td class="same"><span aria-label="${words.unchanged}" role="img">–</span></td>`;
    return html`<td class="${signOf(feature, edit)}">${formatCell(edit.to, locale)}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${words.allValues}: ${name}"><table class="values">
<caption>${fill(words.valuesCaption, { row: name })}</caption>
<thead><tr><th scope="col">${words.feature}</th><th scope="col">${words.now}</th><th scope="col">${words.inPlan}</th><th scope="col">${words.inCounterfactual}</th><th scope="col" class="number">${words.attribution}</th></tr></thead>
<tbody>${schema.features.map(
    (feature, k) =>
      html`<tr><th scope="row">${labelOf(feature)}${feature.unit && html` <small>${feature.unit}</small>`}</th><td>${formatCell(row.x[k]!, locale)}</td>${changed(row.edits, feature)}${changed(row.proposal, feature)}<td class="number">${
        row.attributions[k] === 0 ? "0" : formatSigned(row.attributions[k]!, locale)
      }</td></tr>`,
  )}</tbody></table></div>`;
}
