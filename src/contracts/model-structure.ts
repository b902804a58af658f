import { applyLink } from "../model/link.ts";
import { softmaxInto } from "../model/loss.ts";
import { predictTrees } from "../model/trees/predict.ts";
import { rowOf } from "../num/matrix.ts";
import type { Matrix, Structure } from "../types.ts";
import type { Trial } from "./law.ts";
import { demand } from "./law.ts";

/** What `structure` says of an output, worked out by hand, against `predict` and `margin`. */
export function compareStructure({ model, rows, scores, tolerance }: Trial): string {
  const inner = model.encoding?.model ?? model;
  const cells = model.encoding?.encode(rows) ?? rows;
  const parts = inner.outputs.map((_, o) => inner.structure?.(o));
  const margins = parts.map((part) => part && marginOf(part, cells));
  if (margins.every((m) => m === undefined)) return "not offered";
  parts.forEach((part, o) => {
    const own = margins[o];
    if (!part || !own) return;
    const given = inner.margin?.(cells, o);
    own.forEach((m, i) => {
      const score = part.link === "softmax" ? softmaxAt(margins, o, i) : applyLink(part.link, m);
      agree(score, scores[o]![i]!, tolerance, `score of output ${o}, row ${i}`);
      if (given) agree(m, given[i]!, tolerance, `margin of output ${o}, row ${i}`);
    });
  });
  return `${parts[0]?.kind ?? parts.at(-1)?.kind} structure gives the scores`;
}

function marginOf(structure: Structure, cells: Matrix): Float64Array {
  if (structure.kind === "trees") return predictTrees(structure, cells);
  const { intercept, weights } = structure;
  return Float64Array.from({ length: cells.rows }, (_, i) =>
    rowOf(cells, i).reduce((sum, z, k) => sum + weights[k]! * z, intercept),
  );
}

function softmaxAt(margins: readonly (Float64Array | undefined)[], output: number, i: number): number {
  const row = Float64Array.from(margins, (m) => m?.[i] ?? Number.NaN);
  softmaxInto(row, row);
  return row[output]!;
}

function agree(stated: number, seen: number, tolerance: number, what: string): void {
  const near = Math.abs(stated - seen) <= tolerance * Math.max(1, Math.abs(seen));
  demand(near, () => `the structure gives ${stated} for the ${what}, the model ${seen}`);
}
