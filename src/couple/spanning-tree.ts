/** Half a unit in the last place of 1: the relative error of one rounding. */
const ROUNDING = 2 ** -53;
/** In place of the previous child: the node is the first child, or on no list. */
const FIRST = -1;
const UNLISTED = -2;

/**
 * A spanning tree of the bipartite graph of n rows (nodes 0 … n−1) and m columns (nodes n … n+m−1), rooted at
 * column n. The arc of node k to its parent has `cost[k]` and `flow[k]`; it leads from the row to the column, so
 * upwards where k is a row. Potentials u (rows) and v (columns) solve u + v = c on the tree, with v = 0 at the
 * root; `slack[k]` bounds the rounding error of `potential[k]`. Rows without children, most of them where n is
 * much larger than m, are in no list of children and their potentials are not kept: u_i = cost[i] − v of the parent.
 */
export class SpanningTree {
  readonly parent: Int32Array;
  readonly cost: Float64Array;
  readonly flow: Float64Array;
  readonly potential: Float64Array;
  readonly slack: Float64Array;
  private readonly depth: Int32Array;
  private readonly child: Int32Array;
  private readonly next: Int32Array;
  private readonly previous: Int32Array;

  constructor(
    readonly n: number,
    readonly m: number,
  ) {
    const nodes = n + m;
    this.parent = new Int32Array(nodes).fill(-1);
    this.cost = new Float64Array(nodes);
    this.flow = new Float64Array(nodes);
    this.potential = new Float64Array(nodes);
    this.slack = new Float64Array(nodes);
    this.depth = new Int32Array(nodes);
    this.child = new Int32Array(nodes).fill(-1);
    this.next = new Int32Array(nodes).fill(-1);
    this.previous = new Int32Array(nodes).fill(UNLISTED);
  }

  /** Hangs the single node k below `up`. */
  attach(k: number, up: number, cost: number, flow: number): void {
    this.parent[k] = up;
    this.cost[k] = cost;
    this.flow[k] = flow;
    this.settle(k);
    this.enlist(k);
  }

  /**
   * Brings the arc from row i to column j into the tree, sends as much flow around the cycle as fits, and drops an
   * arc this empties. Of several the last one on the way from the apex down to i, over to j and up again: this
   * keeps empty arcs pointing to the root, so that pivots cannot cycle (Cunningham 1976).
   */
  pivot(i: number, j: number, cost: number): void {
    const { n, parent, flow } = this;
    this.settle(i);
    const apex = this.apex(i, j);
    let fits = Number.POSITIVE_INFINITY;
    let out = -1;
    let below = i;
    for (let k = i; k !== apex; k = parent[k]!) {
      if (k < n && flow[k]! < fits) {
        fits = flow[k]!;
        out = k;
      }
    }
    for (let k = j; k !== apex; k = parent[k]!) {
      if (k >= n && flow[k]! <= fits) {
        fits = flow[k]!;
        out = k;
        below = j;
      }
    }
    if (fits > 0) {
      for (let k = i; k !== apex; k = parent[k]!) flow[k]! += k < n ? -fits : fits;
      for (let k = j; k !== apex; k = parent[k]!) flow[k]! += k < n ? fits : -fits;
    }
    this.hang(below, below === i ? j : i, out, cost, fits);
    this.settleBelow(below);
  }

  private apex(i: number, j: number): number {
    const { parent, depth } = this;
    let a = i;
    let b = j;
    while (a !== b) {
      if (depth[a]! >= depth[b]!) a = parent[a]!;
      else b = parent[b]!;
    }
    return a;
  }

  /** Cuts the subtree of `out` off, turns it so that `top` is its root, and hangs that below `up`. */
  private hang(top: number, up: number, out: number, cost: number, flow: number): void {
    const { parent } = this;
    let k = top;
    let newParent = up;
    let newCost = cost;
    let newFlow = flow;
    for (;;) {
      const oldParent = parent[k]!;
      const oldCost = this.cost[k]!;
      const oldFlow = this.flow[k]!;
      this.unlist(k);
      parent[k] = newParent;
      this.cost[k] = newCost;
      this.flow[k] = newFlow;
      this.enlist(k);
      if (k === out) return;
      newParent = k;
      k = oldParent;
      newCost = oldCost;
      newFlow = oldFlow;
    }
  }

  /** Potentials and depths of `top` and all nodes below it. */
  private settleBelow(top: number): void {
    const { parent, child, next } = this;
    let k = top;
    for (;;) {
      this.settle(k);
      if (child[k]! >= 0) {
        k = child[k]!;
        continue;
      }
      while (k !== top && next[k]! < 0) k = parent[k]!;
      if (k === top) return;
      k = next[k]!;
    }
  }

  private settle(k: number): void {
    const { potential, slack, depth } = this;
    const up = this.parent[k]!;
    const p = this.cost[k]! - potential[up]!;
    potential[k] = p;
    slack[k] = slack[up]! + ROUNDING * Math.abs(p);
    depth[k] = depth[up]! + 1;
  }

  /** Puts k among its parent's children: a column always, a row only if it has children of its own. */
  private enlist(k: number): void {
    if (k < this.n && this.child[k]! < 0) return;
    const up = this.parent[k]!;
    const first = this.child[up]!;
    this.next[k] = first;
    this.previous[k] = FIRST;
    if (first >= 0) this.previous[first] = k;
    this.child[up] = k;
    if (first < 0 && up < this.n) this.enlist(up);
  }

  private unlist(k: number): void {
    const before = this.previous[k]!;
    if (before === UNLISTED) return;
    const up = this.parent[k]!;
    const after = this.next[k]!;
    if (before >= 0) this.next[before] = after;
    else this.child[up] = after;
    if (after >= 0) this.previous[after] = before;
    this.previous[k] = UNLISTED;
    if (this.child[up]! < 0 && up < this.n) this.unlist(up);
  }
}
