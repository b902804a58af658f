import type { Layer } from "../model/network/layers.ts";
import { addProduct } from "../num/product.ts";
import type { Random } from "../num/random.ts";
import { CHUNK, type RowLoss } from "./adam.ts";
import type { ClassTask } from "./training.ts";

/**
 * A dense network a_l = g(W_l a_{l−1} + b_l) with a linear last layer, its parameters in one vector θ: for
 * each layer W (out × in, row-major), then b.
 */
export interface Network {
  /** Units per layer: inputs, hidden …, margins. */
  readonly sizes: readonly number[];
  readonly activation: "relu" | "tanh";
  /** Where each layer starts in θ. */
  readonly starts: readonly number[];
  readonly parameters: number;
}

/** Room for some rows: outputs of the layers, and derivatives by their inputs. */
interface Scratch {
  readonly outputs: readonly Float64Array[];
  readonly deltas: readonly Float64Array[];
}

export function network(sizes: readonly number[], activation: Network["activation"]): Network {
  const starts: number[] = [];
  let parameters = 0;
  for (let l = 1; l < sizes.length; l++) {
    starts.push(parameters);
    parameters += sizes[l]! * (sizes[l - 1]! + 1);
  }
  return { sizes, activation, starts, parameters };
}

export function scratchOf(net: Network, rows: number): Scratch {
  const buffers = (): Float64Array[] => net.sizes.slice(1).map((size) => new Float64Array(rows * size));
  return { outputs: buffers(), deltas: buffers() };
}

/** The layers that θ holds. */
export function layersOf({ sizes, starts, activation }: Network, theta: Float64Array): Layer[] {
  return starts.map((start, l) => {
    const [inputs, units] = [sizes[l]!, sizes[l + 1]!];
    const biases = start + units * inputs;
    return {
      inputs,
      units,
      weights: theta.subarray(start, biases),
      biases: theta.subarray(biases, biases + units),
      activation: l < starts.length - 1 ? activation : "identity",
    };
  });
}

/** θ with weights and biases uniform in ±bound(in, out) of their layer. */
export function initialise(
  net: Network,
  bound: (inputs: number, outputs: number) => number,
  random: Random,
): Float64Array {
  const theta = new Float64Array(net.parameters);
  net.starts.forEach((start, l) => {
    const most = bound(net.sizes[l]!, net.sizes[l + 1]!);
    const end = net.starts[l + 1] ?? net.parameters;
    for (let p = start; p < end; p++) theta[p] = most * (2 * random.next() - 1);
  });
  return theta;
}

/** The margins (rows × last size) of the rows that start at cells[at]; fills `outputs`. */
export function forward(
  net: Network,
  theta: Float64Array,
  cells: Float64Array,
  at: number,
  rows: number,
  { outputs }: Scratch,
): Float64Array {
  for (let l = 0; l < outputs.length; l++) {
    const output = outputs[l]!;
    const inputs = net.sizes[l]!;
    const units = net.sizes[l + 1]!;
    const start = net.starts[l]!;
    const biases = start + units * inputs;
    for (let c = 0; c < rows * units; c++) output[c] = theta[biases + (c % units)]!;
    const input = { data: l === 0 ? cells : outputs[l - 1]!, at: l === 0 ? at : 0, row: inputs, col: 1 };
    addProduct(output, rows, units, inputs, input, { data: theta, at: start, row: inputs, col: 1 });
    if (l < outputs.length - 1) activate(net, output, rows * units);
  }
  return outputs.at(-1)!;
}

function activate({ activation }: Network, values: Float64Array, count: number): void {
  if (activation === "tanh") for (let c = 0; c < count; c++) values[c] = Math.tanh(values[c]!);
  else for (let c = 0; c < count; c++) if (!(values[c]! > 0)) values[c] = 0;
}

/**
 * Back-propagation: given ∂/∂margin of every row in the last of `deltas` (after `forward` on the same rows),
 * adds ∂/∂θ to `gradient`.
 */
function backward(
  net: Network,
  theta: Float64Array,
  cells: Float64Array,
  at: number,
  rows: number,
  scratch: Scratch,
  gradient: Float64Array,
): void {
  const { outputs, deltas } = scratch;
  for (let l = deltas.length - 1; l >= 0; l--) {
    const delta = deltas[l]!;
    const inputs = net.sizes[l]!;
    const units = net.sizes[l + 1]!;
    const start = net.starts[l]!;
    const biases = start + units * inputs;
    const input = { data: l === 0 ? cells : outputs[l - 1]!, at: l === 0 ? at : 0, row: 1, col: inputs };
    const weights = gradient.subarray(start, biases);
    addProduct(weights, units, inputs, rows, { data: delta, at: 0, row: 1, col: units }, input);
    for (let c = 0; c < rows * units; c++) gradient[biases + (c % units)]! += delta[c]!;
    if (l > 0) backInto(net, theta, l, rows, scratch, deltas[l - 1]!);
  }
}

/**
 * The `add` of a RowLoss for a network: `lossOf` writes ∂loss/∂margin of a row to `delta` and returns its loss.
 */
export function networkLoss(
  net: Network,
  { x, weights }: Pick<ClassTask, "x" | "weights">,
  lossOf: (margins: Float64Array, i: number, delta: Float64Array) => number,
): RowLoss["add"] {
  const scratch = scratchOf(net, CHUNK);
  const batch = new Float64Array(CHUNK * x.cols);
  const width = net.sizes.at(-1)!;
  return (theta, rows, gradient) => {
    rows.forEach((i, t) => {
      batch.set(x.data.subarray(i * x.cols, (i + 1) * x.cols), t * x.cols);
    });
    const margins = forward(net, theta, batch, 0, rows.length, scratch);
    let sum = 0;
    rows.forEach((i, t) => {
      const delta = scratch.deltas.at(-1)!.subarray(t * width, (t + 1) * width);
      sum += weights[i]! * lossOf(margins.subarray(t * width, (t + 1) * width), i, delta);
      for (let m = 0; m < width; m++) delta[m]! *= weights[i]!;
    });
    backward(net, theta, batch, 0, rows.length, scratch, gradient);
    return sum;
  };
}

/** ∂margin_m/∂cell of one row after `forward` on it, written to `out`. */
export function inputSlope(
  net: Network,
  theta: Float64Array,
  scratch: Scratch,
  m: number,
  out: Float64Array,
): void {
  const { deltas } = scratch;
  deltas.at(-1)!.fill(0);
  deltas.at(-1)![m] = 1;
  for (let l = deltas.length - 1; l >= 0; l--)
    backInto(net, theta, l, 1, scratch, l > 0 ? deltas[l - 1]! : out);
}

/** out = δ_l W_l for each row, times g′ of the layer below (the cells themselves have none). */
function backInto(
  net: Network,
  theta: Float64Array,
  l: number,
  rows: number,
  { outputs, deltas }: Scratch,
  out: Float64Array,
): void {
  const inputs = net.sizes[l]!;
  const units = net.sizes[l + 1]!;
  const count = rows * inputs;
  out.fill(0, 0, count);
  const weights = { data: theta, at: net.starts[l]!, row: 1, col: inputs };
  addProduct(out, rows, inputs, units, { data: deltas[l]!, at: 0, row: units, col: 1 }, weights);
  if (l === 0) return;
  const below = outputs[l - 1]!;
  if (net.activation === "tanh") for (let c = 0; c < count; c++) out[c]! *= 1 - below[c]! ** 2;
  else for (let c = 0; c < count; c++) if (!(below[c]! > 0)) out[c] = 0;
}
