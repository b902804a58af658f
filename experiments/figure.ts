import type { FigureSpec } from "../show/figures/contract.ts";
import { SCHEMA } from "../show/figures/theme.ts";
import { DIVERGENCES, type Divergence } from "./methods.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName, GENERATORS, type GeneratorKey } from "./settings.ts";

/** Points drawn of a curve. */
const POINTS = 60;
/** What bands are, for people who look at a figure. */
export const BANDS = "Lines are means over runs, bands 99.9 % intervals of the mean.";
/** Okabe and Ito's colours; dashes tell methods apart without them. */
const COLOURS = [
  "#e69f00",
  "#d55e00",
  "#56b4e9",
  "#009e73",
  "#0072b2",
  "#cc79a7",
  "#a0a6ad",
  "#5b6776",
  "#8a6d00",
  "#000000",
];

/** Strokes of the lines, large enough to be told apart. */
export const LEGEND = {
  symbolOpacity: 1,
  symbolType: "stroke",
  symbolStrokeWidth: 2,
  symbolSize: 400,
} as const;

/** Where a scenario is shown: its model and generator. */
function panelOf({ model, generator }: ScenarioResult): string {
  return `${model}, ${GENERATORS[generator as GeneratorKey].title}`;
}

function points(result: ScenarioResult) {
  return result.methods.flatMap(({ method, curve }) => {
    if (!curve) return [];
    const step = Math.ceil(curve.C.length / POINTS);
    return DIVERGENCES.flatMap((divergence) =>
      curve.C.flatMap((C, c) => {
        if (c % step !== 0 && c !== curve.C.length - 1) return [];
        const { mean, half } = curve.D[divergence];
        const [D, band] = [mean[c]!, half[c]!];
        return [{ panel: panelOf(result), divergence, method, C, D, ...bandOf(D, band, divergence) }];
      }),
    );
  });
}

/** A band ends where D does: on labels at 1, and MMD at its 2(1 − 1/e). */
export function bandOf(D: number, half: number, divergence: Divergence): { low: number; high: number } {
  const most = divergence === "MMD" ? 2 * (1 - Math.exp(-1)) : 1;
  return { low: Math.max(0, D - half), high: Math.min(Math.max(D, most), D + half) };
}

/** D versus C of the scenarios of one data set: a row per scenario, a column per divergence, a line per method. */
export function curvesFigure(data: string, results: readonly ScenarioResult[]): FigureSpec {
  const ran = results.filter((result) => result.data === data && result.why === undefined);
  const methods = [...new Set(ran.flatMap((r) => r.methods.filter((m) => m.curve).map((m) => m.method)))];
  const title = `${DATA[data as DataName]?.title ?? data}: divergence from the counterfactuals against edits`;
  return {
    $schema: SCHEMA,
    title,
    description: `${title}. ${BANDS}`,
    data: { values: ran.flatMap(points) },
    facet: {
      row: { field: "panel", title: null, sort: ran.map(panelOf) },
      column: { field: "divergence", title: null, sort: [...DIVERGENCES] },
    },
    spec: {
      width: 190,
      height: 130,
      encoding: {
        x: { field: "C", type: "quantitative", title: "edits C", axis: { tickCount: 4 } },
        color: {
          field: "method",
          type: "nominal",
          title: null,
          sort: methods,
          scale: { domain: methods, range: COLOURS },
          legend: LEGEND,
        },
      },
      layer: [
        {
          mark: { type: "area", opacity: 0.18 },
          encoding: { y: { field: "low", type: "quantitative", title: "D" }, y2: { field: "high" } },
        },
        {
          mark: { type: "line", strokeWidth: 1.6 },
          encoding: {
            y: { field: "D", type: "quantitative", title: "D" },
            strokeDash: { field: "method", type: "nominal", title: null, sort: methods },
          },
        },
      ],
    },
    resolve: { scale: { x: "independent", y: "independent" } },
  };
}
