import { applyLink } from "../model/link.ts";
import { softmaxInto } from "../model/loss.ts";
import type { Reach } from "../model/target.ts";
import { forEachSmallSubset, smallSubsetCount } from "../model/trees/subsets.ts";
import type { LinearStructure, Model, Structure } from "../types.ts";
import type { Pair } from "./mixtures.ts";

/** How far sums in another order may differ, for structures that do not say more. */
const STRUCTURE_TOLERANCE = 1e-9;

/** Slack of mixtures from the structure of a linear or tree model. */
export interface Inside {
  /** Slack of all 2^k sets; bit b of the index: member b is edited. */
  cube(pair: Pair): Float64Array;
  /** Slack of the sets of at most `maxSize` ≤ 3 members, placed as trees/subsets.ts says. */
  small(pair: Pair, maxSize: number): Float64Array;
  /** One structure per margin, in the order `optimistic` takes them. */
  readonly structures: readonly Structure[];
  /** Slack from the structure and from `predict` agree to this; what is closer to an edge is asked again. */
  readonly tolerance: number;
  /** Largest slack of any row whose margins lie in [low, high]. */
  optimistic(low: Float64Array, high: Float64Array): number;
}

/** The structure of one output; undefined for black boxes, and forests without kernels are such. */
export function structureOf(model: Model, output: number): Structure | undefined {
  const structure = model.structure?.(output);
  return structure?.kind === "trees" && !structure.kernels ? undefined : structure;
}

/** The inside of a model as far as a target needs it; undefined for black boxes. */
export function insideOf(model: Model, reach: Reach): Inside | undefined {
  const link = structureOf(model, reach.primary)?.link;
  if (link === undefined) return undefined;
  const outputs = link === "softmax" ? model.outputs.map((_, o) => o) : reach.outputs;
  const structures = outputs.flatMap((o) => structureOf(model, o) ?? []);
  if (structures.length < outputs.length || structures.some((s) => s.link !== link)) return undefined;
  const slackOf = (margins: Float64Array[]): Float64Array => {
    scoresInto(link, margins);
    const scores = reach.outputs.map((o) => margins[outputs.indexOf(o)]!);
    return Float64Array.from(margins[0]!, (_, t) => reach.slack(scores, t));
  };
  return {
    structures,
    tolerance: Math.max(...structures.map((s) => s.tolerance ?? STRUCTURE_TOLERANCE)),
    cube: (pair) => slackOf(structures.map((s) => marginCube(s, pair))),
    small: (pair, maxSize) => slackOf(structures.map((s) => marginsOfSmall(s, pair, maxSize))),
    optimistic: optimisticOf(link, outputs, reach),
  };
}

/** Margins become scores, in place. */
export function scoresInto(link: Structure["link"], margins: readonly Float64Array[]): void {
  if (link === "softmax") {
    const [row, scores] = [new Float64Array(margins.length), new Float64Array(margins.length)];
    for (let t = 0; t < margins[0]!.length; t++) {
      for (let o = 0; o < row.length; o++) row[o] = margins[o]![t]!;
      softmaxInto(row, scores);
      for (let o = 0; o < row.length; o++) margins[o]![t] = scores[o]!;
    }
  } else if (link !== "identity") {
    for (const m of margins) for (let t = 0; t < m.length; t++) m[t] = applyLink(link, m[t]!);
  }
}

/**
 * A score is increasing in its own margin and, through softmax, decreasing in the others. The slack of a
 * contest rises with the outputs wanted and falls with the rest, which unit vectors tell apart.
 */
function optimisticOf(
  link: Structure["link"],
  outputs: readonly number[],
  reach: Reach,
): Inside["optimistic"] {
  const places = reach.outputs.map((o) => outputs.indexOf(o));
  const [row, scores] = [new Float64Array(outputs.length), new Float64Array(outputs.length)];
  const extreme = (at: number, up: boolean, low: Float64Array, high: Float64Array): number => {
    if (link !== "softmax") return applyLink(link, (up ? high : low)[at]!);
    row.set(up ? low : high);
    row[at] = (up ? high : low)[at]!;
    softmaxInto(row, scores);
    return scores[at]!;
  };
  const { conditions } = reach;
  if (conditions) {
    return (low, high) => {
      let least = Number.POSITIVE_INFINITY;
      for (const c of conditions) {
        const best = extreme(outputs.indexOf(c.output), c.sign > 0, low, high);
        least = Math.min(least, c.sign * (best - c.value));
      }
      return least;
    };
  }
  const at = reach.outputs.map(() => new Float64Array(1));
  const wanted = at.map((_, o) => {
    at.forEach((cell, t) => {
      cell[0] = t === o ? 1 : 0;
    });
    return reach.slack(at, 0) > 0;
  });
  return (low, high) => {
    at.forEach((cell, t) => {
      cell[0] = extreme(places[t]!, wanted[t]!, low, high);
    });
    return reach.slack(at, 0);
  };
}

export function marginCube(structure: Structure, pair: Pair): Float64Array {
  const k = pair.players.length;
  const out = new Float64Array(2 ** k);
  if (structure.kind === "trees") {
    structure.kernels.cubeInto(structure, pair, out);
    return out;
  }
  const gains = linearGains(structure, pair);
  out[0] = linearMargin(structure, pair.from);
  for (let b = 0; b < k; b++) {
    for (let s = 0; s < 2 ** b; s++) out[s + 2 ** b] = out[s]! + gains[b]!;
  }
  return out;
}

function marginsOfSmall(structure: Structure, pair: Pair, maxSize: number): Float64Array {
  if (structure.kind === "trees") return structure.kernels.small(structure, pair, maxSize);
  const k = pair.players.length;
  const out = new Float64Array(smallSubsetCount(k, maxSize));
  const gains = linearGains(structure, pair);
  const start = linearMargin(structure, pair.from);
  forEachSmallSubset(k, maxSize, (members, place) => {
    out[place] = members.reduce((sum, b) => sum + gains[b]!, start);
  });
  return out;
}

export function linearMargin({ intercept, weights }: LinearStructure, row: Float64Array): number {
  let sum = intercept;
  for (let c = 0; c < weights.length; c++) sum += weights[c]! * row[c]!;
  return sum;
}

/** What the margin gains when a player moves from x to r, for each player of the pair. */
export function linearGains({ weights }: LinearStructure, pair: Pair): Float64Array {
  return Float64Array.from(pair.columns, (columns) => {
    let sum = 0;
    for (const c of columns) sum += weights[c]! * (pair.to[c]! - pair.from[c]!);
    return sum;
  });
}
