import { bindInputs, type EncodingSpec, type InputSpec } from "../src/data/binding.ts";
import { bind, type Encoder, encodeRows, fitEncoder } from "../src/data/encode.ts";
import type { NamedLevels } from "../src/data/input-levels.ts";
import { hasLevels, levelsOf, plainLevel } from "../src/data/schema.ts";
import { ColaError, checkName, isColaError } from "../src/errors.ts";
import { calibrate } from "../src/model/calibrate.ts";
import { stream } from "../src/num/random.ts";
import { Sha256 } from "../src/num/sha256.ts";
import { readModel } from "../src/read/model-file.ts";
import type { ReadModelOptions } from "../src/read/readers.ts";
import { encodingFor, fit, type ModelName, models } from "../src/train/registry.ts";
import type { Feature, Model, Schema, WorkOptions } from "../src/types.ts";
import { checkCategories, isUnnamed } from "./by-place.ts";
import type { Cache } from "./cache.ts";
import { placed, withFile } from "./model-errors.ts";
import { othersOf } from "./others.ts";
import type {
  Data,
  DataParts,
  Fitted,
  ModelFileSource,
  ModelParts,
  ModelSource,
  OutsideSource,
  StudyModel,
} from "./parts.ts";
import { encodingInOrder } from "./shapes.ts";

/** The content of a model file; the schema a saved model was trained with is `content.encoder.schema`. */
export async function readModelSource(
  file: string,
  bytes: Uint8Array,
  options: ReadModelOptions = {},
): Promise<ModelFileSource> {
  try {
    return { file, bytes, options, content: await readModel(file, bytes, options) };
  } catch (error) {
    throw isColaError(error) ? withFile(error, file) : error;
  }
}

/** The inputs an encoding makes, by the names that tables know them by. */
export function namesIn({ inputs }: EncodingSpec): string[] {
  return inputs.map(({ feature, level }) => (level === undefined ? feature : `${feature}=${level}`));
}

/** What a model reads of a table: see `DataParts`. */
export function readBy(
  source: ModelSource,
  encoding?: EncodingSpec,
): Pick<DataParts, "inputs" | "levels" | "unnamed"> {
  if ("train" in source || ("content" in source && source.content.encoder)) return {};
  if ("call" in source) return { inputs: encoding ? namesIn(encoding) : "all" };
  const { model } = source.content;
  const inputs = encoding ? namesIn(encoding) : model.inputs;
  const unnamed = encoding ? [] : (inputs ?? []).filter((_, column) => isUnnamed(model, column));
  const columns = encoding?.inputs ?? inputs?.map((feature) => ({ feature }));
  return {
    ...(inputs ? { inputs } : {}),
    ...(unnamed.length > 0 ? { unnamed } : {}),
    ...(columns && model.categoryNames ? { levels: namedIn(columns, model.categoryNames) } : {}),
  };
}

/** The levels a file names, by the columns its inputs are made of; blanks around a level are not part of it. */
function namedIn(
  columns: readonly InputSpec[],
  names: NonNullable<Model["categoryNames"]>,
): readonly NamedLevels[] {
  return columns.flatMap(({ feature, level, codes }, c) => {
    const own = level === undefined && !codes ? names[c] : undefined;
    const levels = [...new Set(own?.map((name) => plainLevel(name.trim())))].filter((name) => name !== "");
    return levels.length > 0 ? [{ feature, levels }] : [];
  });
}

