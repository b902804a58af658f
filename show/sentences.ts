import { fill, noteText, type PlainNote } from "../src/data/notes.ts";
import { labelOf, levelsOf } from "../src/data/schema.ts";
import type { Edit, ExplainedRow } from "../src/explanation.ts";
import type { Cell, Feature, Goal, Proof, Schema, Target } from "../src/types.ts";
import { dataWord } from "./data-words.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";

export { fill };

/** A number as the locale writes it, from the plain text of it: decimal sign, thousands from five digits on. */
function written(plain: string, { numbers }: Locale): string {
  return plain.replace(/(\d+)(?:\.(\d+))?/, (_, whole: string, rest?: string) => {
    const grouped = whole.length < 5 ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, numbers.group);
    return rest === undefined ? grouped : grouped + numbers.decimal + rest;
  });
}

/** A number as people read it: at most six significant digits, no exponent for ordinary sizes. */
export function formatNumber(value: number, locale: Locale = en): string {
  return written(shortest(value), locale);
}

function shortest(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

/** A number with this many decimals. */
export function formatFixed(value: number, digits: number, locale: Locale = en): string {
  return written(value.toFixed(digits), locale);
}

export function formatCell(cell: Cell, locale: Locale = en): string {
  if (cell === null) return locale.missing;
  if (typeof cell === "boolean") return cell ? locale.yes : locale.no;
  return typeof cell === "number" ? written(cellText(cell), locale) : dataWord(cell, locale);
}

/** Decimals a person would write: a cell with no more keeps all its digits, since a rounded one could miss the goal. */
const MOST_DECIMALS = 6;

function cellText(value: number): string {
  return Number(value.toFixed(MOST_DECIMALS)) === value ? String(value) : shortest(value);
}

/** A share as whole per cent; 0 % and 100 % are said only when exact. */
export function percent(share: number): string {
  const rounded = Math.round(100 * share);
  // Ends of intervals may miss 0 and 1 by their rounding.
  if (rounded === 100 && share < 1 - 1e-9) return ">99\u00a0%";
  if (rounded === 0 && share > 1e-9) return "<1\u00a0%";
  return `${rounded}\u00a0%`;
}

/** A score with three decimals, or as many more as it takes to see on which side of the edges it lies. */
export function formatScore(value: number, edges: readonly number[] = [], locale: Locale = en): string {
  const sided = (text: string): boolean =>
    edges.every((edge) => Math.sign(Number(text) - edge) === Math.sign(value - edge));
  const short = Math.abs(value) >= 1000 ? shortest(value) : value.toFixed(3);
  const longer = [4, 5, 6, 7, 8, 9, 10, 11].map((digits) => value.toFixed(digits));
  return written([short, ...longer].find(sided) ?? String(value), locale);
}

/** A difference with its sign: three decimals, more where these would be zeros. */
export function formatSigned(value: number, locale: Locale = en): string {
  const size = Math.abs(value);
  const text = size >= 1000 ? shortest(size) : size >= 0.0005 ? size.toFixed(3) : size.toPrecision(2);
  return `${value < 0 ? "−" : "+"}${written(text, locale)}`;
}

/** A note in the words of the locale. */
export function noteSentence(note: PlainNote, locale: Locale = en): string {
  return noteText(note, locale.notes, (value) => formatNumber(value, locale));
}

/** +1 when the edit goes up, −1 down, 0 where the feature has no order. */
export function directionOf(feature: Feature, edit: Edit): -1 | 0 | 1 {
  const rank = (cell: Cell): number =>
    feature.kind === "ordinal" ? levelsOf(feature).indexOf(String(cell)) : Number(cell);
  if (edit.from === null || edit.to === null || feature.kind === "categorical" || feature.kind === "boolean")
    return 0;
  return Math.sign(rank(edit.to) - rank(edit.from)) as -1 | 0 | 1;
}

/** One edit as a plain sentence, e.g. "Lower Duration from 36 to 12 months". Never a promise. */
export function sentence(schema: Schema, edit: Edit, locale: Locale = en): string {
  const feature = schema.features.find((f) => f.name === edit.feature)!;
  const unit = feature.unit ? ` ${feature.unit}` : "";
  const values = {
    feature: labelOf(feature),
    from: formatCell(edit.from, locale) + (edit.to === null ? unit : ""),
    to: formatCell(edit.to, locale) + unit,
  };
  if (edit.from === null) return fill(locale.state, values);
  if (edit.to === null) return fill(locale.clear, values);
  const direction = directionOf(feature, edit);
  return fill(direction > 0 ? locale.raise : direction < 0 ? locale.lower : locale.change, values);
}

/** A text that begins like a sentence. */
export function capital(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** What is proven, always with its scope; with a schema, columns are called as it says. */
export function proofSentence(proof: Proof, locale: Locale = en, schema?: Schema): string {
  const { claim, change, least, references, near, grid, edits = 0, domain = [] } = proof;
  const scope = scopeOf(proof);
  const template = ((): string => {
    if (claim === "at least") return locale[`atLeast${scope}`];
    if (claim === "none exists") return locale[`none${scope}`];
    if (least === "cost") return locale[`cheapest${scope}`];
    if (scope !== "Model" && scope !== "Near" && scope !== "Grid") return locale[`optimal${scope}`];
    if (least === "change") return locale[`slightest${scope}`];
    return change ? locale[`least${scope}`] : locale[`optimal${scope}`];
  })();
  const told = fill(template, {
    count: formatNumber(near ?? references?.length ?? 0, locale),
    values: formatNumber(grid?.values ?? 0, locale),
    edits: formatNumber(edits, locale),
  });
  if (domain.length === 0) return told;
  const domains = domain.map(({ feature, from, to }) => {
    const named = schema?.features.find(({ name }) => name === feature);
    const unit = named?.unit ? ` ${named.unit}` : "";
    return fill(locale.proofDomain, {
      feature: named ? labelOf(named) : feature,
      from: formatNumber(from, locale),
      to: `${formatNumber(to, locale)}${unit}`,
    });
  });
  return fill(locale.proofDomains, { claim: told, domains: domains.join(locale.numbers.list) });
}

type ProofSet = "Model" | "Near" | "Grid" | "Proposal" | "Reference" | "References";

/** The set a proof speaks of: all legal values, a grid of them, or mixtures with references or with a proposal. */
function scopeOf({ scope, near, references }: Proof): ProofSet {
  if (scope === "model") return "Model";
  if (scope === "grid") return near === undefined ? "Grid" : "Near";
  if (!references) return "Proposal";
  return references.length === 1 ? "Reference" : "References";
}

/** Scores at which a goal is reached or lost, as far as it names any. */
export function edgesOf(goal: Goal, outputs: number): number[] {
  if (goal.kind === "group") return goal.on === "label" ? [goal.threshold ?? 0.5] : [];
  const { target } = goal;
  if ("class" in target) {
    const named = [target.class].flat().length;
    const wanted = target.not ? outputs - named : named;
    return outputs > 2 ? (wanted > 1 ? [0] : []) : [target.threshold ?? 0.5];
  }
  const given = [target.above, target.below, target.min, target.max].filter((edge) => edge !== undefined);
  return given.length === 0 ? [0.5] : given;
}

function targetSentence(target: Target, output: string, locale: Locale): string {
  if ("class" in target) {
    const named = [target.class].flat();
    const wanted = fill(target.not ? locale.goalNot : locale.goalClass, { classes: named.join(", ") });
    const contest = `${target.not ? "not " : ""}${named.join(" or ")}`;
    return output === contest && output !== String(target.class) ? `${wanted} ${locale.goalContest}` : wanted;
  }
  const { above, below, min, max } = target;
  const parts = [
    [">", above],
    ["≥", min],
    ["<", below],
    ["≤", max],
  ].flatMap(([sign, edge]) => (edge === undefined ? [] : [`${sign} ${written(String(edge), locale)}`]));
  const range = parts.length > 0 ? parts.join(locale.numbers.list) : `> ${written("0.5", locale)}`;
  return fill(locale.goalRange, { output, range });
}

/** What the plans are to reach. */
export function goalSentence(goal: Goal, output: string, locale: Locale = en): string {
  if (goal.kind === "each") {
    const base = targetSentence(goal.target, output, locale);
    return goal.minMargin
      ? `${base} ${fill(locale.goalMargin, { margin: formatNumber(goal.minMargin, locale) })}`
      : base;
  }
  return fill(locale.goalGroup, {
    level: percent(goal.level ?? 1),
    on: goal.on === "label" ? locale.words.labels : locale.words.scores,
  });
}

/** The plan of a row: one sentence per edit. */
export function planSentences(
  schema: Schema,
  row: Pick<ExplainedRow, "edits" | "status">,
  locale: Locale = en,
): string[] {
  if (row.edits.length > 0) return row.edits.map((edit) => sentence(schema, edit, locale));
  return [row.status === "ok" ? locale.none : locale.infeasible];
}
