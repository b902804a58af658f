import type { Constraints } from "../data/constraints.ts";
import { type Box, type Interval, intervalsOf } from "./intervals.ts";
import type { LeverSet } from "./plan.ts";

interface Reads {
  readonly over: (box: Box) => Interval;
  /** The features it depends on, through derived columns too. */
  readonly reads: ReadonlySet<number>;
}

/** What lies between features, rules and derived columns, compiled once for a study. */
export interface BetweenRules {
  readonly rules: readonly Reads[];
  readonly derived: readonly (Reads & { readonly column: number })[];
  /** 1 where a rule or a derived column reads a feature: then values matter beyond their cells. */
  readonly read: Uint8Array;
}

export function betweenOf({ rules, derived, schema }: Constraints): BetweenRules {
  const index = new Map(schema.features.map(({ name }, k) => [name, k]));
  const roots = new Map<number, ReadonlySet<number>>();
  const readsOf = (names: readonly string[]): ReadonlySet<number> =>
    new Set(names.flatMap((name) => [...(roots.get(index.get(name)!) ?? [index.get(name)!])]));
  const columns = derived.map(({ column, expression }) => {
    const reads = readsOf(expression.names);
    roots.set(column, reads);
    return { column, over: intervalsOf(expression.formula), reads };
  });
  const told = rules.map(({ formula, names }) => ({ over: intervalsOf(formula), reads: readsOf(names) }));
  const read = new Uint8Array(schema.features.length);
  for (const { reads } of [...told, ...columns]) for (const k of reads) read[k] = 1;
  return { rules: told, derived: columns, read };
}

/** Rules and derived columns over boxes of edits of one row. */
export class Between {
  readonly box: Box;
  readonly #told: BetweenRules;
  /** Rules and derived columns that the edited features touch. */
  #rules: readonly Reads[] = [];
  #derived: BetweenRules["derived"] = [];
  #edited: readonly number[] = [];
  readonly #x: Float64Array;

  /** @param x with derived columns complete */
  constructor(told: BetweenRules, x: Float64Array) {
    this.#told = told;
    this.#x = x;
    this.box = { low: x.slice(), high: x.slice(), gap: new Uint8Array(x.length) };
    for (let k = 0; k < x.length; k++) this.#rest(k);
  }

  /** From now on boxes move these features alone. False where a rule that they do not touch fails: then no edit of these helps. */
  focus(features: readonly number[]): boolean {
    for (const k of this.#edited) this.#rest(k);
    for (const { column } of this.#derived) this.#rest(column);
    const touched = ({ reads }: Reads): boolean => features.some((k) => reads.has(k));
    this.#edited = features;
    this.#rules = this.#told.rules.filter(touched);
    this.#derived = this.#told.derived.filter(touched);
    return this.#told.rules.every((rule) => touched(rule) || rule.over(this.box).high > 0);
  }

  #rest(k: number): void {
    this.set(k, this.#x[k]!, this.#x[k]!);
  }

  /** Is there nothing between the features in focus? */
  get free(): boolean {
    return this.#rules.length === 0 && this.#derived.length === 0;
  }

  /** Derived columns that move with the features in focus. */
  get columns(): readonly number[] {
    return this.#derived.map(({ column }) => column);
  }

  /** Feature k may be anything from a to b, in either order; a gap is one. */
  set(k: number, a: number, b: number): void {
    const missing = Number.isNaN(a);
    this.box.low[k] = missing ? Number.POSITIVE_INFINITY : Math.min(a, b);
    this.box.high[k] = missing ? Number.NEGATIVE_INFINITY : Math.max(a, b);
    this.box.gap[k] = missing ? 1 : 0;
  }

  /** Feature k may be anything between the least and the greatest of these, or missing where one is. */
  span(k: number, values: readonly number[]): void {
    const there = values.filter((v) => !Number.isNaN(v));
    this.box.low[k] = Math.min(...there);
    this.box.high[k] = Math.max(...there);
    this.box.gap[k] = there.length < values.length ? 1 : 0;
  }

  /** Derived columns follow; may every rule hold somewhere in the box? */
  may(): boolean {
    const { box } = this;
    for (const { column, over } of this.#derived) {
      const { low, high, gap } = over(box);
      // What is not a finite number is missing.
      const over_ = low === Number.NEGATIVE_INFINITY || high === Number.POSITIVE_INFINITY;
      box.low[column] = Math.max(low, -Number.MAX_VALUE);
      box.high[column] = Math.min(high, Number.MAX_VALUE);
      box.gap[column] = gap || (over_ && low <= high) ? 1 : 0;
    }
    for (const { over } of this.#rules) if (!(over(box).high > 0)) return false;
    return true;
  }

  /** Does every rule hold everywhere in the box? After `may`. */
  certain(): boolean {
    return this.#rules.every(({ over }) => {
      const { low, gap } = over(this.box);
      return low > 0 && !gap;
    });
  }
}

/** x with values that were found for some features, as a plan. */
export function leverSet(
  study: { readonly constraints: Constraints },
  x: Float64Array,
  { features, values, cost }: Found,
): LeverSet {
  const z = x.slice();
  features.forEach((k, q) => {
    z[k] = values[q]!;
  });
  return { features: features.toSorted((a, b) => a - b), change: cost, z: complete(study, z) };
}

interface Found {
  readonly features: readonly number[];
  readonly values: readonly number[];
  readonly cost: number;
}

/** A row with its derived columns. */
export function complete(
  { constraints }: { readonly constraints: Constraints },
  row: Float64Array,
): Float64Array {
  return constraints.hasDerived ? constraints.complete({ data: row, rows: 1, cols: row.length }).data : row;
}
