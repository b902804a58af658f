import { labelOf } from "../src/data/schema.ts";
import type { ExplainedRow, Explanation } from "../src/explanation.ts";
import { formatCell, formatNumber, proofSentence } from "./sentences.ts";

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
}

/** An explanation as people read it in a terminal: a block per row, a summary, a small curve. */
export function explanationText(explanation: Explanation, options: TextOptions = {}): string {
  const { paint = PLAIN, maxRows = 20, width = 78 } = options;
  const shown = explanation.rows.slice(0, maxRows).map((row) => rowText(explanation, row, paint));
  const rest = explanation.rows.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [paint.dim(`… and ${rest} more rows.`)] : []),
    summaryText(explanation, paint),
    curveText(explanation, width),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function rowText(explanation: Explanation, row: ExplainedRow, paint: Paint): string {
  const name = row.id === undefined ? `Row ${row.row}` : `Row ${row.row} (${formatCell(row.id)})`;
  const scores =
    row.before === null || row.after === null
      ? ""
      : `  ${explanation.output} ${score(row.before)} → ${score(row.after)}`;
  const mark = row.valid ? paint.good("✔") : paint.bad(`✘ ${row.status}`);
  const head = `${paint.bold(name)}${scores}  ${mark}`;
  const edits = row.edits.map((edit) => `  ${editText(explanation, row, edit.feature)}`);
  const kept = row.proposal.length - row.edits.length;
  const notes = [
    ...(row.proof ? [proofSentence(row.proof)] : []),
    ...(kept > 0 ? [`${kept} of the counterfactual's ${row.proposal.length} edits not needed`] : []),
    ...(row.reason ? [row.reason] : []),
  ];
  return [head, ...edits, ...notes.map((note) => paint.dim(`  ${note}`))].join("\n");
}

function editText(explanation: Explanation, row: ExplainedRow, name: string): string {
  const edit = row.edits.find((e) => e.feature === name)!;
  const feature = explanation.schema.features.find((f) => f.name === name)!;
  const unit = feature.unit ? ` ${feature.unit}` : "";
  return `${labelOf(feature)} ${formatCell(edit.from)} → ${formatCell(edit.to)}${unit}`;
}

function score(value: number): string {
  return value.toFixed(3);
}

/** Counts, effect and what they mean, in a few lines. */
export function summaryText(explanation: Explanation, paint: Paint = PLAIN): string {
  const { totals, effect, method } = explanation;
  const share = effect.share === null ? "–" : `${(100 * effect.share).toFixed(0)} %`;
  const each = (edits: number): string => (edits / Math.max(1, totals.rows)).toFixed(2);
  return [
    paint.bold(`${totals.valid} of ${totals.rows} rows reach the goal when re-scored.`),
    `Edits: ${totals.edits} instead of ${totals.editsProposed} (${each(totals.edits)} instead of ${each(totals.editsProposed)} per row).`,
    `Effect (${effect.divergence} on ${effect.on}s): ${formatNumber(effect.before)} → ${formatNumber(effect.after)}, ${share}.`,
    paint.dim(
      `Coupling ${method.coupling}, values ${method.value}, policy ${method.policy}; ${totals.modelRows} rows scored; seed ${explanation.seed}; run ${explanation.runHash.slice(0, 12)}.` +
        (method.dependsOnGroup ? " Plans depend on the other rows of this run." : ""),
    ),
  ].join("\n");
}

const BARS = " ▁▂▃▄▅▆▇█";

/** D against the number of edits as a line of blocks. */
export function curveText(explanation: Explanation, width = 78): string {
  const { curve } = explanation;
  const top = Math.max(...curve.map((p) => p.divergence), 0);
  if (curve.length < 2 || top === 0) return "";
  const columns = Math.min(width - 24, curve.length);
  const line = Array.from({ length: columns }, (_, c) => {
    const point = curve[Math.round((c * (curve.length - 1)) / Math.max(1, columns - 1))]!;
    return BARS[Math.round((point.divergence / top) * 8)];
  }).join("");
  return `Distance to the goal after 0 … ${curve.at(-1)!.edits} edits:\n  ${line}`;
}
