import { labelOf } from "../src/data/schema.ts";
import type { Edit, ExplainedRow, Plan, SafeValues, Survival } from "../src/explanation.ts";
import type { Schema } from "../src/types.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";
import { directionOf, fill, formatCell, formatNumber, percent, sentence } from "./sentences.ts";

/** What is said of a plan besides its edits and its proof. */
type Remarked = Pick<
  ExplainedRow,
  | "edits"
  | "ranges"
  | "useless"
  | "front"
  | "unusual"
  | "survival"
  | "sturdy"
  | "fewerAlternatives"
  | "allAlternatives"
  | "alternatives"
>;

/** Which values are enough, what cannot help, how the change falls with more edits, which values are unusual. */
export function remarks(schema: Schema, row: Remarked, locale: Locale = en): string[] {
  const { words } = locale;
  const why = row.fewerAlternatives?.split(" ")[1] as "exist" | "found" | "searched" | undefined;
  const all = row.alternatives.length > 0 ? words.allOthers : words.noOthers;
  return [
    ...enough(schema, row, locale),
    ...sturdier(schema, row, locale),
    ...(row.allAlternatives ? [fill(all, { edits: String(row.edits.length) })] : []),
    ...(why ? [words[`noOther_${why}`]] : []),
    ...frontSentences(schema, row, locale),
    ...useless(schema, row, locale),
    ...unusual(schema, row, locale),
  ];
}

const featureOf = (schema: Schema, name: string): Schema["features"][number] =>
  schema.features.find((f) => f.name === name)!;

/** The values that keep the result, feature by feature. */
export function rangeTexts(
  schema: Schema,
  row: Pick<Remarked, "edits" | "ranges">,
  locale: Locale,
): string[] {
  return (row.ranges ?? []).flatMap((range) => rangeText(schema, row, range, locale) ?? []);
}

/** The same in one sentence: they keep it in any combination. */
function enough(schema: Schema, row: Remarked, locale: Locale): string[] {
  const { ranges = [] } = row;
  const told = rangeTexts(schema, row, locale);
  if (told.length === 0) return [];
  const tested = ranges.some(({ known }) => known === "tested");
  const { words } = locale;
  return [fill(tested ? words.enoughTested : words.enough, { ranges: told.join(locale.numbers.list) })];
}

/** "Income at least 52.3 k", "Amount between 8 and 19.5 k"; nothing for a range of one value. */
function rangeText(
  schema: Schema,
  row: Pick<Remarked, "edits">,
  range: SafeValues,
  locale: Locale,
): string | undefined {
  const { words } = locale;
  const { from, to, open } = range;
  const edit = row.edits.find((e) => e.feature === range.feature);
  if (!edit || (to === from && !open)) return undefined;
  const feature = featureOf(schema, range.feature);
  const unit = feature.unit ? ` ${feature.unit}` : "";
  const up = directionOf(feature, edit) > 0 || (edit.from === null && Number(to) >= Number(from));
  const told = { feature: labelOf(feature), from: `${formatCell(from, locale)}${unit}` };
  if (open) return fill(up ? words.rangeUp : words.rangeDown, told);
  const ends = [from, to].map((cell) => formatCell(cell, locale));
  const [low, high] = up ? ends : ends.reverse();
  return fill(words.rangeBetween, { ...told, low: low!, high: `${high}${unit}` });
}

/** In how many retrained models the plan holds, and the plan that other models accept too. */
function sturdier(schema: Schema, { edits, survival, sturdy }: Remarked, locale: Locale): string[] {
  const { words } = locale;
  const holds = (of: Survival): string => {
    const values = { low: percent(of.low), high: percent(of.high), models: formatNumber(of.models, locale) };
    return fill(words.survival, { ...values, tenths: String(Math.round(10 * of.share)) });
  };
  const first = survival ? [holds(survival)] : [];
  if (!sturdy) return first;
  const models = formatNumber(sturdy.scores.length, locale);
  const told = (plan: readonly Edit[]): string =>
    plan
      .map(({ feature: name, from, to }) => {
        const feature = featureOf(schema, name);
        const unit = feature.unit ? ` ${feature.unit}` : "";
        return `${labelOf(feature)} ${formatCell(from, locale)} → ${formatCell(to, locale)}${unit}`;
      })
      .join("; ");
  const plan = told(sturdy.edits);
  if (plan === told(edits)) return [...first, fill(words.sturdySame, { models })];
  const second = sturdy.survival ? [fill(words.sturdyHolds, { holds: holds(sturdy.survival) })] : [];
  return [...first, fill(words.sturdyPlan, { models, edits: plan }), ...second];
}

/** Names listed before the rest is counted. */
const MOST_NAMES = 5;

function useless(schema: Schema, { useless: found }: Remarked, locale: Locale): string[] {
  if (!found || found.features.length === 0) return [];
  const { words } = locale;
  const names = found.features;
  const label = (name: string): string => labelOf(featureOf(schema, name));
  const some = names.slice(0, names.length > MOST_NAMES + 1 ? MOST_NAMES : -1).map(label);
  const rest = names.length - some.length;
  const last = rest > 1 ? fill(words.andMore, { count: formatNumber(rest, locale) }) : label(names.at(-1)!);
  const features =
    some.length === 0 ? last : fill(words.anyOf, { list: some.join(locale.numbers.list), last });
  return [fill(words.useless, { features, edits: String(found.edits) })];
}

function frontSentences(schema: Schema, { front = [] }: Remarked, locale: Locale): string[] {
  return front.slice(1).map(({ edits, change }) =>
    fill(locale.words.frontPoint, {
      edits: String(edits.length),
      change: changeText(change, locale),
      plan: edits.map((edit) => sentence(schema, edit, locale)).join("; "),
    }),
  );
}

/** How much a plan changes, as people read it. */
export function changeText(change: number, locale: Locale = en): string {
  return formatNumber(Number(change.toPrecision(3)), locale);
}

/** A plan in words with how much it changes, where that is known. */
export function withChange(told: string, { change }: Plan, locale: Locale = en): string {
  if (change === undefined) return told;
  return fill(locale.words.changeOf, { plan: told, change: changeText(change, locale) });
}

function unusual(schema: Schema, row: Remarked, locale: Locale): string[] {
  const { words } = locale;
  return (row.unusual ?? []).map(({ feature, to, low, high, among }) => {
    const told = {
      feature: labelOf(featureOf(schema, feature)),
      to: formatCell(to, locale),
      count: formatNumber(among, locale),
    };
    if (low === undefined || high === undefined) return fill(words.unusualLevel, told);
    const range = { low: formatCell(low, locale), high: formatCell(high, locale) };
    return fill(words.unusualRange, { ...told, ...range });
  });
}
