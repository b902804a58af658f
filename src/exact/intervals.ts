import type { BinaryOp, Formula } from "../data/expression.ts";

/** What each code of a row may be: a number of [low, high] (none where low > high), or missing where `gap` is 1. */
export interface Box {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly gap: Uint8Array;
}

/** What an expression may be anywhere in a box. */
export interface Interval {
  low: number;
  high: number;
  gap: boolean;
}

/**
 * The values of a formula over a box: each value it has in any row of the box lies within. Double arithmetic rounds
 * monotonely, so that ends computed by the same operations bound what the formula itself computes, to the last bit.
 * Nothing is allocated: each node of the formula owns the interval it returns, until it is asked again.
 */
export function intervalsOf(formula: Formula): (box: Box) => Interval {
  const out: Interval = { low: 0, high: 0, gap: false };
  if (formula.op === "column") {
    const { k } = formula;
    return ({ low, high, gap }) => {
      set(out, low[k]!, high[k]!, gap[k] === 1);
      return out;
    };
  }
  if (formula.op === "constant") {
    const { value } = formula;
    if (Number.isNaN(value)) nothing(out);
    else set(out, value, value, false);
    return () => out;
  }
  const a = intervalsOf(formula.a);
  if (formula.op === "minus") {
    return (box) => {
      const { low, high, gap } = a(box);
      set(out, -high, -low, gap);
      return out;
    };
  }
  if (formula.op === "not") {
    return (box) => {
      const own = a(box);
      return told(out, mayFail(own), own.high > 0);
    };
  }
  if (formula.op === "levels") return (box) => renamed(out, a(box), formula.codes);
  const b = intervalsOf(formula.b);
  const { op } = formula;
  return (box) => combined(op, a(box), b(box), out);
}

function set(out: Interval, low: number, high: number, gap: boolean): void {
  out.low = low;
  out.high = high;
  out.gap = gap;
}

/** Missing for certain. */
function nothing(out: Interval): void {
  set(out, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true);
}

/** A condition that may hold, may fail, or either. */
function told(out: Interval, holds: boolean, fails: boolean): Interval {
  set(out, fails ? 0 : 1, holds ? 1 : 0, false);
  return out;
}

const isEmpty = ({ low, high }: Interval): boolean => !(low <= high);

/** May this condition be other than above 0? */
const mayFail = (a: Interval): boolean => a.gap || !(a.low > 0);

function combined(op: BinaryOp, a: Interval, b: Interval, out: Interval): Interval {
  if (op === "and") return told(out, a.high > 0 && b.high > 0, mayFail(a) || mayFail(b));
  if (op === "or") return told(out, a.high > 0 || b.high > 0, mayFail(a) && mayFail(b));
  const gap = a.gap || b.gap;
  const void_ = isEmpty(a) || isEmpty(b);
  const alike = !void_ && a.low <= b.high && b.low <= a.high;
  const point = !void_ && a.low === a.high && b.low === b.high && a.low === b.low;
  switch (op) {
    case "==":
      return told(out, alike, gap || !point);
    case "!=":
      return told(out, gap || !point, alike);
    case "<=":
      return told(out, !void_ && a.low <= b.high, gap || void_ || a.high > b.low);
    case "<":
      return told(out, !void_ && a.low < b.high, gap || void_ || a.high >= b.low);
    case ">=":
      return told(out, !void_ && a.high >= b.low, gap || void_ || a.low < b.high);
    case ">":
      return told(out, !void_ && a.high > b.low, gap || void_ || a.low <= b.high);
    default:
      if (void_) nothing(out);
      else arithmetic(op, a, b, out, gap);
      return out;
  }
}

function arithmetic(op: "+" | "-" | "*" | "/", a: Interval, b: Interval, out: Interval, gap: boolean): void {
  // Infinite numbers, of overflows, may have no difference, product or quotient.
  const lost = gap || isInfinite(a) || isInfinite(b);
  if (op === "+") bounded(out, a.low + b.low, a.high + b.high, lost);
  else if (op === "-") bounded(out, a.low - b.high, a.high - b.low, lost);
  else if (op === "*") corners(out, a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high, lost);
  else divided(a, b, out, lost);
}

const isInfinite = ({ low, high }: Interval): boolean =>
  low === Number.NEGATIVE_INFINITY || high === Number.POSITIVE_INFINITY;

/** a / b, missing where b is 0. A divisor next to 0 is as small as numbers are. */
function divided(a: Interval, b: Interval, out: Interval, gap: boolean): void {
  const zero = b.low <= 0 && b.high >= 0;
  const low = b.low === 0 ? Number.MIN_VALUE : b.low;
  const high = b.high === 0 ? -Number.MIN_VALUE : b.high;
  if (b.low === 0 && b.high === 0) nothing(out);
  else if (low < 0 && high > 0) set(out, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, true);
  else corners(out, a.low / low, a.low / high, a.high / low, a.high / high, gap || zero);
}

function corners(out: Interval, p: number, q: number, r: number, s: number, gap: boolean): void {
  bounded(out, Math.min(p, q, r, s), Math.max(p, q, r, s), gap);
}

function bounded(out: Interval, low: number, high: number, gap: boolean): void {
  if (low <= high) set(out, low, high, gap);
  else set(out, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, true);
}

function renamed(out: Interval, { low, high, gap }: Interval, codes: readonly number[]): Interval {
  set(out, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, gap);
  for (let v = Math.ceil(low); v <= high; v++) {
    out.low = Math.min(out.low, codes[v]!);
    out.high = Math.max(out.high, codes[v]!);
  }
  return out;
}
