import { rowOf, sameValue } from "../src/num/matrix.ts";
import type { Random } from "../src/num/random.ts";
import type { Matrix, Model } from "../src/types.ts";
import type { Switches } from "./settings.ts";
import { labels } from "./setup.ts";

/** Rows labelled 1 after C cells: counts[t][c] belongs to run t and C = at[c]. */
export interface Counts {
  readonly at: Int32Array;
  readonly counts: readonly Uint16Array[];
}

/** Hybrids scored in one call. */
const BATCH = 32_768;
/** What the authors add to every weight so that sampling never runs out of cells. */
const FLOOR = 1e-20;

/**
 * Line 7 of Algorithm 1, `runs` times: cells without replacement with probabilities φ̂. Every distinct
 * (row, set of columns) that occurs in any run is scored once by the model.
 */
export async function sampleRuns(
  model: Model,
  x: Matrix,
  q: Matrix,
  phi: Matrix,
  switches: Switches,
  grid: Int32Array,
  runs: number,
  random: Random,
): Promise<Counts> {
  const cells = cellsOf(x, q, phi, switches);
  const states = new States(x, q);
  const nested = switches.draws === "nested";
  const at = nested ? Int32Array.from({ length: cells.index.length + 1 }, (_, c) => c) : grid;
  const walks = Array.from({ length: runs }, (_, t) => {
    const own = random.split("run", t);
    return nested
      ? states.walk(inOrder(cells, own))
      : states.jumps(at, (C) => firstCells(cells, own.split(C), C));
  });
  const label = await states.score(model);
  return { at, counts: walks.map((walk) => walk(label)) };
}

interface Cells {
  /** Cells that may be drawn, as i·d + k, and their weights. */
  readonly index: Int32Array;
  readonly weight: Float64Array;
}

function cellsOf(x: Matrix, q: Matrix, phi: Matrix, { unchanged }: Switches): Cells {
  const sum = phi.data.reduce((total, v) => total + Math.abs(v), 0) || 1;
  const all = Int32Array.from(x.data, (_, c) => c);
  const index = unchanged === "keep" ? all : all.filter((c) => !sameValue(x.data[c]!, q.data[c]!));
  const floor = unchanged === "keep" ? FLOOR : 0;
  return { index, weight: Float64Array.from(index, (c) => Math.abs(phi.data[c]!) / sum + floor) };
}

/** Exp(1)/weight: successive sampling takes cells by rising key; cells without weight come last, by Exp(1). */
function keysOf({ weight }: Cells, random: Random): Float64Array {
  return weight.map((w) => {
    const e = random.exponential();
    return w > 0 ? Math.min(e / w, 2 ** 999) : 2 ** 1000 * (1 + e);
  });
}

function inOrder(cells: Cells, random: Random): Int32Array {
  const keys = keysOf(cells, random);
  const place = Int32Array.from(keys, (_, t) => t).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return place.map((t) => cells.index[t]!);
}

/** The first C cells of such an order, in any order. */
function firstCells(cells: Cells, random: Random, C: number): Int32Array {
  if (C === 0) return new Int32Array(0);
  const keys = keysOf(cells, random);
  const last = keys.slice().sort()[C - 1]!;
  return cells.index.filter((_, t) => keys[t]! <= last);
}

/** The distinct hybrids of all rows. */
class States {
  private readonly x: Matrix;
  private readonly q: Matrix;
  private readonly seen: Map<number, number>[];
  private readonly rows: number[] = [];
  private readonly masks: number[] = [];

  constructor(x: Matrix, q: Matrix) {
    this.x = x;
    this.q = q;
    this.seen = Array.from({ length: x.rows }, () => new Map<number, number>());
    for (let i = 0; i < x.rows; i++) this.id(i, 0);
  }

  private id(row: number, mask: number): number {
    const known = this.seen[row]!.get(mask);
    if (known !== undefined) return known;
    this.seen[row]!.set(mask, this.rows.length);
    this.masks.push(mask);
    return this.rows.push(row) - 1;
  }

  private bit(cell: number): number {
    return sameValue(this.x.data[cell]!, this.q.data[cell]!) ? 0 : 1 << (cell % this.x.cols);
  }

  /** Counts along one order of cells, C = 0, 1, 2, … */
  walk(sequence: Int32Array): (label: Uint8Array) => Uint16Array {
    const masks = new Int32Array(this.x.rows);
    const before = new Int32Array(sequence.length);
    const after = new Int32Array(sequence.length);
    sequence.forEach((cell, c) => {
      const row = Math.floor(cell / this.x.cols);
      before[c] = this.id(row, masks[row]!);
      masks[row]! |= this.bit(cell);
      after[c] = this.id(row, masks[row]!);
    });
    return (label) => {
      const counts = new Uint16Array(sequence.length + 1);
      for (let i = 0; i < this.x.rows; i++) counts[0]! += label[i]!;
      for (let c = 0; c < sequence.length; c++)
        counts[c + 1] = counts[c]! + label[after[c]!]! - label[before[c]!]!;
      return counts;
    };
  }

  /** Counts at each C of a grid, with an order of its own for every C. */
  jumps(at: Int32Array, draw: (C: number) => Int32Array): (label: Uint8Array) => Uint16Array {
    const ids = Array.from(at, (C) => {
      const masks = new Int32Array(this.x.rows);
      for (const cell of draw(C)) masks[Math.floor(cell / this.x.cols)]! |= this.bit(cell);
      return masks.map((mask, row) => this.id(row, mask));
    });
    return (label) => Uint16Array.from(ids, (own) => own.reduce((sum, id) => sum + label[id]!, 0));
  }

  async score(model: Model): Promise<Uint8Array> {
    const { x, q, rows, masks } = this;
    const label = new Uint8Array(rows.length);
    for (let from = 0; from < rows.length; from += BATCH) {
      const count = Math.min(BATCH, rows.length - from);
      const data = new Float64Array(count * x.cols);
      for (let s = 0; s < count; s++) {
        const [row, mask] = [rows[from + s]!, masks[from + s]!];
        data.set(rowOf(x, row), s * x.cols);
        for (let k = 0; k < x.cols; k++) {
          if (mask & (1 << k)) data[s * x.cols + k] = q.data[row * x.cols + k]!;
        }
      }
      label.set(await labels(model, { data, rows: count, cols: x.cols }), from);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return label;
  }
}
