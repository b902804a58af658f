import type { Certificate, Proof, Tree } from "../certificate.ts";
import type { Choice } from "../verify/legal.ts";
import type { Box, Boxes } from "../verify/proof.ts";
import { encode, goesLeft } from "../verify/score.ts";

/** Boxes one proof may have. */
const MOST_BOXES = 100_000;

/** A proof that none of the plans in question is one; undefined where none is found. */
export function prove(
  certificate: Omit<Certificate, "rows">,
  boxes: Boxes,
  pulse: () => void,
): Proof | undefined {
  let left = MOST_BOXES;
  const order = importance(certificate, boxes.root);
  const linear = certificate.model.sums.some(({ weights }) => weights);
  const go = (box: Box): Proof | undefined => {
    if (left-- <= 0) return undefined;
    pulse();
    const word = linear ? priceOf(boxes, box) : boxes.closed(box, 0) ? 0 : undefined;
    if (word !== undefined) return word;
    const cut = nextCut(certificate, boxes, box, order, linear);
    if (!cut) return undefined;
    const [a, b] = boxes.cut(box, ...cut);
    const first = go(a);
    const second = first === undefined ? undefined : go(b);
    return second === undefined ? undefined : [cut[0], cut[1], first!, second];
  };
  return go(boxes.root);
}

/** Features that can move, those whose tests decide most first. */
function importance({ model, inputs }: Omit<Certificate, "rows">, root: Box): number[] {
  const weight = new Float64Array(root.length);
  const spread = (tree: Tree): [number, number] => {
    if (typeof tree === "number") return [tree, tree];
    const [a, b] = [spread(tree[3]), spread(tree[4])];
    const all: [number, number] = [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
    weight[inputs[tree[0]]!.feature]! += all[1] - all[0];
    return all;
  };
  for (const { trees = [], weights = [] } of model.sums) {
    trees.forEach(spread);
    weights.forEach((w, c) => {
      const { feature } = inputs[c]!;
      const cells = root[feature]!.flatMap(({ value, far }) => [value, far]).map(
        (v) => encode(inputs[c]!, v) || 0,
      );
      weight[feature]! += Math.abs(w) * (Math.max(...cells) - Math.min(...cells));
    });
  }
  const movable = [...root.keys()].filter((k) => root[k]!.length > 1);
  return movable.sort((a, b) => weight[b]! - weight[a]! || a - b);
}

type Cut = readonly [k: number, at: number | null];

function nextCut(
  certificate: Omit<Certificate, "rows">,
  boxes: Boxes,
  box: Box,
  order: readonly number[],
  linear: boolean,
): Cut | undefined {
  const undecided = order.find((k) => box[k]!.length > 1 && box[k]![0] === boxes.root[k]![0]);
  if (undecided !== undefined && boxes.left(box) > 0) return [undecided, null];
  if (linear) return widest(boxes, box);
  return promising(certificate, boxes, box) ?? nearest(boxes, box);
}

/** The nearest value of an edited feature from the others. */
function nearest(boxes: Boxes, box: Box): Cut | undefined {
  const k = box.findIndex((choices, k) => choices.length > 1 && choices[0] !== boxes.root[k]![0]);
  return k < 0 ? undefined : [k, apart(box[k]!, box[k]!.slice(1))];
}

/** The middle of the longest stretch of an edited number; single values one from the others. */
function widest(boxes: Boxes, box: Box): Cut | undefined {
  let best: { readonly cut: Cut; readonly size: number } | undefined;
  box.forEach((choices, k) => {
    if (choices[0] === boxes.root[k]![0]) return;
    const ends = choices.flatMap(({ value, far }) => [value, far]).filter((v) => !Number.isNaN(v));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const rate = Math.max(...choices.map((choice) => choice.rate));
    const size = (choices.length > 1 ? 1e-9 : 0) + rate * (high - low);
    const at = choices.length > 1 ? apart(choices, choices.slice(1)) : low + (high - low) / 2;
    if (size > 0 && (low < high || choices.length > 1) && size > (best?.size ?? 0))
      best = { cut: [k, at], size };
  });
  return best?.cut;
}

/** A value up to which lies the first of some choices, or else one of the others. */
function apart([first, ...rest]: readonly Choice[], others: readonly Choice[]): number {
  const all = [first!, ...rest].map(({ value }) => value).filter((v) => !Number.isNaN(v));
  const values = others.map(({ value }) => value);
  const above = values.filter((v) => v > first!.value);
  if (above.length > 0) return Math.max(...all.filter((v) => v < Math.min(...above)));
  const below = values.filter((v) => v < first!.value);
  return below.length > 0 ? Math.max(...below) : Math.max(...all);
}

/** The nearest plan of the box from the leaf that promises most beyond it. */
function promising({ model, inputs }: Omit<Certificate, "rows">, boxes: Boxes, box: Box): Cut | undefined {
  let best: { readonly cut: Cut; readonly size: number } | undefined;
  const part = box.map((choices, k) => (choices[0] === boxes.root[k]![0] ? choices.slice(0, 1) : choices));
  const near = part.map((choices) => choices[0]!);
  /** The greatest leaf, and a cut before it. */
  const top = (tree: Tree, sign: number, cut: Cut | undefined): [number, Cut | undefined] => {
    if (typeof tree === "number") return [sign * tree, cut];
    const input = inputs[tree[0]]!;
    const [k, own] = [input.feature, part[input.feature]!];
    const found = [true, false].flatMap((side) => {
      const kept = own.filter(({ value }) => goesLeft(model, tree, encode(input, value)) === side);
      if (kept.length === 0) return [];
      part[k] = kept;
      const here: Cut | undefined = cut ?? (kept[0] === near[k] ? undefined : [k, apart(own, kept)]);
      const result = top(tree[side ? 3 : 4], sign, here);
      part[k] = own;
      return [result];
    });
    return found.reduce((a, b) => (b[0] > a[0] ? b : a));
  };
  for (const { parts } of boxes.way) {
    for (const [s, sign] of parts) {
      for (const tree of model.sums[s]!.trees!) {
        const [most, cut] = top(tree, sign, undefined);
        let leaf = tree;
        while (typeof leaf !== "number") {
          const input = inputs[leaf[0]]!;
          leaf = goesLeft(model, leaf, encode(input, near[input.feature]!.value)) ? leaf[3] : leaf[4];
        }
        const size = most - sign * leaf;
        if (cut && size > (best?.size ?? 0)) best = { cut, size };
      }
    }
  }
  return best?.cut;
}

/** A price per gain at which the box is closed: of those at which some feature is indifferent to more of it. */
function priceOf(boxes: Boxes, box: Box): number | undefined {
  const prices = box.flatMap((_, k) => {
    const ends = [{ gain: 0, cost: 0 }, ...boxes.ends(box, k)];
    return ends.flatMap((a, t) => ends.slice(t + 1).map((b) => (b.cost - a.cost) / (b.gain - a.gain)));
  });
  const tried = [0, ...new Set(prices.filter((price) => price > 0 && Number.isFinite(price)))];
  return tried.find((price) => boxes.closed(box, price));
}
