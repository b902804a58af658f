import type { FlatModel, Goal, Input, Sum, Tree } from "../certificate.ts";

/** What is wrong with a certificate, in a sentence. */
export class Fault extends Error {}

export function insist(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Fault(fault);
}

export const numberOf = (cell: number | null): number => cell ?? Number.NaN;

export function encode({ constant, shift = 0, scale = 1, levels, missing }: Input, v: number): number {
  if (Number.isNaN(v)) return missing ?? Number.NaN;
  return constant ?? (levels ? levels[v]! : (v - shift) / scale);
}

/** Does a cell go left at a test of a tree? */
export function goesLeft({ float32, below }: FlatModel, tree: Exclude<Tree, number>, cell: number): boolean {
  const [, test, gapLeft] = tree;
  if (Number.isNaN(cell)) return gapLeft === 1;
  if (typeof test !== "number") return test.includes(Math.trunc(cell));
  const seen = float32 ? Math.fround(cell) : cell;
  return below ? seen < test : seen <= test;
}

/** The margin of one sum, added up in the order and precision of the model. */
function marginOf(model: FlatModel, { base, trees = [], weights = [] }: Sum, row: readonly number[]): number {
  const round = model.single ? Math.fround : (v: number) => v;
  const baseFirst = model.single || weights.length > 0;
  let sum = baseFirst ? base : 0;
  weights.forEach((w, c) => {
    if (!(model.skipsMissing && Number.isNaN(row[c]))) sum = round(sum + round(w * round(row[c]!)));
  });
  for (let tree of trees) {
    while (typeof tree !== "number") tree = goesLeft(model, tree, row[tree[0]]!) ? tree[3] : tree[4];
    sum = round(sum + tree);
  }
  return baseFirst ? sum : sum + base;
}

/** The scores of all outputs for a row of inputs. */
export function scoresOf(model: FlatModel, row: readonly number[]): number[] {
  const round = model.single ? Math.fround : (v: number) => v;
  const margins = model.sums.map((sum) => marginOf(model, sum, row));
  if (model.link === "softmax") {
    const top = Math.max(...margins);
    const parts = margins.map((m) => round(Math.exp(round(m - top))));
    const all = round(parts.reduce((sum, e) => sum + e, 0));
    return parts.map((e) => round(e / all));
  }
  const scores = margins.map((m) => {
    if (model.link === "identity") return m;
    if (model.link === "exp") return round(Math.exp(m));
    if (model.single) return round(1 / round(round(Math.exp(Math.min(-m, Math.fround(88.7)))) + 1));
    return m >= 0 ? 1 / (1 + Math.exp(-m)) : Math.exp(m) / (1 + Math.exp(m));
  });
  return model.outputs === 2 && scores.length === 1 ? [round(1 - scores[0]!), scores[0]!] : scores;
}

export function reaches({ output, conditions, wanted = [], margin }: Goal, scores: number[]): boolean {
  if (conditions)
    return conditions.every(({ sign, value, strict }) => {
      const past = sign * (scores[output!]! - value);
      return (strict ? past > 0 : past >= 0) && past >= margin;
    });
  const best = (inside: boolean) => Math.max(...scores.filter((_, o) => wanted.includes(o) === inside));
  const lead = best(true) - best(false);
  return lead > 0 && lead >= margin;
}
