import { sizesIn, widened } from "../bound-sizes.ts";
import type { Box } from "../kernels.ts";
import { DOUBLE, SINGLE, sumError } from "../rounding.ts";
import { activated, type Head, type Layer, type Layers } from "./layers.ts";

/** What the units of a layer can be, how large the sums behind them, and how far off the computed ones. */
interface Span {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly error: Float64Array;
}

/** Roundings of an activation, in any of the ways runtimes approximate it, relative to values of size one. */
const BEND = 16;

/** The margin of a head over a box of the columns that the network reads: ends go through the layers as intervals. */
export function networkRange(net: Layers, head: Head, box: Box): readonly [low: number, high: number] {
  if (box.some(({ low, high, values }) => values?.length === 0 || (!values && !(low <= high))))
    return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const low = Float64Array.from(box, (cells) => (cells.values ? Math.min(...cells.values) : cells.low));
  const high = Float64Array.from(box, (cells) => (cells.values ? Math.max(...cells.values) : cells.high));
  const { unit } = net.single ? SINGLE : DOUBLE;
  let span: Span = { low, high, error: sizesIn(box).map((size) => (net.single ? unit * size : 0)) };
  for (const layer of net.layers) span = through(layer, span, net.single);
  return headRange(head, span, net.single);
}

/**
 * The error of a head's margin for cells of at most these sizes, computed as the network does, and the size of all that
 * is summed on the way, cancelled or not.
 */
export function networkError(
  net: Layers,
  head: Head,
  sizes: Float64Array,
): { readonly error: number; readonly size: number } {
  const { unit } = net.single ? SINGLE : DOUBLE;
  const error = sizes.map((size) => (net.single ? unit * size : 0));
  let span: Span = { low: sizes.map((size) => -size), high: sizes, error };
  for (const layer of net.layers) span = through(layer, span, net.single);
  const size = head.factors.reduce(
    (sum, f, u) => (f === 0 ? sum : sum + Math.abs(f) * sizeAt(span, u)),
    Math.abs(head.offset),
  );
  const [least, most] = headRange(head, span, net.single);
  const [exactLow, exactHigh] = headSums(head, span);
  return { error: Math.max(exactLow - least, most - exactHigh), size };
}

const sizeAt = ({ low, high }: Span, u: number): number => Math.max(Math.abs(low[u]!), Math.abs(high[u]!));

function through({ inputs, units, weights, biases, activation }: Layer, from: Span, single: boolean): Span {
  const low = new Float64Array(units);
  const high = new Float64Array(units);
  const error = new Float64Array(units);
  const { unit } = single ? SINGLE : DOUBLE;
  for (let j = 0; j < units; j++) {
    let [least, most, size, carried] = [biases[j]!, biases[j]!, Math.abs(biases[j]!), 0];
    for (let k = 0; k < inputs; k++) {
      const w = weights[j * inputs + k]!;
      least += w > 0 ? w * from.low[k]! : w * from.high[k]!;
      most += w > 0 ? w * from.high[k]! : w * from.low[k]!;
      size += Math.abs(w) * sizeAt(from, k);
      carried += Math.abs(w) * from.error[k]!;
    }
    // The model's sum and the one above are both rounded.
    const own =
      sumError(size + carried, inputs + 3, single ? SINGLE : DOUBLE) + sumError(size, inputs + 3, DOUBLE);
    low[j] = activated(activation, least);
    high[j] = activated(activation, most);
    const bends = activation === "tanh" || activation === "sigmoid";
    error[j] = carried * (1 + 1e-6) + own + (bends ? BEND * unit : 0);
  }
  return { low, high, error };
}

function headSums({ offset, factors }: Head, { low, high }: Span): readonly [number, number] {
  let [least, most] = [offset, offset];
  factors.forEach((f, u) => {
    if (f === 0) return;
    least += f > 0 ? f * low[u]! : f * high[u]!;
    most += f > 0 ? f * high[u]! : f * low[u]!;
  });
  return [least, most];
}

function headRange(head: Head, span: Span, single: boolean): readonly [low: number, high: number] {
  const { offset, factors } = head;
  let [size, carried] = [Math.abs(offset), 0];
  factors.forEach((f, u) => {
    if (f === 0) return;
    size += Math.abs(f) * sizeAt(span, u);
    carried += Math.abs(f) * span.error[u]!;
  });
  const own = sumError(size + carried, factors.length + 3, single ? SINGLE : DOUBLE);
  return widened(headSums(head, span), carried + own);
}
