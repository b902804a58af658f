import { couplingNamed } from "../src/couple/registry.ts";
import { embed, fitMetric, metricCost, scaledRows } from "../src/data/metric.ts";
import { rowKeys, stream } from "../src/num/random.ts";
import type { Coupling, WorkOptions } from "../src/types.ts";
import type { OwnRows } from "../study/own.ts";
import type { Data } from "../study/parts.ts";

/** Rows and counterfactuals of two tables, coupled by the name of a method and the metric of the data. */
export async function coupledBy(
  name: string,
  data: Data,
  { x, references, pairs }: OwnRows,
  seed: number,
  work: WorkOptions,
): Promise<Coupling> {
  const metric = fitMetric(data.schema, data.rows);
  const [from, to] = embed(metric, [x, references]) ?? [
    scaledRows(metric, x),
    scaledRows(metric, references),
  ];
  return couplingNamed(name).couple({
    ...work,
    x: from!,
    r: to!,
    cost: metricCost(metric, x, references),
    random: stream(seed, "couple"),
    keys: rowKeys(x),
    ...(pairs ? { pairs: Array.from(pairs, (i, j): [number, number] => [i, j]) } : {}),
  });
}
