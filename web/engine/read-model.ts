import type { Encoder } from "../../src/data/encode.ts";
import { ColaError } from "../../src/errors.ts";
import { refuseForeign } from "../../src/read/foreign.ts";
import { parseJson } from "../../src/read/json-limits.ts";
import { readLightgbm } from "../../src/read/lightgbm.ts";
import { loadModel } from "../../src/read/load.ts";
import { readXgboost } from "../../src/read/xgboost.ts";
import type { Fitted } from "./model.ts";
import type { GivenFile } from "./protocol.ts";

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
