import { squaredDistance } from "../num/linalg.ts";
import { NEAR_CODE } from "../num/wasm/near.ts";
import { type Kernel, startKernel } from "../num/wasm.ts";
import type { Matrix } from "../types.ts";
import { lowest } from "./prices.ts";
import { type PointRows, readPointsBy } from "./problem.ts";
import type { Reader } from "./reader.ts";

interface Near {
  product(points: number, blocks: number, depth: number, query: number, products: number): void;
  // biome-ignore format: as the kernel has them
  near(
    products: number, base: number, blocks: number, least: number, best: number,
    count: number, ceiling: number, slack: number, out: number,
  ): number;
}

/** Columns of a block, and most that are asked for. */
const [BLOCK, MOST] = [32, 16];
/** Cells below which a kernel of their own does not pay, and up to which all products are kept. */
const [FEW, KEPT] = [2 ** 14, 2 ** 25];
/** Numbers beyond which float32 is left alone. */
const LARGE = 2 ** 60;
/** Rounding of float32 and double, and what the smallest numbers of float32 may lose. */
const [ROUNDING, FINE, TINY] = [2 ** -24, 2 ** -53, 2 ** -140];

/** Lets large problems of points be solved sooner, where there is WebAssembly; plans stay the same to the bit. */
export function transportByKernel(): void {
  readPointsBy(nearPoints);
}

/** Costs by the kernel of kernels/near.ts: it lists columns by float32, which are then measured in double. */
export const nearPoints: PointRows = (x, s, bytes) => {
  const rows = x.rows * s.rows < FEW ? undefined : nearRows(x, s, Math.min(KEPT, bytes / 4));
  if (!rows) return undefined;
  const cell = (i: number, j: number): number =>
    squaredDistance(x.data, i * x.cols, s.data, j * x.cols, x.cols);
  return {
    n: x.rows,
    m: s.rows,
    cell,
    under: (v) => new NearReader(rows, v),
    async lowest(n, v, work) {
      const none = new Float64Array(n);
      const turned = new NearReader(nearRows(s, x, 0)!, none);
      for (let j = 0; j < v.length; j++) {
        if (work.due()) await work.pause(0, v.length);
        v[j] = lowest(turned, j, none);
      }
    },
  };
};

function nearRows(x: Matrix, s: Matrix, kept: number): NearRows | undefined {
  const padded = BLOCK * Math.ceil(s.rows / BLOCK);
  const rows = x.rows * padded <= kept ? x.rows : 1;
  const kernel = startKernel<Near>(NEAR_CODE, 4 * (padded * (rows + s.cols + 3) + s.cols + 64));
  return kernel && new NearRows(x, s, kernel, padded, rows);
}

/** The points in the kernel's memory, and the products of row and column that have been asked for. */
class NearRows {
  readonly blocks: number;
  readonly base: Float32Array;
  readonly out: Uint32Array;
  readonly norm: Float64Array;
  /** The largest ‖r_j‖. */
  readonly farthest: number;
  /** Whose prices are in the kernel's memory. */
  reader: NearReader | undefined;
  private readonly query: Float32Array;
  private readonly at: {
    points: number;
    query: number;
    base: number;
    least: number;
    best: number;
    out: number;
  };
  private readonly products: number;
  private readonly made: Uint8Array | undefined;

  constructor(
    readonly x: Matrix,
    readonly s: Matrix,
    private readonly kernel: Kernel<Near>,
    padded: number,
    rows: number,
  ) {
    const take = (words: number): number => kernel.take(4 * words);
    this.blocks = padded / BLOCK;
    this.at = {
      ...{ points: take(padded * s.cols), query: take(s.cols), base: take(padded) },
      ...{ least: take(padded / 8), best: take(BLOCK + MOST), out: take(padded) },
    };
    this.products = take(rows * padded);
    if (rows > 1) this.made = new Uint8Array(rows);
    const floats = (at: number, count: number): Float32Array => new Float32Array(kernel.buffer, at, count);
    [this.query, this.base] = [floats(this.at.query, s.cols), floats(this.at.base, padded)];
    this.out = new Uint32Array(kernel.buffer, this.at.out, padded);
    this.norm = this.lay(floats(this.at.points, padded * s.cols));
    this.farthest = Math.sqrt(this.norm.reduce((most, z) => Math.max(most, z), 0));
  }

