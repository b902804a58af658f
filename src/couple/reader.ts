/**
 * Reads rows of costs c'_ij under column prices v, of the first columns, as many as v has. Each question leaves its answer
 * in `cols` (rising) and `costs`, and gives how many they are; all readers answer so that what is made of it is the same.
 */
export interface Reader {
  readonly cols: Int32Array;
  readonly costs: Float64Array;
  /**
   * All columns with c'_ij − v_j ≤ limit, and maybe others; with a count, at least those among the `count` smallest of
   * these, of equal ones the first.
   */
  near(i: number, limit: number, count?: number): number;
  /** v_j has changed; without j any may have. */
  priced(j?: number): void;
}

/** Reads whole rows: `at(i)` tells where in `data` the costs of row i are. */
export function rowReader(data: Float64Array, at: (i: number) => number, v: Float64Array): Reader {
  const cols = new Int32Array(v.length);
  const costs = new Float64Array(v.length);
  const near = (i: number, limit: number): number => {
    const from = at(i);
    let found = 0;
    for (let j = 0; j < v.length; j++) {
      const cost = data[from + j]!;
      if (cost - v[j]! > limit) continue;
      cols[found] = j;
      costs[found++] = cost;
    }
    return found;
  };
  return { cols, costs, near, priced() {} };
}
