import type { Explanation } from "../../src/explanation.ts";
import type { Locale } from "../locales/contract.ts";

/** A Vega-Lite specification that carries its own data; `description` is its text alternative. */
export interface FigureSpec {
  readonly $schema: string;
  readonly title: string;
  readonly description: string;
  readonly [part: string]: unknown;
}

export interface FigureOptions {
  /** Position in `explanation.rows`, for figures of one row. Default 0. */
  readonly row?: number;
  /** Rows drawn one by one; more are drawn in groups. Default 40. */
  readonly maxRows?: number;
  /** Features drawn; the rest is summed or left to the tables. Default: what the figure can hold. */
  readonly maxFeatures?: number;
  readonly locale?: Locale;
}

export interface Figure {
  readonly title: string;
  readonly draw: (explanation: Explanation, options?: FigureOptions) => FigureSpec;
}
