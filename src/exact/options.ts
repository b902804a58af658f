import { isSide, type Move, type Moves } from "./row.ts";

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
      const least = Math.min(...group.map((move) => (isSide(move) ? move.cost[1]! : move.cost)));
      options.push({ feature, moves: group, least, word, bit: options.length & 31, all });
    }
  });
  return options;
}

/** The features of options, whatever their order. */
export function keyOf(options: readonly Option[]): string {
  return options
    .map(({ feature }) => feature)
    .sort((a, b) => a - b)
    .join(" ");
}
