import type { TreeKernels } from "../../types.ts";
import { treeBounder } from "./bounder.ts";
import { treeCubeInto } from "./cube.ts";
import { exactTrees } from "./exact.ts";
import { predictTrees } from "./predict.ts";
import { treePairShapInto } from "./shap.ts";
import { treeSmallSubsets } from "./small.ts";

/** What a forest carries with it, so that the stages need not know how forests are walked. */
export const treeKernels: TreeKernels = {
  margins: predictTrees,
  cubeInto: (trees, { from, to, columns }, out) => treeCubeInto(trees, from, to, columns, out),
  small: (trees, { from, to, columns }, maxSize) => treeSmallSubsets(trees, from, to, columns, maxSize),
  shapInto: (trees, { from, to, columns }, out) => treePairShapInto(trees, from, to, columns, out),
  bounder: treeBounder,
  exact: exactTrees,
};
