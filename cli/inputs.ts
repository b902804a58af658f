import { existsSync, readFileSync } from "node:fs";
import { readTable } from "../formats/index.ts";
import { readFileBytes } from "../node/files.ts";
import { commandModel } from "../node/model/command.ts";
import { readModelFile } from "../node/model/file.ts";
import { httpModel } from "../node/model/http.ts";
import type { HttpProtocol } from "../node/model/http-protocols.ts";
import { startWork } from "../src/budget.ts";
import { bindInputs, type EncodingSpec } from "../src/data/binding.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { inferSchema } from "../src/data/infer.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { collapseOneHot } from "../src/data/one-hot.ts";
import { type Overlay, withConstraints } from "../src/data/overlay.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { parseTarget } from "../src/data/target-text.ts";
import { ColaError, messageOf } from "../src/errors.ts";
import { loadModel } from "../src/model/load.ts";
import { fit, models } from "../src/model/registry.ts";
import { scorer } from "../src/model/scorer.ts";
import { reachOf } from "../src/model/target.ts";
import { stream } from "../src/num/random.ts";
import type { Cell, Matrix, Model, Schema, Table, Target, WorkOptions } from "../src/types.ts";
import type { Given } from "./options.ts";

/** A table with its meaning. */
export interface Loaded {
  /** Where it came from, in words. */
  readonly source: string;
  readonly table: Table;
  readonly schema: Schema;
  readonly constraints: Constraints;
  /** The rows as codes. */
  readonly rows: Matrix;
  readonly ids?: readonly Cell[];
  /** Index of each row's class, where a label column is known. */
  readonly labels?: Int32Array;
  readonly classes?: readonly string[];
  /** What was decided while reading, for people. */
  readonly notes: readonly string[];
}

/** A JSON file as T; its shape is checked where it is used. */
export function readJsonFile<T>(path: string, what: string): T {
  try {
    return JSON.parse(new TextDecoder().decode(readFileBytes(path, 2 ** 26))) as T;
  } catch (error) {
    if (error instanceof ColaError) throw error;
    throw new ColaError(
      "OPTION_INVALID",
      `${path}: the ${what} is not JSON: ${messageOf(error)}`,
      { path },
      error,
    );
  }
}

export async function loadData(given: Given): Promise<Loaded> {
  const overlay = overlayOf(given);
  if (!given.data) return embedded(overlay);
  const raw = await readTable(given.data, readFileBytes(given.data, given.maxBytes), {
    ...(given.maxRows === undefined ? {} : { maxRows: given.maxRows }),
    ...(given.missing ? { missing: ["", ...given.missing] } : {}),
  });
  const { table, groups } = collapseOneHot(raw);
  const notes = groups.map((g) => `${g.columns.length} indicator columns became one feature ${g.feature}.`);
  const seen = given.counterfactuals ? joined(table, await referenceTable(given.counterfactuals)) : table;
  const inferred =
    knownSchema(given) ??
    inferSchema(seen, {
      ...(given.label ? { target: given.label } : {}),
      ...(given.id ? { id: given.id } : {}),
    });
  const schema = withConstraints(inferred.schema, overlay);
  const labels = given.label ? labelsOf(table, given.label) : undefined;
  const id = given.id ? table.columns[table.names.indexOf(given.id)] : undefined;
  return {
    source: given.data,
    table,
    schema,
    constraints: compileConstraints(schema),
    rows: tableToMatrix(schema, table),
    notes: [...notes, ...inferred.notes],
    ...(id ? { ids: id } : {}),
    ...(labels ?? {}),
  };
}

/** The schema of --schema, else the one a saved model was trained with. */
function knownSchema(given: Given): { schema: Schema; notes: readonly string[] } | undefined {
  if (given.schema) return { schema: readJsonFile<Schema>(given.schema, "schema"), notes: [] };
  const saved = given.model && existsSync(given.model) ? savedBundle(given.model) : undefined;
  return (
    saved && {
      schema: saved.encoder.schema,
      notes: [`The schema is the one ${given.model} was trained with.`],
    }
  );
}

function overlayOf(given: Given): Overlay {
  const file = given.constraints ? readJsonFile<Overlay>(given.constraints, "constraints") : {};
  return {
    ...file,
    freeze: [...(file.freeze ?? []), ...(given.freeze ?? [])],
    ...(given.vary ? { vary: given.vary } : {}),
  };
}

function embedded(overlay: Overlay): Loaded {
  const { table, labels } = loans();
  const schema = withConstraints(loanSchema, overlay);
  return {
    source: "the embedded data set: 1,000 synthetic loan applications",
    table,
    schema,
    constraints: compileConstraints(schema),
    rows: tableToMatrix(schema, table),
    labels,
    classes: [...loanClasses],
    notes: [],
  };
}

