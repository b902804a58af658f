import { treeKernels } from "../../model/trees/kernels.ts";
import { NODE } from "../../model/trees/structure.ts";
import type { Link, Trees } from "../../types.ts";

/** The test of a split node: z ≤ threshold goes left, a missing z where `missingLeft` says. */
interface Cut {
  readonly feature: number;
  readonly threshold: number;
  readonly missingLeft: boolean;
}

/**
 * Trees while they grow: node arrays that double when full, and one column of values per output. Children
 * are always numbered after their parent, the right one after the left one.
 */
export class Shape {
  readonly roots: number[] = [];
  readonly values: Float64Array[];
  size = 0;
  private feature = new Int32Array(64);
  private threshold = new Float64Array(64);
  private left = new Int32Array(64);
  private right = new Int32Array(64);
  private flags = new Uint8Array(64);

  constructor(outputs: number) {
    this.values = Array.from({ length: outputs }, () => new Float64Array(64));
  }

  /** Begins a tree; its root is a leaf for now. */
  addRoot(): number {
    this.roots.push(this.size);
    return this.addLeaf();
  }

  /** Turns leaf `node` into a split; its children are the returned node and the one after it. */
  split(node: number, cut: Cut): number {
    const left = this.addLeaf();
    const right = this.addLeaf();
    this.feature[node] = cut.feature;
    this.threshold[node] = cut.threshold;
    this.left[node] = left;
    this.right[node] = right;
    this.flags[node] = cut.missingLeft ? NODE.missingLeft : 0;
    return left;
  }

  /** Takes back the last tree. */
  dropTree(): void {
    this.size = this.roots.pop()!;
  }

  /** The trees of the first output as they stand: a view that the next node may invalidate. */
  view(): Trees {
    const { feature, threshold, left, right, flags } = this;
    const nodes = { feature, threshold, left, right, flags, value: this.values[0]! };
    const rules = { kind: "trees", link: "identity", base: 0, inclusive: true, float32: false } as const;
    return { ...rules, ...nodes, roots: Int32Array.from(this.roots), kernels: treeKernels };
  }

  /** The forests grown so far, one per output, sharing their node arrays. */
  toTrees(link: Link, bases: ArrayLike<number>): Trees[] {
    const shared = {
      ...this.view(),
      link,
      feature: this.feature.slice(0, this.size),
      threshold: this.threshold.slice(0, this.size),
      left: this.left.slice(0, this.size),
      right: this.right.slice(0, this.size),
      flags: this.flags.slice(0, this.size),
    };
    return this.values.map((value, k) => ({ ...shared, base: bases[k]!, value: value.slice(0, this.size) }));
  }

  private addLeaf(): number {
    if (this.size === this.feature.length) this.double();
    const node = this.size++;
    this.feature[node] = -1;
    this.left[node] = -1;
    this.right[node] = -1;
    this.threshold[node] = 0;
    this.flags[node] = 0;
    for (const value of this.values) value[node] = 0;
    return node;
  }

  private double(): void {
    const grown = <A extends Int32Array | Float64Array | Uint8Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    const size = 2 * this.size;
    this.feature = grown(this.feature, new Int32Array(size));
    this.left = grown(this.left, new Int32Array(size));
    this.right = grown(this.right, new Int32Array(size));
    this.threshold = grown(this.threshold, new Float64Array(size));
    this.flags = grown(this.flags, new Uint8Array(size));
    for (let k = 0; k < this.values.length; k++) {
      this.values[k] = grown(this.values[k]!, new Float64Array(size));
    }
  }
}
