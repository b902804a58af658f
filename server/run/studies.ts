import { readTable } from "../../formats/index.ts";
import { readFileBytes } from "../../node/files.ts";
import type { HttpProtocol } from "../../node/model/http-protocols.ts";
import { runtimeOf } from "../../node/model/onnx.ts";
import { outsideHttp } from "../../node/model/outside.ts";
import type { Blobs, Ref } from "../../node/store/blobs.ts";
import { sweepMemory } from "../../node/sweep-memory.ts";
import { readTableFile } from "../../node/tables.ts";
import type { EncodingSpec } from "../../src/data/binding.ts";
import { isColaError } from "../../src/errors.ts";
import type { Table, WorkOptions } from "../../src/types.ts";
import { type Cache, createCache } from "../../study/cache.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, namesIn, readBy, readModelSource } from "../../study/model.ts";
import { MEANING, only } from "../../study/options.ts";
import { readOwn } from "../../study/own.ts";
import type { Data, Fitted, ModelFileSource, ModelSource, Own } from "../../study/parts.ts";
import { amongOf, type Study, studyOf } from "../../study/study.ts";
import type { ServerLimits } from "../config.ts";
import { checkHost, namesOfHost, type Recipe } from "./recipe.ts";

/** Where the inputs of a recipe lie, and which hosts its model may be on. */
export interface ComputeContext {
  readonly blobs: Blobs;
  readonly allowHosts: readonly string[];
  /** Variables with the tokens of models, by host. */
  readonly tokens?: Readonly<Record<string, string>>;
}

export type Sizes = Pick<ServerLimits, "rows" | "columns">;

/** The study of a recipe with the rows of the request that are explained, until it is closed. */
export type OpenStudy = (
  recipe: Recipe,
  watch: Omit<WorkOptions, "limits">,
) => Promise<Study & { readonly beside?: Table; close(): void }>;

/** Opens studies, keeping the tables and models used last. */
export function createStudies(context: ComputeContext, limits: Sizes): OpenStudy {
  const { blobs } = context;
  const tables = createCache<Tabled>(8);
  const files = createCache<ModelFileSource>(16);
  const trained = createCache<Fitted>(16);
  return async (recipe, watch) => {
    const { options, capped, defaults, encoding, calibration, factuals } = recipe;
    const work = { ...watch, limits: { timeMs: options.timeout * 1000 } };
    const file = fileParts(recipe);
    const saved = file && (await held(files, file, (parts) => openFile(blobs, parts)));
    const beside = factuals ? await readTable("factuals.json", await blobs.get(factuals)) : undefined;
    const parts = tableParts(recipe, limits);
    const opened = (parts: TableParts, beside?: Table) =>
      held(tables, parts, async () => {
        const made = await openTable(blobs, parts, saved, beside);
        sweepMemory(made.data.rows.data.length);
        return made;
      });
    const alone = await opened(parts);
    const { data, own } =
      beside && !fits(beside, alone.data, options) ? await opened({ ...parts, factuals }, beside) : alone;
    const model = await modelOf(
      {
        model: saved ?? called(context, recipe, watch),
        ...(encoding ? { encoding: await json(blobs, encoding) } : {}),
        ...(calibration ? { calibration: await json(blobs, calibration) } : {}),
        ...only(options, "seed", "retrain", "judges"),
      },
      data,
      work,
      trained,
    );
    if ("train" in recipe.model) sweepMemory(data.rows.data.length);
    const { timeout, ...untimed } = options;
    const study = studyOf(data, model, capped ? untimed : options, own);
    const stood = defaults ? { defaults } : { before: true as const };
    return { ...study, ...stood, ...(beside ? { beside } : {}), close: () => model.close() };
  };
}

/** What `make` makes of some parts, which are all it is told: the same parts are not made again. */
async function held<P, T>(cache: Cache<T>, parts: P, make: (parts: P) => Promise<T>): Promise<T> {
  const key = JSON.stringify(parts);
  const found = cache.get(key);
  if (found) return found;
  const made = await make(parts);
  cache.set(key, made);
  return made;
}

interface Tabled {
  readonly data: Data;
  readonly own?: Own;
}

/** Can the rows of a request be read by a table's schema? If not, their values have a part in what its columns are. */
function fits(beside: Table, data: Data, options: Recipe["options"]): boolean {
  try {
    amongOf({ data, options }, beside);
    return true;
  } catch (error) {
    if (isColaError(error) && error.code === "VALUE_INVALID") return false;
    throw error;
  }
}

