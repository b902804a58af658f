import { readFileBytes, readFileHead } from "../node/files.ts";
import { ENCODED, type fitEncoder } from "../src/data/encode.ts";
import { parseJson } from "../src/read/json-limits.ts";
import { loadModel } from "../src/read/load.ts";

/** What `cola train` writes: a model together with the encoder it was trained behind. */
export interface ModelBundle {
  readonly type: "cola-model";
  readonly version: 1;
  readonly model: unknown;
  readonly encoder: ReturnType<typeof fitEncoder>;
}

/** The bundle in a file, checked whole, or undefined for other model files. */
export function savedBundle(path: string, maxBytes?: number): ModelBundle | undefined {
  const head = new TextDecoder("latin1").decode(readFileHead(path, 64, maxBytes));
  if (!head.includes('"cola-model"')) return undefined;
  const bundle = parseJson(path, new TextDecoder().decode(readFileBytes(path, maxBytes))) as ModelBundle;
  loadModel({ type: ENCODED, version: 1, model: bundle.model, encoder: bundle.encoder });
  return bundle;
}
