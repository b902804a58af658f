import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { toldIn } from "../data-words.ts";
import { en } from "../locales/en.ts";
import { bars } from "./bars.ts";
import { changes } from "./changes.ts";
import type { Figure, FigureOptions, FigureSpec } from "./contract.ts";
import { curve } from "./curve.ts";
import { directions } from "./directions.ts";
import { withNumbers } from "./frame.ts";
import { groups } from "./groups.ts";
import { waterfall } from "./waterfall.ts";

/** Every figure that can be drawn from an explanation alone. */
export const figures = {
  curve: { title: "effect against the number of edits", draw: curve },
  groups: { title: "which features change most, and in which direction", draw: groups },
  bars: { title: "edits kept against edits not needed", draw: bars },
  changes: { title: "changed cells, counterfactual beside plan", draw: changes },
  directions: { title: "directions of change, counterfactual beside plan", draw: directions },
  waterfall: { title: "attributions of one row", draw: waterfall },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof figures;

/** The named figure as a Vega-Lite specification; its axes write numbers as the locale does. */
export function figure(name: string, given: Explanation, options: FigureOptions = {}): FigureSpec {
  if (Object.hasOwn(figures, name)) {
    const { explanation, locale } = toldIn(given, options.locale ?? en);
    return withNumbers(figures[name as FigureName].draw(explanation, { ...options, locale }), locale.numbers);
  }
  const names = Object.keys(figures);
  throw new ColaError(
    "NAME_UNKNOWN",
    `figure: there is no figure ${JSON.stringify(name)}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
}
