import type { Trees } from "../../types.ts";
import { sizesIn, widened } from "../bound-sizes.ts";
import type { Box, Cells } from "../kernels.ts";
import { marginError } from "../rounding.ts";
import { goesLeft, NODE, seen } from "./structure.ts";

/** Σ over trees of the least and the greatest leaf that rows of the box can end in. */
export function treeRange(trees: Trees, box: Box): readonly [low: number, high: number] {
  let [low, high] = [trees.base, trees.base];
  for (const root of trees.roots) {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const visit = (node: number): void => {
      const column = trees.feature[node]!;
      if (column < 0) {
        least = Math.min(least, trees.value[node]!);
        most = Math.max(most, trees.value[node]!);
        return;
      }
      const [left, right] = sidesOf(trees, node, box[column]!);
      if (left) visit(trees.left[node]!);
      if (right) visit(trees.right[node]!);
    };
    visit(root);
    low += least;
    high += most;
  }
  return widened([low, high], marginError(trees, sizesIn(box)));
}

/** Which sides of a node cells can go to. */
function sidesOf(trees: Trees, node: number, cells: Cells): readonly [left: boolean, right: boolean] {
  let [left, right] = [false, false];
  const ask = (value: number): void => {
    if (goesLeft(trees, node, seen(trees, value))) left = true;
    else right = true;
  };
  if (cells.missing) ask(Number.NaN);
  for (const value of cells.values ?? []) ask(value);
  if (cells.values || !(cells.low <= cells.high)) return [left, right];
  ask(cells.low);
  ask(cells.high);
  // A threshold is crossed between the ends or not at all; what a set of categories or a gap at 0 takes lies anywhere.
  const anywhere = (trees.flags[node]! & (NODE.categorical | NODE.zeroIsMissing)) !== 0;
  return anywhere && cells.low < cells.high ? [true, true] : [left, right];
}
