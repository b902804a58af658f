import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import { mean as meanOf, quantileSorted, sd, sorted, wilson } from "../../src/num/stats.ts";
import type { Locale } from "../locales/contract.ts";
import type { CardWords } from "../locales/en-card.ts";
import { fill, formatFixed, formatNumber, formatScore } from "../sentences.ts";

type Name = {
  [Key in keyof CardWords]: Key extends `fig_${infer Rest}` ? Rest : never;
}[keyof CardWords];
type Unit = "rows" | "plans" | "cells" | "values";

/** A figure to watch from run to run. */
export interface CardFigure {
  readonly name: Name;
  readonly value: number;
  /** 95 % interval, as if the rows were drawn from those to come; null where there is none to give. */
  readonly low: number | null;
  readonly high: number | null;
  /** How many of what it is from. */
  readonly count: number;
  readonly unit: Unit;
  /** Anything above 0 wants a look. */
  readonly expected: 0 | null;
}

/** The figures of a run, as far as it has them. */
export function cardFigures({ goal, rows, realism = [], basis }: Explanation): CardFigure[] {
  const each = goal.kind === "each";
  const scored = rows.filter(({ before }) => before !== null);
  const planned = rows.filter(({ valid, edits }) => valid && edits.length > 0);
  const searched = rows.filter(({ status }) => status === "ok" || status === "infeasible");
  const cells = rows.reduce((sum, { x }) => sum + x.length, 0);
  const missing = rows.reduce((sum, { x }) => sum + x.filter((cell) => cell === null).length, 0);
  const own = realism.find(({ kind }) => kind === "plan");
  const quality = basis?.model.quality;
  const judged = rows.flatMap(({ survival }) => (survival ? [survival.share] : []));
  const changes = planned.flatMap(({ change }) => (change === undefined ? [] : [change]));
  return [
    ...(each
      ? [
          share("atGoal", searched, ({ valid }) => valid),
          share("oneEdit", searched, ({ valid, edits }) => valid && edits.length === 1),
        ]
      : []),
    mean(
      "edits",
      planned.map(({ edits }) => edits.length),
      "plans",
    ),
    mean("change", changes, "plans"),
    ...(each ? [share("proven", planned, isProven, "plans"), share("none", searched, isWithout)] : []),
    expected(share("budget", rows, ({ status }) => status === "budget")),
    expected(share("errors", rows, ({ status }) => status === "model_error" || status === "invalid_input")),
    counted("missing", missing, cells, "cells"),
    mean(
      "before",
      scored.map(({ before }) => before!),
      "rows",
    ),
    mean("survival", judged, "plans"),
    own && counted("unusual", own.unusual, own.values, "values"),
    ...qualityFigures(quality),
  ].filter((one) => one !== undefined);
}

/** Without an interval on the rows the model was trained on: these are not drawn from rows to come. */
function qualityFigures(
  quality: NonNullable<Explanation["basis"]>["model"]["quality"] | undefined,
): (CardFigure | undefined)[] {
  if (!quality) return [];
  const { accuracy, auc, rows: count, trained } = quality;
  const drawn = { count, unit: "rows" as const };
  return [
    trained
      ? figure("accuracyTrained", { value: accuracy, ...drawn })
      : counted("accuracy", Math.round(accuracy * count), count, "rows"),
    auc === undefined ? undefined : figure(trained ? "aucTrained" : "auc", { value: auc, ...drawn }),
  ];
}

const isProven = ({ proof }: ExplainedRow): boolean => proof?.claim === "optimal" && proof.scope === "model";

const isWithout = ({ valid, proof }: ExplainedRow): boolean =>
  !valid && proof?.claim === "none exists" && proof.scope === "model";

type Given = Pick<CardFigure, "value" | "count" | "unit"> & Partial<CardFigure>;

const figure = (name: Name, given: Given): CardFigure => ({
  ...{ name, low: null, high: null, expected: null },
  ...given,
});

function counted(name: Name, holds: number, count: number, unit: Unit): CardFigure | undefined {
  return count === 0
    ? undefined
    : figure(name, { value: holds / count, count, unit, ...wilson(holds, count) });
}

const share = (
  name: Name,
  rows: readonly ExplainedRow[],
  is: (row: ExplainedRow) => boolean,
  unit: Unit = "rows",
): CardFigure | undefined => counted(name, rows.filter(is).length, rows.length, unit);

const expected = (one: CardFigure | undefined): CardFigure | undefined => one && { ...one, expected: 0 };

/** Plans from which on a mean has an interval: resamples of fewer say too little. */
const LEAST = 5;
/** Values whose mean is resampled; of more, a mean is as good as normal. */
const [DRAWS, RESAMPLED] = [1000, 2000];

/** A mean with the central 95 % of the means of resamples, which never leave the range of the values. */
function mean(name: Name, values: readonly number[], unit: Unit): CardFigure | undefined {
  const count = values.length;
  if (count === 0) return undefined;
  const value = meanOf(values);
  const spread = count > 1 ? sd(values, 1) : 0;
  if (!(spread > 0) || count < LEAST) return figure(name, { value, count, unit });
  if (count > RESAMPLED) {
    const half = (1.959963984540054 * spread) / Math.sqrt(count);
    return figure(name, { value, count, unit, low: value - half, high: value + half });
  }
  const random = stream(0, "card", name);
  const means = sorted(
    Array.from({ length: DRAWS }, () => meanOf(values.map(() => values[random.int(count)]!))),
  );
  const [low, high] = [quantileSorted(means, 0.025), quantileSorted(means, 0.975)];
  return figure(name, { value, count, unit, low, high });
}

const MEANS: Readonly<Partial<Record<Name, (value: number, locale: Locale) => string>>> = {
  edits: (value, locale) => formatFixed(value, 2, locale),
  change: (value, locale) => formatFixed(value, 2, locale),
  before: (value, locale) => formatScore(value, [], locale),
  auc: (value, locale) => formatFixed(value, 3, locale),
  aucTrained: (value, locale) => formatFixed(value, 3, locale),
};

/** A share with one decimal: what moves from run to run is often less than one per cent. */
const tenths = (value: number, locale: Locale): string => `${formatFixed(100 * value, 1, locale)}\u00a0%`;

/** A figure as told: name, value, interval or what is expected, and what it is from. */
export function figureTexts(one: CardFigure, locale: Locale): readonly [string, string, string, string] {
  const { card, papers } = locale;
  const text = (value: number): string => (MEANS[one.name] ?? tenths)(value, locale);
  const from = fill(card[`unit_${one.unit}`], { count: formatNumber(one.count, locale) });
  const interval =
    one.expected === 0
      ? card.expected
      : one.low === null || one.high === null
        ? "–"
        : fill(papers.fromTo, { from: text(one.low), to: text(one.high) });
  return [card[`fig_${one.name}`], text(one.value), interval, from];
}
