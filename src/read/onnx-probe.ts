import { applyLink } from "../model/link.ts";
import { softmaxInto } from "../model/loss.ts";
import { leafOf, seen } from "../model/trees/structure.ts";
import { rowOf } from "../num/matrix.ts";
import { stream } from "../num/random.ts";
import type { Matrix, Structure } from "../types.ts";

const ROWS = 24;
/** The runtime sums in float32. */
const TOLERANCE = 1e-4;

/** Rows that visit many leaves: normal draws, cells replaced by thresholds of the trees now and then. */
export function probeRows(structures: readonly Structure[], cols: number): Matrix {
  const random = stream(0, "onnx probe");
  const data = Float64Array.from({ length: ROWS * cols }, () => random.normal());
  for (const structure of structures) {
    if (structure.kind !== "trees") continue;
    structure.feature.forEach((k, v) => {
      if (k >= 0 && k < cols)
        data[random.int(ROWS) * cols + k] = structure.threshold[v]! + random.normal() / 8;
    });
  }
  return { data, rows: ROWS, cols };
}

/** Do the structures give the scores (row-major, one column per structure) the runtime gave? */
export function agrees(structures: readonly Structure[], rows: Matrix, scores: Float64Array): boolean {
  const margins = new Float64Array(structures.length);
  for (let i = 0; i < rows.rows; i++) {
    const z = rowOf(rows, i);
    structures.forEach((structure, o) => {
      margins[o] = marginOf(structure, z);
    });
    if (structures[0]!.link === "softmax") softmaxInto(margins, margins);
    for (const [o, { link }] of structures.entries()) {
      const expected = link === "softmax" ? margins[o]! : applyLink(link, margins[o]!);
      const real = scores[i * structures.length + o]!;
      if (!(Math.abs(expected - real) <= TOLERANCE * (1 + Math.abs(real)))) return false;
    }
  }
  return true;
}

function marginOf(structure: Structure, z: Float64Array): number {
  if (structure.kind === "linear")
    return structure.weights.reduce((sum, w, k) => sum + w * z[k]!, structure.intercept);
  const cells = z.map((v) => seen(structure, v));
  return structure.roots.reduce(
    (sum, root) => sum + structure.value[leafOf(structure, root, cells)]!,
    structure.base,
  );
}