function labelsOf(table: Table, name: string): { labels: Int32Array; classes: string[] } {
  const column = table.columns[table.names.indexOf(name)]!;
  const gap = column.indexOf(null);
  if (gap >= 0) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: row ${gap} has no ${name}; every row to train on needs its outcome.`,
      { row: gap },
    );
  }
  const classes = [...new Set(column.map(String))].sort((a, b) => (a < b ? -1 : 1));
  if (classes.length < 2 || classes.length > 100) {
    throw new ColaError(
      "VALUE_INVALID",
      `table: the label ${name} has ${classes.length} different values; a classifier needs from 2 to 100.`,
      { name, classes: classes.length },
    );
  }
  return { labels: Int32Array.from(column, (cell) => classes.indexOf(String(cell))), classes };
}

/** A model over the table's rows, and how it came about. */
export interface LoadedModel {
  readonly model: Model;
  readonly title: string;
  close(): void;
}

/** Classifiers that read raw numbers with gaps; the others get standardised columns. */
export function encodingFor(name: keyof typeof models): Parameters<typeof fitEncoder>[2] {
  return models[name].missing ? { numeric: "raw", missing: "keep" } : {};
}

/** Trains, reads or calls the model an option names. */
export async function loadModelOption(
  given: Given,
  data: Loaded,
  work: WorkOptions = {},
): Promise<LoadedModel> {
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
    return { model: bind(model, encoder, data.constraints), title: models[key].title, close };
  }
  const spec = given.encoding ? readJsonFile<EncodingSpec>(given.encoding, "encoding") : undefined;
  const outputs = given.outputs ? { outputs: given.outputs } : {};
  if (/^https?:\/\//.test(name)) {
    const inputs = data.schema.features.map((f) => f.name);
    const protocol = (given.protocol ?? "json") as HttpProtocol;
    const auth = given.authEnv ? { authEnv: given.authEnv } : {};
    const model = httpModel({
      url: name,
      protocol,
      inputs,
      ...outputs,
      ...auth,
      ...(given.modelName ? { modelName: given.modelName } : {}),
    });
    return {
      model: spec ? bindInputs(model, data.schema, spec, data.constraints) : model,
      title: `HTTP model (${protocol})`,
      close,
    };
  }
  if (name.startsWith("command:")) {
    const model = commandModel(name.slice("command:".length), outputs);
    return {
      model: bindInputs(model, data.schema, spec, data.constraints),
      title: "command",
      close: () => model.close(),
    };
  }
  if (!existsSync(name)) {
    throw new ColaError(
      "NAME_UNKNOWN",
      `--model ${name} is neither a file, an address, "command:…" nor a classifier; classifiers are ${Object.keys(models).join(", ")}.`,
      { model: name },
    );
  }
  const saved = savedBundle(name);
  if (saved) return { model: restore(saved, data), title: `model of ${name}`, close };
  const model = await readModelFile(name, outputs);
  return { model: bindInputs(model, data.schema, spec, data.constraints), title: `model of ${name}`, close };
}

/** What `cola train` writes: a model together with the encoder it was trained behind. */
export interface ModelBundle {
  readonly type: "cola-model";
  readonly version: 1;
  readonly model: unknown;
  readonly encoder: ReturnType<typeof fitEncoder>;
}

function savedBundle(path: string): ModelBundle | undefined {
  const head = readFileSync(path).subarray(0, 64).toString("latin1");
  return head.includes('"cola-model"') ? readJsonFile<ModelBundle>(path, "model") : undefined;
}

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
    ? { class: 1 }
    : model.outputs.length === 1
      ? { above: 0.5 }
      : { class: model.outputs.length - 1 };
}

/** The counterfactuals of a file as a table. */
async function referenceTable(path: string): Promise<Table> {
  return collapseOneHot(await readTable(path, readFileBytes(path))).table;
}

/** Both tables below each other, over the columns of the first: levels of either are levels. */
function joined(first: Table, second: Table): Table {
  const columns = first.names.map((name, k) => [
    ...first.columns[k]!,
    ...(second.columns[second.names.indexOf(name)] ?? []),
  ]);
  const rows = first.rows + second.rows;
  return {
    names: first.names,
    columns: columns.map((c) => [...c, ...new Array<null>(rows - c.length).fill(null)]),
    rows,
  };
}

/** Counterfactual rows of a file, as codes of the same schema. */
export async function loadReferences(
  path: string,
  data: Loaded,
): Promise<{ readonly references: Matrix; readonly pairs?: ArrayLike<number> }> {
  return { references: tableToMatrix(data.schema, await referenceTable(path)) };
}

/** The first `count` rows that the model does not put at the target. */
export async function rowsShortOf(
  model: Model,
  rows: Matrix,
  target: Target,
  count: number,
  work: WorkOptions,
): Promise<number[]> {
  const reach = reachOf(model, target);
  const ask = scorer(model, startWork("score", work));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push(await ask.score(rows, output));
  return Array.from({ length: rows.rows }, (_, i) => i)
    .filter((i) => !reach.reached(reach.slack(scores, i)))
    .slice(0, count);
}
