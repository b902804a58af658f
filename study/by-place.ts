import { columnOfInput } from "../src/data/input-levels.ts";
import { firstOf, Note } from "../src/data/notes.ts";
import { ColaError } from "../src/errors.ts";
import { NODE } from "../src/model/trees/structure.ts";
import type { Feature, Model, Schema, Trees } from "../src/types.ts";

/** Levels a note lists. */
const SHOWN = 8;

/**
 * What to know where a model's file says that inputs are categories, but not which: the levels of the table are then
 * numbered in the order of their texts, which is wrong where the table lacks some.
 */
export function placeNotes(schema: Schema, unnamed: readonly string[]): Note[] {
  return unnamed.flatMap((input) => {
    const feature = categoryOf(schema, input);
    if (!feature) return [];
    const codes = feature.categories!.map((level, code) => `${level} = ${code}`);
    return [new Note("levelsByPlace", { feature: feature.name, codes: firstOf(codes, SHOWN) })];
  });
}

/** Refuses fewer levels than a tree asks for, where their places are what the model reads. */
export function checkCategories(schema: Schema, model: Model): void {
  const { inputs = schema.features.map(({ name }) => name) } = model;
  inputs.forEach((input, column) => {
    const feature = isUnnamed(model, column) ? categoryOf(schema, input) : undefined;
    if (feature) checkCount(feature, highestCategory(model, column));
  });
}

/** Does the model's file say that an input is a category, but not which? */
export const isUnnamed = ({ categorical, categoryNames }: Model, column: number): boolean =>
  categorical?.[column] === true && !categoryNames?.[column];

function categoryOf({ features }: Schema, input: string): Feature | undefined {
  const name = columnOfInput(
    input,
    features.map((feature) => feature.name),
  );
  return features.find((feature) => feature.name === name && feature.kind === "categorical");
}

function checkCount({ name, categories = [] }: Feature, highest: number): void {
  if (highest < categories.length) return;
  throw new ColaError(
    "SCHEMA_INVALID",
    `binding: ${name} has ${categories.length} levels here (${categories.slice(0, SHOWN).join(", ")}), but the model knows at least ${highest + 1}, and its file does not name them; list all of them in the order of their codes in a schema (options.schema), or give the table it was trained on as well (options.references).`,
    { feature: name, levels: categories.length, categories: highest + 1 },
  );
}

/** The highest category that a tree asks a column for, −1 for none. */
function highestCategory(model: Model, column: number): number {
  let highest = -1;
  for (const output of model.outputs.keys()) {
    const structure = model.structure?.(output);
    if (structure?.kind === "trees") highest = Math.max(highest, highestIn(structure, column));
  }
  return highest;
}

function highestIn({ feature, flags, categoryStart, categoryWords }: Trees, column: number): number {
  if (!categoryStart || !categoryWords) return -1;
  let highest = -1;
  for (let v = 0; v < feature.length; v++) {
    if (feature[v] !== column || (flags[v]! & NODE.categorical) === 0) continue;
    for (let w = categoryStart[v]!; w < categoryStart[v + 1]!; w++) {
      const word = categoryWords[w]!;
      if (word !== 0) highest = Math.max(highest, 32 * (w - categoryStart[v]!) + 31 - Math.clz32(word));
    }
  }
  return highest;
}
