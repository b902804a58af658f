import { applyLink } from "../model/link.ts";
import { softmaxInto } from "../model/loss.ts";
import { linkedBy, marginError, slackError } from "../model/rounding.ts";
import type { Reach } from "../model/target.ts";
import { forEachSmallSubset, smallSubsetCount } from "../model/trees/subsets.ts";
import type { LinearStructure, Model, Structure } from "../types.ts";
import type { Pair } from "./mixtures.ts";

/** Slack of mixtures from the structure of a linear or tree model. */
export interface Inside {
  /** Slack of all 2^k sets; bit b of the index: member b is edited. */
  cube(pair: Pair): Float64Array;
  /** Slack of the sets of at most `maxSize` ≤ 3 members, placed as trees/subsets.ts says. */
  small(pair: Pair, maxSize: number): Float64Array;
  /** One structure per margin, in the order `optimistic` takes them. */
  readonly structures: readonly Structure[];
  /**
   * How far the model's own slack of a mixture of this pair may be from the structure's, near a given slack
   * (model/rounding.ts). What is closer to an edge is asked of the model.
   */
  allowance(pair: Pair): (slack: number) => number;
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
    allowance: (pair) => allowanceOf(reach, structures, sizesOf(pair)),
    cube: (pair) => slackOf(structures.map((s) => marginCube(s, pair))),
    small: (pair, maxSize) => slackOf(structures.map((s) => marginsOfSmall(s, pair, maxSize))),
    optimistic: optimisticOf(link, outputs, reach),
  };
}

/** The largest size of each cell in any mixture of a pair; a gap has none. */
function sizesOf({ from, to }: Pair): Float64Array {
  return from.map((v, c) => Math.max(Math.abs(v) || 0, Math.abs(to[c]!) || 0));
}

function allowanceOf(
  { conditions, outputs }: Reach,
  structures: readonly Structure[],
  sizes: Float64Array,
): (slack: number) => number {
  const apart = Math.max(...structures.map((s) => marginError(s, sizes)));
  const linked = linkedBy(structures);
  if (outputs.length > 1) {
    // The slack of a contest is the difference of two scores, each off by most where it is 1/2.
    const both = 2 * slackError(linked, { sign: 1, value: 0.5 }, 0, apart);
    return () => both;
  }
  const edges = conditions ?? [{ sign: 1, value: 0 } as const];
  return (slack) =>
    Number.isFinite(slack) ? Math.max(...edges.map((edge) => slackError(linked, edge, slack, apart))) : 0;
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

export function linearMargin(structure: LinearStructure, row: Float64Array): number {
  const { intercept, weights } = structure;
  let sum = intercept;
  for (let c = 0; c < weights.length; c++) sum += weights[c]! * cellOf(structure, row[c]!);
  return sum;
}

/** What the margin gains when a player moves from x to r, for each player of the pair. */
export function linearGains(structure: LinearStructure, pair: Pair): Float64Array {
  return Float64Array.from(pair.columns, (columns) => {
    let sum = 0;
    for (const c of columns) sum += linearTerm(structure, c, pair.from, pair.to);
    return sum;
  });
}

/** What the margin gains when one column moves. */
export function linearTerm(
  structure: LinearStructure,
  column: number,
  from: Float64Array,
  to: Float64Array,
): number {
  return structure.weights[column]! * (cellOf(structure, to[column]!) - cellOf(structure, from[column]!));
}

/** A cell as the sum sees it: a gap is nothing to a model that skips it. */
function cellOf({ skipsMissing }: LinearStructure, value: number): number {
  return skipsMissing && Number.isNaN(value) ? 0 : value;
}
