import type { Config } from "vega-lite";

/**
 * Colours of all figures, after Okabe and Ito's palette: told apart with any colour vision, and never the only
 * sign of a meaning. The report's style sheet maps each of them to its dark counterpart, so every value is unique.
 */
export const palette = {
  ink: "#1d2733",
  soft: "#5b6776",
  line: "#cfd6de",
  empty: "#eef1f5",
  paper: "#ffffff",
  /** Text on a coloured cell. */
  onMark: "#fffffe",
  plan: "#0072b2",
  unneeded: "#e2b36b",
  up: "#0071b1",
  down: "#c8510a",
  other: "#93568a",
} as const;

export const glyphs = { up: "▲", down: "▼", other: "◆", plan: "●" } as const;

/** Axis labels of shares, as the text says them. */
export const percentAxis = "round(datum.value * 100) + ' %'";

export const SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json";

/** What every figure looks like unless it says otherwise. */
export const config: Config = {
  font: "DejaVu Sans",
  background: palette.paper,
  view: { stroke: null },
  aria: false,
  title: { anchor: "start", color: palette.ink, fontSize: 14, fontWeight: 600, offset: 12, frame: "group" },
  axis: {
    domainColor: palette.line,
    gridColor: palette.line,
    gridOpacity: 0.6,
    tickColor: palette.line,
    labelColor: palette.soft,
    titleColor: palette.soft,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    labelPadding: 4,
    titlePadding: 8,
  },
  legend: {
    labelColor: palette.soft,
    titleColor: palette.soft,
    labelFontSize: 12,
    labelLimit: 260,
    columnPadding: 6,
    symbolSize: 90,
  },
  header: { labelColor: palette.ink, labelFontSize: 12, labelFontWeight: 600, titleColor: palette.soft },
  text: { color: palette.ink, fontSize: 12 },
};
