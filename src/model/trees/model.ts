import { ColaError } from "../../errors.ts";
import type { Matrix, Trees } from "../../types.ts";
import { outputIndex } from "../contract.ts";
import { applyLink } from "../link.ts";
import { softmaxInto } from "../loss.ts";
import type { FittedModel } from "../row-model.ts";
import { predictTrees } from "./predict.ts";
import type { TreeModel } from "./saved.ts";
import { openTrees, savedTrees } from "./saved.ts";

/** What the tree models of this folder return. */
export interface FittedTrees extends FittedModel {
  structure(output: number): Trees;
}

/** A Model from the forests of its outputs: score = link(margin), or softmax over the margins of all outputs. */
export function treeModel(parts: TreeModel): FittedTrees {
  const forests = perOutput(parts.forests, parts.outputs.length);
  const { link } = forests[0]!;
  const margin = (rows: Matrix, output?: number): Float64Array => {
    checkCols(parts, rows);
    return predictTrees(forests[outputIndex(model, output)]!, rows);
  };
  const model: FittedTrees = {
    outputs: parts.outputs,
    predict: (rows, output) => {
      if (link === "softmax")
        return softmaxOf(
          forests.map((_, k) => margin(rows, k)),
          outputIndex(model, output),
        );
      const scores = margin(rows, output);
      if (link !== "identity")
        for (let i = 0; i < scores.length; i++) scores[i] = applyLink(link, scores[i]!);
      return scores;
    },
    structure: (output) => forests[outputIndex(model, output)]!,
    toJSON: () => savedTrees(parts),
    ...(link === "identity" ? {} : { margin }),
  };
  return model;
}

/** 1 − p = (1 − base) + Σ −value with identity; with logistic 1 − σ(m) = σ(−m). */
function complement(trees: Trees): Trees {
  return {
    ...trees,
    base: trees.link === "logistic" ? 0 - trees.base : 1 - trees.base,
    value: trees.value.map((v) => 0 - v),
  };
}

function perOutput(forests: readonly Trees[], outputs: number): readonly Trees[] {
  return outputs === 2 && forests.length === 1 ? [complement(forests[0]!), forests[0]!] : forests;
}

function checkCols(parts: TreeModel, rows: Matrix): void {
  if (rows.cols === parts.cols) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${parts.name}: the model reads ${parts.cols} columns, but the rows have ${rows.cols}; give the columns it was fitted on, in order.`,
    { cols: rows.cols, expected: parts.cols },
  );
}

function softmaxOf(margins: readonly Float64Array[], output: number): Float64Array {
  const row = new Float64Array(margins.length);
  return margins[0]!.map((_, i) => {
    margins.forEach((m, k) => {
      row[k] = m[i]!;
    });
    softmaxInto(row, row);
    return row[output]!;
  });
}

/** A tree model saved with `toJSON`, predicting the same bits. */
export function loadTrees(json: unknown): FittedTrees {
  return treeModel(openTrees(json));
}
