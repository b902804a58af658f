import type { Kernels, Trees } from "../../types.ts";
import { insideBy, marginCube, scoreCube } from "../inside.ts";
import { treeBounder } from "./bounder.ts";
import { treeCubeInto } from "./cube.ts";
import { denseShap } from "./dense.ts";
import { exactTrees } from "./exact.ts";
import { predictTrees } from "./predict.ts";
import { treeRange } from "./range.ts";
import { treePairShapInto } from "./shap.ts";
import { treeSmallSubsets } from "./small.ts";

/** What a forest carries with it, so that the stages need not know how forests are walked. */
export const treeKernels: Kernels = {
  margins: predictTrees,
  range: treeRange,
  cubeInto: (trees: Trees, { from, to, columns }, out) => treeCubeInto(trees, from, to, columns, out),
  small: (trees: Trees, { from, to, columns }, maxSize) =>
    treeSmallSubsets(trees, from, to, columns, maxSize),
  shapInto: (trees: Trees, { from, to, columns }, out) => treePairShapInto(trees, from, to, columns, out),
  shapAll: denseShap,
  bounder: treeBounder,
  exact: exactTrees,
  inside: insideBy,
  marginCube,
  scoreCube,
};
