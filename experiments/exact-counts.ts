import { compileConstraints } from "../src/data/constraints.ts";
import { ColaError } from "../src/errors.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { rowOf } from "../src/num/matrix.ts";
import type { WorkOptions } from "../src/types.ts";
import { stopIfAborted } from "./queue.ts";
import type { Counts } from "./runs.ts";
import type { Setup } from "./setup.ts";

/** Leaves the search looks at for one row. */
const EFFORT = 2 ** 25;

/**
 * Labels against edits where every row takes its fewest over all values the columns reach, whatever the references: on
 * labels the group needs the rows of fewest edits first. All columns are numbers without constraints, as for the others.
 */
export async function exactCounts(
  { set, model, x, fx }: Setup,
  { signal }: Pick<WorkOptions, "signal">,
): Promise<Counts> {
  const features = set.names.map((name) => ({ name, kind: "numeric" as const }));
  const constraints = compileConstraints({ features });
  const search = exactSearch({ model, constraints, reach: reachOf(model, { class: 0 }), table: set.train });
  if (!search) throw new ColaError("INPUT_EMPTY", "the model has no bounds to search all values by");
  const sizes: number[] = [];
  for (let i = 0; i < x.rows; i++) {
    if (fx[i] === 0) continue;
    stopIfAborted(signal ? { signal } : {});
    const { outcome, features: edited } = search.plan(rowOf(x, i), { effort: EFFORT });
    if (outcome === "found") sizes.push(edited.length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  sizes.sort((a, b) => a - b);
  const ones = fx.reduce((sum, label) => sum + label, 0);
  const sums = Int32Array.from({ length: sizes.length + 1 }, (_, t) =>
    sizes.slice(0, t).reduce((sum, size) => sum + size, 0),
  );
  return { at: sums, counts: [Uint16Array.from(sums, (_, flipped) => ones - flipped)] };
}
