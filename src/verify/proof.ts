import type { Certificate, Demand, FlatModel, Goal, Proof, Tree } from "../certificate.ts";
import { beyond, type Choice, choicesOf, costAt, type Nearest, numbersOf } from "./legal.ts";
import { encode, goesLeft, insist, reaches, scoresOf } from "./score.ts";

const logit = (p: number): number => {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  return p >= 1 ? Number.POSITIVE_INFINITY : Math.log(p) - Math.log1p(-p);
};

/** The ways to the target. Whoever goes one meets all its demands; edges yield to what rounding may lose. */
export function waysOf({ link, sums, single, outputs }: FlatModel, goal: Goal): Demand[][] {
  const { output = 0, conditions, wanted = [], margin } = goal;
  const slack = single ? 4e-6 : 1e-12;
  const losers = [...sums.keys()].filter((o) => (conditions ? o !== output : !wanted.includes(o)));
  const lead = (winner: number, loser: number, edge: number): Demand => ({
    parts: [
      [winner, 1],
      [loser, -1],
    ],
    edge: edge - slack,
  });
  if (!conditions) {
    const least = Math.max(0, margin - slack);
    const edge = link === "softmax" ? Math.log((1 + least) / (1 - least)) : least;
    return wanted.map((w) => losers.map((o) => lead(w, o, edge)));
  }
  const inverse = {
    identity: (s: number) => s,
    logistic: logit,
    exp: (s: number) => Math.log(Math.max(s, 0)),
    softmax: logit,
  }[link];
  const scored = conditions.map(({ sign, value }) => ({ sign, score: value + sign * (margin - slack) }));
  insist(link !== "softmax", "a range of one score among several has no certificate");
  const flip = outputs === 2 && sums.length === 1 && output === 0;
  const place = sums.length === 1 ? 0 : output;
  const own = scored.map(({ sign, score }): Demand => {
    const side = flip ? -sign : sign;
    return { parts: [[place, side]], edge: side * inverse(flip ? 1 - score : score) };
  });
  return [own];
}

/** Choices of each feature, by cost; where x's own is among them the feature need not be edited. */
export type Box = readonly (readonly Choice[])[];

/** The plans in question are those of fewer edits than `edits`, or of as many and less change than `change`. */
interface Claim {
  readonly x: readonly number[];
  readonly edits: number;
  readonly change: number;
}

/** Least change is proven up to this share of it, which is rounding; for linear models and arbitrary decimals a thousandth. */
const TOLERANCE = { exact: 1e-12, loose: 1e-3 };

/** Boxes of plans. A proof cuts the whole until every part is closed: none of its plans in question can be one. */
export class Boxes {
  readonly root: Box;
  readonly #certificate: Certificate;
  readonly #claim: Claim;
  readonly #numbers: readonly Nearest[];
  readonly #linear: boolean;
  readonly #loose: boolean;
  readonly #floors: readonly number[];

