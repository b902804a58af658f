import type { Work } from "../budget.ts";
import { ColaError } from "../errors.ts";
import { scorerKernel } from "../model/scorer.ts";
import { rowOf } from "../num/matrix.ts";
import { linearMargin, structureOf } from "../search/inside.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import type { Ask } from "./hybrids.ts";
import type { Space } from "./space.ts";

/** The model's own scores or margins of encoded rows, behind the checks, limits and batches of the scorer. */
export function askOf(model: Model, output: number, space: Space, work: Work, batchRows: number): Ask {
  const asked = space === "score" ? model : { outputs: model.outputs, predict: marginsOf(model, output) };
  const { score } = scorerKernel(asked, work, { batchRows });
  return (rows) => score(rows, output);
}

function marginsOf(model: Model, output: number): Model["predict"] {
  if (model.margin) return (rows) => model.margin!(rows, output);
  const structure = structureOf(model, output);
  if (structure) return (rows) => structureMargins(structure, rows);
  throw new ColaError(
    "OPTION_INVALID",
    'pshap: space is "margin", but the model has neither margin() nor structure(); use "score" or "auto".',
    { space: "margin" },
  );
}

function structureMargins(structure: Structure, rows: Matrix): Float64Array {
  if (structure.kind === "trees") return structure.kernels.margins(structure, rows);
  return Float64Array.from({ length: rows.rows }, (_, i) => linearMargin(structure, rowOf(rows, i)));
}
