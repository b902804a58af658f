import { existsSync, statSync } from "node:fs";
import { nearFile, readFileBytes } from "../node/files.ts";
import type { HttpProtocol } from "../node/model/http-protocols.ts";
import { runtimeOf } from "../node/model/onnx.ts";
import { outsideCommand, outsideHttp } from "../node/model/outside.ts";
import { readSetTable, setsFolder } from "../node/sets.ts";
import { readSql } from "../node/sql.ts";
import { sweepMemory } from "../node/sweep-memory.ts";
import { type ReadTableFileOptions, readTableFile } from "../node/tables.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { noteSentence } from "../show/sentences.ts";
import type { EncodingSpec } from "../src/data/binding.ts";
import { isLeak } from "../src/data/leakage.ts";
import { meant } from "../src/data/nearby.ts";
import type { Overlay } from "../src/data/overlay.ts";
import { matrixToTable } from "../src/data/schema.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import { ColaError, isColaError } from "../src/errors.ts";
import type { CalibrationTable } from "../src/model/calibrate.ts";
import { models } from "../src/train/registry.ts";
import type { Schema, Table, WorkOptions } from "../src/types.ts";
import { dataOf } from "../study/data.ts";
import { modelOf, readBy, readModelSource } from "../study/model.ts";
import { type Given, only } from "../study/options.ts";
import { readOwn } from "../study/own.ts";
import type { Data, ModelSource, Own, StudyModel, TableSource } from "../study/parts.ts";
import { constraintsShape, encodingShape, schemaShape } from "../study/shapes.ts";
import { type Among, amongOf, type Study, studyOf } from "../study/study.ts";
import { readJsonFile } from "./json-file.ts";
import { asTyped } from "./names.ts";
import { paint } from "./paint.ts";
import { checkTime } from "./run.ts";

/** Do the options name rows, rather than leave it to the embedded ones? */
export const hasTable = ({ data, sql, dataset }: Given): boolean =>
  [data, sql, dataset].some((given) => given !== undefined);

/** How tables are read: what they may measure and which texts are missing values. */
export function tableOptions(given: Given): ReadTableFileOptions {
  return {
    ...only(given, "maxBytes", "maxRows", "maxColumns", "maxCell", "dateParts"),
    decimalComma: given.decimalComma ?? "auto",
    ...(given.missing ? { missing: ["", ...given.missing] } : {}),
  };
}

/** The rows the options name, with their meaning; columns that give the outcome away are told before anything is trained. The time this takes is part of --timeout. */
export async function loadData(
  given: Given,
  work: WorkOptions,
  model?: ModelSource,
  own?: Own,
  beside?: Table,
): Promise<Data> {
  const trained = model && "content" in model ? model.content.encoder?.schema : undefined;
  const data = dataOf({
    ...(hasTable(given) ? { table: await tableSource(given) } : {}),
    ...(beside ? { beside } : {}),
    ...(model ? readBy(model, encodingOf(given)) : {}),
    ...(given.schema ? { schema: readJsonFile<Schema>(given.schema, "schema", schemaShape) } : {}),
    ...(trained ? { trained: { schema: trained, file: given.model! } } : {}),
    ...(given.constraints
      ? { constraints: readJsonFile<Overlay>(given.constraints, "constraints", constraintsShape) }
      : {}),
    ...(own ? { own } : {}),
    options: given,
  });
  for (const note of data.notes.filter(isLeak))
    process.stderr.write(`${paint.dim(asTyped(noteSentence(note, localeNamed(given.locale ?? "en"))))}\n`);
  checkTime(work, "reading the rows");
  return data;
}

/** Table, model and goal of the options, and the rows to explain where they stand apart, for as long as `use` takes. */
export async function withStudy<T>(
  given: Given,
  work: WorkOptions,
  use: (study: Study, among?: Among) => Promise<T>,
): Promise<T> {
  const source = await modelSource(given, work);
  const own = given.counterfactuals ? await ownSource(given, given.counterfactuals) : undefined;
  const beside = given.references ? await besideOf(given) : undefined;
  const { references } = given;
  const data = await naming(references, () => loadData(given, work, source, own, beside));
  const model = await naming(references, () => loadModel(given, source, data, work));
  try {
    const study = studyOf(data, model, given, own);
    const among = beside && (await naming(given.data ?? "--sql", () => amongOf(study, beside)));
    return await use(study, among);
  } finally {
    model.close();
  }
}

/** What is wrong with the cells or columns of one of two tables is said with the name of its file. */
async function naming<T>(file: string | undefined, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const aboutTable = isColaError(error) && ["SCHEMA_INVALID", "VALUE_INVALID"].includes(error.code);
    if (file === undefined || !aboutTable) throw error;
    throw new ColaError(error.code, `${file}: ${error.message}`, error.details);
  }
}

