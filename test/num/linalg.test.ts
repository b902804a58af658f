import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  choleskyInPlace,
  choleskySolve,
  dot,
  LANES,
  solveLower,
  solveLowerLanes,
  solveLowerTransposed,
  squaredDistance,
  symmetricEigen,
} from "../../src/num/linalg.ts";
import { addProduct } from "../../src/num/product.ts";
import { stream } from "../../src/num/random.ts";
import { numMutants } from "../support/mutants/num.ts";
import { refuses } from "../support/refuses.ts";

const sizes = fc.record({ n: fc.integer({ min: 1, max: 80 }), seed: fc.integer() });

function randomCells(count: number, seed: number): Float64Array {
  const random = stream(seed, "linalg");
  return Float64Array.from({ length: count }, () => random.normal());
}

/** A symmetric positive definite matrix G Gᵀ + I. */
function definite(n: number, seed: number): Float64Array {
  const g = randomCells(n * n, seed);
  return Float64Array.from({ length: n * n }, (_, c) => {
    const [i, j] = [Math.floor(c / n), c % n];
    return dot(g, i * n, g, j * n, n) + (i === j ? 1 : 0);
  });
}

function largestGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  return most;
}

describe("Cholesky", () => {
  const law = (factor: typeof choleskyInPlace): void =>
    fc.assert(
      fc.property(sizes, ({ n, seed }) => {
        const a = definite(n, seed);
        const l = a.slice();
        expect(factor(l, n)).toBe(-1);
        const back = Float64Array.from({ length: n * n }, (_, c) => {
          const [i, j] = [Math.floor(c / n), c % n];
          return dot(l, i * n, l, j * n, Math.min(i, j) + 1);
        });
        expect(largestGap(back, a)).toBeLessThan(1e-10 * n);
      }),
      { numRuns: 30 },
    );

  test("L Lᵀ = A, also across panels", () => law(choleskyInPlace));
  test("a factor without its products is refused", () => refuses(() => law(numMutants.cholesky)));

  const dependent = (factor: typeof choleskyInPlace): void => {
    // Column 40 is the sum of columns 3 and 5.
    const n = 60;
    const g = randomCells(n * 200, 1);
    for (let k = 0; k < 200; k++) g[40 * 200 + k] = g[3 * 200 + k]! + g[5 * 200 + k]!;
    const a = Float64Array.from({ length: n * n }, (_, c) =>
      dot(g, Math.floor(c / n) * 200, g, (c % n) * 200, 200),
    );
    expect(factor(a, n, 1e-10)).toBe(40);
  };
  test("a column that depends on those before it is named", () => dependent(choleskyInPlace));
  test("a factor that sees nothing is refused", () => refuses(() => dependent(numMutants.blindCholesky)));

  const solves = (solve: typeof choleskySolve): void =>
    fc.assert(
      fc.property(sizes, ({ n, seed }) => {
        const a = definite(n, seed);
        const x = randomCells(n, seed + 1);
        const b = Float64Array.from(x, (_, i) => dot(a, i * n, x, 0, n));
        const l = a.slice();
        choleskyInPlace(l, n);
        solve(l, n, b);
        expect(largestGap(b, x)).toBeLessThan(1e-8);
      }),
      { numRuns: 30 },
    );
  test("solves A x = b", () => solves(choleskySolve));
  test("a solver that divides by the diagonal is refused", () => refuses(() => solves(numMutants.solve)));

  test("triangular solves undo triangular products", () => {
    const n = 9;
    const l = definite(n, 4);
    choleskyInPlace(l, n);
    const x = randomCells(n, 5);
    const down = Float64Array.from(x, (_, i) => dot(l, i * n, x, 0, i + 1));
    solveLower(l, n, down);
    expect(largestGap(down, x)).toBeLessThan(1e-12);
    const up = Float64Array.from(x, (_, i) =>
      x.reduce((sum, v, j) => (j >= i ? sum + l[j * n + i]! * v : sum), 0),
    );
    solveLowerTransposed(l, n, up);
    expect(largestGap(up, x)).toBeLessThan(1e-12);
  });
});