  /** Columns block by block, coordinate by coordinate; their ‖r_j‖². */
  private lay(points: Float32Array): Float64Array {
    const { data, rows, cols } = this.s;
    const norm = new Float64Array(rows);
    for (let j = 0; j < rows; j++) {
      const block = (j - (j % BLOCK)) * cols + (j % BLOCK);
      for (let k = 0; k < cols; k++) {
        const z = data[j * cols + k]!;
        points[block + k * BLOCK] = z;
        norm[j]! += z * z;
      }
    }
    return norm;
  }

  /** ‖x_i‖². */
  square(i: number): number {
    const { data, cols } = this.x;
    let square = 0;
    for (let k = i * cols; k < (i + 1) * cols; k++) square += data[k]! * data[k]!;
    return square;
  }

  near(i: number, count: number, ceiling: number, slack: number): number {
    const { kernel, blocks, at, made } = this;
    const row = made ? this.products + 4 * BLOCK * blocks * i : this.products;
    if (made?.[i] !== 1) {
      const { data, cols } = this.x;
      for (let k = 0; k < cols; k++) this.query[k] = -2 * data[i * cols + k]!;
      kernel.run.product(at.points, blocks, cols, at.query, row);
      if (made) made[i] = 1;
    }
    return kernel.run.near(row, at.base, blocks, at.least, at.best, count, ceiling, slack, at.out);
  }
}

/**
 * The kernel's sums ‖r_j‖² − v_j − 2x·r_j are off by at most (d + 4)·2^-24·(max |‖r_j‖² − v_j| + 2‖x‖·max ‖r_j‖), what they
 * are held against by some roundings of a double. Twice that, and more, is added to every limit.
 */
class NearReader implements Reader {
  readonly cols: Int32Array;
  readonly costs: Float64Array;
  /** The largest |‖r_j‖² − v_j| there has been. */
  private highest = 0;

  constructor(
    private readonly rows: NearRows,
    private readonly v: Float64Array,
  ) {
    this.cols = new Int32Array(v.length);
    this.costs = new Float64Array(v.length);
    this.priced();
  }

  near(i: number, limit: number, count = 0): number {
    const { rows, highest } = this;
    if (rows.reader !== this) this.priced();
    const { farthest } = rows;
    const square = rows.square(i);
    const size = highest + 2 * Math.sqrt(square) * farthest;
    const fine = FINE * (square + farthest ** 2 + size) + TINY;
    const slack = 2 * (rows.x.cols + 8) * (ROUNDING * size + fine);
    if (count > MOST || !(slack < LARGE)) return this.all(i);
    return this.measured(i, rows.near(i, count, limit - square, slack));
  }

  priced(j?: number): void {
    if (j !== undefined) this.price(j);
    else {
      this.rows.base.fill(Number.POSITIVE_INFINITY);
      for (let k = 0; k < this.v.length; k++) this.price(k);
      this.rows.reader = this;
    }
  }

  private price(j: number): void {
    const { base, norm } = this.rows;
    const sum = norm[j]! - this.v[j]!;
    base[j] = sum;
    const size = Math.abs(sum);
    if (!(size <= this.highest)) this.highest = size;
  }

  /** Every column, where float32 cannot tell. */
  private all(i: number): number {
    for (let j = 0; j < this.v.length; j++) this.rows.out[j] = j;
    return this.measured(i, this.v.length);
  }

  /** The listed columns, those there are, and what they cost. */
  private measured(i: number, found: number): number {
    const { rows, cols, costs } = this;
    const { x, s, out } = rows;
    const depth = x.cols;
    let count = 0;
    for (let t = 0; t < found; t++) {
      const j = out[t]!;
      if (j >= cols.length) break;
      cols[count] = j;
      costs[count++] = squaredDistance(x.data, i * depth, s.data, j * depth, depth);
    }
    return count;
  }
}
