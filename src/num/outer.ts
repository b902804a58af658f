import { addOuter } from "./linalg.ts";

/** Rows that are added at once: every cell of the sum is then loaded and stored a quarter as often. */
const TOGETHER = 4;
/** Share of cells other than 0 from which on it pays to pass over none. */
const DENSE = 0.6;

/** Σ factor · z zᵀ as rows come, added to the lower triangle of a matrix; `end` adds those that still wait. */
export interface OuterSum {
  add(z: Float64Array, factor: number): void;
  end(): void;
}

/** The bits are those of `addOuter` row after row: every cell adds the products of the rows in their order. */
export function outerSum(out: Float64Array, p: number): OuterSum {
  const rows = Array.from({ length: TOGETHER }, () => new Float64Array(p));
  const factors = new Float64Array(TOGETHER);
  // Cell r of column j of the rows that wait is at TOGETHER · j + r.
  const cells = new Float64Array(TOGETHER * p);
  let [count, used, sparse] = [0, 0, false];
  const end = (): void => {
    for (let r = 0; r < count; r++) addOuter(out, p, 0, 0, rows[r]!, factors[r]!);
    count = used = 0;
  };
  return {
    add(z, factor) {
      if (sparse) return addOuter(out, p, 0, 0, z, factor);
      rows[count]!.set(z);
      factors[count++] = factor;
      for (let j = 0; j < p; j++) if (z[j] !== 0) used++;
      if (count < TOGETHER) return;
      sparse = used < DENSE * cells.length;
      if (sparse) return end();
      for (let r = 0; r < TOGETHER; r++) {
        const row = rows[r]!;
        for (let j = 0; j < p; j++) cells[TOGETHER * j + r] = row[j]!;
      }
      addTogether(out, p, cells, factors);
      count = used = 0;
    },
    end,
  };
}

function addTogether(out: Float64Array, p: number, cells: Float64Array, factors: Float64Array): void {
  for (let a = 0; a < p; a++) {
    const s0 = factors[0]! * cells[4 * a]!;
    const s1 = factors[1]! * cells[4 * a + 1]!;
    const s2 = factors[2]! * cells[4 * a + 2]!;
    const s3 = factors[3]! * cells[4 * a + 3]!;
    for (let to = a * p, c = 0; c <= 4 * a; to++, c += 4)
      out[to] = out[to]! + s0 * cells[c]! + s1 * cells[c + 1]! + s2 * cells[c + 2]! + s3 * cells[c + 3]!;
  }
}
