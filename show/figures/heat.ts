import type { TopLevelSpec } from "vega-lite";
import type { Edit, ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Locale } from "../locales/contract.ts";
import { en } from "../locales/en.ts";
import { featurePatterns } from "../patterns.ts";
import { fill, formatNumber } from "../sentences.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { featureLabels, rowLabels } from "./labels.ts";
import { palette, SCHEMA } from "./theme.ts";

/** Rows of a heat map: one row each, or `size` rows that change alike. */
interface Block {
  readonly label: string;
  readonly rows: readonly ExplainedRow[];
}

/**
 * At most `maxRows` blocks of equal size. Where rows must share a block they are ordered by what their plans and
 * counterfactuals change, so that a block holds rows that change alike.
 */
export function blocksOf(rows: readonly ExplainedRow[], maxRows: number, locale: Locale): Block[] {
  if (rows.length <= maxRows) {
    const labels = rowLabels(rows, locale);
    return rows.map((row, i) => ({ label: labels[i]!, rows: [row] }));
  }
  const names = (edits: readonly Edit[]): string =>
    edits
      .map((e) => e.feature)
      .sort()
      .join("\u0000");
  const keyed = rows.map((row) => ({ row, key: `${names(row.edits)}\u0001${names(row.proposal)}` }));
  keyed.sort(
    (a, b) => a.row.edits.length - b.row.edits.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  );
  const size = Math.ceil(rows.length / maxRows);
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, b) => {
    const some = keyed.slice(b * size, (b + 1) * size).map(({ row }) => row);
    return { label: `${b * size + 1}–${b * size + some.length}`, rows: some };
  });
}

/** A coloured cell: `kind` picks the colour, `share` of the block's rows are so. */
interface HeatCell {
  readonly kind: string;
  readonly glyph: string;
  readonly share: number;
}

/** Two panels beside each other, the counterfactual q and the plan z: rows down, features across. */
interface HeatOptions extends FigureOptions {
  readonly title: string;
  readonly kinds: readonly { readonly name: string; readonly color: string }[];
  /** The cell of a feature in a block, undefined where nothing changes. */
  cell(panel: "q" | "z", feature: number, block: Block): HeatCell | undefined;
}

export function heat(explanation: Explanation, options: HeatOptions): FigureSpec {
  const { locale = en, maxRows = 40, maxFeatures = 29, title, kinds, cell } = options;
  const { words } = locale;
  const { editsProposed, edits } = explanation.totals;
  const changed = [...featurePatterns(explanation, "proposal"), ...featurePatterns(explanation)];
  const used = [...new Set(changed.map((p) => p.k))].slice(0, maxFeatures).sort((a, b) => a - b);
  const labels = featureLabels(explanation.schema);
  const blocks = blocksOf(explanation.rows, maxRows, locale);
  const panels = {
    q: fill(words.panelQ, { edits: formatNumber(editsProposed, locale) }),
    z: fill(words.panelZ, { edits: formatNumber(edits, locale) }),
  };
  const values = (["q", "z"] as const).flatMap((panel) =>
    blocks.flatMap((block) =>
      used.flatMap((k) => {
        const found = cell(panel, k, block);
        return found ? [{ panel: panels[panel], row: block.label, feature: labels[k]!, ...found }] : [];
      }),
    ),
  );
  const grouped = blocks.some((block) => block.rows.length > 1);
  const size = formatNumber(blocks[0]?.rows.length ?? 0, locale);
  const note = grouped ? ` ${fill(words.heatGrouped, { rows: size })}` : "";
  const step = blocks.length > 24 ? 15 : blocks.length > 15 ? 20 : 26;
  const width = used.length > 20 ? 15 : used.length > 12 ? 26 : 34;
  const rowTitle = fill(words.heatAxis, { all: formatNumber(explanation.rows.length, locale), rows: size });
  const spec = {
    $schema: SCHEMA,
    title,
    description: `${title}. ${panels.q}; ${panels.z}.${note}`,
    data: { values },
    facet: { column: { ...panelHead, sort: [panels.q, panels.z] } },
    // The left title may be wider than its panel of few features; it must not run into the right one.
    spacing: Math.max(28, TITLE_WIDTH * panels.q.length - used.length * width + 16),
    spec: {
      width: { step: width },
      height: { step },
      view: { fill: palette.empty, stroke: null },
      encoding: {
        x: {
          field: "feature",
          type: "nominal",
          title: null,
          scale: { domain: used.map((k) => labels[k]!) },
          axis: { ...topAxis, labelAngle: used.length > 20 ? -90 : -50 },
        },
        y: {
          field: "row",
          type: "nominal",
          title: grouped ? rowTitle : null,
          scale: { domain: blocks.map((block) => block.label) },
          axis: { ...gridAxis, labelLimit: 160, labelColor: palette.soft, labels: !grouped },
        },
      },
      layer: [cells(kinds, grouped), signs(step)],
    },
  } satisfies TopLevelSpec;
  return spec;
}

/** The coloured cells; with several rows in each, the paler the fewer of them are changed. */
function cells(kinds: HeatOptions["kinds"], grouped: boolean) {
  const fillOpacity = {
    field: "share",
    type: "quantitative" as const,
    scale: { domain: [0, 1], range: [0.15, 1] },
    legend: null,
  };
  return {
    mark: { type: "rect" as const, stroke: palette.paper, strokeWidth: 1.5 },
    encoding: {
      color: {
        field: "kind",
        type: "nominal" as const,
        title: null,
        scale: { domain: kinds.map((kind) => kind.name), range: kinds.map((kind) => kind.color) },
        legend: {
          orient: "bottom" as const,
          direction: "horizontal" as const,
          offset: 14,
          symbolType: "square",
        },
      },
      ...(grouped ? { fillOpacity } : {}),
    },
  };
}

function signs(step: number) {
  return {
    mark: {
      type: "text" as const,
      color: palette.onMark,
      fontSize: step > 20 ? 12 : step > 15 ? 10 : 8,
      baseline: "middle" as const,
    },
    encoding: { text: { field: "glyph" } },
  };
}

const panelHead = {
  field: "panel",
  type: "nominal" as const,
  title: null,
  header: { labelAnchor: "start" as const, labelPadding: 6 },
};

/** Pixels a letter of a panel's title takes. */
const TITLE_WIDTH = 7;

const gridAxis = {
  grid: true,
  gridColor: palette.paper,
  gridWidth: 1.5,
  gridOpacity: 1,
  tickBand: "extent" as const,
  ticks: false,
  domain: false,
};

const topAxis = {
  ...gridAxis,
  orient: "top" as const,
  labelLimit: 150,
  labelColor: palette.ink,
};
