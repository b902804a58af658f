import { expect, test } from "vitest";
import type { FlatModel } from "../../src/certificate.ts";
import { flatten } from "../../src/flatten/flatten.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { readLightgbm } from "../../src/read/lightgbm.ts";
import { readXgboost } from "../../src/read/xgboost.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { scoresOf } from "../../src/verify/score.ts";
import { smallStudy } from "../support/exact-studies.ts";
import { lightgbmFile, lightgbmRows, lightgbmText } from "../support/lightgbm-files.ts";
import { xgboostDocument, xgboostJson, xgboostRows } from "../support/xgboost-files.ts";

/** The scores that the checker makes of a file are those of the ordinary reader. */
function sameScores(flat: FlatModel, model: Model, rows: Matrix): void {
  const told = model.outputs.map((_, o) => model.predict(rows, o) as Float64Array);
  for (let i = 0; i < rows.rows; i++) {
    scoresOf(flat, [...rowOf(rows, i)]).forEach((score, o) => {
      expect(Math.abs(score - told[o]![i]!)).toBeLessThan(flat.single ? 2e-7 : 1e-12);
    });
  }
}

test("XGBoost files", () => {
  const random = stream(3, "flat xgboost");
  for (let run = 0; run < 30; run++) {
    const categorical = run % 2 === 0 ? [1, 3] : [];
    const groups = run % 3 === 2 ? 3 : 1;
    const objective = groups === 1 ? "binary:logistic" : "multi:softprob";
    const text = xgboostJson(xgboostDocument(random, { categorical, groups, objective }));
    sameScores(flatten(text)!.model, readXgboost(text), xgboostRows(random, 40, 4, categorical));
  }
});

test("LightGBM files", () => {
  const random = stream(4, "flat lightgbm");
  for (let run = 0; run < 30; run++) {
    const categorical = run % 2 === 0 ? [1, 3] : [];
    const groups = run % 3 === 2 ? 3 : 1;
    const objective = groups === 1 ? "binary sigmoid:1" : "multiclass num_class:3";
    const file = lightgbmFile(random, { categorical, groups, objective, average: run % 5 === 0 });
    // Zero as a missing value has no certificate.
    for (const tree of file.trees)
      tree.decision_type = tree.decision_type.map((d) => ((d >> 2) % 2 === 1 ? d ^ 4 : d));
    const text = lightgbmText(file);
    sameScores(flatten(text)!.model, readLightgbm(text), lightgbmRows(random, 40, 4, categorical));
  }
});

test("models saved here", () => {
  let compared = 0;
  for (let seed = 0; seed < 60; seed++) {
    const { model, rows, what } = smallStudy(seed);
    const flat =
      what.includes("wild") || !model.encoding ? undefined : flatten(JSON.stringify(model.toJSON!()));
    if (!flat) continue;
    compared++;
    sameScores(flat.model, model.encoding!.model, model.encoding!.encode(rows));
  }
  expect(compared).toBeGreaterThan(15);
});
