import type { FigureSpec } from "../show/figures/contract.ts";
import { palette, SCHEMA } from "../show/figures/theme.ts";
import { EXACT, STURDY_WITHIN } from "./planners.ts";
import { AXES, type PlansResult } from "./plans.ts";
import { clustersOf, sweptOf } from "./plans-points.ts";
import { scenarioOf } from "./settings.ts";

/** Colours of the methods, the exact plans' first; dashes tell them apart without colours. */
const COLOURS = [
  ...["#000000", "#56b4e9", "#d55e00", "#e69f00", "#8a6d00", "#a0a6ad", "#5b6776", "#cc79a7"],
  ...["#009e73", "#0072b2", "#004c78"],
];
const DASHES = [
  [1, 0],
  [8, 3],
  [1, 0],
  [6, 2],
  [2, 2],
  [4, 2, 1, 2],
  [1, 3],
  [8, 2, 2, 2],
  [1, 0],
  [1, 0],
  [5, 2],
];
/** What methods are called where there is little room. */
const NAMES: Readonly<Record<string, string>> = {
  [EXACT]: "exact: proven fewest edits",
  [STURDY_WITHIN]: "sturdy, reference's edits",
};

/**
 * Edits of a person against survival, a line per method over the scores asked, where sturdy plans were made: for trees.
 * Left of the proven fewest edits there is no plan.
 */
export function survivalFigure(results: readonly PlansResult[]): FigureSpec | undefined {
  const clusters = clustersOf(results).filter(({ also }) => also > 0);
  if (clusters.length === 0) return undefined;
  const swept = sweptOf(clusters);
  const points = swept.map(({ method, level, point }) => ({
    method: NAMES[method] ?? method,
    level,
    edits: point[AXES.indexOf("edits")]!,
    survival: point[AXES.indexOf("survival")]!,
  }));
  const methods = [...new Set(points.map(({ method }) => method))];
  const fewest = points[0]!.edits;
  const least = 0.95 * fewest - 0.05;
  const models = [...new Set(clusters.map(({ scenario }) => scenarioOf(scenario).model))];
  const title = "Edits per person against survival when the model is trained again";
  const x = {
    field: "edits",
    type: "quantitative",
    title: "edits per person",
    scale: { zero: false, nice: false },
  };
  const y = {
    field: "survival",
    type: "quantitative",
    title: ["share of retrained models", "in which the plan holds"],
    scale: { zero: false },
  };
  return {
    $schema: SCHEMA,
    title,
    description: `${title}: means over ${clusters.length} data sets × models (${models.join(", ")}), one line per method, a dot for each score asked (${clusters[0]!.levels.join(", ")}). No plan has fewer edits than the exact ones, by proof: ${fewest.toFixed(2)} where the class alone is asked.`,
    width: 560,
    height: 380,
    layer: [
      {
        data: { values: [{ from: least, to: fewest }] },
        mark: { type: "rect", color: palette.empty },
        encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
      },
      {
        data: { values: [{ edits: fewest }] },
        mark: { type: "rule", color: palette.ink, strokeDash: [2, 2] },
        encoding: { x },
      },
      {
        data: { values: points },
        encoding: {
          x,
          y,
          color: {
            field: "method",
            type: "nominal",
            title: null,
            sort: methods,
            scale: { domain: methods, range: COLOURS },
            legend: {
              symbolOpacity: 1,
              symbolType: "stroke",
              symbolStrokeWidth: 2.5,
              symbolSize: 400,
            },
          },
        },
        layer: [
          {
            mark: { type: "line", strokeWidth: 2 },
            encoding: {
              order: { field: "level" },
              strokeDash: {
                field: "method",
                type: "nominal",
                title: null,
                sort: methods,
                scale: { domain: methods, range: DASHES },
              },
            },
          },
          { mark: { type: "point", filled: true, opacity: 1, size: 45 } },
        ],
      },
      {
        data: { values: [{ edits: fewest, text: "◂ no plan has fewer edits (proven)" }] },
        mark: { type: "text", align: "left", dx: 6, color: palette.soft },
        encoding: { x, y: { value: 372 }, text: { field: "text" } },
      },
    ],
  };
}
