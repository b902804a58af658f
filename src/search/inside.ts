import type { EncodedPair, Inside, Model, Reach, Structure } from "../types.ts";

/** One row x, one reference r, and the players that differ between them and may move. */
export interface Pair extends EncodedPair {
  readonly x: Float64Array;
  readonly r: Float64Array;
  /** Players, ascending. A mixture is a set of members: positions in this list. */
  readonly players: Int32Array;
}

/** The structure of one output; undefined for black boxes, and structures without kernels are such. */
export function structureOf(model: Model, output: number): Structure | undefined {
  const structure = model.structure?.(output);
  return structure?.kernels ? structure : undefined;
}

/** The inside of a model as far as a target needs it; undefined for black boxes. */
export function insideOf(model: Model, reach: Reach): Inside | undefined {
  const link = structureOf(model, reach.primary)?.link;
  if (link === undefined) return undefined;
  const outputs = link === "softmax" ? model.outputs.map((_, o) => o) : reach.outputs;
  const structures = outputs.flatMap((o) => structureOf(model, o) ?? []);
  if (structures.length < outputs.length || structures.some((s) => s.link !== link)) return undefined;
  return structures[0]!.kernels.inside(structures, outputs, reach);
}
