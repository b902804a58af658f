import { fitAdaboost } from "../../../src/train/adaboost.ts";
import { fitBagging } from "../../../src/train/bagging.ts";
import { fitForest } from "../../../src/train/forest.ts";
import { fitGradboost } from "../../../src/train/gradboost.ts";
import { fitLightgbm } from "../../../src/train/lightgbm.ts";
import { fitTree } from "../../../src/train/tree.ts";
import { fitXgboost } from "../../../src/train/xgboost.ts";
import type { TreeFit } from "../../support/mutants/trees.ts";

/** Every tree model, small enough for tests. */
export const families: readonly [string, TreeFit][] = [
  ["tree", fitTree],
  ["bagging", fitBagging],
  ["forest", (x, y, o, r) => fitForest(x, y, { trees: 8, ...o }, r)],
  ["adaboost", (x, y, o, r) => fitAdaboost(x, y, { trees: 8, ...o }, r)],
  ["adaboost SAMME", (x, y, o, r) => fitAdaboost(x, y, { trees: 8, algorithm: "SAMME", ...o }, r)],
  ["gradboost", (x, y, o, r) => fitGradboost(x, y, { trees: 8, ...o }, r)],
  ["xgboost", (x, y, o, r) => fitXgboost(x, y, { trees: 8, ...o }, r)],
  ["xgboost exact", (x, y, o, r) => fitXgboost(x, y, { trees: 8, method: "exact", ...o }, r)],
  ["lightgbm", (x, y, o, r) => fitLightgbm(x, y, { trees: 8, minSamplesLeaf: 3, ...o }, r)],
];

const DRAWN = ["bagging", "forest"];
/** Those that draw nothing by default. */
export const certain = families.filter(([name]) => !DRAWN.includes(name));
export const drawn = families.filter(([name]) => DRAWN.includes(name));
/** Those that fit numbers too. */
export const both = families.filter(([name]) => !name.startsWith("adaboost"));
