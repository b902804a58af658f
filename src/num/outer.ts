import { addOuter } from "./linalg.ts";
import { OUTER_CODE } from "./wasm/outer.ts";
import { startKernel } from "./wasm.ts";

/** Rows that are added at once: every cell of the sum is then loaded and stored a quarter as often. */
const TOGETHER = 4;
/** Rows that wait for the kernel: with few columns a call would take longer than its work. */
const WAITING = 64;
/** Share of cells other than 0 from which on it pays to pass over none. */
const DENSE = 0.6;

/** Σ factor · z zᵀ of rows as they come; z is a row of p − 1 cells with a 1 behind them. */
export interface OuterSum {
  /** Adds to the lower triangle of this matrix from now on. */
  begin(out: Float64Array): void;
  /** The row whose cells begin at `start`. */
  add(data: Float64Array, start: number, factor: number): void;
  /** Adds the rows that still wait. */
  end(): void;
}

/** Rows that wait, and the sum of those before them. */
interface Block {
  readonly rows: Float64Array;
  readonly factors: Float64Array;
  /** Cells from a row to the next, in the sum too. */
  readonly stride: number;
  /** Takes the lower triangle of a matrix in, and gives it back. */
  take(out: Float64Array): void;
  give(out: Float64Array): void;
  /** Adds the first 4 · blocks of the rows. */
  run(blocks: number): void;
}

/** The bits are those of `addOuter` row after row: every cell adds the products of the rows in their order. */
export function outerSum(p: number): OuterSum {
  const block = kernelBlock(p) ?? plainBlock(p);
  const { rows, factors, stride } = block;
  for (let r = 0; r < WAITING; r++) rows[r * stride + p - 1] = 1;
  const one = new Float64Array(p).fill(1);
  const addOne = (cells: Float64Array, start: number, factor: number): void => {
    for (let k = 0; k < p - 1; k++) one[k] = cells[start + k]!;
    addOuter(out, p, 0, 0, one, factor);
  };
  let out: Float64Array = new Float64Array(0);
  let [count, used, judged, sparse] = [0, 0, false, false];
  const drop = (from: number): void => {
    for (let r = from; r < count; r++) addOne(rows, r * stride, factors[r]!);
    count = 0;
  };
  const judge = (): void => {
    judged = true;
    sparse = used < DENSE * TOGETHER * p;
    if (sparse) drop(0);
    else block.take(out);
  };
  return {
    begin(into) {
      out = into;
      [count, used, judged, sparse] = [0, 0, false, false];
    },
    add(data, start, factor) {
      if (sparse) return addOne(data, start, factor);
      const to = count * stride;
      for (let k = 0; k < p - 1; k++) rows[to + k] = data[start + k]!;
      factors[count++] = factor;
      if (!judged) {
        for (let k = 0; k < p; k++) if (rows[to + k] !== 0) used++;
        if (count === TOGETHER) judge();
      }
      if (count < WAITING) return;
      block.run(WAITING / TOGETHER);
      count = 0;
    },
    end() {
      if (judged && !sparse) {
        const blocks = Math.floor(count / TOGETHER);
        block.run(blocks);
        block.give(out);
        drop(blocks * TOGETHER);
      } else drop(0);
    },
  };
}

function kernelBlock(p: number): Block | undefined {
  const stride = p + (p % 2);
  const sizes = [8 * WAITING * stride, 8 * WAITING, 8 * p * stride] as const;
  const kernel = startKernel<{
    outer(rows: number, factors: number, blocks: number, p: number, size: number, out: number): void;
  }>(OUTER_CODE, sizes[0] + sizes[1] + sizes[2] + 2048);
  if (!kernel) return undefined;
  const [rows, factors, sum] = [kernel.take(sizes[0]), kernel.take(sizes[1]), kernel.take(sizes[2])];
  const cells = new Float64Array(kernel.buffer, sum, p * stride);
  return {
    rows: new Float64Array(kernel.buffer, rows, WAITING * stride),
    factors: new Float64Array(kernel.buffer, factors, WAITING),
    stride,
    take(out) {
      for (let a = 0; a < p; a++) for (let b = 0; b <= a; b++) cells[a * stride + b] = out[a * p + b]!;
    },
    give(out) {
      for (let a = 0; a < p; a++) for (let b = 0; b <= a; b++) out[a * p + b] = cells[a * stride + b]!;
    },
    run: (blocks) => kernel.run.outer(rows, factors, blocks, p, 8 * stride, sum),
  };
}

/** The twin of the kernel. */
function plainBlock(p: number): Block {
  const [rows, factors] = [new Float64Array(WAITING * p), new Float64Array(WAITING)];
  // Cell r of column j of four rows is at TOGETHER · j + r.
  const cells = new Float64Array(TOGETHER * p);
  let sum: Float64Array = new Float64Array(0);
  return {
    ...{ rows, factors, stride: p },
    take(out) {
      sum = out;
    },
    give() {},
    run(blocks) {
      for (let row = 0; row < blocks * TOGETHER; row += TOGETHER) {
        for (let r = 0; r < TOGETHER; r++)
          for (let j = 0; j < p; j++) cells[TOGETHER * j + r] = rows[(row + r) * p + j]!;
        addTogether(sum, p, cells, factors.subarray(row, row + TOGETHER));
      }
    },
  };
}

function addTogether(out: Float64Array, p: number, cells: Float64Array, factors: Float64Array): void {
  for (let a = 0; a < p; a++) {
    const s0 = factors[0]! * cells[4 * a]!;
    const s1 = factors[1]! * cells[4 * a + 1]!;
    const s2 = factors[2]! * cells[4 * a + 2]!;
    const s3 = factors[3]! * cells[4 * a + 3]!;
    for (let to = a * p, c = 0; c <= 4 * a; to++, c += 4)
      out[to] = out[to]! + s0 * cells[c]! + s1 * cells[c + 1]! + s2 * cells[c + 2]! + s3 * cells[c + 3]!;
  }
}
