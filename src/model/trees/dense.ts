import { takeRows } from "../../num/matrix.ts";
import type { Matrix, Trees } from "../../types.ts";
import type { DenseBlock, DenseProblem, ShapAll } from "../kernels.ts";
import { COLUMN, type PackedTrees, packedLeft, packTrees } from "./packed.ts";
import { leafWeights } from "./shap.ts";
import { seen } from "./structure.ts";

/** Tests on a path up to which sets of players have a table of their own: 2^10 patterns. */
const DEEPEST = 10;

/** The attribution against many references at once of forests that are not too deep for it. */
export function denseShap(trees: Trees): ShapAll | undefined {
  if (packTrees(trees).depth > DEEPEST) return undefined;
  return (problem) => denseBlocks(trees, problem);
}

/** References at equal weight from which on a row is attributed against all of them at once. */
const MANY = 16;
/** Rows attributed at a time. */
const BLOCK = 1024;

function* denseBlocks(trees: Trees, problem: DenseProblem): Generator<DenseBlock | undefined> {
  const { x, r, players, start, cols } = problem;
  for (const group of alike(problem)) {
    const references = cols.subarray(start[group[0]!]!, start[group[0]! + 1]!);
    const others = takeRows(r, references);
    for (let from = 0; from < group.length; from += BLOCK) {
      const rows = group.slice(from, from + BLOCK);
      const phi = new Float64Array(rows.length * players.length);
      for (const _ of denseShapInto(trees, takeRows(x, rows), others, players, phi)) yield undefined;
      yield { rows, references, phi };
    }
  }
}

/** Rows with at least MANY references at equal weight, those with the same references together. */
function alike({ rows, start, cols, weight }: DenseProblem): number[][] {
  const groups: number[][] = [];
  const sameAs = (a: number, b: number): boolean => {
    const count = start[a + 1]! - start[a]!;
    if (start[b + 1]! - start[b]! !== count) return false;
    for (let e = 0; e < count; e++) if (cols[start[a]! + e] !== cols[start[b]! + e]) return false;
    return true;
  };
  for (const i of rows) {
    const [from, to] = [start[i]!, start[i + 1]!];
    if (to - from < MANY) continue;
    let e = from + 1;
    while (e < to && weight[e] === weight[from]) e++;
    if (e < to) continue;
    const last = groups.at(-1);
    if (last && sameAs(last[0]!, i)) last.push(i);
    else groups.push([i]);
  }
  return groups;
}

/**
 * φ of every row of x against all references at equal weight: (1/m) Σ_j φ(x_i, r_j), as `treePairShapInto` has it for
 * one pair. On the way to a leaf let F(z) be the players some test of which z fails. A mixture of x and r gets there
 * iff F(x) ∩ F(r) = ∅ and it keeps F(r) and edits F(x); so the leaf is worth its value to that game alone, and φ
 * depends on x and r only through the two sets. References with the same set are counted once, rows with the same set
 * share one answer: O(nodes·(n + m) + leaves·patterns²) instead of n·m walks.
 *
 * Every column has a player. φ (n × players) is added to `out`; a row's φ does not depend on the other rows. Pauses
 * after each tree.
 */
export function* denseShapInto(
  trees: Trees,
  x: Matrix,
  r: Matrix,
  players: readonly (readonly number[])[],
  out: Float64Array,
): Generator<void> {
  const walk = new DenseWalk(trees, x, r, players, out);
  for (const root of walk.packed.roots) {
    walk.tree(root);
    yield;
  }
}

class DenseWalk {
  readonly packed: PackedTrees;
  readonly #n: number;
  readonly #count: number;
  readonly #players: number;
  readonly #out: Float64Array;
  /** Cells of the rows of x, then r, column by column, as the trees compare them. */
  readonly #cells: Float64Array;
  readonly #playerOf: Int32Array;
  readonly #stride: number;
  readonly #weights: Float64Array;
  /** F of each row by depth: bit b is the player met[b]. */
  readonly #fails: readonly Uint16Array[];
  readonly #met: number[] = [];
  /** References with each set F; the sets there are. */
  readonly #references = new Float64Array(1 << DEEPEST);
  readonly #sets = new Uint16Array(1 << DEEPEST);
  /** For each set F of a row its place in `answers` plus one, 0: not asked yet, −1: no reference goes with it. */
  readonly #places = new Int32Array(1 << DEEPEST);
  readonly #asked = new Uint16Array(1 << DEEPEST);
  readonly #answers = new Float64Array(DEEPEST << DEEPEST);