  constructor(
    certificate: Certificate,
    readonly way: readonly Demand[],
    claim: Claim,
  ) {
    const { schema, columns, model } = certificate;
    this.#certificate = certificate;
    this.#claim = claim;
    this.#linear = model.sums.some(({ weights }) => weights);
    this.#loose = this.#linear || columns.some(({ decimals }) => decimals < 0);
    insist(!this.#linear || way.length === 1, "a linear target of several sums has no certificate");
    this.root = schema.features.map((_, k) => choicesOf(certificate, k, claim.x[k]!, this.#linear));
    this.#numbers = schema.features.map((feature, k) => numbersOf(feature, columns[k]!));
    const unit = 4 * (model.single ? 2 ** -24 : 2 ** -52);
    this.#floors = way.map(({ parts, edge }) => {
      const sizes = parts.flatMap(([s]) => this.#sizes(s));
      return edge - unit * (sizes.length + 8) * sizes.reduce((sum, size) => sum + size, 1e-300);
    });
  }

  /** Largest sizes of what one sum adds up. */
  #sizes(s: number): number[] {
    const { model, inputs } = this.#certificate;
    const { base, trees = [], weights = [] } = model.sums[s]!;
    const size = (tree: Tree): number =>
      typeof tree === "number" ? Math.abs(tree) : Math.max(size(tree[3]), size(tree[4]));
    const terms = weights.map((w, c) => {
      const cells = this.root[inputs[c]!.feature]!.flatMap(({ value, far }) => [value, far]);
      return Math.max(...cells.map((v) => Math.abs(w * encode(inputs[c]!, v)) || 0));
    });
    return [Math.abs(base), ...trees.map(size), ...terms];
  }

  /** Up to `at` | beyond it or missing; with null: x's own value | the others. */
  cut(box: Box, k: number, at: number | null): readonly [Box, Box] {
    const [first, second]: [Choice[], Choice[]] = [[], []];
    for (const choice of box[k]!) {
      const { value, far, rate, cost } = choice;
      const inside = (v: number): boolean => (at === null ? choice === this.root[k]![0] : v <= at);
      if (at === null || inside(value) === inside(far)) (inside(value) ? first : second).push(choice);
      else {
        const up = far > value;
        const [under, over] = [this.#numbers[k]!(at, false), this.#numbers[k]!(beyond(at, true), true)];
        const [end, start] = up ? [under, over] : [over, under];
        const rest = { value: start, far, rate, cost: costAt(choice, start) };
        (up ? first : second).push({ value, far: end, rate, cost });
        (up ? second : first).push(rest);
      }
    }
    const byCost = (a: Choice, b: Choice): number => a.cost - b.cost;
    return [box.with(k, first.sort(byCost)), box.with(k, second.sort(byCost))];
  }

  #edited(box: Box): boolean[] {
    return box.map((choices, k) => choices[0] !== this.root[k]![0]);
  }

  /** Edits that plans of the box may still have. */
  left(box: Box): number {
    return this.#claim.edits - this.#edited(box).filter(Boolean).length;
  }

  /** Does the box hold no plan in question that is at the target? A linear box is closed at a price for what is gained. */
  closed(box: Box, price: number): boolean {
    const { change } = this.#claim;
    if (box.some((choices) => choices.length === 0)) return true;
    const edited = this.#edited(box);
    const left = this.left(box);
    const cost = box.reduce((sum, choices) => sum + choices[0]!.cost, 0);
    const limit = change * (1 - TOLERANCE[this.#loose ? "loose" : "exact"]);
    if (left < 0 || (left === 0 && cost >= limit)) return true;
    if (this.#linear) return this.#closedAt(box, edited, left, price, limit);
    const { model, inputs, target } = this.#certificate;
    let leaves = 0;
    const part = box.map((choices, k) => (left > 0 || edited[k] ? choices : choices.slice(0, 1)));
    // The greatest leaf that plans in question can reach: they have `left` edits to go, and with all of them cost less.
    const top = (tree: Tree, sign: number, forced: number, spent: number): number => {
      if (typeof tree === "number") leaves++;
      if (typeof tree === "number") return sign * tree;
      const input = inputs[tree[0]]!;
      const [k, own] = [input.feature, part[input.feature]!];
      const half = [true, false].map((side) => {
        const kept = own.filter(({ value }) => goesLeft(model, tree, encode(input, value)) === side);
        const more = kept[0] === own[0] ? 0 : (kept[0]?.cost ?? 0) - own[0]!.cost;
        const turns = kept[0] === own[0] || own[0] !== this.root[k]![0] ? 0 : 1;
        const out = forced + turns > left || (forced + turns === left && spent + more >= limit);
        if (kept.length === 0 || out) return Number.NEGATIVE_INFINITY;
        part[k] = kept;
        const best = top(tree[side ? 3 : 4], sign, forced + turns, spent + more);
        part[k] = own;
        return best;
      });
      return Math.max(...half);
    };
    const short = this.way.some(({ parts }, d) => {
      let most = 0;
      for (const [s, sign] of parts) {
        most += sign * model.sums[s]!.base;
        for (const tree of model.sums[s]!.trees!) most += top(tree, sign, 0, cost);
      }
      return most < this.#floors[d]!;
    });
    if (short) return true;
    // One leaf of every tree: all plans in question that go this way have the scores of the nearest.
    if ((target.wanted?.length ?? 1) > 1 && target.margin > 0) return false;
    const trees = this.way.flatMap(({ parts }) => parts).flatMap(([s]) => model.sums[s]!.trees!);
    const row = inputs.map((input) => encode(input, box[input.feature]![0]!.value));
    return leaves === trees.length && !reaches(target, scoresOf(model, row));
  }

  /** What feature k adds to a linear sum at a value. */
  #term(k: number, v: number): number {
    const { inputs, model } = this.#certificate;
    let sum = 0;
    for (const [s, sign] of this.way[0]!.parts) {
      inputs.forEach((input, c) => {
        const added = sign * model.sums[s]!.weights![c]! * (input.feature === k ? encode(input, v) : 0);
        if (!(model.skipsMissing && Number.isNaN(added))) sum += added;
      });
    }
    return sum;
  }

  /** Gain and cost at the ends of what feature k may be edited to; both are straight between them. */
  ends(box: Box, k: number): { readonly gain: number; readonly cost: number }[] {
    const now = this.#term(k, this.#claim.x[k]!);
    const moves = box[k]!.filter((choice) => choice !== this.root[k]![0]);
    const all = moves.flatMap((choice) =>
      [choice.value, choice.far].map((v) => ({ gain: this.#term(k, v) - now, cost: costAt(choice, v) })),
    );
    return all.filter(({ gain }) => !Number.isNaN(gain));
  }

  /** cost ≥ price·(what is missing) + Σ min (cost − price·gain), over the features edited and the best `left` others. */
  #closedAt(box: Box, edited: readonly boolean[], left: number, price: number, limit: number): boolean {
    const base = this.way[0]!.parts.reduce(
      (sum, [s, sign]) => sum + sign * this.#certificate.model.sums[s]!.base,
      0,
    );
    const missing = this.#floors[0]! - this.#claim.x.reduce((sum, v, k) => sum + this.#term(k, v), base);
    const levers = box.map((_, k) => {
      const ends = this.ends(box, k);
      const prices = ends.map(({ gain, cost }) => cost - price * gain);
      return { k, gain: Math.max(...ends.map(({ gain }) => gain)), price: Math.min(...prices) };
    });
    const fixed = levers.filter(({ k }) => edited[k]);
    const free = levers.filter(({ k, gain }) => !edited[k] && gain > Number.NEGATIVE_INFINITY);
    const gains = free.map(({ gain }) => Math.max(0, gain)).sort((a, b) => b - a);
    const most = (count: number): number =>
      [...fixed.map(({ gain }) => gain), ...gains.slice(0, count)].reduce((sum, v) => sum + v, 0);
    if (most(left) < missing) return true;
    if (!(price >= 0) || (left > 0 && !(most(left - 1) < missing))) return false;
    const prices = free.map((lever) => lever.price).sort((a, b) => a - b);
    const all = [...fixed.map((lever) => lever.price), ...prices.slice(0, left)];
    return all.reduce((sum, v) => sum + v, price * missing) >= limit;
  }
}

/** Throws unless the proof closes every part of the box. */
export function follow(boxes: Boxes, proof: Proof, box: Box = boxes.root): void {
  if (typeof proof === "number") insist(boxes.closed(box, proof), "a box of cheaper plans is not refuted");
  else {
    const [k, at, first, second] = proof;
    insist(box[k] !== undefined, "a box is cut at a feature that is not there");
    const [a, b] = boxes.cut(box, k, at);
    follow(boxes, first, a);
    follow(boxes, second, b);
  }
}
