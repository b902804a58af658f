import { existsSync } from "node:fs";
import { basename } from "node:path";
import { commandModel } from "../node/model/command.ts";
import { type ReadModelOptions, readModelFile } from "../node/model/file.ts";
import { httpModel } from "../node/model/http.ts";
import type { HttpProtocol } from "../node/model/http-protocols.ts";
import { readTableFile } from "../node/tables.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { translate } from "../show/messages.ts";
import { bindInputs, type EncodingSpec, type InputSpec } from "../src/data/binding.ts";
import { bind, type Encoder, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { isNumberText } from "../src/data/infer.ts";
import { hasLevels, levelsOf } from "../src/data/schema.ts";
import { parseTarget } from "../src/data/target-text.ts";
import { ColaError, isColaError } from "../src/errors.ts";
import { type CalibrationTable, calibrate } from "../src/model/calibrate.ts";
import { stream } from "../src/num/random.ts";
import type { CellOptions } from "../src/read/cells.ts";
import { loadModel } from "../src/read/load.ts";
import { encodingFor, fit, models } from "../src/train/registry.ts";
import type { Cell, Feature, Model, Schema, Target, WorkOptions } from "../src/types.ts";
import { type ModelBundle, savedBundle } from "./bundle.ts";
import type { Loaded } from "./inputs.ts";
import { readJsonFile } from "./json-file.ts";
import { callLimits, modelLimits, tableOptions } from "./limits.ts";
import type { Given } from "./options.ts";
import { encodingShape } from "./shapes.ts";

/** A model over the table's rows, and how it came about. */
export interface LoadedModel {
  readonly model: Model;
  readonly title: string;
  close(): void;
}

/** Trains, reads or calls the model an option names, on the scale of --calibration where that is given. */
export async function loadModelOption(
  given: Given,
  data: Loaded,
  work: WorkOptions = {},
): Promise<LoadedModel> {
  const table = given.calibration ? await calibrationTable(given, given.calibration) : undefined;
  const loaded = await openModelOption(given, data, work);
  return table
    ? { ...loaded, model: calibrate(loaded.model, table), title: `${loaded.title}, calibrated` }
    : loaded;
}

/** Pairs of score and probability: a JSON list of pairs, or the first two columns of a table. */
async function calibrationTable(given: Given, path: string): Promise<CalibrationTable> {
  if (/\.json$/i.test(path)) return readJsonFile<CalibrationTable>(path, "calibration");
  const { columns, rows } = await readTableFile(path, tableOptions(given));
  return Array.from({ length: rows }, (_, i) => [Number(columns[0]?.[i]), Number(columns[1]?.[i])] as const);
}

/** The model's title, and what it does not tell apart. */
function trainedTitle(name: keyof typeof models, { schema, rules }: Encoder): string {
  const blurred = schema.features.filter((_, k) => rules[k]!.columns.includes(-1)).map((f) => f.name);
  const { title } = models[name];
  if (blurred.length === 0) return title;
  return `${title} (rare levels of ${blurred.join(", ")} are one to it)`;
}

async function openModelOption(given: Given, data: Loaded, work: WorkOptions): Promise<LoadedModel> {
  const name = given.model ?? "logistic";
  const close = (): void => {};
  if (Object.hasOwn(models, name)) {
    const { labels, classes } = data;
    if (!labels || !classes) {
      throw new ColaError(
        "OPTION_INVALID",
        `--model ${name} is trained on the table, so it needs --label COLUMN with the known outcome.`,
      );
    }
    const key = name as keyof typeof models;
    const encoder = fitEncoder(data.schema, data.rows, encodingFor(key));
    const options = { classes: [...classes], ...work };
    const model = await fit(
      key,
      encodeRows(encoder, data.rows),
      labels,
      options,
      stream(given.seed ?? 0, "train", name),
    );
    return { model: bind(model, encoder, data.constraints), title: trainedTitle(key, encoder), close };
  }
  const spec = given.encoding
    ? readJsonFile<EncodingSpec>(given.encoding, "encoding", encodingShape)
    : undefined;
  const outputs = given.outputs ? { outputs: given.outputs } : {};
  if (/^https?:\/\//.test(name)) {
    const { options: told, bound } = outside(data, spec, given);
    const protocol = (given.protocol ?? "json") as HttpProtocol;
    const auth = given.authEnv ? { authEnv: given.authEnv } : {};
    const end = new AbortController();
    const model = httpModel({
      url: name,
      protocol,
      ...told,
      ...outputs,
      ...auth,
      ...(given.modelName ? { modelName: given.modelName } : {}),
      ...callLimits(given),
      signal: AbortSignal.any([end.signal, ...(work.signal ? [work.signal as globalThis.AbortSignal] : [])]),
    });
    return {
      model: bound(model),
      title: `HTTP model (${protocol})`,
      close: () => end.abort(),
    };
  }
  if (name.startsWith("command:")) {
    const { options: told, bound } = outside(data, spec, given);
    const model = commandModel(name.slice("command:".length), { ...told, ...outputs, ...callLimits(given) });
    return {
      model: bound(model),
      title: "command",
      close: () => model.close(),
    };
  }
  if (!existsSync(name)) {
    throw new ColaError(
      "NAME_UNKNOWN",
      `--model ${name.slice(0, 300)} is neither a file, an address, "command:…" nor a classifier; classifiers are ${Object.keys(models).join(", ")}.`,
      { model: name },
    );
  }
  const saved = savedBundle(name, given.maxBytes);
  const title = translate(`model of ${basename(name)}`, localeNamed(given.locale ?? "en"));
  if (saved) return { model: restore(saved, data), title, close };
  const model = await readForTable(
    name,
    { ...outputs, ...modelLimits(given) },
    spec ? [] : data.schema.features,
  );
  return { model: boundTo(model, data, spec, given), title, close };
}

/** The model of a file; where an ONNX graph reads texts, these are the names of the features' levels. */
async function readForTable(
  path: string,
  options: ReadModelOptions,
  features: readonly Feature[],
): Promise<Model> {
  const model: Model & { close?(): Promise<void> } = await readModelFile(path, options);
  if (!model.close || !features.some((feature) => feature.kind === "categorical")) return model;
  await model.close();
  const { inputs = features.map((feature) => feature.name) } = model;
  const read = inputs.map(
    (name): Feature => features.find((feature) => feature.name === name) ?? { name, kind: "numeric" },
  );
  return readModelFile(path, { ...options, schema: { features: read } });
}

/** The model over the table's rows; a level that is no number to it is told with its first row. */
function boundTo(model: Model, data: Loaded, spec: EncodingSpec | undefined, given: Given): Model {
  try {
    // Tables of one's own have the levels they happen to have, unless a schema lists them.
    const listed = given.schema !== undefined || (given.data === undefined && given.sql === undefined);
    return bindInputs(model, data.schema, spec, data.constraints, listed);
  } catch (error) {
    throw isColaError(error) ? placed(error, data) : error;
  }
}

/** The error with the row of the cell it speaks of, and with why columns it misses are no features. */
function placed(error: ColaError, { table, notes }: Loaded): ColaError {
  const {
    feature,
    level,
    inputs = [],
  } = error.details as {
    readonly feature?: string;
    readonly level?: string;
    readonly inputs?: readonly string[];
  };
  const column = table.columns[table.names.indexOf(feature ?? "")] ?? [];
  const isOdd = (cell: Cell): boolean => cell !== null && !isNumberText(String(cell).trim());
  const row = level === undefined ? -1 : column.findIndex(isOdd);
  const out = notes.filter((note) => inputs.some((name) => note.startsWith(`${name} is left out:`)));
  const first = row < 0 ? [] : [`The first such cell is ${JSON.stringify(column[row])} in row ${row}.`];
  const told = [...first, ...out];
  if (told.length === 0) return error;
  return new ColaError(error.code, [error.message, ...told].join(" "), { ...error.details, row }, error);
}

/** How rows leave for a model outside: in the columns of the table's file, or in those of the encoding file. */
function outside(
  data: Loaded,
  spec: EncodingSpec | undefined,
  given: Given,
): { readonly options: CellOptions; readonly bound: (model: Model) => Model } {
  if (spec) {
    const options = { inputs: spec.inputs.map(inputName) };
    return { options, bound: (model) => boundTo(model, data, spec, given) };
  }
  const { schema, constraints, groups = [] } = data;
  const columns = schema.features.map((feature): { inputs: InputSpec[]; features: Feature[] } => {
    const group = groups.find((one) => one.feature === feature.name);
    if (!group) return { inputs: [asItIs(feature)], features: [feature] };
    return {
      inputs: group.columns.map((_, k) => ({ feature: feature.name, level: group.levels[k]! })),
      features: group.columns.map((name) => ({ name, kind: "integer" })),
    };
  });
  const inputs = columns.flatMap((column) => column.inputs);
  return {
    options: { schema: { features: columns.flatMap((column) => column.features) } },
    bound: (model) => bindInputs(model, schema, { inputs }, constraints),
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

function restore(bundle: ModelBundle, data: Loaded): Model {
  const meaning = ({ features }: Schema): string =>
    features.map((f) => `${f.name} (${f.categories ? f.categories.join("|") : f.kind})`).join(", ");
  const [wanted, have] = [meaning(bundle.encoder.schema), meaning(data.schema)];
  if (wanted !== have) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `binding: the model was trained on other columns or levels.\n  model: ${wanted}\n  table: ${have}\nLeave --schema out to use the model's own.`,
    );
  }
  return bind(loadModel(bundle.model), bundle.encoder, data.constraints);
}

/** The goal an option names, in the model's classes; default: the last class, or a score above 0.5. */
export function loadTarget(given: Given, model: Model): Target {
  if (given.target) return parseTarget(given.target, model.outputs);
  return model.outputs.length === 2
    ? { class: model.outputs[1]! }
    : model.outputs.length === 1
      ? { above: 0.5 }
      : { class: model.outputs.at(-1)! };
}
