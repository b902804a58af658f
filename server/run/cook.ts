import { type Loaded, loadData } from "../../cli/inputs.ts";
import { type LoadedModel, loadModelOption, loadTarget } from "../../cli/model-input.ts";
import type { Given } from "../../cli/options.ts";
import { readTable } from "../../formats/index.ts";
import { sha256 } from "../../node/store/blobs.ts";
import { startWork } from "../../src/budget.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { generate } from "../../src/generate/registry.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell, Goal, Matrix, Model, Target, WorkOptions } from "../../src/types.ts";
import type { ServerLimits } from "../config.ts";
import { type Cache, createCache } from "./cache.ts";
import { checkHost, type Kitchen, type Recipe } from "./recipe.ts";

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

/** Computes recipes, keeping the tables and models used last. */
export interface Cook {
  cook(recipe: Recipe, watch: Omit<WorkOptions, "limits">): Promise<Explanation>;
  /** The table of a recipe, without computing anything. */
  table(recipe: Recipe): Promise<Loaded>;
}

export function createCook(
  kitchen: Kitchen,
  limits: Pick<ServerLimits, "rows" | "columns" | "rowsJob">,
): Cook {
  const tables: Cache<Loaded> = createCache(8);
  const trained: Cache<LoadedModel> = createCache(16);
  const table = async (recipe: Recipe): Promise<Loaded> => {
    const given = givenOf(kitchen, recipe, limits);
    const key = tableKey(recipe);
    const held = tables.get(key);
    if (held) return held;
    const made = await loadData(given);
    checkColumns(made, limits.columns);
    tables.set(key, made);
    return made;
  };
  return {
    table,
    async cook(recipe, watch) {
      const work = { ...watch, limits: { timeMs: recipe.options.timeout * 1000 } };
      const given = givenOf(kitchen, recipe, limits);
      const data = await table(recipe);
      const key = modelKey(recipe, data);
      let loaded = trained.get(key);
      if (!loaded) {
        loaded = await loadModelOption(given, data, work);
        trained.set(key, loaded);
      }
      const { model } = loaded;
      const target = loadTarget(given, model);
      const chosen = await factualsOf(kitchen, recipe, data, model, target, work);
      return refined({ given, data, model, target, ...chosen }, modelDigest(recipe), work);
    },
  };
}

/** What the table depends on. */
function tableKey({ data, schema, constraints, options }: Recipe): string {
  const { label, id, freeze, vary, missing } = options;
  return JSON.stringify([data, schema, constraints, label, id, freeze, vary, missing]);
}

/** What a model over the table depends on: not the constraints, so that locking a feature trains nothing anew. */
function modelKey({ data, model, encoding, options }: Recipe, { schema }: Loaded): string {
  const { label, id, missing, seed, outputs } = options;
  const features = schema.features.map((f) => [f.name, f.kind, f.categories, f.derived]);
  return JSON.stringify([data, features, model, encoding, label, id, missing, seed, outputs]);
}

/** SHA-256 of the model's file, or of how it is trained, or of its address. */
export function modelDigest({ data, schema, model, options }: Recipe): string {
  if ("file" in model) return model.file.slice(0, 64);
  return sha256(
    JSON.stringify([model, "train" in model ? [data, schema, options.label, options.seed ?? 0] : null]),
  );
}

/** The recipe in the words of the command line: files by their paths, which only this function knows. */
function givenOf({ store, allowHosts }: Kitchen, recipe: Recipe, limits: Pick<ServerLimits, "rows">): Given {
  const { data, schema, constraints, encoding, model, options } = recipe;
  if ("url" in model) checkHost({ allowHosts }, model.url);
  return {
    ...options,
    maxRows: limits.rows,
    model: "train" in model ? model.train : "file" in model ? store.blobs.path(model.file) : model.url,
    ...("url" in model ? { protocol: model.protocol } : {}),
    ...("url" in model && model.modelName ? { modelName: model.modelName } : {}),
    ...(data ? { data: store.blobs.path(data) } : {}),
    ...(schema ? { schema: store.blobs.path(schema) } : {}),
    ...(constraints ? { constraints: store.blobs.path(constraints) } : {}),
    ...(encoding ? { encoding: store.blobs.path(encoding) } : {}),
  };
}

function checkColumns(data: Loaded, most: number): void {
  const columns = data.table.names.length;
  if (columns > most)
    throw new ColaError("SIZE_LIMIT", `table: ${columns} columns, more than ${most}.`, { columns });
}

interface Chosen {
  readonly x: Matrix;
  readonly ids: readonly Cell[];
}

/** The rows the request gives, or the first of the table that miss the target. */
async function factualsOf(
  { store }: Kitchen,
  { factuals, options }: Recipe,
  data: Loaded,
  model: Model,
  target: Target,
  work: WorkOptions,
): Promise<Chosen> {
  if (factuals) {
    const table = await readTable("factuals.json", store.blobs.get(factuals));
    const at = options.id === undefined ? -1 : table.names.indexOf(options.id);
    const x = tableToMatrix(data.schema, table);
    return { x, ids: table.columns[at] ?? Array.from({ length: x.rows }, (_, i) => i) };
  }
  const reach = reachOf(model, target);
  const ask = scorer(model, startWork("score", work));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push(await ask.score(data.rows, output));
  const short = Array.from({ length: data.rows.rows }, (_, i) => i)
    .filter((i) => !reach.reached(reach.slack(scores, i)))
    .slice(0, options.rows ?? 10);
  if (short.length === 0) {
    throw new ColaError(
      "INPUT_EMPTY",
      "explain: every row reaches the target already; there is nothing to explain.",
    );
  }
  return { x: takeRows(data.rows, short), ids: data.ids ? short.map((i) => data.ids![i]!) : short };
}

interface Order extends Chosen {
  readonly given: Given;
  readonly data: Loaded;
  readonly model: Model;
  readonly target: Target;
}

/** Counterfactuals by the generator, then Algorithm 1. */
async function refined(order: Order, digest: string, work: WorkOptions): Promise<Explanation> {
  const { given, data, model, target, x, ids } = order;
  const name = given.generator ?? "knn";
  const options = name === "knn" ? { ...work, neighbours: NEIGHBOURS } : work;
  const task = { model, x, references: data.rows, constraints: data.constraints, target };
  const made = await generate(name, task, options, stream(given.seed ?? 0, "generate"));
  const some = made.rows.rows > 0;
  const goal: Goal =
    given.effect === undefined ? { kind: "each", target } : { kind: "group", level: given.effect };
  const policy = given.policy === "minimal" && goal.kind === "group" ? undefined : given.policy;
  return explain({
    ...work,
    model,
    x,
    references: some ? made.rows : data.rows,
    training: data.rows,
    schema: data.schema,
    goal,
    ids,
    seed: given.seed ?? 0,
    modelDigest: digest,
    ...(some && made.pairs ? { pairs: made.pairs } : {}),
    ...(given.coupling ? { coupling: given.coupling } : {}),
    ...(policy ? { policy } : {}),
    budget: {
      ...(given.budget === undefined ? {} : { total: given.budget }),
      ...(given.perRow === undefined ? {} : { perRow: given.perRow }),
    },
  });
}