/** The model of a source with what the options say of it, bound to the rows. */
export async function loadModel(
  given: Given,
  model: ModelSource,
  data: Data,
  work: WorkOptions,
): Promise<StudyModel> {
  const { calibration, seed, also } = given;
  const encoding = encodingOf(given);
  return modelOf(
    {
      model,
      ...(encoding ? { encoding } : {}),
      ...(calibration ? { calibration: await calibrationTable(given, calibration) } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(also
        ? { also: await Promise.all(also.map((path) => modelSource({ ...given, model: path }, work))) }
        : {}),
      ...only(given, "retrain", "judges"),
    },
    data,
    work,
  );
}

const encodingOf = ({ encoding }: Given): EncodingSpec | undefined =>
  encoding ? readJsonFile<EncodingSpec>(encoding, "encoding", encodingShape) : undefined;

/** The rows to explain where --references names another table to learn and borrow from. */
async function besideOf(given: Given): Promise<Table> {
  if (!given.data && !given.sql)
    throw new ColaError(
      "OPTION_INVALID",
      "--references: give the rows to explain with --data or --sql as well.",
    );
  return (await ownTable(given)).table;
}

/** The table of the options, once what it was read from is given back. */
async function tableSource(given: Given): Promise<TableSource> {
  const source = await tableRead(given);
  sweepMemory(source.table.rows * source.table.columns.length);
  return source;
}

async function tableRead(given: Given): Promise<TableSource> {
  if (given.dataset) return paperSet(given, given.dataset);
  if (given.references)
    return { source: given.references, table: await readTableFile(given.references, tableOptions(given)) };
  return ownTable(given);
}

/** The table of --data or --sql. */
async function ownTable(given: Given): Promise<TableSource> {
  const options = tableOptions(given);
  if (given.sql) {
    const database = given.database ? { database: given.database } : {};
    return { source: "the query", table: await readSql(given.sql, { ...database, ...options }) };
  }
  refusePipe(given.data!);
  return { source: given.data!, table: await readTableFile(given.data!, options) };
}

/** One of the paper's data sets in the product's form. */
async function paperSet(given: Given, name: string): Promise<TableSource> {
  if (given.data || given.sql)
    throw new ColaError("OPTION_INVALID", "--dataset stands for a table; leave out --data and --sql.");
  const { info, product } = dataSet(name);
  const { schema, rows, labels, classes } = product(await readSetTable(info, setsFolder(given.dataDir)));
  return { source: info.title, table: matrixToTable(schema, rows), known: { schema, labels, classes } };
}

/** A pipe is read as standard input alone: what a file is and how long it is, is asked before it is read. */
function refusePipe(path: string): void {
  if (path === "-" || !isPipe(path)) return;
  throw new ColaError(
    "FILE_UNREADABLE",
    `${path}: is a pipe, not a file; give --data - and the rows as standard input (… | cola explain --data -).`,
    { path },
  );
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** Counterfactuals of a file: a table, a DiCE file or an Alibi explanation. */
export function ownSource(given: Given, path: string): Promise<Own> {
  const options = tableOptions(given);
  return readOwn(
    path,
    () => readFileBytes(path, options.maxBytes ?? MODEL_BYTES),
    () => readTableFile(path, options),
  );
}

/** Pairs of score and probability: a JSON list of pairs, or the first two columns of a table. */
async function calibrationTable(given: Given, path: string): Promise<CalibrationTable> {
  if (/\.json$/i.test(path)) return readJsonFile<CalibrationTable>(path, "calibration");
  const { columns, rows } = await readTableFile(path, tableOptions(given));
  return Array.from({ length: rows }, (_, i) => [Number(columns[0]?.[i]), Number(columns[1]?.[i])] as const);
}

/** Bytes a model, or counterfactuals of another tool, may have unless --max-bytes says otherwise. */
const MODEL_BYTES = 2 ** 28;

/** The model an option names. */
export async function modelSource(given: Given, work: WorkOptions): Promise<ModelSource> {
  const name = given.model ?? "logistic";
  if (Object.hasOwn(models, name)) return { train: name };
  const { modelTimeout, modelBatch: batchRows, modelRetries: retries } = given;
  const calls = {
    ...only(given, "outputs", "modelName", "authEnv"),
    ...(modelTimeout === undefined ? {} : { timeoutMs: Math.ceil(modelTimeout * 1000) }),
    ...(batchRows === undefined ? {} : { batchRows }),
    ...(retries === undefined ? {} : { retries, restarts: retries }),
  };
  if (/^https?:\/\//.test(name)) {
    const protocol = (given.protocol ?? "json") as HttpProtocol;
    const signal = work.signal as globalThis.AbortSignal | undefined;
    return outsideHttp({ url: name, protocol, ...calls, ...(signal ? { signal } : {}) });
  }
  if (name.startsWith("command:")) return outsideCommand(name.slice("command:".length), calls);
  if (!existsSync(name)) {
    throw new ColaError(
      "NAME_UNKNOWN",
      `--model ${name.slice(0, 300)} is neither a file, an address, "command:…" nor a classifier${meant(name, Object.keys(models)) || nearFile(name)}; classifiers are ${Object.keys(models).join(", ")}.`,
      { model: name },
    );
  }
  const runtime = () => runtimeOf();
  const options = { ...only(given, "outputs", "maxBytes", "maxNodes", "maxElements"), runtime };
  return readModelSource(name, readFileBytes(name, given.maxBytes ?? MODEL_BYTES), options);
}
