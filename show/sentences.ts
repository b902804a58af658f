import { labelOf, levelsOf } from "../src/data/schema.ts";
import type { Edit, ExplainedRow } from "../src/explanation.ts";
import type { Cell, Feature, Goal, Proof, Schema, Target } from "../src/types.ts";
import { en } from "./locales/en.ts";
import type { Words } from "./locales/en-words.ts";

/** Templates of one language; `{name}` is replaced. The id is kept with every text made from it. */
export interface Locale {
  readonly id: string;
  readonly raise: string;
  readonly lower: string;
  readonly change: string;
  readonly state: string;
  readonly clear: string;
  readonly missing: string;
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly infeasible: string;
  readonly optimalReferences: string;
  readonly optimalReference: string;
  readonly optimalModel: string;
  readonly atLeastReferences: string;
  readonly atLeastReference: string;
  readonly atLeastModel: string;
  readonly noneReferences: string;
  readonly noneReference: string;
  readonly noneModel: string;
  readonly goalClass: string;
  readonly goalNot: string;
  readonly goalRange: string;
  readonly goalMargin: string;
  readonly goalGroup: string;
  readonly reason: string;
  readonly reasonAgainst: string;
  /** Words of figures and report. */
  readonly words: Words;
}

/** A number as people read it: at most six significant digits, no exponent for ordinary sizes. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(6)));
}

export function formatCell(cell: Cell, locale: Locale = en): string {
  if (cell === null) return locale.missing;
  if (typeof cell === "boolean") return cell ? locale.yes : locale.no;
  return typeof cell === "number" ? formatNumber(cell) : cell;
}

/** A share as whole per cent; 0 % and 100 % are said only when exact. */
export function percent(share: number): string {
  const rounded = Math.round(100 * share);
  if (rounded === 100 && share < 1) return ">99\u00a0%";
  if (rounded === 0 && share > 0) return "<1\u00a0%";
  return `${rounded}\u00a0%`;
}

/** A score with three decimals, or as many more as it takes to see on which side of the edges it lies. */
export function formatScore(value: number, edges: readonly number[] = []): string {
  const sided = (text: string): boolean =>
    edges.every((edge) => Math.sign(Number(text) - edge) === Math.sign(value - edge));
  const short = Math.abs(value) >= 1000 ? formatNumber(value) : value.toFixed(3);
  if (sided(short)) return short;
  const longer = [4, 5, 6, 7, 8, 9, 10, 11].map((digits) => value.toFixed(digits));
  return longer.find(sided) ?? String(value);
}

/** A difference with its sign: three decimals, more where these would be zeros. */
export function formatSigned(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1000 ? formatNumber(size) : size >= 0.0005 ? size.toFixed(3) : size.toPrecision(2);
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** The template with every `{name}` replaced. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
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

/** What is proven, always with its scope. */
export function proofSentence(proof: Proof, locale: Locale = en): string {
  const count = proof.references?.length ?? 0;
  const scope = proof.scope === "model" ? "Model" : count === 1 ? "Reference" : "References";
  const claim = { optimal: "optimal", "at least": "atLeast", "none exists": "none" } as const;
  const template = locale[`${claim[proof.claim]}${scope}`];
  return fill(template, { count: String(count), edits: String(proof.edits ?? 0) });
}

/** Scores at which a goal is reached or lost, as far as it names any. */
export function edgesOf(goal: Goal, outputs: number): number[] {
  if (goal.kind === "group") return goal.on === "label" ? [goal.threshold ?? 0.5] : [];
  const { target } = goal;
  if ("class" in target) return outputs > 2 ? [] : [target.threshold ?? 0.5];
  const given = [target.above, target.below, target.min, target.max].filter((edge) => edge !== undefined);
  return given.length === 0 ? [0.5] : given;
}

function targetSentence(target: Target, output: string, locale: Locale): string {
  if ("class" in target) {
    const classes = [target.class].flat().join(", ");
    return fill(target.not ? locale.goalNot : locale.goalClass, { classes });
  }
  const { above, below, min, max } = target;
  const parts = [
    [">", above],
    ["≥", min],
    ["<", below],
    ["≤", max],
  ].flatMap(([sign, edge]) => (edge === undefined ? [] : [`${sign} ${edge}`]));
  return fill(locale.goalRange, { output, range: parts.length > 0 ? parts.join(", ") : "> 0.5" });
}

/** What the plans are to reach. */
export function goalSentence(goal: Goal, output: string, locale: Locale = en): string {
  if (goal.kind === "each") {
    const base = targetSentence(goal.target, output, locale);
    return goal.minMargin
      ? `${base} ${fill(locale.goalMargin, { margin: formatNumber(goal.minMargin) })}`
      : base;
  }
  return fill(locale.goalGroup, {
    level: percent(goal.level ?? 1),
    divergence: goal.divergence ?? "w1",
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
