import type { Bound, Encoding, Model, Structure } from "../types.ts";
import type { Box, Cells } from "./kernels.ts";
import { applyLink } from "./link.ts";
import { scoreError } from "./rounding.ts";

/**
 * Bounds of an output over boxes of the columns that `predict` reads: the model's own, those of its structure, or, for
 * a model that encodes table rows, those of the model within. Undefined for a model that has none.
 */
export function boundOf(model: Model, output: number): Bound | undefined {
  const own = model.bound?.(output) ?? structureBound(model.structure?.(output));
  if (own || !model.encoding) return own;
  const { encoding } = model;
  const inner = boundOf(encoding.model, output);
  return inner && { ...inner, range: (box) => hullOf(encodedBoxes(encoding, box), inner) };
}

function structureBound(structure: Structure | undefined): Bound | undefined {
  const { range, exact } = structure?.kernels ?? {};
  if (!structure || !range) return undefined;
  const { link, single } = structure;
  return {
    link,
    ...(single ? { single } : {}),
    ...(exact ? { exact } : {}),
    range: (box) => range(structure, box),
  };
}

/** The scores that an output can have over a box, rounded as the model may; undefined where it has no bounds. */
export function scoreRange(
  model: Model,
  output: number,
  box: Box,
): readonly [low: number, high: number] | undefined {
  const own = boundOf(model, output);
  if (!own) return undefined;
  const { link, single = false } = own;
  const outputs = link === "softmax" ? model.outputs.map((_, o) => boundOf(model, o)) : [own];
  const ranges = outputs.map((bound) => bound?.range(box) ?? EVERYTHING);
  const [low, high] = link === "softmax" ? softmaxRange(ranges, output) : ranges[0]!;
  const linked = { link, single, margins: outputs.length };
  const scores = [applyLink(link, low), applyLink(link, high)] as const;
  const [below, above] = scores.map((score) => (Number.isFinite(score) ? scoreError(linked, score, 0) : 0));
  return [scores[0] - below!, scores[1] + above!];
}

const EVERYTHING = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** p_o = 1 / (1 + Σ e^(m_j − m_o)) is least where m_o is least and every other margin greatest. */
function softmaxRange(
  ranges: readonly (readonly [number, number])[],
  output: number,
): readonly [low: number, high: number] {
  const [own, top] = ranges[output]!;
  const share = (mine: number, end: 0 | 1): number => {
    let sum = 1;
    ranges.forEach((range, j) => {
      if (j !== output) sum += Math.exp(range[end] - mine);
    });
    return Number.isNaN(sum) ? Number.NaN : 1 / sum;
  };
  const [low, high] = [share(own, 1), share(top, 0)];
  return [Number.isNaN(low) ? 0 : low, Number.isNaN(high) ? 1 : high];
}

/** Boxes that may replace one whose features have levels. */
const MOST_BOXES = 64;
/** Whole numbers between the ends of a range that are looked at, since they may be levels in no order. */
const MOST_CODES = 4096;

/**
 * Boxes of encoded columns that hold all encoded rows of a box of table rows. The columns of one feature move
 * together, so that a listed level is a box of its own as long as these are few.
 */
function encodedBoxes(encoding: Encoding, box: Box): Box[] {
  const parts = box.map((cells, k) => encodedCells(encoding, box, k, cells));
  const count = parts.reduce((product, list) => product * list.length, 1);
  let boxes: Cells[][] = [[]];
  parts.forEach((list, k) => {
    const own = encoding.groups[k]!;
    const kept = count <= MOST_BOXES ? list : [joined(list)];
    boxes = boxes.flatMap((made) =>
      kept.map((cells) => {
        const copy = made.slice();
        own.forEach((c, at) => {
          copy[c] = cells[at]!;
        });
        return copy;
      }),
    );
  });
  return boxes;
}

/** What the columns of feature k hold together: one list for each listed level, one for a range. */
function encodedCells(encoding: Encoding, box: Box, k: number, cells: Cells): Cells[][] {
  const { low, high, values, missing } = cells;
  const inside = values ?? codesIn(low, high);
  const codes = [...inside, ...(missing ? [Number.NaN] : [])];
  const cols = box.length;
  const data = new Float64Array(codes.length * cols);
  for (let i = 0; i < codes.length; i++) data[i * cols + k] = codes[i]!;
  const rows = encoding.encode({ data, rows: codes.length, cols });
  const told = codes.map((_, i) => encoding.groups[k]!.map((c) => cellAt(rows.data[i * rows.cols + c]!)));
  return values && encoding.groups[k]!.length > 1 ? told : [joined(told)];
}

/** The ends of a range and the whole numbers between, where they can be levels. */
function codesIn(low: number, high: number): number[] {
  if (!(low <= high)) return [];
  const [first, last] = [Math.floor(low) + 1, Math.ceil(high) - 1];
  const between = last - first < MOST_CODES ? Math.max(0, last - first + 1) : 0;
  return [low, ...Array.from({ length: between }, (_, t) => first + t), high];
}

function cellAt(value: number): Cells {
  return Number.isNaN(value) ? { low: 1, high: 0, missing: true } : { low: value, high: value };
}

/** Cells that hold those of every list, column by column. */
function joined(lists: readonly (readonly Cells[])[]): Cells[] {
  return (lists[0] ?? []).map((_, c) => {
    const filled = lists.map((list) => list[c]!).filter(({ low, high }) => low <= high);
    const missing = lists.some((list) => list[c]!.missing);
    const low = filled.reduce((least, cells) => Math.min(least, cells.low), Number.POSITIVE_INFINITY);
    const high = filled.reduce((most, cells) => Math.max(most, cells.high), Number.NEGATIVE_INFINITY);
    return { low, high, ...(missing ? { missing } : {}) };
  });
}

function hullOf(boxes: readonly Box[], bound: Bound): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const box of boxes) {
    const [least, most] = bound.range(box);
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  return [low, high];
}