describe("four right-hand sides at once", () => {
  const law = (solve: typeof solveLowerLanes): void =>
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: LANES - 1 }), ({ n, seed }, lane) => {
        const l = definite(n, seed);
        choleskyInPlace(l, n);
        const b = randomCells(n, seed + 1);
        const others = randomCells(LANES * n, seed + 2);
        const at = (where: number): Float64Array => {
          const lanes = others.map((v, p) => (p % LANES === where ? b[Math.floor(p / LANES)]! : v));
          solve(l, n, lanes);
          return lanes.filter((_, p) => p % LANES === where);
        };
        const alone = b.slice();
        solveLower(l, n, alone);
        expect(largestGap(at(lane), alone)).toBeLessThan(1e-9);
        expect(at(lane)).toEqual(at(0));
      }),
      { numRuns: 60 },
    );
  test("each as if alone, to the bit wherever it stands", () => law(solveLowerLanes));
  test("a last row that is left out is refused", () => refuses(() => law(numMutants.lanes)));
});

describe("symmetric eigenvalues", () => {
  const law = (eigen: typeof symmetricEigen): void =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer(), (n, seed) => {
        const g = randomCells(n * n, seed);
        const a = g.map((v, c) => v + g[(c % n) * n + Math.floor(c / n)]!);
        const { values, vectors } = eigen(a, n);
        expect(Array.from(values)).toEqual(Array.from(values).sort((p, q) => p - q));
        for (let i = 0; i < n; i++) {
          for (let j = 0; j < n; j++) {
            let back = 0;
            let unit = 0;
            for (let e = 0; e < n; e++) {
              back += vectors[i * n + e]! * values[e]! * vectors[j * n + e]!;
              unit += vectors[i * n + e]! * vectors[j * n + e]!;
            }
            expect(Math.abs(back - a[i * n + j]!)).toBeLessThan(1e-10);
            expect(Math.abs(unit - (i === j ? 1 : 0))).toBeLessThan(1e-12);
          }
        }
      }),
      { numRuns: 40 },
    );
  test("A = V diag(λ) Vᵀ, V orthogonal, λ ascending", () => law(symmetricEigen));
  test("the diagonal of A is refused", () => refuses(() => law(numMutants.eigen)));
});

describe("products", () => {
  const law = (product: typeof addProduct): void =>
    fc.assert(
      fc.property(
        fc.record({
          n: fc.integer({ min: 1, max: 7 }),
          m: fc.integer({ min: 1, max: 9 }),
          depth: fc.integer({ min: 0, max: 6 }),
          seed: fc.integer(),
        }),
        ({ n, m, depth, seed }) => {
          const a = { data: randomCells(n * depth + 3, seed), at: 3, row: depth, col: 1 };
          // b is stored the other way round: cell (j, k) lies in column j.
          const b = { data: randomCells(m * depth, seed + 1), at: 0, row: 1, col: m };
          const out = new Float64Array(n * m).fill(2);
          product(out, n, m, depth, a, b);
          for (let i = 0; i < n; i++) {
            for (let j = 0; j < m; j++) {
              let sum = 0;
              for (let k = 0; k < depth; k++) sum += a.data[3 + i * depth + k]! * b.data[k * m + j]!;
              expect(out[i * m + j]).toBe(2 + sum);
            }
          }
        },
      ),
    );
  test("each cell is the sum in order, whatever the tile", () => law(addProduct));
  test("a constant is refused", () => refuses(() => law(numMutants.product)));

  test("squared distance from two offsets", () => {
    expect(squaredDistance(Float64Array.of(9, 1, 2), 1, Float64Array.of(4, 6), 0, 2)).toBe(9 + 16);
  });
});