type TableParts = ReturnType<typeof tableParts> & { readonly factuals?: Ref | null };

/** Everything a table and its meaning are read from. A saved model brings the schema it was trained with. */
function tableParts(recipe: Recipe, { rows, columns }: Sizes) {
  const { data, schema, constraints, counterfactuals = null, names = {}, options } = recipe;
  const tableOptions = only(options, ...MEANING, "missing", "decimalComma");
  return {
    ...{ data, schema, constraints, counterfactuals, names, rows, columns, options: tableOptions },
    saved: fileParts(recipe),
    outside: "url" in recipe.model,
    encoding: recipe.encoding,
  };
}

async function openTable(
  blobs: Blobs,
  parts: TableParts,
  saved: ModelFileSource | null,
  beside?: Table,
): Promise<Tabled> {
  const { data, schema, constraints, counterfactuals, names, rows, columns, options } = parts;
  const spec = parts.encoding ? await json<EncodingSpec>(blobs, parts.encoding) : undefined;
  const outside = parts.outside ? { inputs: spec ? namesIn(spec) : ("all" as const) } : {};
  const reading = {
    maxRows: rows,
    maxColumns: columns,
    decimalComma: options.decimalComma ?? ("auto" as const),
    ...only(options, "dateParts"),
    ...(options.missing ? { missing: ["", ...options.missing] } : {}),
  };
  const trained = saved?.content.encoder?.schema;
  const place = counterfactuals && (await blobs.path(counterfactuals));
  const own = place
    ? await readOwn(
        place,
        () => readFileBytes(place),
        () => readTableFile(place, reading),
      )
    : undefined;
  const named = own && { ...own, name: names.counterfactuals ?? "counterfactuals" };
  const table = data ? await readTableFile(await blobs.path(data), reading) : undefined;
  if (table) sweepMemory(table.rows * table.columns.length);
  const made = dataOf({
    ...(table ? { table: { source: names.data ?? "the rows of the request", table } } : {}),
    ...(schema ? { schema: await json(blobs, schema) } : {}),
    ...(trained ? { trained: { schema: trained, file: saved.file } } : {}),
    ...(constraints ? { constraints: await json(blobs, constraints) } : {}),
    ...(named ? { own: named } : {}),
    ...(saved ? readBy(saved, spec) : outside),
    ...(beside ? { beside } : {}),
    options,
  });
  return { data: withoutCells(made), ...(named ? { own: named } : {}) };
}

/** Features are held as codes; cells stay of the other columns alone, by which groups may be asked for. */
function withoutCells(data: Data): Data {
  const coded = new Set(data.schema.features.map(({ name }) => name));
  const { names, columns, rows } = data.table;
  const left = columns.map((column, k) => (coded.has(names[k]!) ? [] : column));
  return { ...data, table: { names, columns: left, rows } };
}

/** Everything a model file is read from. */
function fileParts({ model, names = {}, options }: Recipe) {
  return "file" in model
    ? { file: model.file, name: names.model ?? "model", ...only(options, "outputs") }
    : null;
}

async function openFile(
  blobs: Blobs,
  { file, name, ...named }: NonNullable<ReturnType<typeof fileParts>>,
): Promise<ModelFileSource> {
  const runtime = () => runtimeOf();
  return readModelSource(name, await blobs.get(file), { runtime, ...named });
}

/** A model that is trained, or called on a host the operator allows. */
function called(
  { allowHosts, tokens = {} }: ComputeContext,
  { model, options }: Recipe,
  { signal }: Omit<WorkOptions, "limits">,
): ModelSource {
  if (!("url" in model)) return model as Extract<Recipe["model"], { train: string }>;
  checkHost({ allowHosts }, model.url);
  const protocol = model.protocol as HttpProtocol;
  const ended = signal ? { signal: signal as globalThis.AbortSignal } : {};
  const authEnv = namesOfHost(new URL(model.url))
    .filter((name) => Object.hasOwn(tokens, name))
    .map((name) => tokens[name]!)[0];
  const auth = authEnv === undefined ? {} : { authEnv };
  return outsideHttp({ ...model, protocol, ...only(options, "outputs"), ...ended, ...auth });
}

async function json<T>(blobs: Blobs, ref: Ref): Promise<T> {
  return JSON.parse(Buffer.from(await blobs.get(ref)).toString()) as T;
}
