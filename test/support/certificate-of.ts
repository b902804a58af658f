import { certify } from "../../src/certify/certify.ts";
import { encodeCell } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { goalReach } from "../../src/model/target.ts";
import type { Model } from "../../src/types.ts";
import type { Data } from "../../study/parts.ts";

/** The certificate of all plans of an explanation, over the table and model it was made with. */
export async function certificateOf(
  { rows, goal, schema: { features } }: Pick<Explanation, "rows" | "goal" | "schema">,
  { constraints, rows: table }: Pick<Data, "constraints" | "rows">,
  model: Model,
): Promise<string> {
  const planned = rows.flatMap((row, i) => {
    if (!row.valid || row.edits.length === 0) return [];
    const x = Float64Array.from(row.x, (cell, k) => encodeCell(features[k]!, cell, i));
    const z = x.slice();
    for (const { feature, to } of row.edits) {
      const k = features.findIndex(({ name }) => name === feature);
      z[k] = encodeCell(features[k]!, to, i);
    }
    return [{ id: row.id ?? row.row, x, z }];
  });
  const reach = goalReach(model, goal);
  const { text } = await certify({ model, constraints, reach, minMargin: 0, table }, planned, {});
  return text;
}
