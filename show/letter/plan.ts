import { labelOf } from "../../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation, Plan, SafeValues, Survival } from "../../src/explanation.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { Locale } from "../locales/contract.ts";
import {
  capital,
  directionOf,
  edgesOf,
  fill,
  formatCell,
  formatNumber,
  formatScore,
  percent,
  proofSentence,
} from "../sentences.ts";
import type { LetterPart } from "./part.ts";

/** What would have changed the outcome, how far it may go, and what is proven of it. */
export function planPart(explanation: Explanation, row: ExplainedRow, locale: Locale): LetterPart {
  const { papers } = locale;
  if (!row.valid || row.edits.length === 0) return noPlan(explanation, row, locale);
  const edits = String(row.edits.length);
  const { goal, outputs } = explanation;
  const edges = edgesOf(goal, outputs.length);
  const contest = edges.length === 1 && edges[0] === 0 && outputs.length > 2;
  const after = formatScore(row.after!, edges, locale);
  return {
    kind: "plan",
    heading: papers.letterPlan,
    before: [fill(contest ? papers.letterPlanMargin : papers.letterPlanNote, { edits, after })],
    items: planItems(explanation, row, row.ranges ?? [], locale).map(capital),
    after: [[...rangesNote(row, locale), ...provenNote(explanation, row, locale)].join(" ")].filter(
      (text) => text !== "",
    ),
  };
}

function noPlan({ schema }: Explanation, { proof }: ExplainedRow, locale: Locale): LetterPart {
  const { papers } = locale;
  const proven = proof?.claim === "none exists" && proof.scope === "model";
  const said = proven
    ? [papers.letterNoneProven, ...permitted(proof.domain ?? [], schema, locale)]
    : proof
      ? [fill(papers.letterProof, { proof: proofSentence(proof, locale, schema) })]
      : [];
  return {
    kind: "plan",
    heading: papers.letterPlan,
    before: [[papers.letterNone, ...said].join(" ")],
    items: [],
    after: [],
  };
}

/** Edits as facts: "Amount: at most 19.5 k (now 22.5 k)". */
function planItems(
  { schema }: Explanation,
  { edits }: Plan,
  ranges: readonly SafeValues[],
  locale: Locale,
): string[] {
  const { papers } = locale;
  return edits.map((edit) => {
    const feature = schema.features.find(({ name }) => name === edit.feature)!;
    const range = ranges.find((one) => one.feature === edit.feature);
    const told = { feature: labelOf(feature), now: withUnit(feature, edit.from, locale) };
    if (edit.to === null) return fill(papers.planClear, told);
    if (!range || !isWide(range))
      return fill(papers.planTo, { ...told, to: withUnit(feature, edit.to, locale) });
    const up = risesBy(feature, edit, range);
    const from = withUnit(feature, range.from, locale);
    if (range.open) return fill(up ? papers.planUp : papers.planDown, { ...told, from });
    const [low, high] = up ? [range.from, range.to] : [range.to, range.from];
    return fill(papers.planBetween, {
      ...told,
      low: formatCell(low, locale),
      high: withUnit(feature, high, locale),
    });
  });
}

const isWide = ({ from, to, open }: SafeValues): boolean => open || to !== from;

const risesBy = (feature: Feature, edit: Edit, { from, to }: SafeValues): boolean =>
  directionOf(feature, edit) > 0 || (edit.from === null && Number(to) >= Number(from));

const withUnit = (feature: Feature, cell: Cell, locale: Locale): string =>
  formatCell(cell, locale) + (feature.unit && cell !== null ? ` ${feature.unit}` : "");

function rangesNote({ edits, ranges = [] }: ExplainedRow, { papers }: Locale): string[] {
  const wide = ranges.filter(
    (range) => isWide(range) && edits.some(({ feature }) => feature === range.feature),
  );
  if (wide.length === 0) return [];
  const certified = wide.every(({ known }) => known === "certified");
  return [fill(certified ? papers.letterRanges : papers.letterRangesTested, { edits: String(wide.length) })];
}

