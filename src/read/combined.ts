import { ColaError, isColaError } from "../errors.ts";
import { type CalibrationTable, calibrate } from "../model/calibrate.ts";
import { outputIndex } from "../model/contract.ts";
import { linearKernels } from "../model/linear-kernels.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import type { Matrix, Model } from "../types.ts";
import { boostedModel } from "./boosted.ts";

/** `type` of models made of others, and of a linear score. */
export const MEAN = "mean";
export const CALIBRATED = "calibrated";
export const LINEAR = "linear";

type Load = (saved: unknown) => Model;

/** Σ weight · score over members with the same inputs; `output` names the one output of theirs that is the score. */
export function loadMean(saved: Saved, json: unknown, load: Load): Model {
  const outputs = saved.texts("outputs", 1);
  const { members, output } = json as { members: readonly { model: unknown }[]; output?: unknown };
  const parts = saved.children("members").map((member, m) => ({
    weight: member.number("weight"),
    model: load(members[m]!.model),
  }));
  saved.check(parts.length > 0, `"members" must have an entry`);
  const picked = output === undefined ? undefined : saved.whole("output", 0);
  const most = picked ?? outputs.length - 1;
  const fits = ({ model }: { model: Model }): boolean =>
    picked === undefined
      ? model.outputs.length === outputs.length
      : outputs.length === 1 && most < model.outputs.length;
  saved.check(parts.every(fits), `"members" must have the outputs of the whole`);
  const model: Model = {
    outputs,
    predict: (rows, given) => {
      const index = picked ?? outputIndex(model, given);
      const sum = new Float64Array(rows.rows);
      for (const { weight, model: member } of parts) {
        const scores = member.predict(rows, index) as Float64Array;
        for (let i = 0; i < sum.length; i++) sum[i]! += weight * scores[i]!;
      }
      return sum;
    },
    toJSON: () => ({ ...(json as object), type: MEAN, version: SAVED_VERSION }),
  };
  return model;
}

/** A model on the scale of a table from its score to a probability. */
export function loadCalibrated(_: Saved, json: unknown, load: Load): Model {
  const { model, table } = json as { model: unknown; table: CalibrationTable };
  const inner = load(model);
  try {
    return {
      ...calibrate(inner, table),
      toJSON: () => ({ ...(json as object), type: CALIBRATED, version: SAVED_VERSION }),
    };
  } catch (error) {
    if (!isColaError(error)) throw error;
    throw new ColaError("MODEL_FILE_INVALID", `saved model: ${error.message}`, {}, error);
  }
}

/** One score that is a weighted sum of the columns. */
export function loadLinearScore(saved: Saved): Model {
  const outputs = saved.texts("outputs", 1);
  saved.check(outputs.length === 1, `"outputs" must name one`);
  saved.choice("link", ["identity"]);
  const cols = saved.whole("cols", 1);
  const weights = saved.numbers("weights", cols);
  const intercept = saved.numbers("intercepts", 1)[0]!;
  const margins = ({ rows, data }: Matrix): Float64Array =>
    Float64Array.from({ length: rows }, (_, i) => {
      let sum = intercept;
      for (let k = 0; k < cols; k++) sum += weights[k]! * data[i * cols + k]!;
      return sum;
    });
  return boostedModel({
    owner: LINEAR,
    outputs,
    inputs: undefined,
    cols,
    binary: false,
    margins,
    link: { score: (m) => m },
    round: (score) => score,
    structure: () => ({ kind: "linear", intercept, weights, link: "identity", kernels: linearKernels }),
    toJSON: () => ({
      ...{ type: LINEAR, version: SAVED_VERSION, outputs, link: "identity", cols },
      ...{ weights: Array.from(weights), intercepts: [intercept] },
    }),
  });
}
