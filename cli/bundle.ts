import { readFileSync } from "node:fs";
import type { fitEncoder } from "../src/data/encode.ts";
import { readJsonFile } from "./json-file.ts";

/** What `cola train` writes: a model together with the encoder it was trained behind. */
export interface ModelBundle {
  readonly type: "cola-model";
  readonly version: 1;
  readonly model: unknown;
  readonly encoder: ReturnType<typeof fitEncoder>;
}

/** The bundle in a file, or undefined for other model files. */
export function savedBundle(path: string): ModelBundle | undefined {
  const head = readFileSync(path).subarray(0, 64).toString("latin1");
  return head.includes('"cola-model"') ? readJsonFile<ModelBundle>(path, "model") : undefined;
}
