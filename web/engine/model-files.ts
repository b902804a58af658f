import { type EncodingSpec, inputByName } from "../../src/data/binding.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { isColaError } from "../../src/errors.ts";
import type { Schema, WorkOptions } from "../../src/types.ts";
import { readModelSource } from "../../study/model.ts";
import type { ModelFileSource } from "../../study/parts.ts";
import type { Opened } from "./data.ts";
import type { Match, ModelInfo } from "./protocol.ts";
import { modelFor } from "./run.ts";

/** A model file that was loaded, and what was said of it: how its inputs are made, what its outputs are called. */
export interface Loaded {
  readonly source: ModelFileSource;
  readonly encoding?: EncodingSpec;
}

/** The same file with its outputs named. */
export async function named({ source }: Loaded, outputs: readonly string[]): Promise<ModelFileSource> {
  return readModelSource(source.file, source.bytes, { ...source.options, outputs });
}

/** The model over the table, or why it cannot be asked over it. */
export async function matched(
  opened: Opened,
  overlay: Overlay,
  loaded: Loaded,
  work: WorkOptions,
): Promise<ModelInfo> {
  const { source, encoding } = loaded;
  const { content, file } = source;
  const brought = { model: source, ...(encoding ? { encoding } : {}) };
  const name = file.slice(file.lastIndexOf("/") + 1);
  const info = {
    title: `Model of ${name}`,
    outputs: content.model.outputs,
    ...(content.model.inputs ? { inputs: content.model.inputs } : {}),
  };
  try {
    await modelFor(opened, overlay, brought, work);
    return content.encoder ? info : { ...info, match: matchOf(opened.data.schema, loaded, null) };
  } catch (error) {
    if (!isColaError(error)) throw error;
    return { ...info, match: matchOf(opened.data.schema, loaded, error.message) };
  }
}

function matchOf(schema: Schema, { source, encoding }: Loaded, wrong: string | null): Match {
  const names = source.content.model.inputs;
  if (encoding) {
    const inputs = encoding.inputs.map((spec, i) => ({ name: names?.[i] ?? `${i + 1}`, spec }));
    return { inputs, chosen: true, wrong };
  }
  const inputs = names
    ? names.map((name) => ({ name, spec: inputByName(schema, name) ?? null }))
    : schema.features.map(({ name }, i) => ({ name: `${i + 1}`, spec: { feature: name } }));
  return { inputs, chosen: false, wrong };
}
