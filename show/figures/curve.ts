import type { TopLevelSpec } from "vega-lite";
import type { CurvePoint, Explanation } from "../../src/explanation.ts";
import { en } from "../locales/en.ts";
import { fill, formatNumber, percent } from "../sentences.ts";
import type { FigureOptions, FigureSpec } from "./contract.ts";
import { palette, percentAxis, SCHEMA } from "./theme.ts";

/** Points drawn at most; longer curves are thinned evenly, ends and chosen budget kept. */
const POINTS = 200;
const WIDTH = 270;
const HEIGHT = 170;

/** Effect reached (else D left) against the number of edits spent, with the budget of the plans marked. */
export function curve(explanation: Explanation, { locale = en }: FigureOptions = {}): FigureSpec {
  const { words } = locale;
  const chosen = explanation.totals.edits;
  const shares = explanation.curve.length > 0 && explanation.curve.every((p) => p.effect !== null);
  const each = explanation.goal.kind === "each";
  const axis = !shares ? words.distanceLeft : each ? words.rowsAtGoal : words.effectReached;
  const values = thin(explanation.curve, chosen).map((p) => ({
    edits: p.edits,
    value: shares ? p.effect! : p.divergence,
  }));
  const at = chosenPoint(explanation, values, shares);
  const shown = at && (shares ? percent(at.value) : formatNumber(at.value, locale));
  const note = at ? fill(words.chosenBudget, { edits: formatNumber(at.edits, locale), value: shown! }) : "";
  const last = values.at(-1)?.edits ?? 0;
  const spec = {
    $schema: SCHEMA,
    title: words.curveTitle,
    description: `${words.curveTitle}: ${fill(words.curveAlt, { axis, edits: words.editsInAll })}. ${note}.`,
    width: WIDTH,
    height: HEIGHT,
    data: { values },
    encoding: {
      x: {
        field: "edits",
        type: "quantitative",
        title: words.editsInAll,
        axis: { grid: false, tickMinStep: 1, tickCount: 6, format: "d" },
        scale: { domain: [0, Math.max(1, last)], nice: false },
      },
      y: {
        field: "value",
        type: "quantitative",
        title: axis,
        axis: { tickCount: 5, domain: false, ticks: false, ...(shares ? { labelExpr: percentAxis } : {}) },
        scale: { zero: true },
      },
    },
    layer: [
      { mark: { type: "area", color: palette.plan, opacity: 0.12, interpolate: "step-after", line: false } },
      { mark: { type: "line", color: palette.plan, strokeWidth: 2, interpolate: "step-after" } },
      ...(at ? chosenMark(at, note, at.edits > 0.55 * last) : []),
    ],
  } satisfies TopLevelSpec;
  return spec;
}

/** Where the plans are: on the curve, or beside it where edits were taken back at the end. */
function chosenPoint(
  { goal, totals, effect }: Explanation,
  values: readonly { edits: number; value: number }[],
  shares: boolean,
): { edits: number; value: number } | undefined {
  const value = shares ? effect.share : effect.after;
  if (goal.kind === "group" && values.length > 0 && value !== null) return { edits: totals.edits, value };
  return values.find((p) => p.edits === totals.edits) ?? values.at(-1);
}

type Layer = Extract<TopLevelSpec, { layer: unknown }>["layer"][number];

function chosenMark(at: { edits: number; value: number }, note: string, left: boolean): Layer[] {
  const data = { values: [{ ...at, note }] };
  return [
    {
      data,
      mark: { type: "rule", color: palette.down, strokeDash: [4, 3], strokeWidth: 1.5 },
      encoding: { y: { value: 0 }, y2: { value: HEIGHT } },
    },
    {
      data,
      mark: { type: "point", filled: true, size: 80, color: palette.down, opacity: 1 },
    },
    {
      data,
      mark: {
        type: "text",
        align: left ? "right" : "left",
        dx: left ? -8 : 8,
        color: palette.ink,
        fontWeight: 600,
      },
      encoding: { y: { value: HEIGHT - 12 }, text: { field: "note" } },
    },
  ];
}

function thin(points: readonly CurvePoint[], chosen: number): CurvePoint[] {
  const step = Math.max(1, Math.ceil(points.length / POINTS));
  return points.filter((p, i) => i % step === 0 || i === points.length - 1 || p.edits === chosen);
}
