import type { Lever, Line } from "./lever.ts";
import { type Meter, spend } from "./meter.ts";

interface Shared {
  /** Undefined where none was found. */
  readonly values: readonly number[] | undefined;
  readonly cost: number;
  /** No cheaper way exists. */
  readonly exact: boolean;
}

/** Values of one line tried one by one at most. */
const MOST_STEPS = 20_000;

/**
 * The least cost at which every lever moves and all together add `missing`; what they add between that and `slack`
 * more, the model itself decides. Levels are tried one by one. Of numbers,
 * which gain in proportion to what they cost, the one that gains most per cost goes as far as it can, then the next;
 * steps make that a bound, and the values of each number but the last are tried as long as they might be cheaper.
 */
export function cheapest(
  levers: readonly Lever[],
  missing: number,
  slack: number,
  cap: number,
  accepts: (values: readonly number[]) => boolean,
  meter: Meter,
): Shared {
  const values = new Array<number>(levers.length).fill(Number.NaN);
  let [best, found, exact]: [number, readonly number[] | undefined, boolean] = [cap, undefined, true];
  const take = (cost: number): void => {
    if (cost < best) [best, found] = [cost, [...values]];
  };
  /** The last number: the least value that the model accepts, from the least that might do to one that must. */
  const last = ([q, line]: readonly [number, Line], rest: number, cost: number): void => {
    const works = (value: number): boolean => {
      spend(meter, 1);
      values[q] = value;
      return accepts(values);
    };
    let refused = Number.NaN;
    let value = line.at(place(line, Math.max(rest, gainAt(line, line.first)) / line.rate));
    for (let more = slack; !Number.isNaN(value) && within(line, value); more *= 4) {
      if (cost + costTo(line, Number.isNaN(refused) ? value : refused) >= best) return;
      if (works(value)) {
        values[q] = nearestOf(line, refused, value, works);
        take(cost + costTo(line, values[q]!));
        return;
      }
      if (gainAt(line, value) > rest + 16 * slack) {
        exact = false;
        return;
      }
      refused = value;
      value = fartherOf(line, value, (rest + more) / line.rate);
    }
  };
  /** Numbers, those that gain least per cost first: they go as little as they can. */
  const lines = (from: readonly (readonly [number, Line])[], rest: number, cost: number): void => {
    spend(meter, 1);
    const [head, ...tail] = from;
    if (!head) {
      if (cost < best && accepts(values)) take(cost);
      return;
    }
    if (tail.length === 0) {
      last(head, rest, cost);
      return;
    }
    const [q, line] = head;
    const others = tail.reduce((sum, [, other]) => sum + gainAt(other, other.end), 0);
    const enough = tail.reduce((sum, [, other]) => sum + gainAt(other, other.first), 0);
    const start = Math.max(rest - others, gainAt(line, line.first));
    let value = line.at(place(line, start / line.rate));
    for (let step = 0; !Number.isNaN(value) && within(line, value); step++) {
      if (step > MOST_STEPS) {
        exact = false;
        return;
      }
      const own = costTo(line, value);
      const left = rest - gainAt(line, value);
      values[q] = value;
      if (cost + own + relaxed(tail, Number.NEGATIVE_INFINITY) >= best) return;
      if (cost + own + relaxed(tail, left) < best) lines(tail, left, cost + own);
      if (left <= enough) return;
      value = line.at(next(line, value, true));
    }
  };
  const offers = (q: number, rest: number, cost: number, open: (readonly [number, Line])[]): void => {
    if (q === levers.length) {
      lines(
        open.toSorted((a, b) => a[1].rate / a[1].weight - b[1].rate / b[1].weight),
        rest,
        cost,
      );
      return;
    }
    const { offers: single, line } = levers[q]!;
    if (line) offers(q + 1, rest, cost, [...open, [q, line]]);
    for (const offer of single) {
      if (cost + offer.cost >= best) continue;
      values[q] = offer.value;
      offers(q + 1, rest - offer.gain, cost + offer.cost, open);
    }
  };
  offers(0, missing, 0, []);
  return { values: found, cost: best, exact };
}

const gainAt = ({ rate, x }: Line, v: number): number => rate * Math.abs(v - x);
const costTo = ({ weight, x }: Line, v: number): number => weight * Math.abs(v - x);
const place = ({ x, up }: Line, far: number): number => (up ? x + far : x - far);
const beyond = ({ up }: Line, v: number, than: number): boolean => (up ? v > than : v < than);
const within = ({ up, end }: Line, v: number): boolean => (up ? v <= end : v >= end);

/** The nearest value that works between one that does not, if any, and one that does, to a millionth of its move. */
function nearestOf(line: Line, refused: number, works: number, tried: (value: number) => boolean): number {
  let [near, far] = [refused, works];
  while (Math.abs(far - near) > 1e-6 * Math.abs(far - line.x)) {
    const middle = (near + far) / 2;
    if (middle === near || middle === far) break;
    const value = line.at(middle);
    if (!beyond(line, far, value)) near = middle;
    else if (tried(value)) far = value;
    else near = value;
  }
  return far;
}

/** A legal value beyond v that is `far` from x, or just beyond it, or the line's end; NaN at the end. */
function fartherOf(line: Line, v: number, far: number): number {
  const value = line.at(place(line, far));
  if (within(line, value) && beyond(line, value, v)) return value;
  const just = Number.isNaN(value) || !within(line, value) ? line.end : line.at(next(line, v, false));
  return beyond(line, just, v) ? just : Number.NaN;
}

/** The least that lines can cost to add `rest`, if they may stop anywhere. */
function relaxed(lines: readonly (readonly [number, Line])[], rest: number): number {
  let [cost, left] = [0, rest];
  for (const [, line] of lines) {
    cost += costTo(line, line.first);
    left -= gainAt(line, line.first);
  }
  for (const [, line] of lines.toReversed()) {
    if (left <= 0) break;
    const more = Math.min(left, gainAt(line, line.end) - gainAt(line, line.first));
    cost += (more / line.rate) * line.weight;
    left -= more;
  }
  return left > 0 ? Number.POSITIVE_INFINITY : cost;
}

/**
 * Just beyond a value: the next step, or, where numbers have none, a thousandth of the way farther. It is more than the
 * hair by which `line.at` looks back, so that no value comes twice.
 */
function next(line: Line, v: number, coarse: boolean): number {
  const hair = Math.max(Number.MIN_VALUE, (Math.abs(v) + Math.abs(line.x)) * Number.EPSILON * 8);
  const step = coarse ? Math.max(hair, Math.abs(v - line.x) / 1000) : hair;
  return line.up ? v + step : v - step;
}
