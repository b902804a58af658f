import { validity } from "../src/evaluate/validity.ts";
import { fromRows, rowOf } from "../src/num/matrix.ts";
import type { Run } from "../src/run/open.ts";
import type { Matrix, Target } from "../src/types.ts";

/**
 * The simplest rival: z_i takes from q_i, one at a time, the feature that brings it nearest to the target, until it
 * is there; then features that turn out not to be needed go back. No attribution is asked.
 */
export async function greedyOnProposal(
  { model, constraints, players }: Run,
  q: Matrix,
  x: Matrix,
  target: Target,
): Promise<{ z: Matrix; evaluations: number }> {
  const z = { ...x, data: x.data.slice() };
  let evaluations = 0;
  const ask = async (rows: Float64Array[]) => {
    evaluations += rows.length;
    return validity(model, fromRows(rows), target);
  };
  for (let i = 0; i < x.rows; i++) {
    const own = rowOf(z, i);
    const to = rowOf(q, i);
    const open = new Set(players.filter((k) => !constraints.same(k, own[k]!, to[k]!)));
    const chosen: number[] = [];
    const swapped = (k: number, value: number): Float64Array => {
      const copy = own.slice();
      copy[k] = value;
      return copy;
    };
    let there = false;
    while (!there && open.size > 0) {
      const list = [...open];
      const { margins, valid } = await ask(list.map((k) => swapped(k, to[k]!)));
      const best = list.reduce((a, _, t) => (margins[t]! > margins[a]! ? t : a), 0);
      own[list[best]!] = to[list[best]!]!;
      open.delete(list[best]!);
      chosen.push(list[best]!);
      there = valid[best] === 1;
    }
    for (const k of there ? chosen.slice(0, -1) : chosen) {
      const back = swapped(k, x.data[i * x.cols + k]!);
      if (!there || (await ask([back])).valid[0] === 1) own[k] = back[k]!;
    }
  }
  return { z, evaluations };
}
