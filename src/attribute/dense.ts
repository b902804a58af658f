import type { ShapAll } from "../model/kernels.ts";
import { hybridBatch } from "./hybrids.ts";
import type { AttributionProblem } from "./plan.ts";
import type { Solver } from "./solve.ts";
import { methodOf, type Space } from "./space.ts";
import type { Sums } from "./sums.ts";

/**
 * Attributes the rows of a space that weigh many references alike, where the structure can do that without walking pair
 * by pair, and returns the spaces of the rows that are left. Whether a row is one of them depends on its own
 * references and the model alone, so that no other row changes its φ.
 */
export async function attributeDense(
  task: AttributionProblem,
  spaces: readonly Space[],
  { space, means, access, ends, pace }: Solver,
  sums: Sums,
): Promise<readonly (Space | undefined)[]> {
  const left: (Space | undefined)[] = [...spaces];
  const { x, r, players, weights } = task;
  const own = spaces.flatMap((its, i) => (its === space ? [i] : []));
  const problem = { x: x.encoded, r: r.encoded, players, rows: own, ...weights };
  const batch = hybridBatch(access.ask, x.encoded.cols, access.capacity, true);
  for (const block of shapAllOf(task, means, space)?.(problem) ?? []) {
    if (pace.due()) await pace.pause();
    if (!block) continue;
    const { rows, references, phi } = block;
    const starts = new Float64Array(rows.length);
    for (const [t, i] of rows.entries()) await batch.add(x.encoded.data, i, 1, starts, t);
    for (const j of references) if (Number.isNaN(ends[j]!)) await batch.add(r.encoded.data, j, 1, ends, j);
    await batch.flush();
    const base = references.reduce((sum, j) => sum + ends[j]! / references.length, 0);
    rows.forEach((i, t) => {
      sums.addDense(i, phi.subarray(t * players.length, (t + 1) * players.length), starts[t]!, base);
      left[i] = undefined;
    });
    pace.done += rows.length;
  }
  return left;
}

/** The structure's algorithm for many references, where the game is additive over its parts and everybody may move. */
function shapAllOf(
  { x, players, allowed }: AttributionProblem,
  means: Solver["means"],
  space: Space,
): ShapAll | undefined {
  if (allowed || methodOf(means, space, players.length) !== "closed") return undefined;
  const { structure } = means.insight!;
  return players.flat().length === x.encoded.cols ? structure.kernels.shapAll?.(structure) : undefined;
}
