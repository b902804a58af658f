import type { Overlay } from "../src/data/overlay.ts";
import type { Feature, Schema } from "../src/types.ts";
import type { OfferedOption } from "../study/offers.ts";
import type { RunRequest } from "./engine/protocol.ts";
import { offers } from "./offers.ts";

/** What a person set for one feature; absent fields are as the schema has them. */
export interface FeatureEdit {
  readonly immutable?: boolean;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly direction?: "up" | "down" | undefined;
}

export type FeatureEdits = Readonly<Record<string, FeatureEdit>>;

export type Choices = Omit<RunRequest, "overlay">;

export const defaultChoices: Choices = {
  model: "logistic",
  target: "",
  generator: "knn",
  coupling: "",
  policy: "",
  goal: "each",
  effect: 1,
  rows: 100,
  alternatives: 0,
  perRow: null,
  seed: 0,
};

/** Another model: what should be reached stays where the outcomes do, which every model trained here has alike. */
export const withModel = ({ model: before }: Choices, model: string): Partial<Choices> =>
  model === "file" || before === "file" ? { model, target: "" } : { model };

/** The feature as it counts in the next run. */
export function edited(feature: Feature, edits: FeatureEdits): FeatureEdit & { readonly immutable: boolean } {
  const own: FeatureEdit = {
    ...(feature.min === undefined ? {} : { min: feature.min }),
    ...(feature.max === undefined ? {} : { max: feature.max }),
    ...(feature.direction === undefined ? {} : { direction: feature.direction }),
  };
  return { ...own, immutable: feature.immutable ?? false, ...edits[feature.name] };
}

/** Is nothing left between the smallest and the largest value? */
export function isEmptyRange({ immutable, min, max }: FeatureEdit): boolean {
  return !immutable && min !== undefined && max !== undefined && min > max;
}

/** The table that comes with the page. */
export function isEmbedded({ source }: { readonly source: string }): boolean {
  return source.includes("embedded");
}

/** Rows of the values that a model tells apart: they are not real people. */
export const isAlone = ({ source }: { readonly source: string }): boolean => source.startsWith("values-of-");

/** Constraints as the library and the command line take them. */
export function overlayOf(edits: FeatureEdits, rules: readonly string[] = []): Overlay {
  const features = edits as NonNullable<Overlay["features"]>;
  return { features, ...(rules.length > 0 ? { rules } : {}) };
}

/** A constraints file in the words of the page: what is frozen or alone may vary becomes a lock. */
export function editsOf(
  { features = {}, freeze = [], vary }: Overlay,
  { features: all }: Schema,
  before: FeatureEdits,
): FeatureEdits {
  const locked = ({ name }: Feature): boolean | undefined =>
    freeze.includes(name) || (vary && !vary.includes(name)) ? true : vary ? false : undefined;
  return Object.fromEntries(
    all.flatMap((feature) => {
      const own = features[feature.name];
      const immutable = locked(feature);
      if (!own && immutable === undefined) return [];
      const edit = { ...before[feature.name], ...own, ...(immutable === undefined ? {} : { immutable }) };
      return [[feature.name, edit as FeatureEdit]];
    }),
  );
}

/** The models on offer, and the names an option may have, with their titles. */
export const modelTitles: Readonly<Record<string, string>> = Object.fromEntries(offers.models);
export const generatorTitles = titlesOf("generator");
export const couplingTitles = titlesOf("coupling");
export const policyTitles = titlesOf("policy");

function titlesOf(name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(offers.options.find((option) => option.name === name)?.choices ?? []);
}

/** Options of the one table that the page shows, beside those that have a place of their own. */
export const moreOptions: readonly OfferedOption[] = offers.options.filter(
  ({ name }) => !Object.hasOwn(defaultChoices, name),
);

const LISTS: readonly string[] = moreOptions.flatMap(({ name, kind }) => (kind === "list" ? [name] : []));

/** What was typed of these options, in the words of the option table: lists between commas. */
export function moreOf(more: Choices["more"] = {}): NonNullable<Choices["more"]> {
  const told: [string, string | number | boolean | readonly string[]][] = Object.entries(more).map(
    ([name, value]) => [name, LISTS.includes(name) ? wordsOf(String(value)) : value],
  );
  return Object.fromEntries(told.filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
}

/** What a run is asked with. */
export function settingsOf({ choices, edits, rules }: SetUp) {
  return { ...choices, more: moreOf(choices.more), overlay: overlayOf(edits, rules) };
}

/** What was chosen, typed and laid over the schema. */
interface SetUp {
  readonly choices: Choices;
  readonly edits: FeatureEdits;
  readonly rules: readonly string[];
}

const wordsOf = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
