import type { Bounder } from "../types.ts";
import { type Context, pauseWhenDue } from "./context.ts";
import type { Weighed } from "./option.ts";

/** Who decides what is worth looking at, and takes what is found. */
export interface SetVisitor {
  /** Can a set with this optimistic slack, at least this distance and at least this cost still matter? */
  worth(slack: number, distance: number, cost: number): boolean;
  /** A set of members, ascending, with its slack. */
  offer(members: readonly number[], slack: number): void;
  /** Nodes that may still be visited; counted down. */
  nodes: number;
}

/**
 * Branch and bound over the sets of a given size of one pair, best single edits first. A half-decided set is
 * dropped when its optimistic slack is not worth it: Σ_trees (largest leaf still consistent), or the largest
 * gains of a linear model (see parts.ts).
 */
export class Brancher {
  private readonly order: Int32Array;
  private readonly bounders: readonly Bounder[];
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  private readonly members: number[] = [];

  constructor(
    private readonly context: Context,
    private readonly weighed: Weighed,
  ) {
    const inside = context.mix.inside!;
    const alone = inside.small(weighed.pair, 1).subarray(1);
    const rank = (b: number): number => (Number.isNaN(alone[b]) ? Number.NEGATIVE_INFINITY : alone[b]!);
    this.order = Int32Array.from(alone, (_, b) => b).sort((a, b) => rank(b) - rank(a) || a - b);
    this.bounders = inside.structures.map((s) => s.kernels.bounder(s, weighed.pair));
    this.low = new Float64Array(this.bounders.length);
    this.high = new Float64Array(this.bounders.length);
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
    const { order, bounders, context } = this;
    if (context.work.due()) await pauseWhenDue(context);
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
    const { bounders, members, weighed } = this;
    const member = this.order[at]!;
    const far = distance + weighed.gaps[member]!;
    const dear = cost + weighed.costs[member]!;
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
    for (let o = 0; o < this.bounders.length; o++) this.bounders[o]!.rangeInto(left, o, this.low, this.high);
    return this.context.mix.inside!.optimistic(this.low, this.high);
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
