import type { Locale } from "../locales/contract.ts";
import type { FigureSpec } from "./contract.ts";

/** Height of a figure's title with the space below it. */
const TITLE = 28;
const LEGEND = 26;
const AXIS = 46;

/** What surrounds a plot of horizontal bars. */
interface BarParts {
  readonly width: number;
  readonly height: number;
  /** Texts left and right of the bars, and entries of the legend above. */
  readonly labels: readonly string[];
  readonly notes: readonly string[];
  readonly legend: readonly string[];
}

/**
 * Size of the plot and room around it. Given, because the renderer has no font to measure text with and would
 * leave far too much.
 */
export function barFrame({ width, height, labels, notes, legend }: BarParts) {
  const left = widest(labels) + 10;
  const entries = legend.reduce((sum, name) => sum + 24 + 0.8 * 12 * name.length, 0);
  const right = Math.max(widest(notes) + 12, entries - width - 20);
  return {
    width,
    height,
    autosize: { type: "none" as const },
    padding: { left, right, top: TITLE + LEGEND, bottom: AXIS },
    config: { title: { dx: 4 - left } },
  };
}

/** Widths in DejaVu Sans at 12 px, from the usual letters' average; wide scripts count double. */
function widest(texts: readonly string[]): number {
  const width = (text: string): number =>
    [...text].reduce(
      (sum, c) => sum + (c >= "\u1100" && c <= "\uffdc" ? 12 : /[A-Z%mw●]/.test(c) ? 9 : 7),
      0,
    );
  return Math.min(220, Math.max(20, ...texts.map(width)));
}

/** The figure without its title and without the room for it, for pages that set their own heading. */
export function untitled(spec: FigureSpec): FigureSpec {
  const { title: _, padding, ...rest } = spec as FigureSpec & { padding?: { top: number } };
  const less = padding ? { padding: { ...padding, top: padding.top - TITLE } } : {};
  return { ...rest, ...less } as unknown as FigureSpec;
}

/** The figure with axes that write numbers this way. */
export function withNumbers(spec: FigureSpec, { decimal, group }: Locale["numbers"]): FigureSpec {
  const number = { decimal, thousands: group, grouping: [3], currency: ["", ""] };
  const { config } = spec as FigureSpec & { config?: object };
  return { ...spec, config: { ...config, locale: { number } } };
}
