import type { EncodingSpec } from "../src/data/binding.ts";
import type { Overlay } from "../src/data/overlay.ts";
import type { Schema } from "../src/types.ts";

/** What is wrong with a value of a JSON file, or nothing; `at` says where it stands. */
export type Shape = (value: unknown, at: string) => string | undefined;

const kind =
  (type: "string" | "number" | "boolean", words: string): Shape =>
  (value, at) =>
    typeof value === type ? undefined : `${at} must be ${words}, not ${shown(value)}`;

const text = kind("string", "a text");
const number = kind("number", "a number");
const flag = kind("boolean", "true or false");
const either =
  (a: Shape, b: Shape): Shape =>
  (value, at) =>
    a(value, at) && b(value, at) && `${at} must be a text or a number, not ${shown(value)}`;

const list =
  (of: Shape): Shape =>
  (value, at) =>
    Array.isArray(value)
      ? first(value, (item, i) => of(item, `${at}[${i}]`))
      : `${at} must be a list, not ${shown(value)}`;

const record =
  (of: Shape): Shape =>
  (value, at) =>
    isObject(value)
      ? first(Object.entries(value), ([key, item]) => of(item, `${at}.${key}`))
      : `${at} must be an object { … }, not ${shown(value)}`;

/** An object with these fields and no other; a field with "!" must be there. */
const fields =
  (known: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (!isObject(value)) return `${at} must be an object { … }, not ${shown(value)}`;
    const names = Object.keys(known).map((name) => name.replace("!", ""));
    const missing = Object.keys(known).find((n) => n.endsWith("!") && !Object.hasOwn(value, n.slice(0, -1)));
    if (missing) return `${at} lacks ${missing.slice(0, -1)}`;
    return first(Object.entries(value), ([key, item]) =>
      names.includes(key)
        ? (known[key] ?? known[`${key}!`])!(item, `${at}.${key}`)
        : `${at} has ${JSON.stringify(key)}, which means nothing here; it may have ${names.join(", ")}`,
    );
  };

/** What may be said of a feature beside its name and kind. */
export const featureShapes = {
  label: text,
  unit: text,
  categories: list(text),
  immutable: flag,
  min: number,
  max: number,
  step: number,
  allowed: list(either(text, number)),
  direction: text,
  transitions: record(list(text)),
  editMissing: flag,
  missing: list(number),
  cost: number,
  tolerance: number,
  derived: text,
};

/** `Schema`, `Overlay`, `EncodingSpec`, `ReasonCodes`: the files people write by hand. */
export const schemaShape = fields({
  "features!": list(fields({ "name!": text, "kind!": text, ...featureShapes })),
  rules: list(text),
});
export const constraintsShape = fields({
  $schema: text,
  features: record(fields(featureShapes)),
  rules: list(text),
  freeze: list(text),
  vary: list(text),
});
export const encodingShape = fields({
  "inputs!": list(
    fields({
      "feature!": text,
      level: text,
      codes: record(number),
      mean: number,
      scale: number,
      missing: number,
    }),
  ),
});

/** The same fields in the order of their list, whatever order somebody wrote them in: it is seen in the bytes of results. */
function inOrder<T extends object>(value: T, order: readonly string[]): T {
  const known = order.filter((name) => Object.hasOwn(value, name));
  return { ...Object.fromEntries(known.map((name) => [name, value[name as keyof T]])), ...value };
}

const FEATURE = ["name", "kind", "categories", ...Object.keys(featureShapes)];
const INPUT = ["feature", "level", "codes", "mean", "scale", "missing"];

export const schemaInOrder = (schema: Schema): Schema => ({
  ...schema,
  features: schema.features.map((feature) => inOrder(feature, FEATURE)),
});

export const overlayInOrder = (overlay: Overlay): Overlay => ({
  ...overlay,
  features: Object.fromEntries(
    Object.entries(overlay.features ?? {}).map(([name, said]) => [name, inOrder(said, FEATURE)]),
  ),
});

export const encodingInOrder = ({ inputs }: EncodingSpec): EncodingSpec => ({
  inputs: inputs.map((input) => inOrder(input, INPUT)),
});

function first<T>(
  items: readonly T[],
  wrong: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [i, item] of items.entries()) {
    const problem = wrong(item, i);
    if (problem) return problem;
  }
  return undefined;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const written = JSON.stringify(value) ?? String(value);
  return written.length > 60 ? `${written.slice(0, 60)}…` : written;
}
