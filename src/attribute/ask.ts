import type { Work } from "../budget.ts";
import { ColaError } from "../errors.ts";
import { scorerKernel } from "../model/scorer.ts";
import { structureOf } from "../search/inside.ts";
import type { Model } from "../types.ts";
import type { ScoreRows } from "./hybrids.ts";
import type { Space } from "./space.ts";

/** The model's own scores or margins of encoded rows, behind the checks, limits and batches of the scorer. */
export function askOf(model: Model, output: number, space: Space, work: Work, batchRows: number): ScoreRows {
  const asked = space === "score" ? model : { outputs: model.outputs, predict: marginsOf(model, output) };
  const { score } = scorerKernel(asked, work, { batchRows });
  return (rows) => score(rows, output);
}

function marginsOf(model: Model, output: number): Model["predict"] {
  if (model.margin) return (rows) => model.margin!(rows, output);
  const structure = structureOf(model, output);
  if (structure) return (rows) => structure.kernels.margins(structure, rows);
  throw new ColaError(
    "OPTION_INVALID",
    'pshap: space is "margin", but the model has neither margin() nor structure(); use "score" or "auto".',
    { space: "margin" },
  );
}
