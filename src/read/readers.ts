import type { Encoder } from "../data/encode.ts";
import { ENCODED } from "../data/encode.ts";
import { ColaError } from "../errors.ts";
import type { Model } from "../types.ts";
import { readCatboostDocument } from "./catboost.ts";
import { readEbmDocument } from "./ebm.ts";
import { readLightgbm } from "./lightgbm.ts";
import { loadModel } from "./load.ts";
import { type OnnxOptions, type OnnxRuntime, onnxModel } from "./onnx-model.ts";
import { readXgboost, readXgboostDocument, type XgboostOptions } from "./xgboost.ts";

/** A model file as the readers look at it. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The first 64 bytes, one character each. */
  readonly head: string;
  /** The value of a JSON file; undefined for any other. */
  readonly document?: unknown;
}

/** Options of all readers; those that a format does not know are not looked at. */
export interface ReadModelOptions extends OnnxOptions, XgboostOptions {
  /** What scores ONNX graphs, asked for when the first one is met. */
  readonly runtime?: () => Promise<OnnxRuntime>;
}

/** What is in a model file: a model and, where it was saved with one, the encoder in front of it. */
export interface FileModel {
  readonly model: Model & { close?(): Promise<void> };
  readonly encoder?: Encoder;
}

export interface ModelReader {
  readonly title: string;
  /** How the names of such files end. */
  readonly endings: readonly string[];
  /** Is the file of this format? */
  reads(file: ModelFile): boolean;
  read(file: ModelFile, options: ReadModelOptions): FileModel | Promise<FileModel>;
}

const has = ({ document }: ModelFile, key: string): boolean => Object.hasOwn(Object(document), key);

/** Every format of model files by name. A new one is a file with its reader and a line here. */
export const readers = {
  xgboost: {
    title: "XGBoost",
    endings: [".json", ".ubj"],
    reads: (file) => /^\{[LUiIl$#]/.test(file.head) || has(file, "learner") || Array.isArray(file.document),
    read: ({ bytes, document }, options) => ({
      model: document === undefined ? readXgboost(bytes, options) : readXgboostDocument(document, options),
    }),
  },
  lightgbm: {
    title: "LightGBM",
    endings: [".txt"],
    reads: (file) => /^tree\r?\n/.test(file.head) || has(file, "tree_info"),
    read: ({ bytes }, options) => ({ model: readLightgbm(bytes, options) }),
  },
  catboost: {
    title: "CatBoost",
    endings: [".json"],
    reads: (file) => has(file, "features_info") && (has(file, "oblivious_trees") || has(file, "trees")),
    read: ({ document }, options) => ({ model: readCatboostDocument(document, options) }),
  },
  ebm: {
    title: "EBM (interpret)",
    endings: [".json"],
    reads: (file) => has(file, "ebm"),
    read: ({ document }, options) => ({ model: readEbmDocument(document, options) }),
  },
  onnx: {
    title: "ONNX",
    endings: [".onnx"],
    // ONNX begins with its version, producer or graph: field 1, 2, 7 or 8 of a protocol-buffer message.
    reads: ({ name, bytes, document }) =>
      document === undefined && (/\.onnx$/i.test(name) || [0x08, 0x12, 0x3a, 0x42].includes(bytes[0]!)),
    read: async ({ bytes }, options) => {
      if (options.runtime) return { model: await onnxModel(bytes, await options.runtime(), options) };
      throw new ColaError(
        "OPTION_INVALID",
        "readModel: an ONNX file needs options.runtime, which scores its graph.",
      );
    },
  },
  saved: {
    title: "saved by cola train",
    endings: [".json"],
    reads: (file) => has(file, "type"),
    read: ({ document }) => {
      const { type, model, encoder } = document as { type?: string; model: unknown; encoder: Encoder };
      if (type !== BUNDLE) return { model: loadModel(document) };
      loadModel({ type: ENCODED, version: 1, model, encoder });
      return { model: loadModel(model), encoder };
    },
  },
} as const satisfies Readonly<Record<string, ModelReader>>;

/** `type` of a model that is kept together with its encoder. */
const BUNDLE = "cola-model";

/** What `cola train` and the studio write: a model together with the encoder it was trained behind. */
export function savedBundle(model: Model, encoder: Encoder): string {
  return `${JSON.stringify({ type: BUNDLE, version: 1, model: model.toJSON!(), encoder })}\n`;
}

/** The formats in words: "XGBoost .json .ubj, LightGBM .txt, …". */
export function readableFormats(): string {
  return Object.values(readers)
    .map(({ title, endings }) => `${title} ${endings.join(" ")}`)
    .join(", ");
}
