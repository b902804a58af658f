import { ColaError } from "../src/errors.ts";
import type { Model, WorkOptions } from "../src/types.ts";
import type { Data, ModelParts, ModelSource, StudyModel } from "./parts.ts";
import { kindOf, retrained } from "./retrain.ts";

/** Retrained models that judge plans, unless it is said how many. */
const JUDGES = 20;

/** The models beside the one that is explained, and what stands for them in the digest. */
export async function othersOf(
  parts: ModelParts,
  opened: StudyModel,
  open: (source: ModelSource) => Promise<StudyModel>,
  data: Data,
  work: WorkOptions,
): Promise<
  Required<Pick<StudyModel, "also" | "judges" | "close">> & { readonly digests: readonly unknown[] }
> {
  const { model: source, also: sources = [], retrain = 0, seed = 0 } = parts;
  const files: StudyModel[] = [];
  for (const other of sources) files.push(await open(other));
  const asked = sources.length + retrain > 0;
  const kind = asked ? kindOf("train" in source ? source.train : undefined, opened.fitted) : undefined;
  if (retrain > 0 && !kind)
    throw new ColaError(
      "OPTION_INVALID",
      `options.retrain: a model like ${opened.title} cannot be trained here; give others of your own by options.also.`,
    );
  if (asked && parts.calibration)
    throw new ColaError(
      "OPTION_INVALID",
      "options.calibration is of one model; leave it out with options.also and options.retrain.",
    );
  const judges = parts.judges ?? (kind && data.labels ? JUDGES : 0);
  const train = (from: number, to: number): Promise<Model[]> =>
    kind && to > from
      ? retrained(kind, data, opened.model.outputs, seed, [from, to], work)
      : Promise.resolve([]);
  return {
    also: [...files.map(({ model }) => model), ...(await train(0, retrain))],
    judges: asked ? await train(retrain, retrain + judges) : [],
    digests: asked ? [files.map(({ digest }) => digest), retrain, judges] : [],
    close: () => {
      for (const one of [opened, ...files]) one.close();
    },
  };
}
