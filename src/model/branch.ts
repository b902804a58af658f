import type { Bounder } from "../basic-types.ts";

/** Who decides what is worth looking at, and takes what is found. */
export interface SetVisitor {
  /** Can a set with this optimistic slack, at least this distance and at least this cost still matter? */
  worth(slack: number, distance: number, cost: number): boolean;
  /** A set of members, ascending, with its slack. */
  offer(members: readonly number[], slack: number): void;
  /** Nodes that may still be visited; counted down. */
  nodes: number;
}

/** The members of one pair of rows, as a search over their sets sees them. */
export interface Branching {
  /** Slack of each member edited alone. */
  readonly alone: Float64Array;
  /** What the margins can still be; one per structure, in the order `optimistic` takes them. */
  readonly bounders: readonly Bounder[];
  optimistic(low: Float64Array, high: Float64Array): number;
  /** What each member adds to d² and to the cost. */
  readonly gaps: Float64Array;
  readonly costs: Float64Array;
  /** Yields when it is time to. */
  pause(): Promise<void> | undefined;
}

/**
 * Branch and bound over the sets of a given size of one pair, best single edits first. A half-decided set is
 * dropped when its optimistic slack is not worth it: Σ_trees (largest leaf still consistent), or the largest
 * gains of a linear model (Kernels.bounder).
 */
export class Brancher {
  private readonly order: Int32Array;
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  private readonly members: number[] = [];

  constructor(private readonly pair: Branching) {
    const { alone, bounders } = pair;
    const rank = (b: number): number => (Number.isNaN(alone[b]) ? Number.NEGATIVE_INFINITY : alone[b]!);
    this.order = Int32Array.from(alone, (_, b) => b).sort((a, b) => rank(b) - rank(a) || a - b);
    this.low = new Float64Array(bounders.length);
    this.high = new Float64Array(bounders.length);
  }

  /** Visits the sets of exactly `size` members; false when the nodes ran out before the end. */
  async visit(size: number, visitor: SetVisitor): Promise<boolean> {
    return size > this.order.length || this.extend(visitor, 0, size, 0, 0);
  }

  /** Completes `members` with `left` of order[from …]; all before are decided. */
  private async extend(
    visitor: SetVisitor,
    from: number,
    left: number,
    distance: number,
    cost: number,
  ): Promise<boolean> {
    const { order } = this;
    const { bounders } = this.pair;
    const pausing = this.pair.pause();
    if (pausing) await pausing;
    let complete = true;
    let t = from;
    for (; t <= order.length - left && complete; t++) {
      if (visitor.nodes <= 0) complete = false;
      else if (!visitor.worth(this.bound(visitor, left), distance, cost)) break;
      else complete = await this.take(visitor, t, left - 1, distance, cost);
      for (const bounder of bounders) bounder.keep(order[t]!, 1);
    }
    for (let s = from; s < t; s++) for (const bounder of bounders) bounder.keep(order[s]!, -1);
    return complete;
  }

  private async take(
    visitor: SetVisitor,
    at: number,
    left: number,
    distance: number,
    cost: number,
  ): Promise<boolean> {
    const { members } = this;
    const { bounders, gaps, costs } = this.pair;
    const member = this.order[at]!;
    const far = distance + gaps[member]!;
    const dear = cost + costs[member]!;
    let complete = true;
    members.push(member);
    for (const bounder of bounders) bounder.edit(member, 1);
    if (left > 0) complete = await this.extend(visitor, at + 1, left, far, dear);
    else {
      const slack = this.bound(visitor, 0);
      if (visitor.worth(slack, far, dear)) visitor.offer(members.toSorted(ascending), slack);
    }
    for (const bounder of bounders) bounder.edit(member, -1);
    members.pop();
    return complete;
  }

  /** Optimistic slack with `left` more edits; the slack itself when none is left. */
  private bound(visitor: SetVisitor, left: number): number {
    visitor.nodes--;
    const { bounders, optimistic } = this.pair;
    for (let o = 0; o < bounders.length; o++) bounders[o]!.rangeInto(left, o, this.low, this.high);
    return optimistic(this.low, this.high);
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
