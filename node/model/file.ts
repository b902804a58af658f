import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { ColaError, messageOf } from "../../src/errors.ts";
import { refuseForeign } from "../../src/read/foreign.ts";
import { parseJson } from "../../src/read/json-limits.ts";
import { readLightgbm } from "../../src/read/lightgbm.ts";
import { loadModel } from "../../src/read/load.ts";
import { readXgboost, readXgboostDocument, type XgboostOptions } from "../../src/read/xgboost.ts";
import type { Model } from "../../src/types.ts";
import { type ReadOnnxOptions, readOnnx } from "./onnx.ts";

const OWNER = "readModelFile";
const KNOWN =
  "XGBoost .json and .ubj, LightGBM .txt, ONNX .onnx and models saved by this package; other models work through commandModel or httpModel";

/** Options of all readable formats. */
export type ReadModelOptions = ReadOnnxOptions & XgboostOptions;

/**
 * A model from a file of any readable format, told by its content: XGBoost JSON or UBJSON, LightGBM text, ONNX,
 * or a model saved with `toJSON`. Options that a format does not know are not looked at.
 */
export async function readModelFile(path: string, options: ReadModelOptions = {}): Promise<Model> {
  const bytes = await contentOf(path, options.maxBytes ?? 2 ** 28);
  refuseForeign(OWNER, bytes);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64));
  if (/^\{[LUiIl$#]/.test(head)) return readXgboost(bytes, options);
  if (/^tree\r?\n/.test(head)) return readLightgbm(bytes, options);
  if (/^\s*[{[]/.test(head)) return readJson(new TextDecoder().decode(bytes), options);
  if (extname(path) === ".onnx" || isProtobuf(bytes)) return readOnnx(bytes, options);
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${OWNER}: ${path} begins with ${JSON.stringify(head.slice(0, 12))}, which is no format known here; readable are ${KNOWN}.`,
  );
}

/** ONNX begins with its version, producer or graph: field 1, 2, 7 or 8 of a protocol-buffer message. */
function isProtobuf(bytes: Uint8Array): boolean {
  return [0x08, 0x12, 0x3a, 0x42].includes(bytes[0]!);
}

function readJson(text: string, options: ReadModelOptions): Model {
  const document = parseJson(OWNER, text);
  const has = (key: string): boolean => Object.hasOwn(Object(document), key);
  if (has("learner") || Array.isArray(document)) return readXgboostDocument(document, options);
  return has("tree_info") ? readLightgbm(text, options) : loadModel(document);
}

async function contentOf(path: string, maxBytes: number): Promise<Uint8Array> {
  // Without waiting: a named pipe would keep us until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw new ColaError(
      "MODEL_FILE_INVALID",
      `${OWNER}: ${path} cannot be opened: ${messageOf(error)}`,
      {},
      error,
    );
  });
  try {
    const about = await file.stat();
    if (!about.isFile()) {
      throw new ColaError(
        "MODEL_FILE_INVALID",
        `${OWNER}: ${path} is a folder or a device; give a model file.`,
      );
    }
    if (about.size > maxBytes) {
      throw new ColaError(
        "SIZE_LIMIT",
        `${OWNER}: ${path} has ${about.size} bytes, more than options.maxBytes = ${maxBytes}; raise it if you trust the file.`,
        { bytes: about.size, limit: maxBytes },
      );
    }
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}
