import { type EncodingSpec, inputByName } from "../../src/data/binding.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { isColaError } from "../../src/errors.ts";
import { matrix } from "../../src/num/matrix.ts";
import type { Model, Schema, WorkOptions } from "../../src/types.ts";
import { readModelSource } from "../../study/model.ts";
import type { ModelFileSource } from "../../study/parts.ts";
import type { Opened } from "./data.ts";
import { type Match, type ModelInfo, NOT_CHOSEN } from "./protocol.ts";
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
  const match = await matchOf(opened.data.schema, loaded);
  const open = match.inputs.flatMap(({ name, spec }) => (spec ? [] : [name]));
  if (open.length > 0 && (encoding || !(content.encoder ?? content.model.inputs)))
    return { ...info, match: { ...match, wrong: notChosen(open) } };
  try {
    await modelFor(opened, overlay, brought, work);
    return content.encoder ? info : { ...info, match };
  } catch (error) {
    if (!isColaError(error)) throw error;
    return { ...info, match: { ...match, wrong: error.message } };
  }
}

const notChosen = (names: readonly string[]): string =>
  `binding: ${names.length === 1 ? "input" : "inputs"} ${names.slice(0, 8).join(", ")}${names.length > 8 ? ", …" : ""} of the model ${names.length === 1 ? "has" : "have"} no column yet; choose one for each.`;

/** How the inputs are made as far as that is known: as somebody chose, by their names, or in the order of the columns. */
async function matchOf({ features, ...schema }: Schema, { source, encoding }: Loaded): Promise<Match> {
  const { model } = source.content;
  const names = model.inputs;
  if (encoding) {
    const inputs = encoding.inputs.map((spec, i) => ({
      name: names?.[i] ?? `${i + 1}`,
      spec: spec.feature === NOT_CHOSEN.feature ? null : spec,
    }));
    return { inputs, chosen: true, wrong: null };
  }
  if (names) {
    const byName = (name: string) => inputByName({ ...schema, features }, name) ?? null;
    return { inputs: names.map((name) => ({ name, spec: byName(name) })), chosen: false, wrong: null };
  }
  const count = await inputsOf(model, features.length);
  const inputs = Array.from({ length: count }, (_, i) => ({
    name: `${i + 1}`,
    spec: count === features.length ? { feature: features[i]!.name } : null,
  }));
  return { inputs, chosen: false, wrong: null };
}

/** How many inputs a model without names has: it refuses other rows and says so; one that takes any takes the columns. */
async function inputsOf(model: Model, columns: number): Promise<number> {
  try {
    await model.predict(matrix(1, columns));
  } catch (error) {
    const wanted = isColaError(error) ? error.details?.["expected"] : undefined;
    if (typeof wanted === "number") return wanted;
  }
  return columns;
}
