import type { Leaves } from "./contract.ts";
import { firstPlace, lastPlace, type Move, type Moves } from "./row.ts";

/** `count` of a leaf no legal values reach. */
export const DEAD = 255;

/**
 * One way in which one feature may move: along a side, or to one of a few points. Bit `bit` of word `word` stands for
 * it; `all` are the bits of the feature's options, which share a word.
 */
export interface Option {
  readonly feature: number;
  readonly moves: readonly Move[];
  /** The least any of these moves costs. */
  readonly least: number;
  readonly word: number;
  readonly bit: number;
  readonly all: number;
}

/** Options of one feature at most. */
const MOST_OPTIONS = 32;

/** The options of a row, numbered 32 to the word: option o has word o >> 5 and bit o & 31, with gaps between features. */
export function optionsOf(moves: readonly Moves[]): (Option | undefined)[] {
  const options: (Option | undefined)[] = [];
  moves.forEach(({ sides, points }, feature) => {
    const room = MOST_OPTIONS - sides.length;
    const share = Math.max(1, Math.ceil(points.length / room));
    const groups: Move[][] = sides.map((side) => [side]);
    for (let p = 0; p < points.length; p += share) groups.push(points.slice(p, p + share));
    const used = options.length & 31;
    if (used + groups.length > 32) for (let gap = used; gap < 32; gap++) options.push(undefined);
    const [word, start] = [options.length >> 5, options.length & 31];
    const all = groups.reduce((bits, _, g) => bits | (1 << (start + g)), 0);
    for (const group of groups) {
      const least = Math.min(...group.map((move) => ("until" in move ? move.cost[1]! : move.cost)));
      options.push({ feature, moves: group, least, word, bit: options.length & 31, all });
    }
  });
  return options;
}

/** Where one row stands among the leaves. */
export interface Needs {
  /** Words of `need` per leaf. */
  readonly words: number;
  /** Bit o of leaf l: option o brings a feature that must be edited to where the leaf wants it. */
  readonly need: Int32Array;
  /** How many features must be edited; DEAD where no legal values reach the leaf. */
  readonly count: Uint8Array;
  /** Σ of x itself, for each demand. */
  readonly now: Float64Array;
  /** What leaf l adds beyond the leaf of its tree that x is in, for each demand. */
  readonly gain: readonly Float64Array[];
}

export function findNeeds(
  leaves: Leaves,
  moves: readonly Moves[],
  options: readonly (Option | undefined)[],
  loose: Uint8Array,
): Needs {
  const { start, feature, low, high, missing, masks, axes, tree } = leaves;
  const words = Math.max(1, (options.length + 31) >> 5);
  const need = new Int32Array(tree.length * words);
  const count = new Uint8Array(tree.length);
  const at = Int32Array.from(moves, (move) => move.at);
  const masked = Uint8Array.from(axes, (axis) => (axis.masked ? 1 : 0));
  const last = Int32Array.from(axes, (axis) => axis.cells);
  const own = moves.map((_, k) => options.filter((option) => option?.feature === k) as Option[]);
  for (let l = 0; l < tree.length; l++) {
    let missed = 0;
    for (let e = start[l]!; e < start[l + 1]!; e++) {
      const k = feature[e]!;
      const cell = at[k]!;
      if (masked[k]) {
        if ((masks[low[e]! + (cell >> 5)]! >>> (cell & 31)) & 1) continue;
      } else if (cell === last[k] ? missing[e] : cell >= low[e]! && cell <= high[e]!) continue;
      if (loose[k]) continue;
      const bits = bitsOf(leaves, own[k]!, e);
      if (bits === 0) {
        missed = DEAD;
        break;
      }
      need[l * words + own[k]![0]!.word]! |= bits;
      missed++;
    }
    count[l] = missed;
  }
  const { now, gain } = gainsOf(leaves, count);
  return { words, need, count, now, gain };
}

/** Options that bring a feature into entry e. */
function bitsOf(leaves: Leaves, options: readonly Option[], e: number): number {
  let bits = 0;
  for (const { moves, bit, feature } of options) {
    for (const move of moves) {
      if (!takes(leaves, feature, e, move)) continue;
      bits |= 1 << bit;
      break;
    }
  }
  return bits;
}

/** May this move of feature k end in entry e? */
export function takes(
  { axes, masks, low, high, missing }: Leaves,
  k: number,
  e: number,
  move: Move,
): boolean {
  const [a, b] = [low[e]!, high[e]!];
  if ("until" in move) return a <= b && firstPlace(move, a, b) <= lastPlace(move, a, b);
  const { cell } = move;
  if (axes[k]!.masked) return ((masks[a + (cell >> 5)]! >>> (cell & 31)) & 1) === 1;
  return cell === axes[k]!.cells ? missing[e] === 1 : cell >= a && cell <= b;
}

/** x lies in exactly one leaf of each tree: the one that needs nothing. With loose features it may be one of several. */
function gainsOf({ tree, values, base }: Leaves, count: Uint8Array): Pick<Needs, "now" | "gain"> {
  const now = base.slice();
  const gain = values.map((value, c) => {
    const out = new Float64Array(value.length);
    for (let from = 0; from < tree.length; ) {
      let [to, own] = [from, Number.NEGATIVE_INFINITY];
      for (; to < tree.length && tree[to] === tree[from]; to++) {
        if (count[to] === 0 && value[to]! > own) own = value[to]!;
      }
      now[c]! += own;
      for (let l = from; l < to; l++) out[l] = value[l]! - own;
      from = to;
    }
    return out;
  });
  return { now, gain };
}
