import { ColaError } from "../errors.ts";
import { refuseForeign } from "./foreign.ts";
import { parseJson } from "./json-limits.ts";
import {
  type FileModel,
  type ModelReader,
  type ReadModelOptions,
  readableFormats,
  readers,
} from "./readers.ts";

const OWNER = "readModel";

/**
 * A model from the bytes of a file of any readable format, told by its content. Formats that are known but can run code
 * (pickles) are refused with the way out; JSON that no reader knows is looked at as a model saved by this package.
 */
export async function readModel(
  name: string,
  bytes: Uint8Array,
  options: ReadModelOptions = {},
): Promise<FileModel> {
  refuseForeign(OWNER, bytes);
  const head = latin(bytes.subarray(0, 64));
  const json = /^\s*[{[]/.test(head) && !/^\{[LUiIl$#]/.test(head);
  const document: unknown = json ? parseJson(OWNER, new TextDecoder().decode(bytes)) : undefined;
  const file = { name, bytes, head, ...(json ? { document } : {}) };
  const known: readonly ModelReader[] = Object.values(readers);
  const reader = known.find((one) => one.reads(file)) ?? (json ? readers.saved : undefined);
  if (reader) return reader.read(file, options);
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${OWNER}: ${name} begins with ${JSON.stringify(head.slice(0, 12))}, which is not a format known here; readable are ${readableFormats()}; other models work through commandModel or httpModel.`,
  );
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