function provenNote({ schema }: Explanation, { proof, edits }: ExplainedRow, locale: Locale): string[] {
  const { papers } = locale;
  const count = edits.length;
  if (!proof) return [];
  const plain = proof.claim === "optimal" && proof.scope === "model" && proof.least === undefined;
  if (!plain) return [fill(papers.letterProof, { proof: proofSentence(proof, locale, schema) })];
  // One change is the fewest there can be: only that it is the least is worth a word.
  if (count === 1 && !proof.change) return [];
  const claim = !proof.change
    ? [papers.letterFewest]
    : count === 1
      ? [papers.letterLeast, papers.letterSize]
      : [fill(papers.letterFewestLeast, { edits: String(count) }), papers.letterSize];
  return [...claim, ...permitted(proof.domain ?? [], schema, locale)];
}

/** Between which numbers values are permitted, where the schema names no ends. */
function permitted(
  domain: NonNullable<NonNullable<ExplainedRow["proof"]>["domain"]>,
  { features }: Explanation["schema"],
  locale: Locale,
): string[] {
  if (domain.length === 0) return [];
  const told = domain.map(({ feature: name, from, to }) => {
    const feature = features.find((one) => one.name === name)!;
    const ends = { from: formatNumber(from, locale), to: withUnit(feature, to, locale) };
    return fill(locale.proofDomain, { feature: labelOf(feature), ...ends });
  });
  return [fill(locale.papers.letterPermitted, { domains: told.join(locale.numbers.list) })];
}

/** Other plans that are told one by one. */
const MOST_OTHERS = 3;

export function othersPart(
  explanation: Explanation,
  row: ExplainedRow,
  hidden: ReadonlySet<string>,
  locale: Locale,
): LetterPart | undefined {
  const { papers } = locale;
  const others = row.valid
    ? row.alternatives.filter(({ edits }) => !edits.some(({ feature }) => hidden.has(feature)))
    : [];
  const whole = row.allAlternatives === true && others.length === row.alternatives.length;
  if (others.length === 0) return undefined;
  const shown = others.slice(0, MOST_OTHERS);
  const count = String(shown.length);
  const more = others.length - shown.length;
  return {
    kind: "others",
    heading: papers.letterOthers,
    before: [fill(papers.letterOthersNote, { count })],
    items: shown.map((plan) => capital(planItems(explanation, plan, [], locale).join("; "))),
    after: [
      ...(more > 0 ? [fill(papers.letterOthersMore, { count: formatNumber(more, locale) })] : []),
      ...(whole && more === 0 ? [papers.letterOthersAll] : []),
    ],
  };
}

/** The second plan, which further models accept too, with how often it held. */
export function sturdyPart(
  explanation: Explanation,
  row: ExplainedRow,
  hidden: ReadonlySet<string>,
  locale: Locale,
): LetterPart | undefined {
  const { papers } = locale;
  const { sturdy } = row;
  const told = (plan: Plan): string[] => planItems(explanation, plan, [], locale);
  if (!row.valid || !sturdy || sturdy.edits.length === 0) return undefined;
  if (sturdy.edits.some(({ feature }) => hidden.has(feature))) return undefined;
  if (told(sturdy).join() === told(row).join()) return undefined;
  const counts = { edits: String(sturdy.edits.length), models: formatNumber(sturdy.scores.length, locale) };
  return {
    kind: "sturdy",
    heading: papers.letterSturdy,
    before: [fill(papers.letterSturdyNote, counts)],
    items: told(sturdy).map(capital),
    after: sturdy.survival ? [survivalText(sturdy.survival, locale)] : [],
  };
}

/** What the letter does not promise, with how often the plan held where that was tried. */
export function limitsPart(row: ExplainedRow, locale: Locale): LetterPart {
  const { papers } = locale;
  const { survival } = row;
  const texts = [
    ...(row.valid ? [papers.letterLimitPromise] : []),
    papers.letterLimitModel,
    ...(row.valid && survival ? [survivalText(survival, locale)] : []),
  ];
  return { kind: "limits", heading: papers.letterLimits, before: [texts.join(" ")], items: [], after: [] };
}

const survivalText = ({ models, share, low, high }: Survival, locale: Locale): string =>
  fill(locale.papers.letterSurvival, {
    models: formatNumber(models, locale),
    tenths: String(Math.round(10 * share)),
    low: percent(low),
    high: percent(high),
  });
