import type { TopLevelSpec } from "vega-lite";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Locale } from "../locales/contract.ts";
import { en } from "../locales/en.ts";
import { plannedRows, savedBy } from "../saved.ts";
import { fill, formatNumber, percent } from "../sentences.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { barFrame } from "./frame.ts";
import { rowLabels } from "./labels.ts";
import { palette, percentAxis, SCHEMA } from "./theme.ts";

const WIDTH = 140;

/** kept + unneeded = what the counterfactuals of these rows would change; share = kept / (kept + unneeded). */
interface EditBar {
  readonly label: string;
  readonly kept: number;
  readonly unneeded: number;
  readonly share: number;
}

/**
 * How many of the counterfactual's edits each row's plan needs. More than `maxRows` rows are taken together by
 * the number of edits their counterfactual makes. Rows without a plan or a counterfactual have no bar.
 */
export function editBars(explanation: Explanation, maxRows = 40, locale: Locale = en): EditBar[] {
  const rows = plannedRows(explanation).filter((row) => row.proposal.length > 0);
  if (rows.length <= maxRows) {
    const labels = rowLabels(rows, locale);
    return rows.map((row, i) => barOf(labels[i]!, [row]));
  }
  const sizes = [...new Set(rows.map((row) => row.proposal.length))].sort((a, b) => a - b);
  return sizes.map((edits) => {
    const some = rows.filter((row) => row.proposal.length === edits);
    return barOf(
      fill(locale.words.rowsWithEdits, {
        edits: formatNumber(edits, locale),
        rows: formatNumber(some.length, locale),
      }),
      some,
    );
  });
}

function barOf(label: string, rows: readonly ExplainedRow[]): EditBar {
  const all = rows.reduce((sum, row) => sum + row.proposal.length, 0);
  const kept = rows.reduce(
    (sum, row) => sum + row.proposal.filter((p) => row.edits.some((e) => e.feature === p.feature)).length,
    0,
  );
  return { label, kept, unneeded: all - kept, share: kept / all };
}

/** Horizontal 100 % bars: edits the plan keeps against edits of the counterfactual that are not needed. */
export function bars(explanation: Explanation, options: FigureOptions = {}): FigureSpec {
  const { locale = en, maxRows = 40 } = options;
  const { words } = locale;
  const data = editBars(explanation, maxRows, locale);
  const { proposed, edits } = savedBy(explanation);
  const values = data.flatMap((bar) => [
    { label: bar.label, part: words.kept, share: bar.share, order: 0, text: keptText(bar, locale) },
    { label: bar.label, part: words.unneeded, share: 1 - bar.share, order: 1, text: "" },
  ]);
  const y = { field: "label", type: "nominal" as const, sort: null, title: null };
  const spec = {
    $schema: SCHEMA,
    title: words.barsTitle,
    description: `${words.barsTitle}. ${fill(words.editsInstead, { edits: formatNumber(edits, locale), proposed: formatNumber(proposed, locale) })}`,
    ...barFrame({
      width: WIDTH,
      height: (data.length > 20 ? 16 : 20) * Math.max(1, data.length),
      labels: data.map((bar) => bar.label),
      notes: values.map((value) => value.text),
      legend: [words.kept, words.unneeded],
    }),
    data: { values },
    encoding: { y: { ...y, axis: { ticks: false, domain: false, labelLimit: 220 } } },
    layer: [
      {
        mark: { type: "bar", height: { band: 0.78 } },
        encoding: {
          x: {
            field: "share",
            type: "quantitative",
            stack: "zero",
            title: words.shareOfEdits,
            scale: { domain: [0, 1], nice: false },
            // Wider than the bars: in the middle it would begin left of a figure whose rows have short names.
            axis: { labelExpr: percentAxis, values: [0, 0.5, 1], grid: false, titleAnchor: "start" },
          },
          color: {
            field: "part",
            type: "nominal",
            title: null,
            scale: { domain: [words.kept, words.unneeded], range: [palette.plan, palette.unneeded] },
            legend: { orient: "top", direction: "horizontal", offset: 4 },
          },
          order: { field: "order" },
        },
      },
      {
        transform: [{ filter: "datum.order === 0" }],
        mark: { type: "text", align: "left", dx: 6, color: palette.soft },
        encoding: { x: { value: WIDTH }, text: { field: "text" } },
      },
    ],
  } satisfies TopLevelSpec;
  return spec;
}

function keptText({ kept, unneeded, share }: EditBar, locale: Locale): string {
  return fill(locale.words.keptOf, {
    kept: formatNumber(kept, locale),
    all: formatNumber(kept + unneeded, locale),
    share: percent(share),
  });
}