  constructor(
    trees: Trees,
    x: Matrix,
    r: Matrix,
    players: readonly (readonly number[])[],
    out: Float64Array,
  ) {
    this.packed = packTrees(trees);
    this.#n = x.rows;
    this.#count = x.rows + r.rows;
    this.#players = players.length;
    this.#out = out;
    this.#cells = new Float64Array(this.#count * x.cols);
    for (let c = 0; c < x.cols; c++) {
      const at = c * this.#count;
      for (let i = 0; i < x.rows; i++) this.#cells[at + i] = seen(trees, x.data[i * x.cols + c]!);
      for (let j = 0; j < r.rows; j++) this.#cells[at + x.rows + j] = seen(trees, r.data[j * r.cols + c]!);
    }
    this.#playerOf = new Int32Array(x.cols);
    players.forEach((own, u) => {
      for (const c of own) this.#playerOf[c] = u;
    });
    this.#stride = this.packed.depth + 1;
    this.#weights = leafWeights(this.#stride);
    this.#fails = Array.from({ length: this.#stride }, () => new Uint16Array(this.#count));
  }

  tree(root: number): void {
    this.#descend(root, 0);
  }

  #descend(node: number, depth: number): void {
    const { words } = this.packed;
    const word = words[4 * node + 2]!;
    if (word < 0) {
      this.#leaf(this.packed.cells[2 * node]!, this.#fails[depth]!);
      return;
    }
    const player = this.#playerOf[word & COLUMN]!;
    let bit = this.#met.indexOf(player);
    const first = bit < 0;
    if (first) bit = this.#met.push(player) - 1;
    this.#test(node, word, depth, 1 << bit, 0);
    this.#descend(node + 1, depth + 1);
    this.#test(node, word, depth, 0, 1 << bit);
    this.#descend(words[4 * node + 3]!, depth + 1);
    if (first) this.#met.pop();
  }

  /** F one level deeper: with `right` for rows that go right at the node, with `left` for the others. */
  #test(node: number, word: number, depth: number, right: number, left: number): void {
    const [above, below, cells] = [this.#fails[depth]!, this.#fails[depth + 1]!, this.#cells];
    const at = (word & COLUMN) * this.#count;
    const count = this.#count;
    if (word === (word & COLUMN)) {
      const threshold = this.packed.cells[2 * node]!;
      for (let i = 0; i < count; i++) below[i] = above[i]! | (cells[at + i]! <= threshold ? left : right);
      return;
    }
    for (let i = 0; i < count; i++) {
      below[i] = above[i]! | (packedLeft(this.packed, node, word, cells[at + i]!) ? left : right);
    }
  }

  #leaf(value: number, fails: Uint16Array): void {
    const [n, size, met] = [this.#n, this.#met.length, this.#met];
    if (size === 0) return;
    const [sets, references, places, answers] = [this.#sets, this.#references, this.#places, this.#answers];
    let known = 0;
    for (let j = n; j < this.#count; j++) {
      const set = fails[j]!;
      if (references[set] === 0) sets[known++] = set;
      references[set]!++;
    }
    const share = value / (this.#count - n);
    const [out, players] = [this.#out, this.#players];
    let asked = 0;
    for (let i = 0; i < n; i++) {
      const set = fails[i]!;
      let place = places[set]!;
      if (place === 0) {
        place = places[set] = this.#answer(set, known, share, asked) ? asked + 1 : -1;
        this.#asked[asked++] = set;
      }
      if (place < 0) continue;
      const [from, row] = [(place - 1) * DEEPEST, i * players];
      for (let b = 0; b < size; b++) out[row + met[b]!]! += answers[from + b]!;
    }
    for (let s = 0; s < known; s++) references[sets[s]!] = 0;
    for (let s = 0; s < asked; s++) places[this.#asked[s]!] = 0;
  }

  /** φ at the leaf of a row that fails `own`, to the answers at `place`; false where no reference goes with it. */
  #answer(own: number, known: number, share: number, place: number): boolean {
    const [stride, weights, answers, size] = [this.#stride, this.#weights, this.#answers, this.#met.length];
    const at = place * DEEPEST;
    const edited = bits(own);
    answers.fill(0, at, at + size);
    let met = false;
    for (let s = 0; s < known; s++) {
      const set = this.#sets[s]!;
      if ((set & own) !== 0 || (set | own) === 0) continue;
      met = true;
      const kept = bits(set);
      const worth = share * this.#references[set]!;
      const gain = worth * weights[kept * stride + edited]!;
      const loss = worth * weights[edited * stride + kept]!;
      for (let b = 0; b < size; b++) {
        if ((set >>> b) & 1) answers[at + b]! += gain;
        else if ((own >>> b) & 1) answers[at + b]! -= loss;
      }
    }
    return met;
  }
}

function bits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}