/** Trains, binds or calls the model, on the scale of the calibration where there is one. */
export async function modelOf(
  parts: ModelParts,
  data: Data,
  work: WorkOptions,
  cache?: Cache<Fitted>,
): Promise<StudyModel> {
  const { calibration } = parts;
  const opened = await openModel(parts, data, work, cache);
  const encoding = parts.encoding ? encodingInOrder(parts.encoding) : null;
  const openOther = (model: ModelSource): Promise<StudyModel> =>
    openModel({ ...parts, model }, data, work, cache);
  const beside = await othersOf(parts, opened, openOther, data, work);
  const digest = hashOf([opened.digest, encoding, calibration ?? null, ...beside.digests]);
  const { also, judges, close } = beside;
  const all = { ...opened, digest, ...(also.length + judges.length > 0 ? { also, judges } : {}), close };
  if (!calibration) return all;
  const model = calibrate(opened.model, calibration);
  return { ...all, model, title: `${opened.title}, calibrated` };
}

async function openModel(
  parts: ModelParts,
  data: Data,
  work: WorkOptions,
  cache: Cache<Fitted> | undefined,
): Promise<StudyModel> {
  const { model: source, encoding, seed = 0 } = parts;
  if ("call" in source) return outside(source, data, encoding);
  const fitted =
    "train" in source
      ? await trained(source.train, data, seed, work, cache)
      : await ofFile(source, data, encoding);
  const { title, digest, model, encoder } = fitted;
  const bound = encoder ? restored(model, encoder, data) : boundTo(model, data, encoding);
  if (!encoder && !encoding && !data.listed) checkCategories(data.schema, model);
  return { model: bound, title, digest, fitted, close: () => {} };
}

/** Trains a classifier on the rows with a known outcome; the same question finds the same model in the cache. */
async function trained(
  name: string,
  data: Data,
  seed: number,
  work: WorkOptions,
  cache: Cache<Fitted> | undefined,
): Promise<Fitted> {
  const { labels, classes, schema, rows } = data;
  checkName("study", "model", name, Object.keys(models));
  if (!labels || !classes) {
    throw new ColaError(
      "OPTION_INVALID",
      `options.model ${name} is trained on the table, so it needs options.label, the column with the known outcome.`,
    );
  }
  const key = cache && hashOf([name, seed, classes, meaningOf(schema), rowsDigest(data)]);
  const held = key && cache.get(key);
  if (held) return held;
  const entry = name as ModelName;
  const encoder = fitEncoder(schema, rows, encodingFor(entry));
  const options = { classes: [...classes], ...work };
  const model = await fit(entry, encodeRows(encoder, rows), labels, options, stream(seed, "train", name));
  const digest = weightsOf(model, encoder);
  const made = { title: trainedTitle(entry, encoder), model, encoder, digest, trained: true as const };
  if (key) cache.set(key, made);
  return made;
}

const digests = new WeakMap<Data, string>();

/** SHA-256 of all rows and labels, made once for a table. */
function rowsDigest(data: Data): string {
  const { rows, labels = [] } = data;
  const made = digests.get(data) ?? new Sha256().numbers(rows.data).numbers(labels).hex();
  digests.set(data, made);
  return made;
}

/** The model's title, and what it does not tell apart. */
function trainedTitle(name: ModelName, { schema, rules }: Encoder): string {
  const blurred = schema.features.filter((_, k) => rules[k]!.columns.includes(-1)).map((f) => f.name);
  const { title } = models[name];
  return blurred.length === 0 ? title : `${title} (rare levels of ${blurred.join(", ")} are one to it)`;
}

const opened = new WeakMap<ModelFileSource, Map<string, Promise<Fitted>>>();

/** The model of a file, opened once for tables that mean the same. */
function ofFile(source: ModelFileSource, { schema }: Data, spec: EncodingSpec | undefined): Promise<Fitted> {
  const held = opened.get(source) ?? new Map<string, Promise<Fitted>>();
  opened.set(source, held);
  const key = spec ? "" : meaningOf(schema);
  const made = held.get(key) ?? openFile(source, spec ? [] : schema.features);
  held.set(key, made);
  return made;
}

