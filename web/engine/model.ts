import { bindInputs } from "../../src/data/binding.ts";
import type { Constraints } from "../../src/data/constraints.ts";
import { bind, type Encoder, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { ColaError } from "../../src/errors.ts";
import { loadModel } from "../../src/model/load.ts";
import { refuseForeign } from "../../src/model/read/foreign.ts";
import { parseJson } from "../../src/model/read/json-limits.ts";
import { readLightgbm } from "../../src/model/read-lightgbm.ts";
import { readXgboost } from "../../src/model/read-xgboost.ts";
import { fit, type ModelName, models } from "../../src/model/registry.ts";
import { stream } from "../../src/num/random.ts";
import type { Model, Schema, WorkOptions } from "../../src/types.ts";
import type { Data } from "./data.ts";
import type { GivenFile } from "./protocol.ts";

/** A model and, where it was trained here or saved with one, the encoder it sits behind. */
export interface Fitted {
  readonly title: string;
  readonly model: Model;
  readonly encoder?: Encoder;
}

/** Trains one of the classifiers on the rows with a known outcome, as `cola train` does. */
export async function trained(name: string, data: Data, seed: number, work: WorkOptions): Promise<Fitted> {
  const { labels, classes, rows, schema } = data;
  if (!labels || !classes) {
    throw new ColaError(
      "OPTION_INVALID",
      "A model can only be trained on rows with a known outcome: choose the outcome column, or load a model file.",
    );
  }
  if (!Object.hasOwn(models, name)) {
    throw new ColaError("NAME_UNKNOWN", `There is no model ${JSON.stringify(name)}.`, { name });
  }
  const key = name as ModelName;
  const encoder = fitEncoder(schema, rows, models[key].missing ? { numeric: "raw", missing: "keep" } : {});
  const options = { classes: [...classes], ...work };
  const model = await fit(key, encodeRows(encoder, rows), labels, options, stream(seed, "train", name));
  return { title: models[key].title, model, encoder };
}

/** A model file, told by its content: XGBoost, LightGBM, one saved here, or ONNX (its runtime is fetched then). */
export async function readModel({ name, bytes }: GivenFile): Promise<Fitted> {
  refuseForeign("model", bytes);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64));
  const title = `Model of ${name}`;
  if (/^\{[LUiIl$#]/.test(head)) return { title, model: readXgboost(bytes) };
  if (/^tree\r?\n/.test(head)) return { title, model: readLightgbm(bytes) };
  if (/^\s*[{[]/.test(head)) return readJson(title, new TextDecoder().decode(bytes));
  if (/\.onnx$/i.test(name) || [0x08, 0x12, 0x3a, 0x42].includes(bytes[0] ?? 0)) {
    const { readOnnx } = await import("./onnx.ts");
    return { title, model: await readOnnx(bytes) };
  }
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${name} is no model file known here; readable are XGBoost .json and .ubj, LightGBM .txt, ONNX .onnx and models saved by cola.`,
  );
}

function readJson(title: string, text: string): Fitted {
  const document = parseJson("model", text);
  const has = (key: string): boolean => Object.hasOwn(Object(document), key);
  if (has("encoder")) {
    const saved = document as { model: unknown; encoder: Encoder };
    return { title, model: loadModel(saved.model), encoder: saved.encoder };
  }
  if (has("learner") || Array.isArray(document)) return { title, model: readXgboost(text) };
  return { title, model: has("tree_info") ? readLightgbm(text) : loadModel(document) };
}

/** The model over table rows. */
export function bound({ model, encoder }: Fitted, schema: Schema, constraints: Constraints): Model {
  return encoder ? bind(model, encoder, constraints) : bindInputs(model, schema, undefined, constraints);
}

/** What `cola explain --model` reads. */
export function modelFile({ model, encoder }: Fitted): string | undefined {
  if (!encoder || !model.toJSON) return undefined;
  return `${JSON.stringify({ type: "cola-model", version: 1, model: model.toJSON(), encoder })}\n`;
}
