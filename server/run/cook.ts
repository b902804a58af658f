import { type Loaded, loadData } from "../../cli/inputs.ts";
import { tableOptions } from "../../cli/limits.ts";
import { type LoadedModel, loadModelOption, loadTarget } from "../../cli/model-input.ts";
import type { Given } from "../../cli/options.ts";
import { loadReferences, withUnfound } from "../../cli/references.ts";
import { readTable } from "../../formats/index.ts";
import { type Blobs, sha256 } from "../../node/store/blobs.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { ofFirst } from "../../src/generate/given/first.ts";
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
    const chosen = (): Promise<Chosen> => factualsOf(pantry, recipe, data, model, target, work);
    const posed = given.counterfactuals
      ? await ownOf(recipe, given, data, chosen)
      : await generated(await chosen(), given, { data, model, target }, work);
    return explain({
      ...work,
      ...posed,
      model,
      training: data.rows,
      schema: data.schema,
      ...methodOf(given, target),
      modelDigest: modelDigest(recipe),
    });
  };
}

/** What the table depends on: all that is not about the run. A saved model brings the schema it was trained with. */
function tableKey({ data, schema, constraints, counterfactuals, model, options }: Recipe): string {
  const {
    target,
    generator,
    coupling,
    reuse,
    capped,
    policy,
    objective,
    budget,
    perRow,
    effect,
    rows,
    ...rest
  } = options;
  const { alternatives, seed, timeout, outputs, ...reading } = rest;
  const file = "file" in model ? model.file : null;
  return JSON.stringify([data, schema, constraints, counterfactuals, file, reading]);
}

/** What a model over the table depends on: not the constraints, so that locking a feature trains nothing anew. */
function modelKey({ data, model, encoding, calibration, options }: Recipe, { schema }: Loaded): string {
  const { label, id, missing, decimalComma, seed, outputs } = options;
  const features = schema.features.map((f) => [f.name, f.kind, f.categories, f.derived]);
  const reading = [label, id, missing, decimalComma, seed, outputs];
  return JSON.stringify([data, features, model, encoding, calibration, reading]);
}

/** SHA-256 of the model's file, or of how it is trained, or of its address; and of what calibrates it. */
export function modelDigest(recipe: Recipe): string {
  const { calibration } = recipe;
  return calibration ? sha256(JSON.stringify([rawDigest(recipe), calibration])) : rawDigest(recipe);
}

function rawDigest({ data, schema, counterfactuals, model, options }: Recipe): string {
  if ("file" in model) return model.file.slice(0, 64);
  const { label, id, missing, decimalComma, seed = 0 } = options;
  // Their levels count where the schema is inferred.
  const levels = counterfactuals ? [counterfactuals] : [];
  const training = [data, schema, label, id, missing, decimalComma, seed, ...levels];
  return sha256(JSON.stringify([model, "train" in model ? training : null]));
}

/** The recipe in the words of the command line: files by their paths, which only this function knows. */
function givenOf({ blobs, allowHosts }: Pantry, recipe: Recipe, limits: Sizes): Given {
  const { data, schema, constraints, counterfactuals, encoding, calibration, model, options } = recipe;
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
    ...(calibration ? { calibration: blobs.path(calibration) } : {}),
    ...(counterfactuals ? { counterfactuals: blobs.path(counterfactuals) } : {}),
  };
}

interface Chosen {
  readonly x: Matrix;
  readonly ids: readonly Cell[];
}

/** Rows to explain with what they may become. */
type Posed = Chosen & { readonly references: Matrix; readonly pairs?: ArrayLike<number> };

async function generated(
  chosen: Chosen,
  given: Given,
  { data, model, target }: { readonly data: Loaded; readonly model: Model; readonly target: Target },
  work: WorkOptions,
): Promise<Posed> {
  const task = { model, x: chosen.x, references: data.rows, constraints: data.constraints, target };
  return { ...chosen, ...(await referencesFor(task, given, work)) };
}

/** Counterfactuals of the request. Where they say for whom they were made, the first of these rows are explained. */
async function ownOf(
  { factuals, options }: Recipe,
  given: Given,
  data: Loaded,
  chosen: () => Promise<Chosen>,
): Promise<Posed> {
  const asked = factuals ? await chosen() : undefined;
  const among = asked ? { ...data, rows: asked.x, ids: asked.ids } : data;
  const own = withUnfound(await loadReferences(given.counterfactuals!, among, tableOptions(given)), among);
  if (!own.pairs) return { ...(asked ?? (await chosen())), references: own.references };
  const people = asked ? own.chosen : own.chosen.slice(0, options.rows ?? 10);
  const ids = asked?.ids ?? data.ids;
  return {
    x: takeRows(among.rows, people),
    ids: ids ? people.map((i) => ids[i]!) : people,
    ...ofFirst(people.length, own.references, own.pairs),
  };
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
