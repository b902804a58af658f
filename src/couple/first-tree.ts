import type { Work } from "../budget.ts";
import type { CostRows } from "./problem.ts";
import type { ShortLists } from "./short-list.ts";
import { SpanningTree } from "./spanning-tree.ts";

/** Times the parts are gone through for one whose list reaches the tree; the rest hangs on the root. */
const JOIN_ROUNDS = 8;

interface Arc {
  readonly i: number;
  readonly j: number;
  readonly cost: number;
  readonly units: number;
}

/**
 * A feasible spanning tree to start from: each row in turn sends its supply to the cheapest columns of its list
 * that are still open (by c_ij − v_j under the prices that the lists see), then to the cheapest open ones at all; the parts are joined by empty
 * arcs, each leading from a row of one part up to a column of the tree. Also fills the lists.
 */
export async function firstTree(
  rows: CostRows,
  supply: Float64Array,
  demand: Float64Array,
  lists: ShortLists,
  v: Float64Array,
  work: Work,
): Promise<SpanningTree> {
  const n = supply.length;
  const open = demand.slice();
  const arcs: Arc[] = [];
  for (let i = 0; i < n; i++) {
    if (work.due()) await work.pause(0, n);
    lists.scan(i);
    send(rows, i, supply[i]!, open, lists, v, arcs);
  }
  return join(rows, arcs, lists, n, v.length);
}

function send(
  rows: CostRows,
  i: number,
  supply: number,
  open: Float64Array,
  lists: ShortLists,
  v: Float64Array,
  arcs: Arc[],
): void {
  const { cols, costs, size } = lists;
  let left = supply;
  const put = (j: number, cost: number): void => {
    const units = Math.min(left, open[j]!);
    left -= units;
    open[j]! -= units;
    arcs.push({ i, j, cost, units });
  };
  for (let t = i * size; left > 0 && t < (i + 1) * size; t++)
    if (open[cols[t]!]! > 0) put(cols[t]!, costs[t]!);
  if (left === 0) return;
  const reducedCost = (j: number): number => rows.cell(i, j) - v[j]!;
  let best = -1;
  for (let j = 0; j < v.length; j++)
    if (open[j]! > 0 && (best < 0 || reducedCost(j) < reducedCost(best))) best = j;
  put(best, rows.cell(i, best));
  if (left === 0) return;
  const others = Array.from(v.keys()).filter((j) => open[j]! > 0);
  others.sort((j, k) => reducedCost(j) - reducedCost(k) || j - k);
  for (let t = 0; left > 0; t++) put(others[t]!, rows.cell(i, others[t]!));
}

/** Hangs the parts that the arcs connect into one tree, rooted at the first column. */
function join(rows: CostRows, arcs: readonly Arc[], lists: ShortLists, n: number, m: number): SpanningTree {
  const tree = new SpanningTree(n, m);
  const seen = new Uint8Array(n + m);
  const around = arcsByNode(arcs, n, m);
  const grow = (root: number): void => {
    const stack = [root];
    seen[root] = 1;
    for (let k = stack.pop(); k !== undefined; k = stack.pop()) {
      for (const { i, j, cost, units } of around[k]!) {
        const other = k === i ? n + j : i;
        if (seen[other]) continue;
        seen[other] = 1;
        tree.attach(other, k, cost, units);
        stack.push(other);
      }
    }
  };
  const joinBy = (i: number, j: number, cost: number): void => {
    tree.attach(i, n + j, cost, 0);
    grow(i);
  };
  grow(n);
  for (let round = 0; round < JOIN_ROUNDS; round++) {
    for (let i = 0; i < n; i++) {
      const t = seen[i] ? -1 : cheapestListed(lists, tree, seen, i);
      if (t >= 0) joinBy(i, lists.cols[t]!, lists.costs[t]!);
    }
  }
  for (let i = 0; i < n; i++) if (!seen[i]) joinBy(i, 0, rows.cell(i, 0));
  return tree;
}

function arcsByNode(arcs: readonly Arc[], n: number, m: number): Arc[][] {
  const around: Arc[][] = Array.from({ length: n + m }, () => []);
  for (const arc of arcs) {
    around[arc.i]!.push(arc);
    around[n + arc.j]!.push(arc);
  }
  return around;
}

/** The listed arc of row i with the smallest c_ij − v_j among columns in the tree; −1 if none is. */
function cheapestListed(lists: ShortLists, tree: SpanningTree, seen: Uint8Array, i: number): number {
  const { cols, costs, size } = lists;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let t = i * size; t < (i + 1) * size; t++) {
    const k = tree.n + cols[t]!;
    const w = costs[t]! - tree.potential[k]!;
    if (!seen[k] || w >= least) continue;
    least = w;
    best = t;
  }
  return best;
}
