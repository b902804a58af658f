import { labelOf } from "../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation } from "../src/explanation.ts";
import { toldIn } from "./data-words.ts";
import { rowLabel } from "./figures/labels.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";
import { translate } from "./messages.ts";
import { changeText, remarks, withChange } from "./remarks.ts";
import { type Counts, countsOf } from "./saved.ts";
import {
  edgesOf,
  fill,
  formatCell,
  formatFixed,
  formatNumber,
  formatScore,
  percent,
  proofSentence,
} from "./sentences.ts";

/** Paints parts of a text; the default leaves it plain. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const PLAIN: Paint = { bold: (t) => t, dim: (t) => t, good: (t) => t, bad: (t) => t };

export interface TextOptions {
  readonly paint?: Paint;
  /** Rows shown; the summary always counts all. Default 20. */
  readonly maxRows?: number;
  readonly width?: number;
  readonly locale?: Locale;
  /** Of all rows, where the explanation holds the first of them alone. */
  readonly counts?: Counts;
}

/** An explanation as people read it in a terminal: a block per row, a summary, a small curve. */
export function explanationText(given: Explanation, options: TextOptions = {}): string {
  const { paint = PLAIN, maxRows = 20 } = options;
  const { explanation, locale } = toldIn(given, options.locale ?? en);
  const shown = explanation.rows.slice(0, maxRows).map((row) => rowText(explanation, row, paint, locale));
  const rest = explanation.totals.rows - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [paint.dim(fill(locale.words.textMore, { count: formatNumber(rest, locale) }))] : []),
    summaryText(explanation, options),
    curveText(explanation, options),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function rowText(explanation: Explanation, row: ExplainedRow, paint: Paint, locale: Locale): string {
  const { words } = locale;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const score = (value: number): string => formatScore(value, edges, locale);
  const scores =
    row.before === null || row.after === null
      ? ""
      : `  ${explanation.output} ${score(row.before)} → ${score(row.after)}`;
  const mark = row.valid ? paint.good("✔") : paint.bad(`✘ ${words[`short_${row.status}`]}`);
  const head = `${paint.bold(rowLabel(row, locale))}${scores}  ${mark}`;
  const plan = (edits: readonly Edit[]): string[] => edits.map((edit) => editText(explanation, edit, locale));
  const [kept, all] = [row.proposal.length - row.edits.length, row.proposal.length];
  const notes = [
    ...row.alternatives.map((other) =>
      fill(words.textOr, { edits: withChange(plan(other.edits).join("; "), other, locale) }),
    ),
    ...remarks(explanation.schema, row, locale),
    // Of a row without a plan the reason says what the proof does.
    ...(row.proof && !(row.proof.claim === "none exists" && row.proof.scope === "model" && row.reason)
      ? [proofSentence(row.proof, locale, explanation.schema)]
      : []),
    ...(kept > 0 && row.valid && row.edits.length > 0 && !row.ranges
      ? [fill(words.textUnneeded, { kept: String(kept), all: String(all) })]
      : []),
    ...(row.reason ? [translate(row.reason, locale)] : []),
  ];
  return [
    head,
    ...plan(row.edits).map((edit) => `  ${edit}`),
    ...notes.map((note) => paint.dim(`  ${note}`)),
  ].join("\n");
}

function editText(explanation: Explanation, edit: Edit, locale: Locale): string {
  const feature = explanation.schema.features.find((f) => f.name === edit.feature)!;
  const unit = feature.unit ? ` ${feature.unit}` : "";
  return `${labelOf(feature)} ${formatCell(edit.from, locale)} → ${formatCell(edit.to, locale)}${unit}`;
}

/** Counts, effect and what they mean, in a few lines. */
export function summaryText(explanation: Explanation, options: TextOptions = {}): string {
  const { paint = PLAIN, locale = en, counts = countsOf(explanation) } = options;
  const { words } = locale;
  const { totals, method, options: asked } = explanation;
  const number = (value: number): string => formatNumber(value, locale);
  const alone = asked["only"] === "plans";
  const how = fill(words.textMethod, {
    coupling: method.coupling,
    value: method.value,
    policy: method.policy,
    seed: String(explanation.seed),
    run: explanation.runHash.slice(0, 12),
  });
  return [
    paint.bold(
      explanation.goal.kind === "group"
        ? `${words.groupGoal}: ${totals.valid > 0 ? words.reached : words.missed}, ${words.rescored}.`
        : fill(words.textAtGoal, { valid: number(totals.valid), rows: number(totals.rows) }),
    ),
    ...(counts.saved.rows > 0 ? [editsText(explanation, counts, locale)] : []),
    ...(alone || counts.saved.rows === 0 ? [] : [effectText(explanation, counts, locale)]),
    paint.dim(method.dependsOnGroup ? `${how} ${words.dependsOnGroup}` : how),
  ].join("\n");
}

/** What the plans save against the counterfactuals, over the rows that have one. */
function editsText({ totals, options }: Explanation, { saved }: Counts, locale: Locale): string {
  const { words } = locale;
  const number = (value: number): string => formatNumber(value, locale);
  const each = (edits: number): string => formatFixed(edits / saved.rows, 2, locale);
  const all = saved.rows < totals.rows ? words.textEditsOf : words.textEdits;
  return fill(options["only"] === "plans" ? words.textEditsAlone : all, {
    edits: number(saved.edits),
    proposed: number(saved.proposed),
    each: each(saved.edits),
    eachProposed: each(saved.proposed),
    change: changeText(saved.change, locale),
    eachChange: changeText(saved.change / saved.rows, locale),
    rows: number(saved.rows),
  });
}

function effectText({ effect, totals }: Explanation, { scored }: Counts, locale: Locale): string {
  const { words } = locale;
  const number = (value: number): string => formatNumber(value, locale);
  return fill(scored < totals.rows ? words.textEffectOf : words.textEffect, {
    rows: number(scored),
    divergence: effect.divergence,
    on: effect.on === "label" ? words.labels : words.scores,
    before: number(effect.before),
    after: number(effect.after),
    share: effect.share === null ? "–" : percent(effect.share),
  });
}

const BARS = " ▁▂▃▄▅▆▇█";

/** D against the number of edits as a line of blocks. */
export function curveText({ curve }: Explanation, options: TextOptions = {}): string {
  const { width = 78, locale = en } = options;
  const top = Math.max(...curve.map((p) => p.divergence), 0);
  if (curve.length < 2 || top === 0) return "";
  const columns = Math.min(width - 24, curve.length);
  const line = Array.from({ length: columns }, (_, c) => {
    const point = curve[Math.round((c * (curve.length - 1)) / Math.max(1, columns - 1))]!;
    return BARS[Math.round((point.divergence / top) * 8)];
  }).join("");
  return `${fill(locale.words.textCurve, { edits: formatNumber(curve.at(-1)!.edits, locale) })}\n  ${line}`;
}
