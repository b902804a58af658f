import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { bind } from "../../src/data/encode.ts";
import { ColaError, messageOf } from "../../src/errors.ts";
import { readModel } from "../../src/read/model-file.ts";
import type { ReadModelOptions as AnyModelOptions } from "../../src/read/readers.ts";
import type { Model } from "../../src/types.ts";
import { type ReadOnnxOptions, runtimeOf } from "./onnx.ts";

const OWNER = "readModelFile";

/** Options of all readable formats. */
export type ReadModelOptions = Omit<AnyModelOptions, "runtime"> & ReadOnnxOptions;

/**
 * A model from a file of any readable format, told by its content: XGBoost JSON or UBJSON, LightGBM text, ONNX,
 * or a model saved with `toJSON` or by `cola train`. Options that a format does not know are not looked at.
 */
export async function readModelFile(path: string, options: ReadModelOptions = {}): Promise<Model> {
  const bytes = await modelBytes(path, options.maxBytes);
  const runtime = () => runtimeOf(options.threads);
  const { model, encoder } = await readModel(path, bytes, { ...options, runtime });
  return encoder ? bind(model, encoder) : model;
}

/** The content of a model file, no longer than `maxBytes`. */
async function modelBytes(path: string, maxBytes = 2 ** 28): Promise<Uint8Array> {
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
