import type { EncodingSpec } from "../../src/data/binding.ts";
import { decodeText } from "../../src/data/csv.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { ColaError } from "../../src/errors.ts";
import { toolSource } from "../../src/generate/given/tool.ts";
import { constraintsShape, encodingShape, type Shape } from "../../study/shapes.ts";
import type { FileKind, GivenFile } from "./protocol.ts";

/** What a file is: files may be given in any order and under any name. */
export async function kindOf({ name, bytes }: GivenFile): Promise<FileKind> {
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  if (/^<!doctype html>/i.test(head)) return "paper";
  if (/\.txt$/i.test(name) && (await isLetter(decodeText(bytes, name)))) return "paper";
  if (/\.(onnx|ubj|model|bin)$/i.test(name) || /^tree\r?\n/.test(head) || /^\{[LUiIl$#]/.test(head))
    return "model";
  if (/\.(csv|tsv|parquet|arrow|feather|ndjson)$/i.test(name) || !/^\s*[{[]/.test(head)) return "table";
  const text = decodeText(bytes, name);
  if (toolSource(text)) return "counterfactuals";
  const document = documentOf(text);
  if (document === undefined) return /"runHash"/.test(text.slice(0, 2000)) ? "explanation" : "table";
  const has = (key: string): boolean => Object.hasOwn(Object(document), key);
  if (Array.isArray(document))
    return typeof document[0] === "object" && !has("nodeid") && isRows(document) ? "table" : "model";
  if (Object(document).format === "cola-certificate") return "certificate";
  if (has("runHash") || has("schemaVersion")) return "explanation";
  if (has("inputs") && encodingShape(document, "it") === undefined) return "encoding";
  if (constraintsShape(document, "it") === undefined) return "constraints";
  return "model";
}

const isLetter = async (text: string): Promise<boolean> =>
  (await import("../../show/check-paper.ts")).paperKind(text) === "letter";

/** Records of a table, not the trees of an XGBoost dump. */
const isRows = ([first]: readonly unknown[]): boolean =>
  !Object.hasOwn(Object(first), "nodeid") && !Object.hasOwn(Object(first), "split");

function documentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A file that people write by hand, with its shape checked. */
function handWritten<T>({ name, bytes }: GivenFile, shape: Shape, what: string): T {
  const document = documentOf(decodeText(bytes, name));
  const wrong = document === undefined ? "it is not valid JSON" : shape(document, what);
  if (wrong === undefined) return document as T;
  throw new ColaError("SCHEMA_INVALID", `${name}: ${wrong}; correct the file.`, { file: name });
}

export const readEncoding = (file: GivenFile): EncodingSpec => handWritten(file, encodingShape, "encoding");
export const readConstraints = (file: GivenFile): Overlay =>
  handWritten(file, constraintsShape, "constraints");
