import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, fitEncoder } from "../../src/data/encode.ts";
import { columnsOf } from "../../src/exact/columns.ts";
import { reachOf } from "../../src/model/target.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import type { Feature, Matrix, Model } from "../../src/types.ts";
import { featureOf, type SmallStudy, tableOf, targetOf } from "./exact-studies.ts";

/** A network of random weights: bent far more than a trained one. */
export function wildNetwork(random: Random, cols: number, classes: number, force = 1.5): Model {
  const hidden = Array.from({ length: random.int(3) }, () => 2 + random.int(6));
  const sizes = [cols, ...hidden, classes === 2 ? 1 : classes];
  const count = sizes.slice(1).reduce((sum, units, l) => sum + units * (sizes[l]! + 1), 0);
  return loadModel({
    type: "mlp",
    version: 1,
    outputs: ["no", "yes", "maybe"].slice(0, classes),
    activation: random.next() < 0.6 ? "relu" : "tanh",
    sizes,
    parameters: Array.from({ length: count }, () => force * random.normal()),
  });
}

/** Random features with levels, steps, gaps and directions, and a wild network over their encoding. */
export function networkStudy(seed: number): SmallStudy {
  const random = stream(seed, "network study");
  const features = Array.from({ length: 3 + random.int(3) }, (_, k) => featureOf(random, k));
  return studyOf(seed, random, features, tableOf(random, features, 40));
}

/** Numbers without decimals to speak of: the search has a continuum, brute force a fine grid. */
export function smoothStudy(seed: number): SmallStudy {
  const random = stream(seed, "smooth study");
  const features = Array.from(
    { length: 2 + random.int(2) },
    (_, k): Feature => ({ name: `f${k}`, kind: "numeric" }),
  );
  const data = Float64Array.from({ length: 40 * features.length }, () => random.normal());
  return studyOf(seed, random, features, { data, rows: 40, cols: features.length });
}

function studyOf(seed: number, random: Random, features: readonly Feature[], rows: Matrix): SmallStudy {
  const constraints = compileConstraints({ features });
  const encoder = fitEncoder(constraints.schema, rows, {});
  const classes = random.next() < 0.3 ? 3 : 2;
  const model = bind(wildNetwork(random, encoder.names.length, classes), encoder, constraints);
  const { target, minMargin } = targetOf(random, model);
  const reach = reachOf(model, target);
  return {
    what: `${seed} network ${JSON.stringify(target)}`,
    question: { model, constraints, reach, minMargin, table: rows },
    columns: columnsOf(constraints, rows),
    constraints,
    model,
    target,
    reach,
    minMargin,
    rows,
  };
}
