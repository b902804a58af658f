import type { Columns } from "./columns.ts";
import type { ColumnSums } from "./scan.ts";

/** What the rows of one tree add up to: targets g with weights h, or classes with weights h. */
export interface Sample {
  /** Rows of the tree; the grower reorders them. */
  readonly rows: Int32Array;
  /** Weight of each row of the table. */
  readonly h: Float64Array;
  /** Weighted target of each row of the table. */
  readonly g: Float64Array;
  /** Class of each row of the table, for criteria over class weights (which do not read g). */
  readonly labels?: Int32Array;
}

/** Up to so many rows are sorted by insertion; more are counted into their codes. */
const FEW = 24;

/**
 * The sums of one node, column by column. Sums stand in a table indexed by code, and a bit map of the codes
 * present replaces sorting: n rows cost O(n + codes/32) per column.
 */
export class NodeSums {
  readonly column: ColumnSums;
  /** Sums of the whole node. */
  readonly totals: Float64Array;
  g = 0;
  h = 0;
  n = 0;
  private readonly local: Int32Array;
  private readonly order = new Int32Array(FEW);
  private readonly localG: Float64Array;
  private readonly localH: Float64Array;
  private readonly localLabel: Int32Array;
  private readonly table: Float64Array;
  private readonly bits: Int32Array;
  private readonly stride: number;
  private start = 0;

  /** `classes` is 0 for scalar targets; `counted` adds the number of rows to the sums. */
  constructor(
    private readonly columns: Columns,
    private readonly sample: Sample,
    private readonly classes: number,
    private readonly counted: boolean,
  ) {
    const size = sample.rows.length;
    const codes = columns.low.reduce((most, low) => Math.max(most, low.length), 0) + 1;
    this.stride = (classes || 2) + (counted ? 1 : 0);
    this.totals = new Float64Array(classes);
    this.local = new Int32Array(size);
    this.localG = new Float64Array(classes ? 0 : size);
    this.localH = new Float64Array(size);
    this.localLabel = new Int32Array(classes ? size : 0);
    this.table = new Float64Array(codes * this.stride);
    this.bits = new Int32Array((codes >> 5) + 1);
    this.column = {
      codes: new Int32Array(codes),
      sums: new Float64Array(codes * this.stride),
      size: 0,
      missing: 0,
    };
  }

  /** Turns to the node that holds rows[start … end − 1]. */
  open(start: number, end: number): void {
    const { rows, g, h, labels } = this.sample;
    this.start = start;
    this.n = end - start;
    this.g = 0;
    this.h = 0;
    this.totals.fill(0);
    for (let i = 0; i < this.n; i++) {
      const row = rows[start + i]!;
      const weight = h[row]!;
      this.localH[i] = weight;
      this.h += weight;
      if (this.classes > 0) {
        this.localLabel[i] = labels![row]!;
        this.totals[labels![row]!]! += weight;
      } else {
        this.localG[i] = g[row]!;
        this.g += g[row]!;
      }
    }
  }

  /** Sums column k up by code into `column`; false when the column is constant in the node. */
  collect(k: number): boolean {
    const { rows } = this.sample;
    const { local, start, n } = this;
    const codes = this.columns.codes[k]!;
    let low = codes[rows[start]!]!;
    let high = low;
    for (let i = 0; i < n; i++) {
      const code = codes[rows[start + i]!]!;
      local[i] = code;
      if (code < low) low = code;
      if (code > high) high = code;
    }
    if (low === high) return false;
    this.column.missing = this.columns.low[k]!.length;
    if (n <= FEW) this.sortFew();
    else this.countMany(low, high);
    return true;
  }

  private countMany(low: number, high: number): void {
    const { local, table, bits, stride, n, classes, localG, localH, localLabel } = this;
    for (let i = 0; i < n; i++) {
      const code = local[i]!;
      bits[code >> 5]! |= 1 << (code & 31);
      const at = code * stride;
      if (classes > 0) {
        table[at + localLabel[i]!]! += localH[i]!;
      } else {
        table[at]! += localG[i]!;
        table[at + 1]! += localH[i]!;
      }
    }
    if (this.counted) for (let i = 0; i < n; i++) table[local[i]! * stride + stride - 1]! += 1;
    this.gather(low >> 5, high >> 5);
  }

  /** Moves the sums of the codes present to `column`, leaving table and bit map empty. */
  private gather(from: number, to: number): void {
    const { table, bits, stride } = this;
    const { codes, sums } = this.column;
    let size = 0;
    for (let w = from; w <= to; w++) {
      let word = bits[w]!;
      bits[w] = 0;
      while (word !== 0) {
        const lowest = word & -word;
        word ^= lowest;
        const code = (w << 5) + 31 - Math.clz32(lowest);
        codes[size] = code;
        for (let s = 0; s < stride; s++) {
          sums[size * stride + s] = table[code * stride + s]!;
          table[code * stride + s] = 0;
        }
        size++;
      }
    }
    this.column.size = size;
  }

  private sortFew(): void {
    const { local, order, stride, n, classes, localG, localH, localLabel } = this;
    sortByCode(local, order, n);
    const { codes, sums } = this.column;
    let size = 0;
    let at = 0;
    for (let i = 0; i < n; i++) {
      if (i === 0 || local[i] !== local[i - 1]) {
        at = size * stride;
        for (let s = 0; s < stride; s++) sums[at + s] = 0;
        codes[size++] = local[i]!;
      }
      const row = order[i]!;
      if (classes > 0) {
        sums[at + localLabel[row]!]! += localH[row]!;
      } else {
        sums[at]! += localG[row]!;
        sums[at + 1]! += localH[row]!;
      }
      if (this.counted) sums[at + stride - 1]! += 1;
    }
    this.column.size = size;
  }
}

/** Insertion sort of n codes; `order` tells where each came from. */
function sortByCode(codes: Int32Array, order: Int32Array, n: number): void {
  order[0] = 0;
  for (let i = 1; i < n; i++) {
    const code = codes[i]!;
    let j = i;
    for (; j > 0 && codes[j - 1]! > code; j--) {
      codes[j] = codes[j - 1]!;
      order[j] = order[j - 1]!;
    }
    codes[j] = code;
    order[j] = i;
  }
}
