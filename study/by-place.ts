import { columnOfInput } from "../src/data/input-levels.ts";
import { firstOf, Note } from "../src/data/notes.ts";
import { ColaError } from "../src/errors.ts";
import { NODE } from "../src/model/trees/structure.ts";
import type { Feature, Model, Trees } from "../src/types.ts";
import type { Data } from "./parts.ts";

/** Levels a note lists. */
const SHOWN = 8;

/**
 * What to know where a model's file says that an input is a category, but not which: the levels of the table are then
 * numbered in the order of their texts, which is wrong where the table lacks some. Refused where that is sure.
 */
export function placeNotes({ schema, listed }: Data, model: Model): Note[] {
  if (listed) return [];
  const names = schema.features.map(({ name }) => name);
  const { inputs = names } = model;
  return inputs.flatMap((input, column) => {
    if (!model.categorical?.[column] || model.categoryNames?.[column]) return [];
    const feature = schema.features.find(({ name }) => name === columnOfInput(input, names));
    if (feature?.kind !== "categorical") return [];
    checkCount(feature, highestCategory(model, column));
    const codes = feature.categories!.map((level, code) => `${level} = ${code}`);
    return [new Note("levelsByPlace", { feature: feature.name, codes: firstOf(codes, SHOWN) })];
  });
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
