import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { columnsOf } from "../../src/exact/columns.ts";
import { reachOf } from "../../src/model/target.ts";
import { stream } from "../../src/num/random.ts";
import { encodingFor, type ModelName, models } from "../../src/train/registry.ts";
import type { Feature } from "../../src/types.ts";
import type { SmallStudy } from "./exact-studies.ts";

const MODELS: readonly ModelName[] = ["forest", "logistic", "xgboost", "svm", "gradboost", "bagging"];
const ROWS = 80;

/** Trees or a linear model over numbers of any decimals, with ends, directions, tolerances and rules in some studies. */
export function smoothFitted(seed: number): SmallStudy {
  const random = stream(seed, "smooth fitted");
  const chance = (p: number): boolean => random.next() < p;
  const cols = 3 + random.int(2);
  const given = Array.from(
    { length: cols },
    (_, k): Feature => ({
      name: `f${k}`,
      kind: "numeric",
      ...(chance(0.2) ? { min: -1.5 } : {}),
      ...(chance(0.2) ? { max: 1.5 } : {}),
      ...(chance(0.15) ? { direction: chance(0.5) ? "up" : "down" } : {}),
      ...(chance(0.15) ? { tolerance: 0.2 } : {}),
    }),
  );
  const made: Feature[] = chance(0.2) ? [{ name: "made", kind: "numeric", derived: "f0 + f1" }] : [];
  const rules = chance(0.25) ? ["f0 <= f1 + 1.5"] : [];
  const constraints = compileConstraints({ features: [...given, ...made], rules });
  const width = given.length + made.length;
  const data = Float64Array.from({ length: ROWS * width }, () => random.normal());
  const rows = constraints.complete({ data, rows: ROWS, cols: width });
  const weights = Array.from({ length: width }, () => random.normal());
  const labels = Int32Array.from({ length: ROWS }, (_, i) =>
    i < 2
      ? i
      : Number(weights.reduce((sum, w, k) => sum + w * rows.data[i * width + k]!, random.normal()) > 0),
  );
  const name = MODELS[seed % MODELS.length]!;
  const encoder = fitEncoder(constraints.schema, rows, encodingFor(name));
  const size = name === "logistic" || name === "svm" ? {} : { trees: 8, maxDepth: 4 };
  const fitted = models[name].fit(encodeRows(encoder, rows), labels, size, random.split("fit"));
  const model = bind(fitted, encoder, constraints);
  const scores = (model.predict(rows, 1) as Float64Array).toSorted();
  const target = { output: 1, min: scores[50 + random.int(20)]! };
  const reach = reachOf(model, target);
  return {
    what: `smooth ${seed} ${name} ${JSON.stringify(target)}`,
    question: { model, constraints, reach, table: rows },
    columns: columnsOf(constraints, rows),
    constraints,
    model,
    target,
    reach,
    minMargin: 0,
    rows,
  };
}
