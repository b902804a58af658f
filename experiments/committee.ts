import { treeModel } from "../src/model/trees/model.ts";
import type { Model, Trees } from "../src/types.ts";

/** The mean of the margins of tree models over the same columns, as a model: one forest of all their trees. */
export function committee(models: readonly Model[]): Model {
  const [first] = models;
  const encoding = first!.encoding!;
  const own = models.map((model) => model.encoding!.model.structure!(1) as Trees);
  const cols = encoding.groups.reduce((sum, columns) => sum + columns.length, 0);
  const inside = treeModel({
    name: "xgboost",
    outputs: first!.outputs,
    cols,
    forests: [meanOf(own)],
  });
  return {
    outputs: inside.outputs,
    predict: (rows, output) => inside.predict(encoding.encode(rows), output),
    encoding: { ...encoding, model: inside },
  };
}

function meanOf(forests: readonly Trees[]): Trees {
  const sizes = forests.map(({ feature }) => feature.length);
  const starts = sizes.map((_, t) => sizes.slice(0, t).reduce((sum, size) => sum + size, 0));
  const all = (of: (forest: Trees) => ArrayLike<number>): number[] =>
    forests.flatMap((forest) => Array.from(of(forest)));
  const nodes = (of: (forest: Trees) => ArrayLike<number>): Int32Array =>
    Int32Array.from(
      forests.flatMap((forest, t) => Array.from(of(forest), (node) => (node < 0 ? node : node + starts[t]!))),
    );
  return {
    ...forests[0]!,
    base: forests.reduce((sum, { base }) => sum + base, 0) / forests.length,
    roots: nodes(({ roots }) => roots),
    feature: Int32Array.from(all(({ feature }) => feature)),
    threshold: Float64Array.from(all(({ threshold }) => threshold)),
    left: nodes(({ left }) => left),
    right: nodes(({ right }) => right),
    value: Float64Array.from(
      all(({ value }) => value),
      (value) => value / forests.length,
    ),
    flags: Uint8Array.from(all(({ flags }) => flags)),
  };
}
