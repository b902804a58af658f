/** The sets of `size` out of 0 … k−1 in lexicographic order. */
export function* combinations(k: number, size: number): Generator<number[]> {
  const members = Array.from({ length: size }, (_, t) => t);
  while (size <= k) {
    yield [...members];
    let at = size - 1;
    while (at >= 0 && members[at] === k - size + at) at--;
    if (at < 0) return;
    members[at]!++;
    for (let t = at + 1; t < size; t++) members[t] = members[t - 1]! + 1;
  }
}

/** n over s; Infinity where it no longer fits a number. */
export function choose(n: number, s: number): number {
  let count = 1;
  for (let t = 1; t <= s; t++) count = (count * (n - s + t)) / t;
  return s > n ? 0 : count;
}

export function sizeOf(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Members of a mask, ascending. */
export function membersOf(mask: number): number[] {
  const members: number[] = [];
  for (let b = 0; mask >>> b !== 0; b++) if ((mask >>> b) & 1) members.push(b);
  return members;
}
