import { type Loaded, loadData } from "../../cli/inputs.ts";
import { type LoadedModel, loadModelOption, loadTarget } from "../../cli/model-input.ts";
import type { Given } from "../../cli/options.ts";
import { readTable } from "../../formats/index.ts";
import { type Blobs, sha256 } from "../../node/store/blobs.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { methodOf, referencesFor } from "../../src/run/choices.ts";
import type { Cell, Matrix, Model, Target, WorkOptions } from "../../src/types.ts";
import type { ServerLimits } from "../config.ts";
import { type Cache, createCache } from "./cache.ts";
import { checkHost, type Recipe } from "./recipe.ts";

/** Where the inputs of a recipe lie, and which hosts its model may be on. */
export interface Pantry {
  readonly blobs: Blobs;
  readonly allowHosts: readonly string[];
}

type Sizes = Pick<ServerLimits, "rows" | "columns">;

/** Computes recipes, keeping the tables and models used last. */
export type Cook = (recipe: Recipe, watch: Omit<WorkOptions, "limits">) => Promise<Explanation>;

/** The bytes an explanation is kept, sent and replayed as. */
export function bytesOf(explanation: Explanation): Uint8Array {
  return Buffer.from(JSON.stringify(explanation));
}

export function createCook(pantry: Pantry, limits: Sizes): Cook {
  const tables: Cache<Loaded> = createCache(8);
  const trained: Cache<LoadedModel> = createCache(16);
  const tableOf = async (recipe: Recipe, given: Given): Promise<Loaded> => {
    const key = tableKey(recipe);
    const held = tables.get(key);
    if (held) return held;
    const made = await loadData(given);
    tables.set(key, made);
    return made;
  };
  return async (recipe, watch) => {
    const work = { ...watch, limits: { timeMs: recipe.options.timeout * 1000 } };
    const given = givenOf(pantry, recipe, limits);
    const data = await tableOf(recipe, given);
    const key = modelKey(recipe, data);
    let loaded = trained.get(key);
    if (!loaded) {
      loaded = await loadModelOption(given, data, work);
      trained.set(key, loaded);
    }
    const { model } = loaded;
    const target = loadTarget(given, model);
    const { x, ids } = await factualsOf(pantry, recipe, data, model, target, work);
    const { rows, schema, constraints } = data;
    const references = await referencesFor({ model, x, references: rows, constraints, target }, given, work);
    return explain({
      ...work,
      ...references,
      model,
      x,
      ids,
      training: rows,
      schema,
      ...methodOf(given, target),
      modelDigest: modelDigest(recipe),
    });
  };
}

/** What the table depends on: all that is not about the run. A saved model brings the schema it was trained with. */
function tableKey({ data, schema, constraints, model, options }: Recipe): string {
  const { target, generator, coupling, reuse, capped, policy, budget, perRow, effect, rows, ...rest } =
    options;
  const { alternatives, seed, timeout, outputs, ...reading } = rest;
  return JSON.stringify([data, schema, constraints, "file" in model ? model.file : null, reading]);
}

/** What a model over the table depends on: not the constraints, so that locking a feature trains nothing anew. */
function modelKey({ data, model, encoding, options }: Recipe, { schema }: Loaded): string {
  const { label, id, missing, decimalComma, seed, outputs } = options;
  const features = schema.features.map((f) => [f.name, f.kind, f.categories, f.derived]);
  return JSON.stringify([data, features, model, encoding, label, id, missing, decimalComma, seed, outputs]);
}

/** SHA-256 of the model's file, or of how it is trained, or of its address. */
export function modelDigest({ data, schema, model, options }: Recipe): string {
  if ("file" in model) return model.file.slice(0, 64);
  const { label, id, missing, decimalComma, seed = 0 } = options;
  const training = [data, schema, label, id, missing, decimalComma, seed];
  return sha256(JSON.stringify([model, "train" in model ? training : null]));
}

/** The recipe in the words of the command line: files by their paths, which only this function knows. */
function givenOf({ blobs, allowHosts }: Pantry, recipe: Recipe, limits: Sizes): Given {
  const { data, schema, constraints, encoding, model, options } = recipe;
  if ("url" in model) checkHost({ allowHosts }, model.url);
  return {
    ...options,
    maxRows: limits.rows,
    maxColumns: limits.columns,
    model: "train" in model ? model.train : "file" in model ? blobs.path(model.file) : model.url,
    ...("url" in model ? { protocol: model.protocol } : {}),
    ...("url" in model && model.modelName ? { modelName: model.modelName } : {}),
    ...(data ? { data: blobs.path(data) } : {}),
    ...(schema ? { schema: blobs.path(schema) } : {}),
    ...(constraints ? { constraints: blobs.path(constraints) } : {}),
    ...(encoding ? { encoding: blobs.path(encoding) } : {}),
  };
}

interface Chosen {
  readonly x: Matrix;
  readonly ids: readonly Cell[];
}

/** The rows the request gives, or the first of the table that miss the target. */
async function factualsOf(
  { blobs }: Pantry,
  { factuals, options }: Recipe,
  data: Loaded,
  model: Model,
  target: Target,
  work: WorkOptions,
): Promise<Chosen> {
  if (factuals) {
    const table = await readTable("factuals.json", blobs.get(factuals));
    const at = options.id === undefined ? -1 : table.names.indexOf(options.id);
    const x = tableToMatrix(data.schema, table);
    return { x, ids: table.columns[at] ?? Array.from({ length: x.rows }, (_, i) => i) };
  }
  const short = await rowsShortOf(model, data.rows, target, options.rows ?? 10, work);
  if (short.length === 0) {
    throw new ColaError(
      "INPUT_EMPTY",
      "explain: every row reaches the target already; there is nothing to explain.",
    );
  }
  return { x: takeRows(data.rows, short), ids: data.ids ? short.map((i) => data.ids![i]!) : short };
}
