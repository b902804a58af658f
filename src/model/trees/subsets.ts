/**
 * The sets of at most `maxSize` ≤ 3 out of k players, by size and then in lexicographic order:
 * ∅, {0}, {1}, …, {0,1}, {0,2}, …, {0,1,2}, … A table of numbers per set uses these places.
 */

/** How many sets there are. */
export function smallSubsetCount(k: number, maxSize: number): number {
  return [1, k, choose2(k), choose3(k)].slice(0, maxSize + 1).reduce((sum, count) => sum + count, 0);
}

/** Place of the set of these members, given in ascending order. */
export function smallSubsetIndex(k: number, members: ArrayLike<number>): number {
  const [a, b, c] = [members[0]!, members[1]!, members[2]!];
  if (members.length === 0) return 0;
  if (members.length === 1) return 1 + a;
  return members.length === 2 ? pairStart(k, a) + b : tripleStart(k, a, b) + c;
}

/** Calls `visit` with every set in the order of its place; `members` is reused between calls. */
export function forEachSmallSubset(
  k: number,
  maxSize: number,
  visit: (members: readonly number[], index: number) => void,
): void {
  let index = 0;
  const members: number[] = [];
  const extend = (from: number, missing: number): void => {
    if (missing === 0) visit(members, index++);
    else grow(from, missing);
  };
  const grow = (from: number, missing: number): void => {
    for (let u = from; u <= k - missing; u++) {
      members.push(u);
      extend(u + 1, missing - 1);
      members.pop();
    }
  };
  for (let size = 0; size <= Math.min(k, maxSize); size++) extend(0, size);
}

/** The place of {a, b} is pair[a] + b and that of {a, b, c} is triple[a·k + b] + c, for a < b < c. */
export interface SubsetPlaces {
  readonly pair: Int32Array;
  readonly triple: Int32Array;
}

const known = new Map<number, SubsetPlaces>();

/** Tables of the places for k players, made once for each k. */
export function subsetPlaces(k: number): SubsetPlaces {
  let places = known.get(k);
  if (!places) {
    const triple = new Int32Array(k * k);
    for (let a = 0; a < k; a++) for (let b = a + 1; b < k; b++) triple[a * k + b] = tripleStart(k, a, b);
    places = { pair: Int32Array.from({ length: k }, (_, a) => pairStart(k, a)), triple };
    known.set(k, places);
  }
  return places;
}

function pairStart(k: number, a: number): number {
  return k + (a * (2 * k - a - 3)) / 2;
}

function tripleStart(k: number, a: number, b: number): number {
  return k + choose2(k) + choose3(k) - choose3(k - a) + choose2(k - a - 1) - choose2(k - b) - b;
}

function choose2(n: number): number {
  return (n * (n - 1)) / 2;
}

function choose3(n: number): number {
  return (n * (n - 1) * (n - 2)) / 6;
}
