import { bindInputs } from "../../src/data/binding.ts";
import type { Constraints } from "../../src/data/constraints.ts";
import { bind, type Encoder, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { ColaError } from "../../src/errors.ts";
import { stream } from "../../src/num/random.ts";
import { encodingFor, fit, type ModelName, models } from "../../src/train/registry.ts";
import type { Model, Schema, WorkOptions } from "../../src/types.ts";
import type { Data } from "./data.ts";

/** A model and, where it was trained here or saved with one, the encoder it sits behind. */
export interface Fitted {
  readonly title: string;
  readonly model: Model;
  readonly encoder?: Encoder;
}

/** Trains one of the classifiers on the rows with a known outcome, as `cola train` does. */
export async function trained(name: string, data: Data, seed: number, work: WorkOptions): Promise<Fitted> {
  const { labels, classes, rows, schema } = data;
  if (!labels || !classes) {
    throw new ColaError(
      "OPTION_INVALID",
      "A model can only be trained on rows with a known outcome: choose the outcome column, or load a model file.",
    );
  }
  if (!Object.hasOwn(models, name)) {
    throw new ColaError("NAME_UNKNOWN", `There is no model ${JSON.stringify(name)}.`, { name });
  }
  const key = name as ModelName;
  const encoder = fitEncoder(schema, rows, encodingFor(key));
  const options = { classes: [...classes], ...work };
  const model = await fit(key, encodeRows(encoder, rows), labels, options, stream(seed, "train", name));
  return { title: models[key].title, model, encoder };
}

/** The model over table rows. */
export function bound({ model, encoder }: Fitted, schema: Schema, constraints: Constraints): Model {
  return encoder ? bind(model, encoder, constraints) : bindInputs(model, schema, undefined, constraints);
}

/** What `cola explain --model` reads. */
export function modelFile({ model, encoder }: Fitted): string | undefined {
  if (!encoder || !model.toJSON) return undefined;
  return `${JSON.stringify({ type: "cola-model", version: 1, model: model.toJSON(), encoder })}\n`;
}
