import { WALK_CODE } from "../../num/wasm/walk.ts";
import { type Kernel, startKernel } from "../../num/wasm.ts";
import type { Matrix, Trees } from "../../types.ts";
import { stepDown } from "./packed.ts";
import { isPlain } from "./structure.ts";

type Walk = (
  nodes: number,
  roots: number,
  depths: number,
  trees: number,
  values: number,
  rows: number,
  cols: number,
  count: number,
  out: number,
) => void;

/**
 * Rows walked through all trees before the next ones are copied in, and bytes of their cells: they stay in the second cache,
 * and large forests, which do not, are fetched once for all of them.
 */
const [FEWEST, MOST, CELL_BYTES] = [256, 4096, 2 ** 18 + 2 ** 17];
/** Rows below which copying a forest into a kernel does not pay, for a forest not met before. */
const FEW = 64;
/** Columns and nodes of a tree that the 8-byte nodes of float32 forests can name. */
const [NARROW_COLUMNS, NARROW_NODES] = [0x7fff, 0xffff];

/** A forest in the memory of a kernel. */
interface Laid {
  readonly kernel: Kernel<{ walk32: Walk; walk64: Walk }>;
  readonly cols: number;
  readonly nodes: number;
  readonly roots: number;
  readonly depths: number;
  readonly values: number;
  readonly rows: number;
  readonly block: number;
  readonly out: number;
}

const laid = new WeakMap<Trees, Laid | "no">();

/**
 * out[i] = Σ_trees value[leaf of row i], by the kernel; the number of rows it did (a multiple of 8), from the first on.
 * 0 where it cannot: special splits, no WebAssembly, or too few rows to begin with. The sums are those of the plain walk to the bit.
 */
export function kernelWalk(trees: Trees, rows: Matrix, out: Float64Array): number {
  const whole = rows.rows & ~7;
  let forest = laid.get(trees);
  if (whole === 0 || forest === "no" || (!forest && whole < FEW)) return 0;
  if (!forest || forest.cols !== rows.cols) {
    forest = layOut(trees, rows.cols) ?? "no";
    laid.set(trees, forest);
    if (forest === "no") return 0;
  }
  const { kernel, nodes, roots, depths, values, cols, block } = forest;
  const { buffer, run } = kernel;
  const cells = trees.float32
    ? new Float32Array(buffer, forest.rows, block * cols)
    : new Float64Array(buffer, forest.rows, block * cols);
  const sums = new Float64Array(buffer, forest.out, block);
  const walk = trees.float32 ? run.walk32 : run.walk64;
  for (let from = 0; from < whole; from += block) {
    const count = Math.min(block, whole - from);
    cells.set(rows.data.subarray(from * cols, (from + count) * cols));
    sums.fill(0, 0, count);
    walk(nodes, roots, depths, trees.roots.length, values, forest.rows, cols, count, forest.out);
    out.set(sums.subarray(0, count), from);
  }
  return whole;
}

/** A forest as kernels/walk.ts reads it. */
function layOut(trees: Trees, cols: number): Laid | undefined {
  const single = trees.float32;
  const size = trees.feature.length;
  const wide = single ? 8 : 16;
  const cell = single ? 4 : 8;
  const block = Math.min(MOST, Math.max(FEWEST, Math.floor(CELL_BYTES / (cell * cols)) & ~7));
  const bytes = size * (wide + 8) + trees.roots.length * 8 + block * (cell * cols + 8) + 4096;
  if (!isPlain(trees) || cols === 0 || (single && cols > NARROW_COLUMNS)) return undefined;
  const kernel = startKernel<Laid["kernel"]["run"]>(WALK_CODE, bytes);
  if (!kernel) return undefined;
  const place = {
    nodes: kernel.take(size * wide),
    roots: kernel.take(4 * trees.roots.length),
    depths: kernel.take(4 * trees.roots.length),
    values: kernel.take(8 * size),
    rows: kernel.take(cell * block * cols),
    out: kernel.take(8 * block),
  };
  const view = new DataView(kernel.buffer);
  const put = (node: number, cell: number, column: number, marked: boolean, left: number): void => {
    const at = place.nodes + node * wide;
    if (single) {
      view.setFloat32(at, cell, true);
      view.setUint16(at + 4, marked ? column + 0x8000 : column, true);
      view.setUint16(at + 6, left, true);
    } else {
      view.setFloat64(at, cell, true);
      view.setUint32(at + 8, marked ? column + 0x80000000 : column, true);
      view.setUint32(at + 12, left, true);
    }
  };
  let next = 0;
  for (let t = 0; t < trees.roots.length; t++) {
    const start = next;
    let [local, depth] = [1, 0];
    const open = [trees.roots[t]!, 0, 0];
    while (open.length > 0) {
      const [level, at, node] = [open.pop()!, open.pop()!, open.pop()!];
      depth = Math.max(depth, level);
      const column = trees.feature[node]!;
      if (column < 0) {
        put(start + at, Number.POSITIVE_INFINITY, 0, false, at);
        view.setFloat64(place.values + 8 * (start + at), trees.value[node]!, true);
        continue;
      }
      put(start + at, cellOf(trees, node), column, trees.flags[node] === 0, local);
      open.push(trees.right[node]!, local + 1, level + 1, trees.left[node]!, local, level + 1);
      local += 2;
    }
    if (single && local > NARROW_NODES) return undefined;
    view.setUint32(place.roots + 4 * t, start, true);
    view.setUint32(place.depths + 4 * t, depth, true);
    next += local;
  }
  return { kernel, cols, block, ...place };
}

/** The largest cell that goes left, of those the trees compare. */
function cellOf(trees: Trees, node: number): number {
  const cell = trees.inclusive ? trees.threshold[node]! : stepDown(trees.threshold[node]!);
  if (!trees.float32) return cell;
  const rounded = Math.fround(cell);
  return rounded > cell ? stepDown32(rounded) : rounded;
}

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** The largest float32 below t. */
function stepDown32(t: number): number {
  single[0] = t;
  if (t === 0) bits[0] = 0x80000001 | 0;
  else bits[0]! += t > 0 ? -1 : 1;
  return single[0]!;
}
