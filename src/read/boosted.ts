import { ColaError } from "../errors.ts";
import { outputIndex } from "../model/contract.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import { keptCategories } from "./category-names.ts";
import { scaleForest } from "./forest.ts";

/** A boosted model told by its margins: one per output, or one for two classes. */
interface BoostedSpec {
  readonly owner: string;
  readonly outputs: readonly string[];
  readonly inputs: readonly string[] | undefined;
  /** Which columns the file declares to be codes of categories. */
  readonly categorical?: readonly boolean[] | undefined;
  /** What the file calls them. */
  readonly categoryNames?: Model["categoryNames"] | undefined;
  /** Columns it reads. */
  readonly cols: number;
  /** Two outputs with the margins −m and m, scores 1 − s and s. */
  readonly binary: boolean;
  margins(rows: Matrix, index: number): Float64Array;
  /** The score of one margin; `softmax` takes the margins of a row and overwrites them. */
  readonly link: { score(margin: number): number } | { softmax(margins: Float64Array): void };
  /** Scores are rounded with this. */
  round(score: number): number;
  structure(index: number): Structure | undefined;
  toJSON(): object;
}

/** A Model with `margin`, and with structures made once and kept. */
export function boostedModel(spec: BoostedSpec): Model & Required<Pick<Model, "margin" | "structure">> {
  const { outputs, binary, link } = spec;
  const structures: (Structure | undefined)[] = [];
  const indexOf = (output: number): number => (binary ? 0 : output);
  const model = {
    outputs,
    ...(spec.inputs ? { inputs: spec.inputs } : {}),
    ...(spec.categorical?.includes(true) ? { categorical: spec.categorical } : {}),
    ...(spec.categoryNames ? { categoryNames: spec.categoryNames } : {}),
    predict(rows: Matrix, output?: number): Float64Array {
      const o = outputIndex(model, output);
      checkCols(spec, rows);
      if ("softmax" in link) return softmaxScores(spec, link.softmax, rows, o);
      const other = binary && o === 0;
      return Float64Array.from(spec.margins(rows, indexOf(o)), (m) => {
        const score = spec.round(link.score(m));
        return other ? spec.round(1 - score) : score;
      });
    },
    margin(rows: Matrix, output?: number): Float64Array {
      const o = outputIndex(model, output);
      checkCols(spec, rows);
      const sign = binary && o === 0 ? -1 : 1;
      return Float64Array.from(spec.margins(rows, indexOf(o)), (m) => sign * m);
    },
    structure(output: number): Structure | undefined {
      const o = outputIndex(model, output);
      structures[o] ??= binary && o === 0 ? negated(model.structure(1)) : spec.structure(indexOf(o));
      return structures[o];
    },
    toJSON: () => ({ ...spec.toJSON(), ...keptCategories(spec.categoryNames) }),
  };
  return model;
}

function negated(structure: Structure | undefined): Structure | undefined {
  if (structure?.kind !== "linear") return structure && scaleForest(structure, -1);
  return { ...structure, intercept: -structure.intercept, weights: structure.weights.map((w) => -w) };
}

function softmaxScores(
  spec: BoostedSpec,
  softmax: (margins: Float64Array) => void,
  rows: Matrix,
  output: number,
): Float64Array {
  const all = spec.outputs.map((_, g) => spec.margins(rows, g));
  const row = new Float64Array(all.length);
  return Float64Array.from({ length: rows.rows }, (_, i) => {
    for (let g = 0; g < all.length; g++) row[g] = all[g]![i]!;
    softmax(row);
    return row[output]!;
  });
}

function checkCols(spec: BoostedSpec, rows: Matrix): void {
  if (rows.cols === spec.cols) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${spec.owner}: the model reads ${spec.cols} columns, but the rows have ${rows.cols}; give the columns it was trained on, in order.`,
    { cols: rows.cols, expected: spec.cols },
  );
}
