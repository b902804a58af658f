import type { Certificate, Column, Feature, Tree } from "../certificate.ts";
import { encode, goesLeft, insist } from "./score.ts";

/** A value that a feature may take and what it costs; a number of a linear model may go on to `far`, at a rate. */
export interface Choice {
  readonly value: number;
  readonly far: number;
  readonly cost: number;
  readonly rate: number;
}

/** What a value on the way of a choice costs. */
export const costAt = ({ value, cost, rate }: Choice, v: number): number =>
  rate === 0 ? cost : cost + rate * Math.abs(v - value);

/** The least legal number ≥ v (`up`), or the greatest ≤ v; NaN where there is none. */
export type Nearest = (v: number, up: boolean) => number;

export const levelsOf = ({ kind, categories }: Feature): readonly string[] =>
  categories ?? (kind === "boolean" ? ["false", "true"] : []);

const ulp = (v: number): number => Math.max(Number.MIN_VALUE, Math.abs(v) * Number.EPSILON);
/** The next number up or down: half of what an ulp is at most is no more than one. */
export function beyond(v: number, up: boolean): number {
  const own = up ? ulp(v) : -ulp(v);
  return v + own / 2 === v ? v + own : v + own / 2;
}

export function numbersOf(feature: Feature, { low, high, decimals }: Column): Nearest {
  const { kind, min, max, step, missing = [], allowed } = feature;
  const under = Math.max(...missing.filter((code) => code <= 0));
  const over = Math.min(...missing.filter((code) => code > 0));
  const least = Math.max(
    min ?? (allowed ? Number.NEGATIVE_INFINITY : low),
    Number.isFinite(under) ? beyond(under, true) : under,
  );
  const most = Math.min(
    max ?? (allowed ? Number.POSITIVE_INFINITY : high),
    Number.isFinite(over) ? beyond(over, false) : over,
  );
  const unit = step ?? (kind === "integer" ? 1 : 0);
  const origin = step === undefined ? 0 : (min ?? 0);
  const place = (v: number): number => (unit > 0 ? (v - origin) / unit : v * 10 ** decimals);
  const at = (n: number): number => {
    const value = unit > 0 ? origin + n * unit : n / 10 ** decimals;
    return Number.isInteger(value) ? value : Number(value.toPrecision(15));
  };
  const off = (v: number): number =>
    Math.abs(place(v) - Math.round(place(v))) / Math.max(1, Math.abs(place(v)));
  const listed = allowed?.map(Number).filter((v) => unit === 0 || off(v) <= 1e-9);
  // Beyond the whole numbers that a double tells apart there are no steps to count.
  const counted = (v: number): boolean => Math.abs(place(v)) < Number.MAX_SAFE_INTEGER;
  const steps = unit > 0 || (decimals >= 0 && counted(least) && counted(most));
  return (v, up) => {
    const from = up ? Math.max(v, least) : Math.min(v, most);
    let value = from;
    if (listed) {
      const rest = listed.filter((one) => (up ? one >= from : one <= from));
      value = up ? Math.min(...rest) : Math.max(...rest);
    } else if (steps && counted(from)) {
      let n = up ? Math.floor(place(from)) - 1 : Math.ceil(place(from)) + 1;
      while (up ? at(n) < from : at(n) > from) n += up ? 1 : -1;
      value = at(n);
    }
    return Number.isFinite(value) && value >= least && value <= most ? value : Number.NaN;
  };
}

/** The cells hold every legal number, and every test of the model answers alike within each. */
export function checkCells({ schema, columns, inputs, model, cells }: Certificate): void {
  const tests = inputs.map((): Exclude<Tree, number>[] => []);
  const collect = (tree: Tree): void => {
    if (typeof tree === "number") return;
    tests[tree[0]]!.push(tree);
    collect(tree[3]);
    collect(tree[4]);
  };
  for (const { trees = [] } of model.sums) trees.forEach(collect);
  schema.features.forEach((feature, k) => {
    const wrong = `the cells of ${feature.name}`;
    insist(feature.derived === undefined, `${feature.name} is derived from others`);
    if (levelsOf(feature).length > 0) return;
    const nearest = numbersOf(feature, columns[k]!);
    let next = nearest(Number.NEGATIVE_INFINITY, true);
    for (const [first, last] of cells[k]!) {
      insist(
        first === next && nearest(last, false) === last && last >= first,
        `${wrong} leave out legal numbers`,
      );
      next = nearest(beyond(last, true), true);
      inputs.forEach((input, c) => {
        if (input.feature !== k) return;
        const alike = tests[c]!.every((test) => {
          const [a, b] = [first, last].map((v) => goesLeft(model, test, encode(input, v)));
          return a === b && typeof test[1] === "number";
        });
        insist(alike, `${wrong} hold numbers that the model tells apart: ${first} and ${last}`);
      });
    }
    insist(Number.isNaN(next), `${wrong} leave out legal numbers from ${next} on`);
  });
}

/**
 * What feature k may become from x: x itself, then the others by cost. Of a cell the number nearest to x (`whole`: all
 * from there on); of x's own cell none, since an edit within it changes nothing but the count of edits.
 */
export function choicesOf(
  { schema, columns, cells }: Certificate,
  k: number,
  x: number,
  whole: boolean,
): Choice[] {
  const feature = schema.features[k]!;
  const { missing = [], direction, tolerance = 0, transitions, allowed, editMissing, min, max } = feature;
  const gap = Number.isNaN(x) || missing.includes(x);
  const found: Choice[] = [];
  const add = (value: number, far: number, free: boolean): void => {
    const rate = free ? 0 : columns[k]!.weight;
    if (!Object.is(value, x)) found.push({ value, far, rate, cost: free ? 1 : rate * Math.abs(value - x) });
  };
  const stay = { value: x, far: x, cost: 0, rate: 0 };
  if (feature.immutable || (gap && !editMissing)) return [stay];
  if (editMissing) for (const v of [Number.NaN, ...missing]) add(v, v, true);
  const levels = levelsOf(feature);
  levels.forEach((level, v) => {
    const turned = !gap && ((direction === "up" && v < x) || (direction === "down" && v > x));
    const barred = !gap && transitions && !(transitions[levels[x]!] ?? []).includes(level);
    const unlisted = allowed?.every((name) => String(name) !== level) || v < (min ?? v) || v > (max ?? v);
    if (!turned && !barred && !unlisted) add(v, v, feature.kind !== "ordinal" || gap);
  });
  const nearest = numbersOf(feature, columns[k]!);
  for (const [first, last] of cells[k]!) {
    if (gap) add(first, whole ? last : first, true);
    if (gap || (!whole && x >= first && x <= last)) continue;
    for (const up of [true, false]) {
      if (direction === (up ? "down" : "up")) continue;
      const from = (v: number): number => nearest(up ? Math.max(v, first) : Math.min(v, last), up);
      let near = from(up ? x + tolerance : x - tolerance);
      while (Math.abs(near - x) <= tolerance) near = from(beyond(near, up));
      const far = up ? last : first;
      if (near >= first && near <= last) add(near, whole ? far : near, false);
    }
  }
  return [stay, ...found.sort((a, b) => a.cost - b.cost)];
}
