import type { EncodedPair, LinearStructure, Link, Reach, Structure, Trees } from "../types.ts";
import { invertLink } from "./link.ts";

/**
 * How far a model's own answer may be from what its structure says. Every proof that leaves rows out compares
 * with these allowances, so that it leaves out only what the model itself would not accept; what lies within
 * them is asked of the model. They follow from the arithmetic alone: N rounded operations on numbers whose
 * sizes sum to T are off by at most γ_N·T, γ_N = N·u / (1 − N·u), u the unit roundoff (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002, §3.1), and by N times the least number where they underflow.
 */

interface Precision {
  readonly unit: number;
  readonly least: number;
}
export const SINGLE: Precision = { unit: 2 ** -24, least: 2 ** -149 };
export const DOUBLE: Precision = { unit: 2 ** -53, least: 2 ** -1074 };
/** Roundings between a margin and its score, in any of the ways links are computed. */
const LINK_OPERATIONS = 8;

/** γ_N·T; Infinity where so many operations, or an overflow, leave nothing certain. */
export function sumError(sizes: number, operations: number, { unit, least }: Precision): number {
  const lost = operations * unit;
  const error = (lost / (1 - lost)) * sizes + operations * least;
  return lost < 0.5 && error < Number.POSITIVE_INFINITY ? error : Number.POSITIVE_INFINITY;
}

/**
 * The error of a margin computed in `operations` roundings on the way from any cell, where intercept and weights
 * are Σ|·| over all that is added up in their place (a scaler before the sum moves much that cancels later).
 */
export function linearRounding(
  { intercept, weights }: Pick<LinearStructure, "intercept" | "weights">,
  operations: number,
  single = false,
): (sizes: Float64Array) => number {
  return (sizes) => sumError(sizeOf(intercept, weights, sizes), operations, single ? SINGLE : DOUBLE);
}

function sizeOf(intercept: number, weights: Float64Array, sizes: Float64Array): number {
  let sum = Math.abs(intercept);
  for (let c = 0; c < weights.length; c++) {
    // A weight of 0 adds nothing, however large the cell.
    if (weights[c] !== 0) sum += Math.abs(weights[c]!) * sizes[c]!;
  }
  return sum;
}

/** What a forest's margins are summed from at most: its base and the largest leaf of every tree. */
const forestSizes = new WeakMap<Trees, number>();

function forestSize(trees: Trees): number {
  const known = forestSizes.get(trees);
  if (known !== undefined) return known;
  let sum = Math.abs(trees.base);
  trees.roots.forEach((root, t) => {
    const end = trees.roots[t + 1] ?? trees.value.length;
    sum += trees.value.subarray(root, end).reduce((top, v) => Math.max(top, Math.abs(v)), 0);
  });
  forestSizes.set(trees, sum);
  return sum;
}

/** The error of a forest's margin where numbers of size `more` take part in the sum besides base and leaves. */
export function forestError(trees: Trees, single = false, more = 0): number {
  return sumError(forestSize(trees) + more, trees.roots.length + 4, single ? SINGLE : DOUBLE);
}

/**
 * The largest difference between a model's own margin and its structure's, summed here in double precision in
 * whatever order, for cells of at most these sizes.
 */
export function marginError(structure: Structure, sizes: Float64Array): number {
  if (structure.kind === "trees") {
    return (structure.rounding?.(sizes) ?? forestError(structure, structure.single)) + forestError(structure);
  }
  const { intercept, weights, single, rounding } = structure;
  const terms = weights.length;
  // A mixture's margin is x's plus w·(r − x) for its edits: three products of a cell at most, in 3d + 3 roundings.
  const ours = sumError(3 * sizeOf(intercept, weights, sizes), 3 * terms + 3, DOUBLE);
  return (rounding ?? linearRounding(structure, terms + 3, single))(sizes) + ours;
}

/** What turns margins into scores. */
interface Linked {
  readonly link: Link;
  readonly single: boolean;
  /** Margins of a row. */
  readonly margins: number;
}

export function linkedBy(structures: readonly Pick<Structure, "link" | "single">[]): Linked {
  const { link } = structures[0]!;
  return { link, single: structures.some((s) => s.single === true), margins: structures.length };
}

/**
 * How far two answers near `score` may be apart, of margins `apart` from each other: the link's own rounding,
 * and what the link makes of the difference of the margins. e^(m ± a) is e^m·e^±a; σ and softmax lie in [0, 1]
 * and have slopes of at most p(1 − p), which e^±a (e^±2a) changes likewise.
 */
export function scoreError({ link, single, margins }: Linked, score: number, apart: number): number {
  const { unit, least } = single ? SINGLE : DOUBLE;
  const own = (LINK_OPERATIONS + margins) * unit;
  const size = Math.abs(score);
  if (link === "identity") return apart + own * size;
  const shift = link === "softmax" ? 2 * apart : apart;
  const near = shift <= 0.5;
  if (link === "exp") return near ? size * (Math.expm1(shift) + own) + 2 * least : Number.POSITIVE_INFINITY;
  const side = Math.max(0, Math.min(size, 1 - size));
  return (near ? side * Math.expm1(shift) : shift / 4) + own;
}

/** The edge of a half-line: sign·(score − value). */
interface Edge {
  readonly sign: 1 | -1;
  readonly value: number;
}

/** How far two slacks near `slack` past an edge may be apart, of margins `apart` from each other. */
function slackError(linked: Linked, { sign, value }: Edge, slack: number, apart: number): number {
  const subtraction = 2 * DOUBLE.unit * (Math.abs(value) + Math.abs(slack));
  return scoreError(linked, value + sign * slack, apart) + subtraction;
}

/**
 * The margin nearest to x's side whose score may, as the model rounds it, be `slack` past an edge: σ reaches 1,
 * and 1 − σ reaches 0, long before the margin is infinite.
 */
export function edgeMargin(linked: Linked, edge: Edge, slack: number): number {
  const { sign, value } = edge;
  const score = value + sign * slack - sign * slackError(linked, edge, slack, 0);
  const margin = invertLink(linked.link, score);
  return Number.isFinite(margin) ? margin - sign * 8 * DOUBLE.unit * (Math.abs(margin) + 1) : margin;
}

/** The largest size of each cell in any mixture of a pair; a gap has none. */
function sizesOf({ from, to }: EncodedPair): Float64Array {
  return from.map((v, c) => Math.max(Math.abs(v) || 0, Math.abs(to[c]!) || 0));
}

/** How far the model's own slack of a mixture of a pair may be from the structures', near a given slack. */
export function allowanceOf(
  reach: Pick<Reach, "conditions" | "outputs">,
  structures: readonly Structure[],
  pair: EncodedPair,
): (slack: number) => number {
  const sizes = sizesOf(pair);
  const apart = Math.max(...structures.map((s) => marginError(s, sizes)));
  return slackAllowance(reach, linkedBy(structures), apart);
}

/** How far two slacks near a given one may be apart, of margins `apart` from each other. */
export function slackAllowance(
  { conditions, outputs }: Pick<Reach, "conditions" | "outputs">,
  linked: Linked,
  apart: number,
): (slack: number) => number {
  if (outputs.length > 1) {
    // The slack of a contest is the difference of two scores, each off by most where it is 1/2.
    const both = 2 * slackError(linked, { sign: 1, value: 0.5 }, 0, apart);
    return () => both;
  }
  const edges = conditions ?? [{ sign: 1, value: 0 } as const];
  return (slack) =>
    Number.isFinite(slack) ? Math.max(...edges.map((edge) => slackError(linked, edge, slack, apart))) : 0;
}