/** The model of a file; where an ONNX graph reads texts, these are the names of the features' levels. */
async function openFile(source: ModelFileSource, features: readonly Feature[]): Promise<Fitted> {
  const { file, bytes, options, content } = source;
  const title = `model of ${file.slice(file.lastIndexOf("/") + 1)}`;
  let { model } = content;
  if (model.close && features.some((feature) => feature.kind === "categorical")) {
    const { inputs = features.map((feature) => feature.name) } = model;
    const read = inputs.map(
      (name): Feature => features.find((feature) => feature.name === name) ?? { name, kind: "numeric" },
    );
    ({ model } = await readModel(file, bytes, { ...options, schema: { features: read } }));
  }
  return { ...content, title, model, digest: weightsOf(model, content.encoder, bytes) };
}

/** One rule for the digest of a model: of its weights, or of its file where those cannot be taken out of it. */
function weightsOf(model: Model, encoder: Encoder | undefined, bytes: Uint8Array = new Uint8Array()): string {
  const { options = null, rules = null } = encoder ?? {};
  const weights = model.toJSON ? JSON.stringify(model.toJSON()) : new Sha256().bytes(bytes).hex();
  return hashOf([weights, model.outputs, options, rules]);
}

const hashOf = (parts: readonly unknown[]): string => new Sha256().text(JSON.stringify(parts)).hex();

/** The model over the table's rows; a level that is not a number to it is told with its first row. */
function boundTo(model: Model, data: Data, spec: EncodingSpec | undefined): Model {
  try {
    return bindInputs(model, data.schema, spec, data.constraints, data.listed);
  } catch (error) {
    throw isColaError(error) ? placed(error, data) : error;
  }
}

/** A model outside; rows leave in the columns of the table's file, or in those of the encoding. */
function outside(source: OutsideSource, data: Data, spec: EncodingSpec | undefined): StudyModel {
  const { schema, constraints } = data;
  const columns = schema.features.map((feature) => columnsOf(feature, data));
  const inputs = columns.flatMap((column) => column.inputs);
  const cells = spec
    ? { inputs: spec.inputs.map(inputName) }
    : { schema: { features: columns.flatMap((column) => column.features) } };
  const { model, close } = source.call(cells);
  return {
    model: spec ? boundTo(model, data, spec) : bindInputs(model, schema, { inputs }, constraints),
    title: source.title,
    digest: hashOf([...source.identity, cells]),
    close,
  };
}

/** The columns of the table's file that a feature came from. */
function columnsOf(feature: Feature, { groups }: Data): { inputs: InputSpec[]; features: Feature[] } {
  const group = groups.find((one) => one.feature === feature.name);
  if (!group) return { inputs: [asItIs(feature)], features: [feature] };
  return {
    inputs: group.columns.map((_, k) => ({ feature: feature.name, level: group.levels[k]! })),
    features: group.columns.map((name) => ({ name, kind: "integer" })),
  };
}

/** A feature as the table has it: the index of a level, which leaves as the level's name. */
function asItIs(feature: Feature): InputSpec {
  const codes = Object.fromEntries(levelsOf(feature).map((level, v) => [level, v]));
  return { feature: feature.name, ...(hasLevels(feature) ? { codes } : {}) };
}

/** What an encoded column is called where it goes. */
const inputName = ({ feature, level }: InputSpec): string =>
  level === undefined ? feature : `${feature}_${level}`;

/** A model behind its own encoder, over a table whose columns mean the same. */
function restored(model: Model, encoder: Encoder, data: Data): Model {
  const [wanted, have] = [meaningOf(encoder.schema), meaningOf(data.schema)];
  if (wanted !== have) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `binding: the model was trained on other columns or levels.\n  model: ${wanted}\n  table: ${have}\nLeave options.schema out to use the model's own.`,
    );
  }
  return bind(model, encoder, data.constraints);
}

/** What a model knows of a schema: names, kinds and levels. */
function meaningOf({ features }: Schema): string {
  return features.map((f) => `${f.name} (${f.categories ? f.categories.join("|") : f.kind})`).join(", ");
}
