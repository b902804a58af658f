/** Wrong twins of the file readers: each breaks one rule of a format, and the reader's law must notice. */

import { predictTrees } from "../../../src/model/trees/predict.ts";
import { toRows } from "../../../src/num/matrix.ts";
import { readLightgbm } from "../../../src/read/lightgbm.ts";
import { readXgboost } from "../../../src/read/xgboost.ts";
import type { Matrix, Model, Trees } from "../../../src/types.ts";

type ReadText = (text: string) => Model;

/** Reads the file after `change` was done to its parsed form. */
function afterChange(
  change: (tree: Record<string, unknown[]>, file: Record<string, never>) => void,
): ReadText {
  return (text) => {
    const file = JSON.parse(text.replaceAll("NaN", "null"));
    const booster = file.learner.gradient_booster;
    for (const tree of (booster.model ?? booster.gbtree.model).trees) change(tree, file);
    return readXgboost(JSON.stringify(file));
  };
}

export const xgboostMutants: Readonly<Record<string, ReadText>> = {
  "missing values always go right": afterChange((tree) => tree["default_left"]!.fill(0)),
  "listed categories go left": afterChange((tree) => {
    tree["split_type"]!.forEach((type, v) => {
      const [left, right] = [tree["left_children"]![v], tree["right_children"]![v]];
      if (type === 1) [tree["left_children"]![v], tree["right_children"]![v]] = [right, left];
    });
  }),
  "drop-out weights are forgotten": afterChange(
    (_tree, file: { learner?: { gradient_booster: { weight_drop?: number[] } } }) => {
      file.learner!.gradient_booster.weight_drop?.fill(1);
    },
  ),
  "the base score is taken as a margin": (text) => shifted(readXgboost(text), Math.log(0.3 / 0.7), 0.3),
  "sums are double": (text) => {
    const model = readXgboost(text);
    return { ...model, margin: (rows, o = 0) => predictTrees(model.structure!(o) as Trees, rows) };
  },
  "thresholds belong to the left": (text) => {
    const model = readXgboost(text);
    const inclusive = (o: number): Trees => ({ ...(model.structure!(o) as Trees), inclusive: true });
    return { ...model, margin: (rows, o = 0) => predictTrees(inclusive(o), rows).map(Math.fround) };
  },
};

function shifted(model: Model, from: number, to: number): Model {
  return { ...model, margin: (rows, o) => model.margin!(rows, o).map((m) => Math.fround(m - from + to)) };
}

/** Reads the file after every line `key=…` of a tree went through `change`. */
function afterLines(key: string, change: (values: string[]) => string[]): ReadText {
  return (text) =>
    readLightgbm(
      text.replace(
        new RegExp(`^${key}=(.+)$`, "gm"),
        (_line, list: string) => `${key}=${change(list.split(" ")).join(" ")}`,
      ),
    );
}

export const lightgbmMutants: Readonly<Record<string, ReadText>> = {
  "thresholds belong to the right": (text) => {
    const model = readLightgbm(text);
    const strict = (o: number): Trees => ({ ...(model.structure!(o) as Trees), inclusive: false });
    return { ...model, margin: (rows, o = 0) => predictTrees(strict(o), rows) };
  },
  "missing values follow the default direction whatever the missing type": afterLines(
    "decision_type",
    (types) => types.map((type) => String((Number(type) & 1) === 1 ? type : (Number(type) & 2) | 8)),
  ),
  "zero is never missing": afterLines("decision_type", (types) =>
    types.map((type) => String(Number(type) >> 2 === 1 ? Number(type) & 3 : type)),
  ),
  "shrinkage is applied again": afterLines("leaf_value", (leaves) =>
    leaves.map((leaf) => String(0.1 * Number(leaf))),
  ),
  "categorical splits are thresholds": afterLines("decision_type", (types) =>
    types.map((type) => (type === "1" ? "2" : type)),
  ),
};

/** Posts a batch until it is answered; what each attempt brought is given to `take`. */
async function postUntilAnswered(
  url: string,
  rows: number[][],
  take: (scores: number[]) => void,
): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    try {
      const response = await fetch(url, { method: "POST", body: JSON.stringify({ rows }) });
      const text = await response.text();
      if (response.status !== 200) continue;
      take((JSON.parse(text) as { scores: number[] }).scores);
      return;
    } catch {
      // Tried again.
    }
  }
}

function batchesOf(rows: Matrix): number[][][] {
  const all = toRows(rows);
  return Array.from({ length: Math.ceil(all.length / 4) }, (_, b) => all.slice(4 * b, 4 * b + 4));
}

/** Four batches at a time, each appended when it arrives. */
export function arrivalOrderModel(url: string): Model {
  return {
    outputs: ["score"],
    async predict(rows) {
      const scores: number[] = [];
      await Promise.all(
        batchesOf(rows).map((batch) => postUntilAnswered(url, batch, (s) => scores.push(...s))),
      );
      return Float64Array.from(scores);
    },
  };
}

/** Takes a batch it gave up waiting for as well as the one it sent instead. */
export function everyAnswerModel(url: string): Model {
  return {
    outputs: ["score"],
    async predict(rows) {
      const scores: number[] = [];
      for (const [b, batch] of batchesOf(rows).entries()) {
        const sent = [postUntilAnswered(url, batch, (s) => scores.push(...s))];
        if (b === 1) sent.push(postUntilAnswered(url, batch, (s) => scores.push(...s)));
        await Promise.all(sent);
      }
      return Float64Array.from(scores);
    },
  };
}
