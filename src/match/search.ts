import type { ColaError } from "../errors.ts";
import type { Brancher } from "../model/branch.ts";
import type { Edge } from "../model/kernels.ts";
import { brancherOf, type Context } from "./context.ts";
import { compareOptions, type Option, rounded, TIE, type Weighed, within } from "./option.ts";
import { choose } from "./sets.ts";

/** The question for one row: the cheapest mixture of x with one of its references that reaches the target. */
export interface RowProblem {
  readonly pairs: readonly Weighed[];
  /** Squared distance of the proposal: `margin` looks within it first. */
  readonly cap: number;
  /** Most edits a plan may have. */
  readonly maxEdits: number;
}

/** How a search ended. */
export interface Found {
  /** The best plan known. */
  readonly option: Option | undefined;
  /** Nothing better exists among the mixtures of the task (with at most `maxEdits` edits). */
  readonly complete: boolean;
  /** No plan of fewer edits exists among them, whatever it costs. */
  readonly atLeast: number;
  /** Why the search is not complete, where a limit or the model stopped it. */
  readonly error: ColaError | undefined;
}

/** Players up to which all 2^k mixtures are tabled from a model's inside. */
export const CUBE_PLAYERS = 14;
/** Branch-and-bound nodes a mixture of effort is worth: a node costs less than a scored row. */
export const NODES_PER_EFFORT = 4;

/** The state of one task while sizes 1, 2, 3, … are exhausted. */
export class Search {
  best: Option | undefined;
  /** Edits of the first plan found: from then on sets that cost more than the best are not looked at. */
  private first = Number.POSITIVE_INFINITY;
  /** Every smaller size is exhausted, except for sets that cost more than the best. */
  size = 1;
  /** Mixtures that may still be scored, and nodes that may still be visited. */
  effort: number;
  nodes: number;
  /** Smallest size at which the model failed on a mixture, and how. */
  failedAt = Number.POSITIVE_INFINITY;
  error: ColaError | undefined;
  complete = false;
  /** A size was left before all its sets were seen. */
  truncated = false;
  readonly compare: (a: Option, b: Option) => number;
  private readonly branchers = new Map<number, Brancher>();
  private readonly cubes = new Map<number, Float64Array>();
  private readonly edges = new Map<number, Edge>();

  constructor(
    readonly task: RowProblem,
    readonly context: Context,
  ) {
    const { rule } = context;
    this.effort = rule.effort;
    this.nodes = NODES_PER_EFFORT * rule.effort;
    this.compare = compareOptions(rule.prefer, task.cap);
  }

  /** Largest size worth a look. */
  get maxSize(): number {
    return this.task.pairs.reduce((most, { gaps }) => Math.max(most, gaps.length), 0);
  }

  /** Sets of a size, over all pairs. */
  count(size: number): number {
    return this.task.pairs.reduce((sum, { gaps }) => sum + choose(gaps.length, size), 0);
  }

  /** Least cost of any set of `size` or more members. */
  leastCost(size: number): number {
    return this.task.pairs.reduce((least, { costs }) => {
      if (costs.length < size) return least;
      const sum = costs
        .toSorted()
        .subarray(0, size)
        .reduce((a, b) => a + b, 0);
      return Math.min(least, sum);
    }, Number.POSITIVE_INFINITY);
  }

  brancher(pair: number): Brancher {
    const known = this.branchers.get(pair);
    if (known) return known;
    const made = brancherOf(this.context, this.task.pairs[pair]!);
    this.branchers.set(pair, made);
    return made;
  }

  cube(pair: number): Float64Array {
    const known = this.cubes.get(pair);
    if (known) return known;
    const made = this.context.mix.inside!.cube(this.task.pairs[pair]!.pair);
    this.cubes.set(pair, made);
    return made;
  }

  edge(pair: number): Edge {
    const known = this.edges.get(pair);
    if (known) return known;
    const { rule, mix } = this.context;
    const made = mix.inside!.edge(this.task.pairs[pair]!.pair, Math.max(0, rule.minMargin), 1 / TIE);
    this.edges.set(pair, made);
    return made;
  }

  /** Lets go of the tables. */
  forget(): void {
    this.branchers.clear();
    this.cubes.clear();
  }

  /** Is this set near enough and not dearer than what is known? */
  admits(option: Option): boolean {
    return (
      within(option.distance, this.context.rule.maxDistance) &&
      (!this.best || rounded(option.cost) <= rounded(this.best.cost))
    );
  }

  take(option: Option): void {
    if (!this.best) this.first = option.members.length;
    if (!this.best || this.compare(option, this.best) < 0) this.best = option;
  }

  fail(size: number, error: ColaError): void {
    this.failedAt = Math.min(this.failedAt, size);
    this.error ??= error;
  }

  found(): Found {
    const { best, error, task } = this;
    const atLeast = Math.min(this.size, this.failedAt, this.first);
    // More edits than the task allows may cost less than the best.
    const beyond = (cost: number): boolean => rounded(this.leastCost(task.maxEdits + 1)) < rounded(cost);
    const complete =
      best && this.context.rule.uniform
        ? best.members.length <= atLeast
        : this.complete && !error && !this.truncated && !(best && beyond(best.cost));
    return { option: best, complete, atLeast, error };
  }
}
